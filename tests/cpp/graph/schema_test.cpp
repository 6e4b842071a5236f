// What the compiler, and whoever asks the table of ops, reads out of a schema.
#include "graph/schema.h"

#include <gtest/gtest.h>

#include "graph/registry.h"

namespace highwater {
namespace {

TEST(Schema, ArgumentsOfEveryKind) {
  const Schema schema(
      "ns.op.overload(Tensor x, FloatTensor? w, IntTensor?[] ids, Tensor(a!) cache, *, int dim=-1, "
      "SymInt[]? sizes=None, str how=\"none\", Layout? layout=None) -> (Tensor, Tensor)");
  EXPECT_EQ(schema.name(), "ns.op.overload");
  const auto arguments = schema.arguments();
  ASSERT_EQ(arguments.size(), 8u);
  EXPECT_TRUE(arguments[0].otherwise.empty() && !arguments[0].is_optional);
  EXPECT_EQ(arguments[1].dtypes, DTypes::Floats);
  EXPECT_TRUE(arguments[1].is_optional && !arguments[1].is_list);
  EXPECT_EQ(arguments[2].dtypes, DTypes::Ints);
  EXPECT_TRUE(arguments[2].is_list && arguments[2].has_gaps && !arguments[2].is_optional);
  EXPECT_TRUE(arguments[3].is_mutated);
  EXPECT_EQ(arguments[4].otherwise, "-1");
  EXPECT_EQ(arguments[4].kind, ArgumentKind::Int);
  EXPECT_TRUE(arguments[5].is_list && arguments[5].is_optional && !arguments[5].has_gaps);
  EXPECT_EQ(arguments[6].otherwise, "\"none\"");
  EXPECT_EQ(arguments[7].kind, ArgumentKind::Unread);
  EXPECT_EQ(arguments[7].type, "Layout?");
  EXPECT_EQ(schema.position("how"), 6u);
  EXPECT_EQ(schema.position("why"), 8u);
}

TEST(Schema, ListsOfAKnownSize) {
  const Schema schema("f(int[2] stride=[], int[2] padding=0, float[]? scales) -> Tensor");
  EXPECT_EQ(schema.arguments()[0].list_size, 2u);
  EXPECT_EQ(schema.arguments()[0].otherwise, "[]");
  EXPECT_TRUE(schema.arguments()[1].is_list);
  EXPECT_EQ(schema.arguments()[1].otherwise, "0");
  EXPECT_EQ(schema.arguments()[2].list_size, 0u);
  EXPECT_TRUE(schema.arguments()[2].is_list && schema.arguments()[2].is_optional);
}

TEST(Schema, Results) {
  EXPECT_EQ(Schema("f(Tensor x) -> Tensor").result(), ResultKind::Tensor);
  EXPECT_EQ(Schema("f(SymInt a) -> SymInt").result(), ResultKind::SymInt);
  EXPECT_EQ(Schema("f(Tensor x) -> Tensor[]").result(), ResultKind::Tensors);
  EXPECT_EQ(Schema("f(Tensor x) -> Tensor[]").result_count(), 0u);
  EXPECT_EQ(Schema("f(Tensor x) -> (Tensor, Tensor, Tensor)").result_count(), 3u);
  EXPECT_EQ(Schema("f(Tensor(a!) x, Tensor(b!) y) -> (Tensor(a!), Tensor(b!))").result_count(), 2u);
  EXPECT_TRUE(Schema("f() -> Tensor").arguments().empty());
}

TEST(Schema, TheTableGoesByName) {
  ASSERT_NE(find_op("aten.cat.default"), nullptr);
  EXPECT_EQ(find_op("aten.cat.default")->schema.arguments()[1].otherwise, "0");
  EXPECT_EQ(find_op("aten.cat"), nullptr);
  EXPECT_EQ(find_op("aten.cat.default(Tensor[] tensors, int dim=0) -> Tensor"), nullptr);
}

}  // namespace
}  // namespace highwater
