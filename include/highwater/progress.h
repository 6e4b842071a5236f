// How far a load has come.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace highwater {

// Told what is being done ("weights", "kernels", "first runs"), how much of it is done, and out of
// how much.
using Progress = std::function<void(std::string_view stage, size_t done, size_t total)>;

}  // namespace highwater
