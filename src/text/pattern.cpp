#include "text/pattern.h"

#include <algorithm>

namespace highwater {
namespace {

// What comes after a group: the rest of the sequence that it is in.
struct Rest {
  const Pattern::Sequence& sequence;
  size_t index;
  const Rest* after;
};

// Goes back and forth as the pattern says. Its depth is that of the pattern, whatever the text:
// only sets repeat, and they do so in a loop.
class Matcher {
 public:
  explicit Matcher(std::u32string_view text) : text_(text) {}

  std::optional<size_t> any(const Pattern::Alternatives& alternatives, size_t at,
                            const Rest* rest) const {
    for (const Pattern::Sequence& sequence : alternatives) {
      if (const auto end = from(sequence, 0, at, rest)) return end;
    }
    return std::nullopt;
  }

 private:
  std::optional<size_t> from(const Pattern::Sequence& sequence, size_t index, size_t at,
                             const Rest* rest) const {
    if (index == sequence.size()) {
      return rest ? from(rest->sequence, rest->index, at, rest->after) : std::optional(at);
    }
    const Pattern::Item& item = sequence[index];
    switch (item.kind) {
      case Pattern::Item::Set:
        return repeated(item, sequence, index, at, rest);
      case Pattern::Item::Group: {
        const Rest then{sequence, index + 1, rest};
        if (const auto end = any(item.alternatives, at, &then)) return end;
        return item.least == 0 ? from(sequence, index + 1, at, rest) : std::nullopt;
      }
      case Pattern::Item::Ahead:
      case Pattern::Item::NotAhead: {
        const bool found = any(item.alternatives, at, nullptr).has_value();
        if (found != (item.kind == Pattern::Item::Ahead)) return std::nullopt;
        return from(sequence, index + 1, at, rest);
      }
    }
    return std::nullopt;
  }

  std::optional<size_t> repeated(const Pattern::Item& item, const Pattern::Sequence& sequence,
                                 size_t index, size_t at, const Rest* rest) const {
    const size_t most = std::min(item.most, text_.size() - at);
    size_t count = 0;
    while (count < most && item.set.holds(text_[at + count])) ++count;
    if (count < item.least) return std::nullopt;
    const size_t least = item.gives_back ? item.least : count;
    for (size_t n = count + 1; n-- > least;) {
      if (const auto end = from(sequence, index + 1, at + n, rest)) return end;
    }
    return std::nullopt;
  }

  std::u32string_view text_;
};

}  // namespace

bool CharacterSet::is_in(char32_t c) const {
  const auto in_range = [c](const auto& range) { return range.first <= c && c <= range.second; };
  const bool found =
      std::any_of(ranges.begin(), ranges.end(), in_range) ||
      (categories && (category_of(c) & categories)) || (spaces && is_space(c)) ||
      std::any_of(sets.begin(), sets.end(), [c](const auto& s) { return s.holds(c); });
  return found != negated;
}

void CharacterSet::finish() {
  for (char32_t c = 0; c < kCommon; ++c) common_[c] = is_in(c);
}

std::optional<size_t> Pattern::match(std::u32string_view text) const {
  return Matcher(text).any(alternatives_, 0, nullptr);
}

}  // namespace highwater
