// A number argument: written in the program, or a live scalar.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/op.h"

namespace highwater {

class LiveNumber {
 public:
  LiveNumber() = default;
  explicit LiveNumber(double literal) : literal_(literal) {}
  LiveNumber(Args& a, size_t i) {
    if (a.is_live(i)) {
      live_ = a.live_integer(i);
    } else {
      literal_ = a.number(i);
    }
  }

  double at(const Shapes& s) const {
    return live_.is_live() ? static_cast<double>(s[live_]) : literal_;
  }

 private:
  double literal_ = 0;
  LiveInt live_;
};

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
