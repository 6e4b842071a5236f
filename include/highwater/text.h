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

// The text with '?' for every byte that is not part of valid UTF-8: messages quote what files hold.
inline std::string as_utf8(std::string text) {
  const auto continues = [&](size_t i) {
    return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80;
  };
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t length = lead < 0x80         ? 1
                          : lead >> 5 == 0x6  ? 2
                          : lead >> 4 == 0xe  ? 3
                          : lead >> 3 == 0x1e ? 4
                                              : 0;
    bool valid = length > 0;
    for (size_t k = 1; k < length; ++k) valid = valid && continues(i + k);
    if (!valid) text[i] = '?';
    i += valid ? length : 1;
  }
  return text;
}

template <class... Pieces>
std::string text(const Pieces&... pieces) {
  std::string out;
  (append(out, pieces), ...);
  return out;
}

}  // namespace highwater
