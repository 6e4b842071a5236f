#include "platform/number.h"

#include <cmath>

#include "highwater/text.h"

namespace highwater {
namespace {

// Served by the page. What is not a number is NaN; a number has at most 24 digits.
extern "C" __attribute__((import_module("highwater"), import_name("readNumber"))) double
highwater_page_read_number(const char* text, size_t size);
extern "C" __attribute__((import_module("highwater"), import_name("writeNumber"))) size_t
highwater_page_write_number(double number, char* digits);

}  // namespace

std::optional<double> read_number(std::string_view text) {
  const double number = highwater_page_read_number(text.data(), text.size());
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

void append_number(std::string& out, double number) {
  char digits[24];
  out.append(digits, highwater_page_write_number(number, digits));
}

}  // namespace highwater
