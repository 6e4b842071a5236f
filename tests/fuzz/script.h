// Bytes as a row of decisions, for a fuzzer to vary. When they are used up, all that is left is 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace highwater::fuzz {

using Bytes = std::span<const std::byte>;

class Script {
 public:
  explicit Script(Bytes bytes) : bytes_(bytes) {}

  bool is_over() const { return bytes_.empty(); }

  // A number below `count`, which must not be 0. As few bytes as can say it, so that a byte that is
  // changed changes one decision.
  uint64_t below(uint64_t count) {
    uint64_t number = 0;
    for (uint64_t most = count - 1; most > 0; most >>= 8) number = number << 8 | take();
    return number % count;
  }
  bool one_in(uint64_t count) { return below(count) == count - 1; }

  template <class List>
  auto& pick(List& list) {
    return list[below(std::size(list))];
  }

  // Mostly a small one, as dims and indices are; now and then one at which arithmetic ends.
  int64_t integer() {
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
    constexpr int64_t kExtremes[] = {
        -1,    -2,        31,        32,        33,        255,       256,        1024, 65535,
        65536, 1ll << 31, 1ll << 32, 1ll << 62, INT32_MAX, INT32_MIN, -kMost - 1, kMost};
    return one_in(4) ? pick(kExtremes) : static_cast<int64_t>(below(17));
  }
  double number() {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    constexpr double kNumbers[] = {
        0.0,     1.0,          -1.0,      0.5,        1e-5,
        -0.0,    1e308,        -1e308,    1e-308,     9.3e18,
        -9.3e18, 2147483648.0, kInfinite, -kInfinite, std::numeric_limits<double>::quiet_NaN()};
    return pick(kNumbers);
  }

 private:
  uint8_t take() {
    if (bytes_.empty()) return 0;
    const auto byte = static_cast<uint8_t>(bytes_.front());
    bytes_ = bytes_.subspan(1);
    return byte;
  }

  Bytes bytes_;
};

}  // namespace highwater::fuzz
