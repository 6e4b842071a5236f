// Gluing words and numbers into messages. (std::format needs a newer library than Debian 12's.)
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include "highwater/export.h"

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
// With up to six digits, as printf's %g writes it.
HIGHWATER_API void append_number(std::string& out, double number);
inline void append(std::string& out, double piece) {
  append_number(out, piece);
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

// A word or a number on its way into a text. All are of one type, so that a message costs little
// code where it is made: there are a thousand, and a page downloads them.
class Piece {
 public:
  template <class T>
  Piece(const T& value)
      : value_(&value), append_([](std::string& out, const void* piece) {
          append(out, *static_cast<const T*>(piece));
        }) {}
  template <size_t N>
  Piece(const char (&value)[N])
      : value_(value), append_([](std::string& out, const void* piece) {
          out += static_cast<const char*>(piece);
        }) {}

  void append_to(std::string& out) const { append_(out, value_); }

 private:
  const void* value_;
  void (*append_)(std::string& out, const void* piece);
};

inline std::string join(std::initializer_list<Piece> pieces) {
  std::string out;
  for (const Piece& piece : pieces) piece.append_to(out);
  return out;
}

template <class... Pieces>
[[gnu::always_inline]] inline std::string text(const Pieces&... pieces) {
  return join({Piece(pieces)...});
}

}  // namespace highwater
