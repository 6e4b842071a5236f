#include "platform/number.h"

#include <charconv>
#include <cstdio>

#include "highwater/text.h"

namespace highwater {

std::optional<double> read_number(std::string_view text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc() && read.ptr == end ? std::optional(number) : std::nullopt;
}

void append_number(std::string& out, double number) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%g", number);
  out += digits;
}

}  // namespace highwater
