#include "text/characters.h"

#include <algorithm>
#include <iterator>

#include "unicode/categories.h"

namespace highwater {

Categories category_of(char32_t character) {
  const auto after = std::upper_bound(std::begin(kCategoryRuns), std::end(kCategoryRuns),
                                      static_cast<uint32_t>(character) * 32 + 31);
  return Categories{1} << *std::prev(after) % 32;
}

std::optional<Categories> categories_named(std::string_view name) {
  Categories found = 0;
  for (size_t i = 0; i < std::size(kCategoryNames); ++i) {
    if (!name.empty() && kCategoryNames[i].starts_with(name)) found |= Categories{1} << i;
  }
  return found ? std::optional(found) : std::nullopt;
}

Categories word_categories() {
  static const Categories kWord = *categories_named("L") | *categories_named("M") |
                                  *categories_named("Nd") | *categories_named("Nl") |
                                  *categories_named("Pc");
  return kWord;
}

bool is_space(char32_t character) {
  static const Categories kSeparators = *categories_named("Z");
  return (character >= 9 && character <= 13) || character == 0x85 ||
         (category_of(character) & kSeparators);
}

}  // namespace highwater
