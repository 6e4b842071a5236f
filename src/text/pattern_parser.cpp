#include <charconv>
#include <limits>
#include <string>

#include "base/utf8.h"
#include "text/pattern.h"

namespace highwater {
namespace {

constexpr int kMaxDepth = 32;
constexpr size_t kNoEnd = std::numeric_limits<size_t>::max();

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Pattern::Alternatives> whole() {
    HW_TRY(Pattern::Alternatives all, alternatives(0));
    if (!rest().empty()) return unsupported(rest().substr(0, 1));
    return all;
  }

 private:
  Result<Pattern::Alternatives> alternatives(int depth) {
    if (depth > kMaxDepth) return fail("groups within each other, more than ", kMaxDepth, " deep");
    Pattern::Alternatives all(1);
    while (!rest().empty() && !rest().starts_with(')')) {
      if (take("|")) {
        all.emplace_back();
        continue;
      }
      HW_TRY(Pattern::Item item, one_item(depth));
      HW_CHECK(repetition(item));
      all.back().push_back(std::move(item));
    }
    return all;
  }

  Result<Pattern::Item> one_item(int depth) {
    Pattern::Item item;
    if (take("(")) {
      HW_CHECK(group(item, depth));
    } else {
      HW_TRY(item.set, take("[") ? bracketed(depth) : single());
    }
    return item;
  }

  Status group(Pattern::Item& item, int depth) {
    const bool folded_outside = folded_;
    item.kind = Pattern::Item::Group;
    if (take("?=")) {
      item.kind = Pattern::Item::Ahead;
    } else if (take("?!")) {
      item.kind = Pattern::Item::NotAhead;
    } else if (take("?i:")) {
      folded_ = true;
    } else if (!take("?:") && rest().starts_with('?')) {
      return unsupported(text("(", rest().substr(0, 2)));
    }
    HW_TRY(item.alternatives, alternatives(depth + 1));
    folded_ = folded_outside;
    if (!take(")")) return fail("a ')' is missing");
    return {};
  }

  Status repetition(Pattern::Item& item) {
    const std::string_view sign = rest().substr(0, 1);
    if (take("?")) {
      item.least = 0;
    } else if (take("*")) {
      item.least = 0, item.most = kNoEnd;
    } else if (take("+")) {
      item.most = kNoEnd;
    } else if (take("{")) {
      HW_CHECK(counts(item));
    } else {
      return {};
    }
    // A group that repeats would take a stack as deep as the text is long.
    const bool is_set = item.kind == Pattern::Item::Set;
    if (!is_set && (item.kind != Pattern::Item::Group || sign != "?")) {
      return unsupported(text(")", sign));
    }
    if (is_set && sign != "{" && take("+")) item.gives_back = false;
    for (const char second : {'?', '*', '+', '{'}) {
      if (rest().starts_with(second)) return unsupported(text(sign, second));
    }
    return {};
  }

  // {2}  {2,}  {,3}  {2,3}
  Status counts(Pattern::Item& item) {
    const auto least = number();
    const bool range = take(",");
    const auto most = range ? number() : least;
    if (!take("}") || (!least && !most)) return fail("counts in '{}' were expected");
    item.least = least.value_or(0);
    item.most = most.value_or(kNoEnd);
    if (item.most < item.least) return fail("'{", item.least, ",", item.most, "}' is never met");
    return {};
  }

  std::optional<size_t> number() {
    size_t value = 0;
    const char* begin = rest().data();
    const auto read = std::from_chars(begin, begin + rest().size(), value);
    if (read.ec != std::errc()) return std::nullopt;
    at_ += static_cast<size_t>(read.ptr - begin);
    return value;
  }

  // What is between '[' and ']'.
  Result<CharacterSet> bracketed(int depth) {
    if (depth > kMaxDepth) return fail("sets within each other, more than ", kMaxDepth, " deep");
    CharacterSet set;
    set.negated = take("^");
    for (bool first = true; !take("]"); first = false) {
      if (rest().empty()) return fail("a ']' is missing");
      if (first && rest().starts_with(']')) return unsupported("[]");
      if (rest().starts_with("&&") || rest().starts_with("[:")) {
        return unsupported(rest().substr(0, 2));
      }
      if (take("[")) {
        HW_TRY(set.sets.emplace_back(), bracketed(depth + 1));
        continue;
      }
      CharacterSet named;
      HW_TRY(const std::optional<char32_t> low, character_or_class(named));
      if (!low) {
        set.sets.push_back(std::move(named));
      } else if (rest().starts_with('-') && !rest().starts_with("-]")) {
        at_ += 1;
        HW_TRY(const std::optional<char32_t> high, character_or_class(named));
        if (!high || *high < *low) return fail("a range in '[]' that has no end");
        add(set, *low, *high);
      } else {
        add(set, *low, *low);
      }
    }
    set.finish();
    return set;
  }

