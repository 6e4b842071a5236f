// Views of one value to the same sizes are one.
#include <gtest/gtest.h>

#include "support/program_builder.h"
#include "support/rewritten.h"

namespace highwater {
namespace {

const std::string kView = "aten.view_copy.default", kRelu = "aten.relu.default";
const Dims kFlat{32};

struct Views : ProgramBuilder {
  ValueId x = input({8, 4});

  ValueId flat(ValueId of) { return apply(kView, {of, integers({32})}, kFlat); }
  Views& read(ValueId id) {
    output(apply(kRelu, {id}, bound(id)));
    return *this;
  }
};

TEST(EqualViews, AreOne) {
  Views b;
  const ValueId first = b.flat(b.x), second = b.flat(b.x);
  b.read(first).read(second);
  const Rewritten after(b, merge_equal_views);
  ASSERT_EQ(after.names(), (std::vector<std::string>{kView, kRelu, kRelu}));
  EXPECT_EQ(after.args(2)[0], first);
}

TEST(EqualViews, ToTheSameLiveSizesAreOne) {
  Views b;
  const ValueId n = b.apply_scalar("sym_size.int", {b.x, b.integer(0)});
  const auto view = [&] {
    return b.apply(kView, {b.x, b.list({b.integer(1), n, b.integer(4)})}, {1, 8, 4});
  };
  const ValueId first = view(), second = view();
  b.read(first).read(second);
  EXPECT_EQ(Rewritten(b, merge_equal_views).names(),
            (std::vector<std::string>{"sym_size.int", kView, kRelu, kRelu}));
}

TEST(EqualViews, LeavesOtherSizesAndOtherValues) {
  Views b;
  const ValueId flat = b.flat(b.x), other = b.apply(kView, {b.x, b.integers({4, 8})}, {4, 8});
  b.read(flat).read(other).read(b.flat(b.input({8, 4})));
  EXPECT_TRUE(leaves_alone(b, merge_equal_views));
}

TEST(EqualViews, LeavesViewsOfWhatIsWrittenIntoBetweenThem) {
  Views b;
  const ValueId cache = b.constant({1, 8, 2, 2}, "cache");
  b.read(b.flat(cache));
  b.apply("update_cache.default", {b.input({1, 1, 2, 2}), cache, b.integer(0)}, {1});
  b.read(b.flat(cache));
  EXPECT_TRUE(leaves_alone(b, merge_equal_views));
}

TEST(EqualViews, LeavesOutputs) {
  Views b;
  b.read(b.flat(b.x)).output(b.flat(b.x));
  EXPECT_TRUE(leaves_alone(b, merge_equal_views));
}

TEST(EqualViews, LeavesPartsOfLists) {
  Views b;
  const ValueId first = b.flat(b.x), second = b.flat(b.x);
  b.output(b.apply("aten.cat.default", {b.list({first, second}), b.integer(0)}, {64}));
  EXPECT_TRUE(leaves_alone(b, merge_equal_views));
}

}  // namespace
}  // namespace highwater
