#include "text/characters.h"

#include "text/pattern.h"

namespace highwater {
namespace {

bool matches(const Result<Pattern>& pattern, std::string_view character) {
  const auto end = Matcher(*pattern, character.size()).match(character, 0);
  return end && end->has_value();
}

}  // namespace

bool is_space(std::string_view character) {
  static const Result<Pattern> kSpace = Pattern::parse(R"(\s)");
  return matches(kSpace, character);
}

bool is_of_word(std::string_view character) {
  // Hugging Face's package asks another library than for patterns, whose words are others.
  static const Result<Pattern> kWord =
      Pattern::parse(R"([\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{200c}\x{200d}])");
  return matches(kWord, character);
}

}  // namespace highwater
