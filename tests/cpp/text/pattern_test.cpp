// The patterns of tokenizers: what they match, and what is too much for them.
#include "text/pattern.h"

#include <string>

#include "support/expect.h"

namespace highwater {
namespace {

constexpr size_t kNothing = 999;

// How many characters of the text match at its beginning.
size_t matched(std::string_view pattern, std::u32string_view text) {
  const auto parsed = Pattern::parse(pattern);
  EXPECT_TRUE(succeeds(parsed));
  return parsed ? parsed->match(text).value_or(kNothing) : kNothing;
}

TEST(Pattern, AlternativesAreTriedInTheirOrder) {
  EXPECT_EQ(matched("a|ab|c", U"abc"), 1u);
  EXPECT_EQ(matched("ab|a|c", U"abc"), 2u);
  EXPECT_EQ(matched("a|b", U"c"), kNothing);
  EXPECT_EQ(matched("a|", U"c"), 0u);
}

TEST(Pattern, Repetitions) {
  EXPECT_EQ(matched("a*", U"aaab"), 3u);
  EXPECT_EQ(matched("a+", U"b"), kNothing);
  EXPECT_EQ(matched("a?a", U"a"), 1u);
  EXPECT_EQ(matched("a{1,3}", U"aaaa"), 3u);
  EXPECT_EQ(matched("a{2}", U"a"), kNothing);
  EXPECT_EQ(matched("a{2,}", U"aaaa"), 4u);
  EXPECT_EQ(matched("a{,2}", U"aaaa"), 2u);
  EXPECT_EQ(matched("a*ab", U"aaab"), 4u);
  EXPECT_EQ(matched("a*+ab", U"aaab"), kNothing);
  EXPECT_EQ(matched("a?+a", U"a"), kNothing);
}

TEST(Pattern, Sets) {
  EXPECT_EQ(matched("[a-c]+", U"abcd"), 3u);
  EXPECT_EQ(matched("[^\\s\\p{L}]+", U"1,2a"), 3u);
  EXPECT_EQ(matched("[-a]+", U"a-b"), 2u);
  EXPECT_EQ(matched("[a-]+", U"a-b"), 2u);
  EXPECT_EQ(matched("[\\]\\-x]+", U"]-x"), 3u);
  EXPECT_EQ(matched("[a[b-d]\\S]+", U"abz "), 3u);
  EXPECT_EQ(matched("[一-龥]+", U"漢字a"), 2u);
  EXPECT_EQ(matched(".+", U"ab\nc"), 2u);
  EXPECT_EQ(matched("\\x41\\u0042", U"AB"), 2u);
}

TEST(Pattern, KindsOfCharacters) {
  EXPECT_EQ(matched("\\p{L}+", U"aéжह漢ªǅ1"), 7u);
  EXPECT_EQ(matched("\\p{Lu}+", U"AÉa"), 2u);
  EXPECT_EQ(matched("\\P{L}+", U"1 a"), 2u);
  EXPECT_EQ(matched("\\p{N}+", U"1½٣Ⅷa"), 4u);
  EXPECT_EQ(matched("\\d+", U"1٣½"), 2u);
  EXPECT_EQ(matched("\\s+", U" \t\r\n\v\f\u0085\u00a0\u2028\u3000\u200b"), 10u);
  EXPECT_EQ(matched("\\w+", U"aé_1Ⅷ½"), 5u);
}

TEST(Pattern, GroupsAndLookingAhead) {
  EXPECT_EQ(matched("a(?:bc|b)c", U"abcc"), 4u);
  EXPECT_EQ(matched("a(?:bc|b)c", U"abc"), 3u);
  EXPECT_EQ(matched("a(b)?c", U"ac"), 2u);
  EXPECT_EQ(matched("(?i:'s|'ll)", U"'LLx"), 3u);
  EXPECT_EQ(matched("(?i:'s)", U"'ſ"), 2u);
  EXPECT_EQ(matched("(?i:a)b", U"AB"), kNothing);
  EXPECT_EQ(matched("\\s+(?!\\S)", U"   a"), 2u);
  EXPECT_EQ(matched("\\s+(?!\\S)", U" a"), kNothing);
  EXPECT_EQ(matched("\\s+(?!\\S)", U"  "), 2u);
  EXPECT_EQ(matched("a(?=b)", U"ab"), 1u);
}

TEST(Pattern, WhatIsNotSupportedIsNamed) {
  const std::pair<const char*, const char*> cases[] = {{"(ab)+", "')+'"},
                                                       {"(?<=a)b", "'(?<'"},
                                                       {"^a", "'^'"},
                                                       {"a$", "'$'"},
                                                       {"\\p{Han}", "\\p{Han}"},
                                                       {"\\bword", "'\\b'"},
                                                       {"a+?", "'+?'"},
                                                       {"[a&&b]", "'&&'"},
                                                       {"a)", "')'"},
                                                       {"(a", "')' is missing"},
                                                       {"[a", "']' is missing"},
                                                       {"\\", "ends with"},
                                                       {"*a", "'*'"},
                                                       {"a{3,2}", "never met"},
                                                       {"[z-a]", "no end"}};
  for (const auto& [pattern, words] : cases) {
    EXPECT_TRUE(fails_saying(Pattern::parse(pattern), {"the pattern", pattern, words})) << pattern;
  }
  EXPECT_FALSE(Pattern::parse(std::string(10000, '(')).ok());
  EXPECT_FALSE(Pattern::parse(std::string(10000, '[')).ok());
}

TEST(Pattern, ALongTextTakesNoStack) {
  const std::u32string spaces(1000000, U' ');
  EXPECT_EQ(matched("\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+", spaces + U"a"), spaces.size() - 1);
}

}  // namespace
}  // namespace highwater
