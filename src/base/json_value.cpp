#include "base/json_value.h"

#include <charconv>
#include <cmath>

#include "base/utf8.h"
#include "platform/number.h"

namespace highwater {
namespace {

// Deep nesting would use up the stack, and no file that is meant has it.
constexpr int kMaxDepth = 64;

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<JsonValue> whole() {
    HW_TRY(JsonValue value, read(0));
    skip_space();
    if (at_ < text_.size()) return wrong("there is something after the end");
    return value;
  }

 private:
  Result<JsonValue> read(int depth) {
    skip_space();
    if (at_ == text_.size()) return wrong("the file ends where a value should be");
    switch (text_[at_]) {
      case '{':
        return object(depth);
      case '[':
        return list(depth);
      case '"': {
        HW_TRY(std::string s, string());
        return JsonValue(std::move(s));
      }
      case 't':
        return word("true", JsonValue(true));
      case 'f':
        return word("false", JsonValue(false));
      case 'n':
        return word("null", JsonValue());
      default:
        return number();
    }
  }

  Result<JsonValue> object(int depth) {
    JsonValue::Object members;
    HW_CHECK(enter(depth));
    if (take('}')) return JsonValue(std::move(members));
    do {
      skip_space();
      if (!next_is('"')) return wrong("the name of a member was expected");
      HW_TRY(std::string name, string());
      if (!take(':')) return wrong("':' was expected");
      HW_TRY(JsonValue value, read(depth + 1));
      members.emplace_back(std::move(name), std::move(value));
    } while (take(','));
    if (!take('}')) return wrong("',' or '}' was expected");
    return JsonValue(std::move(members));
  }

  Result<JsonValue> list(int depth) {
    JsonValue::List items;
    HW_CHECK(enter(depth));
    if (take(']')) return JsonValue(std::move(items));
    do {
      HW_TRY(JsonValue item, read(depth + 1));
      items.push_back(std::move(item));
    } while (take(','));
    if (!take(']')) return wrong("',' or ']' was expected");
    return JsonValue(std::move(items));
  }

  Result<std::string> string() {
    std::string out;
    ++at_;
    while (true) {
      if (at_ == text_.size()) return wrong("the file ends within a string");
      const char c = text_[at_];
      if (static_cast<unsigned char>(c) < 0x20) return wrong("a control character in a string");
      if (c == '"') {
        ++at_;
        return out;
      }
      if (c == '\\') {
        HW_CHECK(escape(out));
        continue;
      }
      const Utf8Step step = utf8_step(text_.substr(at_));
      if (step.kind != Utf8Step::Whole) return wrong("a string that is not UTF-8");
      out += text_.substr(at_, step.length);
      at_ += step.length;
    }
  }

  Status escape(std::string& out) {
    constexpr std::string_view kLetters = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    const char letter = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    at_ += 2;
    if (letter == 'u') return escaped_character(out);
    const size_t which = kLetters.find(letter);
    if (which == std::string_view::npos) {
      at_ -= 2;
      return wrong("'\\' with something that it does not go with");
    }
    out += kMeant[which];
    return {};
  }

  // \u and four digits, twice for what is over U+FFFF.
  Status escaped_character(std::string& out) {
    HW_TRY(char32_t character, four_digits());
    if (character >= 0xd800 && character < 0xdc00) {
      if (text_.substr(at_, 2) != "\\u") return wrong("half of a character");
      at_ += 2;
      HW_TRY(const char32_t low, four_digits());
      if (low < 0xdc00 || low > 0xdfff) return wrong("half of a character");
      character = 0x10000 + ((character - 0xd800) << 10) + (low - 0xdc00);
    } else if (character >= 0xdc00 && character < 0xe000) {
      return wrong("half of a character");
    }
    append_utf8(out, character);
    return {};
  }

  Result<char32_t> four_digits() {
    const std::string_view digits = text_.substr(std::min(at_, text_.size()), 4);
    uint32_t character = 0;
    const char* end = digits.data() + digits.size();
    if (digits.size() < 4 || std::from_chars(digits.data(), end, character, 16).ptr != end) {
      return wrong("four hexadecimal digits were expected");
    }
    at_ += 4;
    return static_cast<char32_t>(character);
  }

  Result<JsonValue> number() {
    const size_t begin = at_;
    (void)step_over('-');
    const bool zero = next_is('0');
    bool good = digits() > 0 && !(zero && at_ - begin > (text_[begin] == '-' ? 2u : 1u));
    if (good && step_over('.')) good = digits() > 0;
    if (good && (step_over('e') || step_over('E'))) {
      if (!step_over('+')) (void)step_over('-');
      good = digits() > 0;
    }
    const auto value = good ? read_number(text_.substr(begin, at_ - begin)) : std::nullopt;
    if (value) return JsonValue(*value);
    at_ = begin;
    return wrong("a value was expected");
  }

  Result<JsonValue> word(std::string_view spelling, JsonValue value) {
    if (text_.substr(at_, spelling.size()) != spelling) return wrong("a value was expected");
    at_ += spelling.size();
    return value;
  }

  Status enter(int depth) {
    if (depth >= kMaxDepth) return wrong("lists and objects within each other, more than 64 deep");
    ++at_;
    return {};
  }
  bool next_is(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool step_over(char c) {
    if (!next_is(c)) return false;
    ++at_;
    return true;
  }
  bool take(char c) {
    skip_space();
    return step_over(c);
  }
  size_t digits() {
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    return at_ - begin;
  }
  void skip_space() {
    while (next_is(' ') || next_is('\n') || next_is('\r') || next_is('\t')) ++at_;
  }

  Error wrong(std::string_view what) const {
    const std::string_view before = text_.substr(0, at_);
    size_t line = 1;
    for (const char c : before) line += c == '\n';
    const size_t line_begin = before.rfind('\n') + 1;  // 0 if there is none
    return fail("line ", line, ", column ", before.size() - line_begin + 1, ": ", what);
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::optional<int64_t> JsonValue::integer() const {
  const double* n = number();
  if (!n || std::trunc(*n) != *n || std::abs(*n) > 9007199254740991.0) return std::nullopt;
  return static_cast<int64_t>(*n);
}

const JsonValue& JsonValue::operator[](std::string_view name) const {
  static const JsonValue kNull;
  if (const Object* members = object()) {
    for (const auto& [key, value] : *members) {
      if (key == name) return value;
    }
  }
  return kNull;
}

Result<JsonValue> read_json(std::string_view text) {
  return Reader(text).whole();
}

}  // namespace highwater
