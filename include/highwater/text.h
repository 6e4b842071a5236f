// Gluing words and numbers into messages. (std::format needs a newer library than Debian 12's.)
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

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

// How a piece is appended to a text.
using Append = void (*)(std::string& out, const void* piece);

// What words of all lengths are told apart from other pieces by.
struct Literal {};

template <class T>
void append_piece(std::string& out, const void* piece) {
  append(out, *static_cast<const T*>(piece));
}
template <>
inline void append_piece<Literal>(std::string& out, const void* piece) {
  out += static_cast<const char*>(piece);
}

// For each list of types how their pieces are appended, with a null after the last.
template <class... Types>
inline constexpr Append kAppends[] = {append_piece<Types>..., nullptr};

inline std::string join(const void* const* pieces, const Append* appends) {
  std::string out;
  for (; *appends; ++pieces, ++appends) (*appends)(out, *pieces);
  return out;
}

inline std::string text() {
  return {};
}

// Where a message is made there is nothing but one pointer for each of its pieces: there are a
// thousand messages, and a page downloads them.
template <class... Types>
[[gnu::always_inline]] inline std::string text(const Types&... pieces) {
  const void* const all[] = {&pieces...};
  return join(all, kAppends<std::conditional_t<std::is_array_v<Types>, Literal, Types>...>);
}

}  // namespace highwater
