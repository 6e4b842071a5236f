// A number argument: written in the program, or a live scalar.
#pragma once

#include "graph/op.h"
#include "ops/narrow.h"

namespace highwater {

class LiveNumber {
 public:
  LiveNumber() = default;
  explicit LiveNumber(double literal) : literal_(literal) {}
  LiveNumber(Args& a, std::string_view name) {
    if (a.is_live(name)) {
      live_ = a.live_integer(name);
    } else {
      literal_ = a.number(name);
    }
  }

  double at(const Shapes& s) const {
    return live_.is_live() ? static_cast<double>(s[live_]) : literal_;
  }

  // Whether it is an integer at any time.
  bool is_integer() const { return live_.is_live() || is_whole(literal_); }

 private:
  double literal_ = 0;
  LiveInt live_;
};

}  // namespace highwater
