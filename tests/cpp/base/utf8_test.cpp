// Bytes as characters, whatever the bytes are.
#include "base/utf8.h"

#include "support/expect.h"

namespace highwater {
namespace {

std::string as_characters(std::string_view bytes) {
  std::string out;
  append_as_utf8(out, bytes);
  return out;
}

TEST(Utf8, CharactersComeBack) {
  for (char32_t c = 0; c <= 0x10ffff; c += c < 0x3000 ? 1 : 37) {
    if (c >= 0xd800 && c <= 0xdfff) continue;
    std::string bytes;
    append_utf8(bytes, c);
    const Utf8Step step = utf8_step(bytes);
    ASSERT_EQ(step.kind, Utf8Step::Whole) << uint32_t{c};
    ASSERT_EQ(step.character, c);
    ASSERT_EQ(step.length, bytes.size());
    ASSERT_EQ(as_characters(bytes), bytes);
    for (size_t cut = 1; cut < bytes.size(); ++cut) {
      ASSERT_EQ(utf8_step(std::string_view(bytes).substr(0, cut)).kind, Utf8Step::CutShort);
      ASSERT_EQ(utf8_unfinished(std::string_view(bytes).substr(0, cut)), cut);
    }
    ASSERT_EQ(utf8_unfinished(bytes), 0u);
  }
}

TEST(Utf8, WhatIsNotACharacterIsReplaced) {
  EXPECT_EQ(as_characters("a\xff"
                          "b"),
            "a\uFFFDb");
  EXPECT_EQ(as_characters("\x80\x80"), "\uFFFD\uFFFD");
  EXPECT_EQ(as_characters("\xc0\xaf"), "\uFFFD\uFFFD");            // '/' in two bytes
  EXPECT_EQ(as_characters("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");  // a surrogate
  EXPECT_EQ(as_characters("\xe2\x82z"), "\uFFFDz");                // most of a character
  EXPECT_EQ(as_characters("\xf0\x9f\x98"), "\uFFFD");              // at the end, too
  EXPECT_EQ(as_characters("\xf4\x90\x80\x80").size(), 3u * 4);     // over U+10FFFF
}

TEST(Utf8, OnlyWhatCanStillBecomeACharacterIsUnfinished) {
  EXPECT_EQ(utf8_unfinished(""), 0u);
  EXPECT_EQ(utf8_unfinished("abc"), 0u);
  EXPECT_EQ(utf8_unfinished("a\xe2"), 1u);
  EXPECT_EQ(utf8_unfinished("a\xe2\x82"), 2u);
  EXPECT_EQ(utf8_unfinished("a\xe2\x28"), 0u);
  EXPECT_EQ(utf8_unfinished("a\x80\x80\x80\x80"), 0u);
  EXPECT_EQ(utf8_unfinished("\xed\xa0"), 0u);
}

}  // namespace
}  // namespace highwater
