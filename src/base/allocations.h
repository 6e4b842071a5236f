// How many times this thread's Highwater code has asked the heap for memory.
#pragma once

#include <cstdint>

namespace highwater {

uint64_t heap_allocations();

}  // namespace highwater
