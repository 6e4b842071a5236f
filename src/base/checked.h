// Arithmetic that says when it overflowed.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace highwater {

template <class Int>
std::optional<Int> checked_add(Int a, Int b) {
  Int sum;
  return __builtin_add_overflow(a, b, &sum) ? std::nullopt : std::optional<Int>(sum);
}

template <class Int>
std::optional<Int> checked_sub(Int a, Int b) {
  Int difference;
  return __builtin_sub_overflow(a, b, &difference) ? std::nullopt : std::optional<Int>(difference);
}

template <class Int>
std::optional<Int> checked_mul(Int a, Int b) {
  Int product;
  return __builtin_mul_overflow(a, b, &product) ? std::nullopt : std::optional<Int>(product);
}

// The product of sizes, or the largest number there is. That is more than any bound allows.
template <class Int>
constexpr Int saturating_mul(Int a, Int b) {
  Int product{};
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<Int>::max() : product;
}

// x rounded up to a multiple of `step`; the caller knows that it fits.
template <class Int>
constexpr Int round_up(Int x, Int step) {
  return (x + step - 1) / step * step;
}

template <class Int>
constexpr Int round_down(Int x, Int step) {
  return x / step * step;
}

template <class Int>
constexpr Int ceil_div(Int x, Int divisor) {
  return x / divisor + (x % divisor > 0 ? 1 : 0);
}

}  // namespace highwater
