// The patterns by which tokenizers cut text: as much of regular expressions as they are written
// with. A pattern that needs more does not load, and the error names what is missing.
//
//   a|b   ab   a?  a*  a+  a{2,3}   [a-z\s\p{L}]  [^…]   . \s \S \d \w \p{Lu} \r \n \t \x41 \u0041
//   (…)  (?:…)  (?i:…), once or with '?'   (?=…)  (?!…)   a?+ a*+ a++, which give nothing back
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "highwater/result.h"
#include "text/characters.h"

namespace highwater {

// A set of characters: ranges, categories and other sets, or all but those.
struct CharacterSet {
  std::vector<std::pair<char32_t, char32_t>> ranges;
  Categories categories = 0;
  bool spaces = false;
  std::vector<CharacterSet> sets;
  bool negated = false;

  bool holds(char32_t character) const {
    return character < kCommon ? common_[character] : is_in(character);
  }
  // To be called when all is in it: the common characters are looked up from then on.
  void finish();

 private:
  static constexpr size_t kCommon = 128;
  bool is_in(char32_t character) const;
  std::bitset<kCommon> common_;
};

class Pattern {
 public:
  static Result<Pattern> parse(std::string_view text);

  // Where the match ends that begins with the first character; none if it does not match there.
  // Alternatives are tried in their order, and each repeats as often as it can.
  std::optional<size_t> match(std::u32string_view text) const;

  struct Item;
  using Sequence = std::vector<Item>;
  using Alternatives = std::vector<Sequence>;
  struct Item {
    enum Kind : uint8_t { Set, Group, Ahead, NotAhead };
    Kind kind = Set;
    bool gives_back = true;  // tries with fewer characters if what follows does not match
    size_t least = 1;
    size_t most = 1;
    CharacterSet set;
    Alternatives alternatives;  // of the other kinds
  };

 private:
  Alternatives alternatives_;
};

}  // namespace highwater
