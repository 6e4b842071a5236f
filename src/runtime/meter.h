// Time and heap allocations of a stretch of code, or of several that belong together.
#pragma once

#include <chrono>

#include "base/allocations.h"
#include "highwater/accounts.h"

namespace highwater {

// Adds what this stretch allocates. The time is all that has passed since `began`.
class Meter {
 public:
  Meter(Accounts& accounts, std::chrono::steady_clock::time_point began)
      : accounts_(accounts), began_(began), allocations_(heap_allocations()) {}
  ~Meter() {
    accounts_.heap_allocations += heap_allocations() - allocations_;
    accounts_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }

 private:
  Accounts& accounts_;
  std::chrono::steady_clock::time_point began_;
  uint64_t allocations_;
};

}  // namespace highwater
