// Values that are read before they are written, or written twice: refused before any rewrite runs.
#include "blob/program.h"
#include "support/blob_builder.h"
#include "support/expect.h"

namespace highwater {
namespace {

// x = 0, w = 1, y = 3, a scalar = 10, [scalar, -7, x] = 11.
struct Case {
  const char* name;
  std::vector<BlobContent::Call> calls;
  std::initializer_list<std::string_view> says;
};

const Case kCases[] = {
    {"ViewOfItself",
     {{"aten.view_copy.default", 5, {3, 8, 3}}},
     {"aten.view_copy", "node 5", "Tensor 3"}},
    {"ReadBeforeItIsWritten",
     {{"aten.relu.default", 0, {3, 0}}, {"aten.relu.default", 1, {0, 3}}},
     {"node 0", "reads Tensor 3", "nothing has written"}},
    {"ScalarReadInAList",
     {{"aten.view_copy.default", 2, {0, 11, 3}}},
     {"node 2", "reads SymInt 10"}},
    {"WrittenTwice",
     {{"sym_size.int", 0, {0, 4, 10}},
      {"aten.relu.default", 1, {0, 3}},
      {"aten.relu.default", 2, {1, 3}}},
     {"node 2", "writes Tensor 3", "already has a value"}},
    {"InputWritten", {{"aten.relu.default", 7, {1, 0}}}, {"node 7", "writes Tensor 0"}},
    {"ConstantWritten", {{"aten.relu.default", 8, {0, 1}}}, {"node 8", "writes Tensor 1"}},
    {"OutputThatNothingWrites",
     {{"sym_size.int", 0, {0, 4, 10}}},
     {"output 0", "value 3", "nothing has written"}},
    {"NameOfOurOwn", {{"hw.swiglu", 9, {0, 1, 3}}}, {"hw.swiglu", "Highwater's own"}},
};

class Definitions : public testing::TestWithParam<Case> {};

TEST_P(Definitions, AreChecked) {
  BlobContent content = good_content();
  content.calls = GetParam().calls;
  const Blob blob = make_blob(content);
  EXPECT_TRUE(fails_saying(read_program(blob), GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(Blob, Definitions, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace highwater
