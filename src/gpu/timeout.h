// How long a wait for a device may take.
#pragma once

#include <chrono>

#include "highwater/result.h"

namespace highwater::gpu {

class Timeout {
 public:
  using Clock = std::chrono::steady_clock;

  Timeout() = default;  // 300 seconds

  // More than 0; infinity is no limit at all.
  static Result<Timeout> of(double seconds) {
    if (!(seconds > 0)) {
      return fail("a time-out of ", seconds,
                  " seconds; it must be more than 0, and infinity means no limit");
    }
    Timeout result;
    result.seconds_ = seconds;
    return result;
  }

  bool is_over(Clock::time_point began) const {
    return std::chrono::duration<double>(Clock::now() - began).count() > seconds_;
  }
  double seconds() const { return seconds_; }

 private:
  double seconds_ = 300;  // not a Clock::duration, which large numbers overflow
};

}  // namespace highwater::gpu
