// How far a load has come.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "highwater/result.h"

namespace highwater {

// Told what is being done ("weights", "kernels", "first runs"), how much of it is done, and out of
// how much. An error that it gives ends the load, and is the load's own.
using Progress = std::function<Status(std::string_view stage, size_t done, size_t total)>;

}  // namespace highwater
