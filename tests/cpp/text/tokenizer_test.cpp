// A tokenizer by hand: what it cuts, merges, finds and says. The packaging tests compare larger
// ones with Hugging Face's own package.
#include "highwater/tokenizer.h"

#include <cstdio>

#include "support/expect.h"
#include "support/small_tokenizer.h"

namespace highwater {
namespace {

using Tokens = std::vector<int64_t>;

Tokenizer opened(std::string_view json = kSmallTokenizer) {
  auto tokenizer = Tokenizer::parse(json);
  if (!tokenizer) give_up(tokenizer.error());
  return *std::move(tokenizer);
}

Tokens encoded_by(const Tokenizer& tokenizer, std::string_view text, bool goes_on = true) {
  auto tokens = tokenizer.encode(text, goes_on);
  EXPECT_TRUE(succeeds(tokens));
  return tokens ? *std::move(tokens) : Tokens();
}

Tokens encoded(std::string_view text) {
  static const Tokenizer kTokenizer = opened();
  return encoded_by(kTokenizer, text);
}

std::string decoded(const Tokens& tokens) {
  return opened().decode(tokens);
}

TEST(Tokenizer, MergesInTheOrderTheyWereLearned) {
  EXPECT_EQ(encoded("ab"), (Tokens{6}));
  EXPECT_EQ(encoded("abc"), (Tokens{9}));  // "bc" first, then "a" with it
  EXPECT_EQ(encoded("abab"), (Tokens{6, 6}));
  EXPECT_EQ(encoded(" ab"), (Tokens{3, 6}));  // "ab" before " a"
  EXPECT_EQ(encoded(" aa"), (Tokens{8, 0}));
  EXPECT_EQ(encoded("é"), (Tokens{11}));
}

TEST(Tokenizer, NoMergeCrossesACut) {
  // Two spaces are a piece of their own: the second does not join the word.
  EXPECT_EQ(encoded("a  a"), (Tokens{0, 12, 0}));
  EXPECT_EQ(encoded("a a"), (Tokens{0, 8}));
}

TEST(Tokenizer, BytesWithoutATokenAreLeftOutOrUnknown) {
  EXPECT_EQ(encoded("axb"), (Tokens{6}));
  const std::string unknown =
      small_tokenizer_with("\"dropout\": null", "\"unk_token\": \"c\", \"fuse_unk\": false");
  EXPECT_EQ(encoded_by(opened(unknown), "axxb"), (Tokens{0, 2, 2, 1}));
  const std::string fused =
      small_tokenizer_with("\"dropout\": null", "\"unk_token\": \"c\", \"fuse_unk\": true");
  EXPECT_EQ(encoded_by(opened(fused), "axxb"), (Tokens{0, 2, 1}));
}

TEST(Tokenizer, WholePiecesMayGoBeforeMerges) {
  EXPECT_EQ(encoded(" ab"), (Tokens{3, 6}));
  const std::string whole =
      small_tokenizer_with("\"ignore_merges\": false", "\"ignore_merges\": true");
  EXPECT_EQ(encoded_by(opened(whole), " ab"), (Tokens{10}));
}

TEST(Tokenizer, AddedTokensAreFoundWhereTheyStand) {
  EXPECT_EQ(encoded("a<end>b"), (Tokens{0, 20, 1}));
  EXPECT_EQ(encoded("a<end>!b"), (Tokens{0, 21, 1}));  // the longest
  EXPECT_EQ(encoded("a<end"), (Tokens{0}));
  EXPECT_EQ(encoded("a  <say>  b"), (Tokens{0, 22, 1}));  // with the spaces around it
  EXPECT_EQ(decoded({0, 20, 21, 1}), "a<end>!b");         // without special ones
}

TEST(Tokenizer, AWholeTextHasItsTemplate) {
  EXPECT_EQ(encoded_by(opened(), "a", false), (Tokens{20, 0}));
  EXPECT_EQ(encoded_by(opened(), "", false), (Tokens{20}));
  EXPECT_EQ(encoded(""), Tokens());
}

TEST(Tokenizer, TokensThatDoNotExistSayNothing) {
  EXPECT_EQ(decoded({0, 999, -1, INT64_MIN, INT64_MAX, 1}), "ab");
}

TEST(Tokenizer, TextThatIsNotUtf8HarmsNobody) {
  EXPECT_EQ(encoded("a\xff\xc3\xa9\xc3 a"), (Tokens{0, 11, 4, 8}));
  EXPECT_EQ(decoded({0, 4, 1}), "a\uFFFDb");
}

TEST(Tokenizer, ALongPieceTakesNoSquareOfTime) {
  const std::string text(1000000, 'a');
  EXPECT_EQ(encoded(text).size(), text.size());
  std::string pairs;
  for (int i = 0; i < 500000; ++i) pairs += "ab";
  EXPECT_EQ(encoded(pairs).size(), 500000u);
}

TEST(TextStream, ACharacterComesOutWhole) {
  TextStream stream(opened());
  const Tokens first{0, 4}, second{5, 1}, broken{4};
  EXPECT_EQ(stream.add(first), "a");
  EXPECT_EQ(stream.add(second), "éb");
  EXPECT_EQ(stream.end(), "");
  EXPECT_EQ(stream.add(broken), "");
  EXPECT_EQ(stream.end(), "\uFFFD");
  EXPECT_EQ(stream.end(), "");
}

TEST(Tokenizer, FilesAreOpenedAndErrorsNameThem) {
  const std::string path = testing::TempDir() + "small_tokenizer.json";
  FILE* file = std::fopen(path.c_str(), "w");
  std::fwrite(kSmallTokenizer.data(), 1, kSmallTokenizer.size(), file);
  std::fclose(file);
  EXPECT_TRUE(succeeds(Tokenizer::open(path)));
  std::fclose(std::fopen(path.c_str(), "w"));
  EXPECT_TRUE(fails_saying(Tokenizer::open(path), {path, "not a tokenizer.json"}));
  std::remove(path.c_str());
  EXPECT_TRUE(fails_saying(Tokenizer::open(path), {path, "No such file"}));
}

}  // namespace
}  // namespace highwater
