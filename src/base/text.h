// Gluing words and numbers into messages. (std::format needs a newer library than Debian 12's.)
#pragma once

#include <concepts>
#include <cstdio>
#include <string>
#include <string_view>

namespace highwater {

inline void append(std::string& out, std::string_view piece) {
  out += piece;
}
inline void append(std::string& out, char piece) {
  out += piece;
}
template <std::integral Int>
void append(std::string& out, Int piece) {
  if constexpr (std::same_as<Int, bool>) {
    out += piece ? "true" : "false";
  } else {
    out += std::to_string(piece);
  }
}
inline void append(std::string& out, double piece) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%g", piece);
  out += digits;
}

// Anything that can say itself: Dims, DType, …
template <class T>
  requires requires(const T& value) {
    { value.text() } -> std::convertible_to<std::string>;
  }
void append(std::string& out, const T& piece) {
  out += piece.text();
}

template <class... Pieces>
std::string text(const Pieces&... pieces) {
  std::string out;
  (append(out, pieces), ...);
  return out;
}

}  // namespace highwater