  Result<CharacterSet> single() {
    CharacterSet set;
    for (const char c : {'^', '$', '?', '*', '+', '{'}) {
      if (rest().starts_with(c)) return unsupported(rest().substr(0, 1));
    }
    if (take(".")) {
      set.ranges = {{'\n', '\n'}};
      set.negated = true;
    } else {
      HW_TRY(const std::optional<char32_t> character, character_or_class(set));
      if (character) add(set, *character, *character);
    }
    set.finish();
    return set;
  }

  // A character, or none and a class such as \s in `set`.
  Result<std::optional<char32_t>> character_or_class(CharacterSet& set) {
    if (!take("\\")) {
      if (rest().empty()) return fail("it ends where a character should be");
      const Utf8Step step = utf8_step(rest());
      at_ += step.length;
      return std::optional(step.character);
    }
    if (rest().empty()) return fail("it ends with a '\\'");
    const char letter = rest()[0];
    at_ += 1;
    switch (letter) {
      case 's':
      case 'S':
        set.spaces = true;
        break;
      case 'd':
      case 'D':
        set.categories = *categories_named("Nd");
        break;
      case 'w':
      case 'W':
        set.categories = word_categories();
        break;
      case 'p':
      case 'P': {
        HW_TRY(set.categories, property());
        break;
      }
      default:
        return escaped(letter);
    }
    set.negated = letter >= 'A' && letter <= 'Z';
    set.finish();
    return std::optional<char32_t>();
  }

  Result<Categories> property() {
    const size_t end = rest().find('}');
    if (!rest().starts_with('{') || end == std::string_view::npos) {
      return fail("'\\p' without a name in '{}'");
    }
    const std::string_view name = rest().substr(1, end - 1);
    const auto categories = categories_named(name);
    if (!categories) return unsupported(text("\\p{", name, "}"));
    at_ += end + 1;
    return *categories;
  }

  Result<std::optional<char32_t>> escaped(char letter) {
    constexpr std::string_view kLetters = "nrtfv", kMeant = "\n\r\t\f\v";
    if (const size_t i = kLetters.find(letter); i != std::string_view::npos) {
      return std::optional<char32_t>(kMeant[i]);
    }
    if (letter == 'x' || letter == 'u') {
      const std::string_view digits = rest().substr(0, letter == 'x' ? 2 : 4);
      uint32_t value = 0;
      const char* end = digits.data() + digits.size();
      if (digits.empty() || std::from_chars(digits.data(), end, value, 16).ptr != end) {
        return unsupported(text("\\", letter));
      }
      at_ += digits.size();
      return std::optional<char32_t>(value);
    }
    const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9');
    if (plain || static_cast<unsigned char>(letter) >= 0x80) {
      return unsupported(text("\\", letter));
    }
    return std::optional<char32_t>(letter);
  }

  // Within (?i:…) both cases are meant, and the two letters beyond ASCII that fold into it.
  void add(CharacterSet& set, char32_t low, char32_t high) const {
    set.ranges.emplace_back(low, high);
    if (!folded_) return;
    for (char32_t c = std::max<char32_t>(low, 'A'); c <= std::min<char32_t>(high, 'z'); ++c) {
      const char32_t small = c | 0x20;
      if (small < 'a' || small > 'z') continue;
      set.ranges.emplace_back(c ^ 0x20, c ^ 0x20);
      if (small == 's') set.ranges.emplace_back(0x17f, 0x17f);
      if (small == 'k') set.ranges.emplace_back(0x212a, 0x212a);
    }
  }

  Error unsupported(std::string_view what) const { return fail("'", what, "' is not supported"); }
  std::string_view rest() const { return text_.substr(at_); }
  bool take(std::string_view token) {
    if (!rest().starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  bool folded_ = false;
};

}  // namespace

Result<Pattern> Pattern::parse(std::string_view text) {
  auto alternatives = Parser(text).whole();
  if (!alternatives) {
    return alternatives.take_error().within(highwater::text("the pattern ", text));
  }
  Pattern pattern;
  pattern.alternatives_ = *std::move(alternatives);
  return pattern;
}

}  // namespace highwater
