// A number argument: written in the program, or a live scalar.
#pragma once

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

}  // namespace highwater
