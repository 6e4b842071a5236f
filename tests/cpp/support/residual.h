// A small program for the device, and the same in plain C++:
//   h = x + w          [n, 24] and [24]
//   v = view(h)        [2n, 12], no work
//   s = v * v
//   y = view(s) + x    a residual around it all
// with n up to 128, and n itself as a second output.
#pragma once

#include <memory>
#include <vector>

#include "runtime/session_access.h"

namespace highwater {

class Residual {
 public:
  static constexpr int64_t kMostRows = 128, kWidth = 24;
  // To run it at: shorter, longer again, a single row, none.
  static constexpr int64_t kLengths[] = {128, 100, 37, 64, 1, 0, 128};

  explicit Residual(float weight);

  std::unique_ptr<Session> load() const;
  Result<std::unique_ptr<Session>> load(const SessionOptions& options) const;
  // As long as this lasts.
  std::unique_ptr<Session::Loading> start_load(const SessionOptions& options = {},
                                               ConstantArrivals arrivals = {}) const;

  std::vector<float> input(int64_t rows, float seed) const;
  std::vector<float> expected(const std::vector<float>& x) const;

  // Runs the session at `rows`, and compares all that it gives.
  void run_and_compare(Session& session, int64_t rows, float seed) const;
  // The same in two parts, with a memory for inputs that is gone between them.
  void start(Session& session, int64_t rows, float seed) const;
  void finish_and_compare(Session& session, int64_t rows, float seed) const;

 private:
  ConstantSource source() const;
  void compare(Session& session, int64_t rows, float seed) const;

  Program program_;
  std::vector<float> weights_;
};

}  // namespace highwater
