// A program's numbers, which are doubles, as kernels take them. This is what a number written in a
// program means, wherever it goes.
//
// Which of the two it becomes is for torch's promotion to say: a number that is not whole makes the
// result of ints a float, and is computed with floats. Where y is of ints all the same (a fill, a
// padding), the fraction is cut off.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace highwater {

// The nearest float. Too large a number is infinite.
inline float narrow_to_float(double number) {
  if (std::fabs(number) > std::numeric_limits<float>::max()) {
    return std::copysign(std::numeric_limits<float>::infinity(), number > 0 ? 1.0f : -1.0f);
  }
  return static_cast<float>(number);
}

// Towards zero, and no further than the type goes; what is no number is 0.
inline int32_t narrow_to_int(double number) {
  if (std::isnan(number)) return 0;
  return static_cast<int32_t>(std::clamp<double>(number, std::numeric_limits<int32_t>::min(),
                                                 std::numeric_limits<int32_t>::max()));
}

// Whether it can be computed with as an int.
inline bool is_whole(double number) {
  return std::isfinite(number) && std::trunc(number) == number;
}

// The bits of either, for kernels that are told what they are.
inline uint32_t narrow_to_bits(double number, bool to_float) {
  return to_float ? std::bit_cast<uint32_t>(narrow_to_float(number))
                  : std::bit_cast<uint32_t>(narrow_to_int(number));
}

}  // namespace highwater
