// The patterns of tokenizers: what they match, and what is too much for them.
#include "text/pattern.h"

#include <chrono>
#include <string>

#include "support/expect.h"

namespace highwater {
namespace {

constexpr size_t kNothing = 999;

// How many bytes of the text match at its beginning.
size_t matched(std::string_view pattern, std::string_view text) {
  const auto parsed = Pattern::parse(pattern);
  EXPECT_TRUE(succeeds(parsed)) << pattern;
  if (!parsed) return kNothing;
  const auto end = Matcher(*parsed, text.size()).match(text, 0);
  EXPECT_TRUE(succeeds(end)) << pattern;
  return end ? end->value_or(kNothing) : kNothing;
}

size_t size(std::string_view text) {
  return text.size();
}

TEST(Pattern, AlternativesAreTriedInTheirOrder) {
  EXPECT_EQ(matched("a|ab|c", "abc"), 1u);
  EXPECT_EQ(matched("ab|a|c", "abc"), 2u);
  EXPECT_EQ(matched("a|b", "c"), kNothing);
  EXPECT_EQ(matched("a|", "c"), 0u);
}

TEST(Pattern, Repetitions) {
  EXPECT_EQ(matched("a*", "aaab"), 3u);
  EXPECT_EQ(matched("a+", "b"), kNothing);
  EXPECT_EQ(matched("a?a", "a"), 1u);
  EXPECT_EQ(matched("a{1,3}", "aaaa"), 3u);
  EXPECT_EQ(matched("a{2}", "a"), kNothing);
  EXPECT_EQ(matched("a{2,}", "aaaa"), 4u);
  EXPECT_EQ(matched("a{,2}", "aaaa"), 2u);
  EXPECT_EQ(matched("a{x}", "a{x}"), 4u);
  EXPECT_EQ(matched("a*ab", "aaab"), 4u);
  EXPECT_EQ(matched("a*+ab", "aaab"), kNothing);
  EXPECT_EQ(matched("a?+a", "a"), kNothing);
  EXPECT_EQ(matched("a+?", "aaa"), 1u);
  EXPECT_EQ(matched("(?:ab)+", "ababa"), 4u);
}

TEST(Pattern, Sets) {
  EXPECT_EQ(matched("[a-c]+", "abcd"), 3u);
  EXPECT_EQ(matched("[^\\s\\p{L}]+", "1,2a"), 3u);
  EXPECT_EQ(matched("[-a]+", "a-b"), 2u);
  EXPECT_EQ(matched("[a-]+", "a-b"), 2u);
  EXPECT_EQ(matched("[\\]\\-x]+", "]-x"), 3u);
  EXPECT_EQ(matched("[^\\w]+", ".é"), 1u);
  EXPECT_EQ(matched("[一-龥]+", "漢字a"), size("漢字"));
  EXPECT_EQ(matched(".+", "ab\r\nc"), 3u);
  EXPECT_EQ(matched("\\x41\\u0042\\x{1F600}\\v", "AB😀\v"), size("AB😀\v"));
}

TEST(Pattern, KindsOfCharacters) {
  EXPECT_EQ(matched("\\p{L}+", "aéжह漢ªǅ1"), size("aéжह漢ªǅ"));
  EXPECT_EQ(matched("\\p{Lu}+", "AÉa"), size("AÉ"));
  EXPECT_EQ(matched("\\P{L}+", "1 a"), 2u);
  EXPECT_EQ(matched("\\p{^L}+", "1 a"), 2u);
  EXPECT_EQ(matched("\\p{N}+", "1½٣Ⅷa"), size("1½٣Ⅷ"));
  EXPECT_EQ(matched("\\d+", "1٣½"), size("1٣"));
  EXPECT_EQ(matched("\\s+", " \t\r\n\v\f\u0085\u00a0\u2028\u3000\u180e"),
            size(" \t\r\n\v\f\u0085\u00a0\u2028\u3000"));
  EXPECT_EQ(matched("\\w+", "aé_1Ⅷ½‿ⓐ①"), size("aé_1Ⅷ½‿ⓐ"));
  EXPECT_EQ(matched("\\W+", " -a"), 2u);
  EXPECT_EQ(matched("\\p{Han}+", "漢字、"), size("漢字"));  // a comma is not of one script
}

TEST(Pattern, GroupsAndLookingAround) {
  EXPECT_EQ(matched("a(?:bc|b)c", "abcc"), 4u);
  EXPECT_EQ(matched("a(?:bc|b)c", "abc"), 3u);
  EXPECT_EQ(matched("a(b)?c", "ac"), 2u);
  EXPECT_EQ(matched("(?i:'s|'ll)", "'LLx"), 3u);
  EXPECT_EQ(matched("(?i:'s)", "'ſ"), size("'ſ"));
  EXPECT_EQ(matched("(?i:a)b", "AB"), kNothing);
  EXPECT_EQ(matched("\\s+(?!\\S)", "   a"), 2u);
  EXPECT_EQ(matched("\\s+(?!\\S)", " a"), kNothing);
  EXPECT_EQ(matched("\\s+(?!\\S)", "  "), 2u);
  EXPECT_EQ(matched("a(?=b)", "ab"), 1u);
  EXPECT_EQ(matched("ab(?<=b)", "ab"), 2u);
  EXPECT_EQ(matched("a$", "a\nb"), 1u);
  EXPECT_EQ(matched("(?>a*)a", "aa"), kNothing);
}

TEST(Pattern, WhatIsNotSupportedIsNamed) {
  const std::pair<const char*, const char*> cases[] = {{"(?<word>a)", "'(?<'"},
                                                       {"(?i)a", "'(?i'"},
                                                       {"(*UTF)a", "'(*'"},
                                                       {"(*LIMIT_MATCH=1)a", "'(*'"},
                                                       {"\\p{Klingon}", "unknown property"},
                                                       {"\\p{sc=Han}", "'\\p{sc=Han}'"},
                                                       {"\\pL", "without a name"},
                                                       {"\\bword", "'\\b'"},
                                                       {"(a)\\1", "'\\1'"},
                                                       {"\\Qa", "'\\Q'"},
                                                       {"\\xff", "'\\xff'"},
                                                       {"\\u12", "'\\u12'"},
                                                       {"a{2}+", "'}+'"},
                                                       {"[a&&b]", "'&&'"},
                                                       {"[a[b]]", "'[' within '[]'"},
                                                       {"[[:alpha:]]", "'[' within '[]'"},
                                                       {"[\\W]", "'\\W' within '[]'"},
                                                       {"[]a]", "'[]'"},
                                                       {"a)", "unmatched closing parenthesis"},
                                                       {"(a", "missing closing parenthesis"},
                                                       {"[a", "']' is missing"},
                                                       {"\\", "ends with"},
                                                       {"*a", "does not follow a repeatable item"},
                                                       {"a{3,2}", "numbers out of order"},
                                                       {"[z-a]", "range out of order"}};
  for (const auto& [pattern, words] : cases) {
    EXPECT_TRUE(fails_saying(Pattern::parse(pattern), {"the pattern", pattern, words})) << pattern;
  }
}

TEST(Pattern, ALongPatternTakesNoStack) {
  std::string alternatives = "a";
  for (int i = 0; i < 500000; ++i) alternatives += "|b";
  for (const std::string& pattern :
       {std::string(1000000, '('), std::string(1000000, '['), std::string(1000000, 'a'),
        std::string(1000000, '\\'), alternatives, std::string("(((a{999}){999}){999})")}) {
    const auto parsed = Pattern::parse(pattern);
    ASSERT_FALSE(parsed.ok()) << pattern.substr(0, 9);
    EXPECT_LT(parsed.error().message().size(), 400u);
  }
}

TEST(Pattern, ALongTextTakesNoStack) {
  const std::string spaces(1000000, ' ');
  EXPECT_EQ(matched("\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+", spaces + "a"), spaces.size() - 1);
  // More than compiled code has a stack for, and less than the heap may be.
  EXPECT_EQ(matched("(?:a|b)*c", std::string(100000, 'a') + "c"), 100001u);
}

// Patterns that would take hours, or gigabytes: they are given up, and say so.
TEST(Pattern, AHopelessPatternIsGivenUp) {
  const std::string text = std::string(5000, 'a') + "!b";
  for (const char* pattern : {"a*a*a*a*a*a*b", "(?:a*)*b", "(?:a|a)*b", "(?:a+)+b", "(?:a|aa)+b",
                              "(?=(?:a*)*b)a", "(?i:a*A*a*A*b)"}) {
    const auto parsed = Pattern::parse(pattern);
    ASSERT_TRUE(succeeds(parsed)) << pattern;
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_TRUE(fails_saying(Matcher(*parsed, text.size()).match(text, 0),
                             {pattern, "given up at byte 0 of a text of 5002 bytes", "limit"}));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10)) << pattern;
  }
  const std::string long_text(10000000, 'a');
  const auto deep = Pattern::parse("(?:a|b)*c");
  ASSERT_TRUE(succeeds(deep));
  EXPECT_TRUE(fails_saying(Matcher(*deep, long_text.size()).match(long_text, 0),
                           {"10000000 bytes", "limit"}));
}

// Each place is within its limit, and there are many.
TEST(Pattern, ATextMayNotTakeForEver) {
  const auto slow = Pattern::parse("a*a*a*[bc]");
  ASSERT_TRUE(succeeds(slow));
  const std::string text(150, 'a');
  Matcher matcher(*slow, text.size());
  Status status;
  const auto begin = std::chrono::steady_clock::now();
  while (status && std::chrono::steady_clock::now() - begin < std::chrono::seconds(60)) {
    if (auto end = matcher.match(text, 0); !end) status = end.take_error();
  }
  EXPECT_TRUE(fails_saying(status, {"a*a*a*[bc]", "takes too long", "150 bytes"}));
}

}  // namespace
}  // namespace highwater
