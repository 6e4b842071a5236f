// Tokenizers of other kinds and damaged files: errors in words, and never a crash. The sanitized
// build is where these tests bite.
#include <memory>
#include <random>

#include "highwater/tokenizer.h"
#include "support/expect.h"
#include "support/small_tokenizer.h"

namespace highwater {
namespace {

// A file that still opens must also encode and decode.
void expect_safe(const std::string& json) {
  const auto tokenizer = Tokenizer::parse(json);
  if (!tokenizer) {
    EXPECT_FALSE(tokenizer.error().message().empty());
    return;
  }
  const auto tokens = tokenizer->encode("a  abc é <say> 12 \xff<end>");
  if (tokens) (void)tokenizer->decode(*tokens);
}

struct Case {
  const char* old;
  const char* now;
  const char* words;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.now;
}

class WrongTokenizer : public testing::TestWithParam<Case> {};

TEST_P(WrongTokenizer, SaysWhy) {
  const auto& [old, now, words] = GetParam();
  EXPECT_TRUE(fails_saying(Tokenizer::parse(small_tokenizer_with(old, now)), {words}));
}

constexpr char kType[] = "\"type\": \"BPE\"", kNormalizer[] = "\"normalizer\": null",
               kDecoder[] = "{\"type\": \"ByteLevel\"}", kSplit[] = "\"type\": \"Split\"",
               kDropout[] = "\"dropout\": null", kA[] = "\"a\": 0";

INSTANTIATE_TEST_SUITE_P(
    OfAnotherKind, WrongTokenizer,
    testing::Values(Case{kType, R"("type": "Unigram")", "'Unigram'"},
                    Case{kType, R"("type": "WordPiece")", "'WordPiece'"},
                    Case{"\"byte_fallback\": false", "\"byte_fallback\": true", "byte_fallback"},
                    Case{kDropout, R"("end_of_word_suffix": "</w>")", "end_of_word_suffix"},
                    Case{kDropout, R"("dropout": 0.1)", "dropout"},
                    Case{kNormalizer, R"("normalizer": {"type": "Lowercase"})", "'Lowercase'"},
                    Case{kNormalizer,
                         R"("normalizer": {"type": "Sequence", "normalizers": [{"type": "NFKC"}]})",
                         "'NFKC'"},
                    Case{kDecoder, R"({"type": "Metaspace"})", "'Metaspace'"},
                    Case{kSplit, R"("type": "Metaspace")", "'Metaspace'"},
                    Case{"TemplateProcessing", "BertProcessing", "'BertProcessing'"},
                    Case{"Isolated", "MergedWithNext", "'MergedWithNext'"},
                    Case{" ?[a-z]+", "(?<word>a)", "'(?<'"}));

INSTANTIATE_TEST_SUITE_P(
    Damaged, WrongTokenizer,
    testing::Values(Case{"\"model\"", "\"modell\"", "no model"},
                    Case{"\"vocab\": {", "\"vocab\": [], \"v\": {", "no vocabulary"},
                    Case{"\"merges\"", "\"merge\"", "no list of merges"},
                    Case{"\"b c\"", "\"b x\"", "merge 0: the token 'x' is not"},
                    Case{"\"b c\"", "\"c c\"", "merge 0: the token 'cc' is not"},
                    Case{"\"b c\"", "\"bc\"", "merge 0: it is not a pair"},
                    Case{"\"b c\"", "[\"b\"]", "merge 0: it is not a pair"},
                    Case{"\"b c\"", "7", "merge 0: it is not a pair"},
                    Case{kA, "\"a\": -1", "id of the token 'a'"},
                    Case{kA, "\"a\": 0.5", "id of the token 'a'"},
                    Case{kA, "\"a\": 2147483648", "id of the token 'a'"},
                    Case{kA, "\"a\": \"0\"", "id of the token 'a'"},
                    Case{kA, "\"a\": 1", "two tokens have the id 1"},
                    Case{"\"id\": 21", "\"id\": 20", "two added tokens have the id 20"},
                    Case{"\"id\": 21", "\"id\": []", "id of the token '<end>!'"},
                    Case{"\"content\": \"<end>\"", "\"content\": \"\"", "no content"},
                    Case{"\"ids\": [20]", "\"ids\": 20", "template"},
                    Case{kDropout, "\"unk_token\": \"zz\"", "unknown token 'zz'"}));

TEST(TokenizerDamage, FilesThatAreNoJson) {
  for (const char* bytes : {"", "\x0a\x0e\x0a\x05<unk>\x15", "IQ== 0\nIg== 1\n", "PK\x03\x04"}) {
    EXPECT_TRUE(fails_saying(Tokenizer::parse(bytes), {"not a tokenizer.json", "SentencePiece"}));
  }
  for (const char* json :
       {"null", "[]", "{}", "7", "\"x\"", "{\"model\": []}", "{\"model\": {}}"}) {
    EXPECT_FALSE(Tokenizer::parse(json).ok()) << json;
  }
}

TEST(TokenizerDamage, AHopelessPatternIsAnErrorOfTheText) {
  const auto tokenizer = Tokenizer::parse(small_tokenizer_with(" ?[a-z]+", "(?:[a-z]*)*[A-Z]|b"));
  ASSERT_TRUE(succeeds(tokenizer));
  EXPECT_TRUE(fails_saying(tokenizer->encode(std::string(5000, 'a')),
                           {"(?:[a-z]*)*[A-Z]", "given up", "5000 bytes"}));
  EXPECT_TRUE(succeeds(tokenizer->encode("aB")));
}

TEST(TokenizerDamage, DeepNesting) {
  std::string deep = "{\"normalizer\": ";
  for (int i = 0; i < 10000; ++i) deep += R"({"type": "Sequence", "normalizers": [)";
  EXPECT_TRUE(fails_saying(Tokenizer::parse(deep), {"64 deep"}));
}

TEST(TokenizerDamage, TruncationAtEveryLength) {
  for (size_t length = 0; length < kSmallTokenizer.size(); ++length) {
    // On the heap at its exact size, so that a read past the end is noticed.
    const auto copy = std::make_unique<char[]>(length);
    std::copy_n(kSmallTokenizer.begin(), length, copy.get());
    EXPECT_FALSE(Tokenizer::parse({copy.get(), length}).ok()) << length;
  }
}

TEST(TokenizerDamage, EveryByteChanged) {
  for (size_t i = 0; i < kSmallTokenizer.size(); ++i) {
    for (const char c : {'"', '{', '9', '\xff'}) {
      std::string json(kSmallTokenizer);
      json[i] = c;
      expect_safe(json);
    }
  }
}

// Whole parts of the file in the wrong places: still JSON, often, and of the wrong types.
TEST(TokenizerDamage, PiecesMovedAtRandom) {
  std::mt19937 random(1);
  std::vector<std::string> pieces;
  for (size_t at = 0; at < kSmallTokenizer.size();) {
    const size_t end =
        std::min(kSmallTokenizer.find_first_of(",:[]{}", at + 1), kSmallTokenizer.size());
    pieces.emplace_back(kSmallTokenizer.substr(at, end - at));
    at = end;
  }
  for (int round = 0; round < 1000; ++round) {
    auto moved = pieces;
    for (int i = 0; i < 2; ++i) moved[random() % moved.size()] = pieces[random() % pieces.size()];
    std::string json;
    for (const std::string& piece : moved) json += piece;
    expect_safe(json);
  }
}

}  // namespace
}  // namespace highwater
