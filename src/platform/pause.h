// What a thread does while it waits for a device.
#pragma once

#include <chrono>

#include "highwater/result.h"

namespace highwater {

// Sleeps, a little longer each time: a software adapter computes on the cores that would otherwise
// spin here. In a browser nothing can wait, and it is an error.
class Pause {
 public:
  Status take();

 private:
  [[maybe_unused]] std::chrono::microseconds length_{5};
};

}  // namespace highwater
