// Messages, errors and JSON: what users and reports read.
#include "highwater/text.h"

#include "base/json.h"
#include "highwater/dtype.h"
#include "support/expect.h"

namespace highwater {
namespace {

TEST(Text, GluesPiecesOfEveryKind) {
  EXPECT_EQ(text("dims ", Dims{2, 3}, " of ", DType::Float16, ' ', true, " ", -5, " ", 0.5),
            "dims [2, 3] of float16 true -5 0.5");
  EXPECT_EQ(text(), "");
  EXPECT_EQ(text(uint64_t{18446744073709551615u}), "18446744073709551615");
}

TEST(Text, ErrorsSayWhereTheyHappened) {
  Error error = fail("dim ", 3, " is missing");
  EXPECT_EQ(std::move(error).within("op a").within("graph").message(),
            "graph: op a: dim 3 is missing");
}

TEST(Text, MacrosPassErrorsOnAndValuesThrough) {
  const auto half = [](int n) -> Result<int> {
    if (n % 2) return fail(n, " is odd");
    return n / 2;
  };
  const auto quarter = [&](int n) -> Result<int> {
    HW_TRY(const int h, half(n));
    HW_CHECK(half(h));
    return h / 2;
  };
  EXPECT_EQ(*quarter(12), 3);
  EXPECT_TRUE(fails_saying(quarter(7), {"7 is odd"}));
  EXPECT_TRUE(fails_saying(quarter(6), {"3 is odd"}));
}

TEST(Json, NestsAndSeparates) {
  Json json;
  json.begin_object().field("a", 1).key("list").begin_list();
  json.value(1).value(-2.5).value(true).begin_object().end_object().value("x");
  json.end_list().field("b", std::string("y")).key("none").begin_list().end_list().end_object();
  EXPECT_EQ(json.text(), R"({"a": 1, "list": [1, -2.5, true, {}, "x"], "b": "y", "none": []})");
}

TEST(Json, EscapesWhatItMust) {
  Json json;
  json.value(std::string_view("quote \" back \\ line \n tab \t nul \0 é", 36));
  EXPECT_EQ(json.text(), "\"quote \\\" back \\\\ line \\u000a tab \\u0009 nul \\u0000 é\"");
}

TEST(Json, KeysAreEscapedToo) {
  Json json;
  json.begin_object().field("a\"b", 1).end_object();
  EXPECT_EQ(json.text(), R"({"a\"b": 1})");
}

TEST(Json, LargeCountsKeepAllTheirDigits) {
  Json json;
  json.value(uint64_t{18446744073709551615u});
  EXPECT_EQ(json.text(), "18446744073709551615");
}

}  // namespace
}  // namespace highwater
