// Arithmetic that says when it overflowed.
#pragma once

#include <cstdint>
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

// x rounded up to a multiple of `step`; the caller knows that it fits.
template <class Int>
constexpr Int round_up(Int x, Int step) {
  return (x + step - 1) / step * step;
}

template <class Int>
constexpr Int ceil_div(Int x, Int divisor) {
  return (x + divisor - 1) / divisor;
}

}  // namespace highwater
