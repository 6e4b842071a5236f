// Time and heap allocations of a stretch of code.
#pragma once

#include <chrono>

#include "base/allocations.h"
#include "highwater/accounts.h"

namespace highwater {

class Meter {
 public:
  explicit Meter(Accounts& accounts)
      : accounts_(accounts),
        allocations_(heap_allocations()),
        start_(std::chrono::steady_clock::now()) {}
  ~Meter() {
    accounts_.heap_allocations = heap_allocations() - allocations_;
    accounts_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  Accounts& accounts_;
  uint64_t allocations_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace highwater
