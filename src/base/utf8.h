// Bytes as characters. What is not UTF-8 is told apart, and never read past its end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace highwater {

struct Utf8Step {
  enum Kind : uint8_t {
    Whole,     // a character
    Bad,       // bytes that no character begins with
    CutShort,  // the text ends within a character
  };
  Kind kind = Bad;
  uint8_t length = 0;  // in bytes, at least 1
  char32_t character = 0xfffd;
};

// What `bytes`, which must not be empty, begin with.
Utf8Step utf8_step(std::string_view bytes);

// How many bytes at the beginning are whole characters.
size_t utf8_whole(std::string_view bytes);

void append_utf8(std::string& out, char32_t character);

// Appends `bytes` with U+FFFD, the replacement character, for what is not UTF-8.
void append_as_utf8(std::string& out, std::string_view bytes);

// Whether it may be shown anywhere as it is: UTF-8 without control characters, of which terminals
// obey some.
bool is_plain_text(std::string_view bytes);

// The beginning of it with \xNN for every byte that is not plain, to be shown in a message.
std::string escaped(std::string_view bytes);

// How many bytes at the end are the beginning of a character whose rest may yet come.
size_t utf8_unfinished(std::string_view bytes);

}  // namespace highwater
