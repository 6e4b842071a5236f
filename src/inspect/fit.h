// Formulas for numbers that were seen: which function of a few symbols gives them all?
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace highwater {

// A number for each symbol.
using Point = std::vector<int64_t>;

// The simplest of these that gives values[i] at points[i], for every i, in the symbols' names:
//   128, S, 2*S + P - 1, S/2      affine
//   S*T + 4                       affine in the symbols and their products
//   min(S, 64), max(S + P, 16)    affine up to a limit
//   floor(S/2), ceil((S + 1)/4)   a quotient, rounded
// None if there is no such function, or if there are too few points to tell.
std::optional<std::string> fit(std::span<const std::string> symbols, std::span<const Point> points,
                               std::span<const int64_t> values);

}  // namespace highwater
