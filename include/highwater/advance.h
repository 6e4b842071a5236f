// Work that is done in parts.
#pragma once

#include <cstdint>

namespace highwater {

// What is left after a part of it.
enum class Advance : uint8_t {
  More,     // the next part can be done at once
  Waiting,  // nothing can be done until the device has answered, or bytes have come
  Done,
};

}  // namespace highwater
