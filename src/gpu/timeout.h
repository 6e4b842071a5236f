// How long a device may be silent.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>

#include "highwater/result.h"

namespace highwater::gpu {

using Clock = std::chrono::steady_clock;

// When a device was last heard to have done something. It does things in order, so that whoever
// waits for his own work waits for that of others first, and hears of it here.
class LastHeard {
 public:
  void now() { at_.store(Clock::now(), std::memory_order_relaxed); }
  Clock::time_point at() const { return at_.load(std::memory_order_relaxed); }

 private:
  std::atomic<Clock::time_point> at_{Clock::time_point::min()};
};

class Timeout {
 public:
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

  // For somebody who has waited since `began`.
  bool is_over(Clock::time_point began, const LastHeard& heard) const {
    const auto silent = Clock::now() - std::max(began, heard.at());
    return std::chrono::duration<double>(silent).count() > seconds_;
  }
  double seconds() const { return seconds_; }

 private:
  double seconds_ = 300;  // not a Clock::duration, which large numbers overflow
};

}  // namespace highwater::gpu
