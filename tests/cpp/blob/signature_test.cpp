// What an exporter said of the inputs: read from a file's text, and held against calls.
#include "blob/signature.h"

#include "support/engine.h"

namespace highwater {
namespace {

constexpr std::string_view kTwoInputs = R"({
  "lengths": {"n": [2, 9], "m": [0, null]},
  "inputs": [
    {"name": "x", "dtype": "float32", "dims": [1, {"of": "n"}, 4]},
    {"name": "mask", "dtype": "float32", "dims": [{"of": "n", "times": 2, "plus": 1}]},
    {"name": "start", "dtype": "int", "number": {"of": "m"}}
  ]
})";

Signature signature() {
  auto read = read_signature(kTwoInputs);
  if (!read) give_up(read.error());
  return *std::move(read);
}

// A program that does nothing with inputs of these bounds.
Engine engine() {
  ProgramBuilder b;
  b.input({1, 9, 4});
  b.input({19});
  b.input_scalar();
  Program program = b.program();
  program.signature = signature();
  return Engine(program);
}

Status call(Engine& e, const Dims& x, const Dims& mask, int64_t start = 0) {
  return e.call({of_dims(x), of_dims(mask), start});
}

TEST(Signatures, AreRead) {
  const Signature s = signature();
  ASSERT_EQ(s.inputs.size(), 3u);
  EXPECT_EQ(s.inputs[1].name, "mask");
  EXPECT_TRUE(s.inputs[0].sizes[0].is_fixed());
  EXPECT_TRUE(s.inputs[2].is_integer);
  EXPECT_EQ(s.least(s.inputs[1].sizes[0]), 5);
  EXPECT_EQ(s.describe(1), "input 1 (mask)");
}

TEST(Signatures, LetPassWhatWasExported) {
  Engine e = engine();
  for (const int64_t n : {9, 2, 7, 3, 9}) {
    EXPECT_TRUE(succeeds(call(e, {1, n, 4}, {2 * n + 1}, n))) << n;
  }
}

TEST(Signatures, NameTheDimThatIsNot) {
  Engine e = engine();
  const auto good = [&] { return succeeds(call(e, {1, 3, 4}, {7})); };
  EXPECT_TRUE(good());
  EXPECT_TRUE(fails_saying(call(e, {1, 3, 1}, {7}),
                           {"input 0 (x)", "dim 2 of [1, 3, 1]", "is 1", "exported as 4"}));
  EXPECT_TRUE(good());
  EXPECT_TRUE(fails_saying(call(e, {0, 3, 4}, {7}), {"dim 0", "exported as 1"}));
  EXPECT_TRUE(fails_saying(call(e, {1, 1, 4}, {3}), {"dim 1", "n from 2 to 9"}));
  EXPECT_TRUE(good());
  EXPECT_TRUE(
      fails_saying(call(e, {1, 3, 4}, {8}), {"input 1 (mask)", "is 8", "2 * n + 1 from 2 to 9"}));
  EXPECT_TRUE(fails_saying(call(e, {1, 3, 4}, {9}),
                           {"input 1 (mask)", "2 * n + 1", "input 0 (x) says that n is 3"}));
  EXPECT_TRUE(good());
  EXPECT_TRUE(fails_saying(call(e, {1, 3, 4}, {7}, -1), {"input 2 (start)", "is -1"}));
  EXPECT_TRUE(fails_saying(call(e, {1, 3, 4}, {7}, INT64_MIN), {"input 2 (start)"}));
  EXPECT_TRUE(good());
}

TEST(Signatures, ThatMakeNoSenseAreRefused) {
  const std::pair<std::string_view, std::string_view> kBad[] = {
      {"", "line 1"},
      {"[]", "no lengths"},
      {R"({"lengths": {}})", "no list of inputs"},
      {R"({"lengths": {"n": [3, 2]}, "inputs": []})", "length n"},
      {R"({"lengths": {"n": [-1, 2]}, "inputs": []})", "length n"},
      {R"({"lengths": {"n": [1.5, 2]}, "inputs": []})", "length n"},
      {R"({"lengths": {"n": [1]}, "inputs": []})", "length n"},
      {R"({"lengths": {}, "inputs": [{"dims": [{"of": "n"}]}]})", "input 0: there is no length n"},
      {R"({"lengths": {"n": [0, 1]}, "inputs": [{"dims": [{"of": "n", "times": 0}]}]})", "0 times"},
      {R"({"lengths": {"n": [0, 1]}, "inputs": [{"dims": [{"of": "n", "plus": 1e15}]}]})", "plus"},
      {R"({"lengths": {"n": [0, 1]}, "inputs": [{"dims": [{"of": "n", "plus": "a"}]}]})", "plus"},
      {R"({"lengths": {}, "inputs": [{"name": "\u001b[31m", "dims": []}]})", "\\x1b[31m"},
  };
  for (const auto& [json, says] : kBad) {
    EXPECT_TRUE(fails_saying(read_signature(json), {says})) << json;
  }
}

}  // namespace
}  // namespace highwater
