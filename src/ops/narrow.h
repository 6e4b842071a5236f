// A program's numbers, which are doubles, as kernels take them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace highwater {

// As a float: too large a number is infinite.
inline float narrow_to_float(double number) {
  if (std::fabs(number) > std::numeric_limits<float>::max()) {
    return std::copysign(std::numeric_limits<float>::infinity(), number > 0 ? 1.0f : -1.0f);
  }
  return static_cast<float>(number);
}

// Towards zero, and no further than the type goes.
inline int32_t narrow_to_int(double number) {
  if (std::isnan(number)) return 0;
  return static_cast<int32_t>(std::clamp<double>(number, std::numeric_limits<int32_t>::min(),
                                                 std::numeric_limits<int32_t>::max()));
}

}  // namespace highwater
