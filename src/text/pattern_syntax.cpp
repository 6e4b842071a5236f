#include "text/pattern_syntax.h"

#include <algorithm>
#include <array>

namespace highwater {
namespace {

// What Oniguruma takes for a part of a word: as a member of a set, and what \w by itself has more.
constexpr std::string_view kWord = R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc})";
constexpr std::string_view kWordAlone = R"(\x{b2}\x{b3}\x{b9}\x{bc}\x{bd}\x{be})";

constexpr std::array<std::string_view, 9> kGroups{
    "(?:", "(?i:", "(?-i:", "(?>", "(?=", "(?!", "(?<=", "(?<!", "("};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_hexadecimal(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

class Translator {
 public:
  explicit Translator(std::string_view pattern) : pattern_(pattern) {}

  Result<std::string> whole() {
    while (!rest().empty()) HW_CHECK(item());
    return std::move(out_);
  }

 private:
  Status item() {
    switch (rest()[0]) {
      case '\\':
        return escape(false);
      case '[':
        return set();
      case '(':
        return group();
      case '{':
        return counts();
      default:
        copy(1);
        return {};
    }
  }

  Status group() {
    const auto known = std::find_if(kGroups.begin(), kGroups.end(), [&](std::string_view opening) {
      return rest().starts_with(opening);
    });
    if (*known == "(") {
      // All other kinds of groups, and PCRE2's commands.
      if (rest().starts_with("(?")) return unsupported(rest().substr(0, 3));
      if (rest().starts_with("(*")) return unsupported("(*");
    }
    copy(known->size());
    return {};
  }

  // {2}  {2,}  {,3}  {2,3}; anything else is a brace.
  Status counts() {
    size_t end = 1;
    const auto digits = [&] {
      const size_t begin = end;
      while (end < rest().size() && is_digit(rest()[end])) ++end;
      return rest().substr(begin, end - begin);
    };
    const std::string_view least = digits();
    const bool range = rest().substr(end, 1) == ",";
    if (range) ++end;
    const std::string_view most = range ? digits() : least;
    if (rest().substr(end, 1) != "}" || (least.empty() && most.empty())) {
      out_ += '\\';
      copy(1);
      return {};
    }
    const std::string_view after = rest().substr(end, 2);
    // Oniguruma repeats once more what PCRE2 makes possessive, or lazy.
    if (after == "}+" || after == "}?") return unsupported(after);
    append(out_, text('{', least.empty() ? "0" : least, range ? "," : "", range ? most : "", '}'));
    at_ += end + 1;
    return {};
  }

  Status set() {
    copy(rest().starts_with("[^") ? 2 : 1);
    if (rest().starts_with(']')) return unsupported("[]");
    while (!rest().starts_with(']')) {
      if (rest().empty()) return fail("a ']' is missing");
      if (rest().starts_with("&&")) return unsupported("&&");
      if (rest().starts_with('[')) return fail("'[' within '[]' is not supported");
      if (rest().starts_with('\\')) {
        HW_CHECK(escape(true));
      } else {
        copy(1);
      }
    }
    copy(1);
    return {};
  }

  Status escape(bool in_set) {
    if (rest().size() < 2) return fail("it ends with a '\\'");
    const char letter = rest()[1];
    if (!is_letter(letter) && !is_digit(letter)) return replace(2, rest().substr(0, 2));
    switch (letter) {
      case 's':
      case 'S':
        // PCRE2's own \s has U+180E, which has not been a space since Unicode 6.3.
        return replace(2, letter == 's' ? R"(\p{White_Space})" : R"(\P{White_Space})");
      case 'w':
      case 'W':
        if (!in_set) return replace(2, text(letter == 'w' ? "[" : "[^", kWord, kWordAlone, ']'));
        return letter == 'w' ? replace(2, kWord) : fail("'\\W' within '[]' is not supported");
      case 'p':
      case 'P':
        return property();
      case 'x':
      case 'u':
        return numbered();
      case 'v':
        return replace(2, R"(\x0b)");
      default:
        if (std::string_view("dDnrtf").find(letter) == std::string_view::npos) {
          return unsupported(rest().substr(0, 2));
        }
        return replace(2, rest().substr(0, 2));
    }
  }

  // A general category, or a script, to which PCRE2 would else count characters that it shares
  // with other scripts.
  Status property() {
    const size_t end = rest().find('}');
    if (rest().substr(2, 1) != "{" || end == std::string_view::npos) {
      return fail("'\\p' without a name in '{}'");
    }
    std::string_view name = rest().substr(3, end - 3);
    const std::string_view negation = name.substr(0, name.starts_with('^'));
    name.remove_prefix(negation.size());
    if (!std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || c == '_'; })) {
      return unsupported(rest().substr(0, end + 1));
    }
    const bool is_script = name.size() > 2 && name != "Alphabetic";
    return replace(end + 1, text(rest().substr(0, 3), negation, is_script ? "sc:" : "", name, '}'));
  }

  // \x41, \x{41}, \u0041
  Status numbered() {
    const bool braces = rest().substr(1, 2) == "x{";
    const size_t begin = braces ? 3 : 2;
    const size_t most = braces ? 6 : rest()[1] == 'x' ? 2 : 4;
    size_t end = begin;
    while (end < rest().size() && end - begin < most && is_hexadecimal(rest()[end])) ++end;
    const std::string_view digits = rest().substr(begin, end - begin);
    const bool whole =
        braces ? !digits.empty() && rest().substr(end, 1) == "}" : digits.size() == most;
    // Oniguruma takes two digits for a byte of UTF-8.
    const bool is_byte = !braces && most == 2 && whole && digits[0] > '7';
    if (!whole || is_byte) return unsupported(rest().substr(0, end));
    return replace(end + braces, text(R"(\x{)", digits, '}'));
  }

  Error unsupported(std::string_view what) const { return fail("'", what, "' is not supported"); }
  std::string_view rest() const { return pattern_.substr(at_); }
  void copy(size_t length) { (void)replace(length, rest().substr(0, length)); }
  Status replace(size_t length, std::string_view by) {
    out_ += by;
    at_ += length;
    return {};
  }

  std::string_view pattern_;
  size_t at_ = 0;
  std::string out_;
};

}  // namespace

Result<std::string> to_pcre2(std::string_view pattern) {
  return Translator(pattern).whole();
}

}  // namespace highwater
