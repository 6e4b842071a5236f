// Reading JSON: what is good is read, and what is not is an error that says where.
#include "base/json_value.h"

#include <string>

#include "support/expect.h"

namespace highwater {
namespace {

std::string string_in(std::string_view json) {
  const auto value = read_json(json);
  EXPECT_TRUE(succeeds(value)) << json;
  return value && value->string() ? *value->string() : "no string";
}

TEST(ReadJson, ValuesOfEveryKind) {
  const auto value = read_json(
      " {\"a\": [1, -2.5e2, true, false, null, \"x\"],\r\n\t\"b\": {\"c\": {}, \"d\": []}} ");
  ASSERT_TRUE(succeeds(value));
  const JsonValue::List& list = *(*value)["a"].list();
  ASSERT_EQ(list.size(), 6u);
  EXPECT_EQ(list[0].integer(), 1);
  EXPECT_EQ(*list[1].number(), -250.0);
  EXPECT_TRUE(*list[2].flag());
  EXPECT_FALSE(*list[3].flag());
  EXPECT_TRUE(list[4].is_null());
  EXPECT_EQ(*list[5].string(), "x");
  EXPECT_TRUE((*value)["b"]["c"].object()->empty());
  EXPECT_TRUE((*value)["b"]["d"].list()->empty());
}

TEST(ReadJson, WhatIsNotThereIsNull) {
  const auto value = read_json("{\"a\": 1}");
  EXPECT_TRUE((*value)["b"]["c"]["d"].is_null());
  EXPECT_TRUE((*value)["a"]["b"].is_null());
  EXPECT_EQ((*value)["a"].string(), nullptr);
  EXPECT_EQ((*value)["a"].list(), nullptr);
}

TEST(ReadJson, Strings) {
  EXPECT_EQ(string_in(R"("\" \\ \/ \b\f\n\r\t")"), "\" \\ / \b\f\n\r\t");
  EXPECT_EQ(string_in(R"("\u0120\u00e9\ud83d\ude00")"), "Ġé😀");
  EXPECT_EQ(string_in("\"é 😀\""), "é 😀");
  EXPECT_EQ(string_in(R"("a\u0000b")"), std::string("a\0b", 3));
}

TEST(ReadJson, IntegersAreWhole) {
  EXPECT_EQ(read_json("1e3")->integer(), 1000);
  EXPECT_EQ(read_json("-0")->integer(), 0);
  EXPECT_EQ(read_json("9007199254740991")->integer(), 9007199254740991);
  for (const char* json : {"0.5", "1e300", "9007199254740993", "\"1\"", "null"}) {
    EXPECT_EQ(read_json(json)->integer(), std::nullopt) << json;
  }
}

TEST(ReadJson, ErrorsSayWhere) {
  EXPECT_TRUE(fails_saying(read_json(""), {"line 1, column 1", "ends where a value"}));
  EXPECT_TRUE(fails_saying(read_json("{\n \"a\": 1,\n  2}"), {"line 3, column 3", "name"}));
  EXPECT_TRUE(fails_saying(read_json("[1 2]"), {"column 4", "',' or ']'"}));
  EXPECT_TRUE(fails_saying(read_json("{\"a\" 1}"), {"column 6", "':'"}));
  EXPECT_TRUE(fails_saying(read_json("[] []"), {"column 4", "after the end"}));
  EXPECT_TRUE(fails_saying(read_json("\"a\nb\""), {"control character"}));
  EXPECT_TRUE(fails_saying(read_json("\"a\xff\""), {"not UTF-8"}));
  EXPECT_TRUE(fails_saying(read_json(R"("\ud800x")"), {"half of a character"}));
}

TEST(ReadJson, WhatIsNearlyJsonIsNot) {
  for (const char* json : {"01",
                           "-",
                           "+1",
                           ".5",
                           "1.",
                           "1e",
                           "1e+",
                           "nul",
                           "True",
                           "NaN",
                           "0x1",
                           "1e999",
                           "[1,]",
                           "[,1]",
                           "{\"a\":1,}",
                           "{a:1}",
                           "{'a':1}",
                           "'a'",
                           R"("\x41")",
                           R"("\u12")",
                           R"("\u12g4")",
                           R"("\udc00")",
                           R"("\ud800\u0041")",
                           R"("abc)",
                           R"("\)",
                           "{",
                           "[",
                           "[1",
                           "{\"a\":",
                           "//\n1"}) {
    EXPECT_FALSE(read_json(json).ok()) << json;
  }
}

TEST(ReadJson, DeepNestingIsAnErrorAndNoCrash) {
  EXPECT_TRUE(succeeds(read_json(std::string(64, '[') + std::string(64, ']'))));
  EXPECT_TRUE(fails_saying(read_json(std::string(65, '[') + std::string(65, ']')), {"64 deep"}));
  EXPECT_TRUE(fails_saying(read_json(std::string(100000, '[')), {"64 deep"}));
  std::string objects;
  for (int i = 0; i < 10000; ++i) objects += "{\"a\":";
  EXPECT_TRUE(fails_saying(read_json(objects), {"64 deep"}));
}

}  // namespace
}  // namespace highwater
