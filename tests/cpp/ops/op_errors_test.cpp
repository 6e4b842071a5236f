// A program that makes no sense is refused when its graph is built, by the name of the op and
// value.
#include "support/engine.h"

namespace highwater {
namespace {

Result<std::unique_ptr<Graph>> build(const ProgramBuilder& b) {
  return Graph::build(b.program());
}

TEST(OpErrors, ReadingWhatNothingHasWritten) {
  ProgramBuilder b;
  const ValueId nothing = b.tensor({16, 4});
  b.output(b.apply("toy.copy", {nothing}, {16, 4}));
  EXPECT_TRUE(
      fails_saying(build(b), {"toy.copy (node 0)", "reads tensor 0", "nothing has written"}));
}

TEST(OpErrors, ReadingWhatIsWrittenOnlyLater) {
  ProgramBuilder b;
  const ValueId x = b.input({16, 4}), y = b.tensor({16, 4}), z = b.tensor({16, 4});
  b.call("toy.copy", {y, z}).call("toy.copy", {x, y}).output(z);
  EXPECT_TRUE(fails_saying(build(b), {"node 0", "reads tensor 1"}));
}

TEST(OpErrors, ReadingAScalarThatNothingHasWritten) {
  ProgramBuilder b;
  const ValueId x = b.input({16, 4}), n = b.scalar();
  b.output(b.apply("toy.take", {x, n}, {16, 4}));
  EXPECT_TRUE(fails_saying(build(b), {"toy.take", "reads scalar 1", "nothing has written"}));
}

TEST(OpErrors, WritingTwice) {
  ProgramBuilder b;
  const ValueId x = b.input({16, 4}), y = b.tensor({16, 4});
  b.call("toy.copy", {x, y}).call("toy.copy", {x, y}).output(y);
  EXPECT_TRUE(fails_saying(build(b), {"node 1", "writes tensor 1", "already has a value"}));
}

TEST(OpErrors, WritingAnInputOrAConstantOrItsOwnInput) {
  for (const char* what : {"input", "constant", "itself"}) {
    ProgramBuilder b;
    const ValueId x = b.input({16, 4});
    const ValueId w = b.constant({16, 4}, "w"), z = b.input({16, 4});
    const ValueId y = what == std::string("input") ? z : what == std::string("constant") ? w : x;
    b.call("toy.copy", {x, y}).output(y);
    EXPECT_TRUE(fails_saying(build(b), {"toy.copy", "already has a value"})) << what;
  }
}

TEST(OpErrors, WrongKindsOfArguments) {
  const auto copy_of = [](auto make) {
    ProgramBuilder b;
    const ValueId wrong = make(b);
    b.output(b.apply("toy.copy", {wrong}, {16, 4}));
    return build(b);
  };
  const std::string_view tensor = "a tensor is wanted";
  EXPECT_TRUE(fails_saying(copy_of([](auto& b) { return b.integer(3); }),
                           {"toy.copy (node 0)", "argument 'x' is of kind Int", tensor}));
  EXPECT_TRUE(fails_saying(copy_of([](auto& b) { return b.null(); }), {"kind Null", tensor}));
  EXPECT_TRUE(fails_saying(copy_of([](auto& b) { return b.list({}); }), {"ValueList", tensor}));
  EXPECT_TRUE(fails_saying(copy_of([](auto& b) { return b.string("x"); }), {"String", tensor}));
  EXPECT_TRUE(fails_saying(copy_of([](auto& b) { return b.input_scalar(); }), {"SymInt", tensor}));
}

TEST(OpErrors, ScalarWhereATensorIsWrittenAndTheReverse) {
  ProgramBuilder b;
  const ValueId x = b.input({16, 4});
  b.call("toy.copy", {x, b.scalar()});
  EXPECT_TRUE(fails_saying(build(b), {"result is of kind SymInt", "a tensor"}));
  ProgramBuilder c;
  const ValueId z = c.input({16, 4});
  c.call("sym_size.int", {z, c.integer(0), c.tensor({1})});
  EXPECT_TRUE(fails_saying(build(c), {"result is of kind Tensor", "a SymInt"}));
}

TEST(OpErrors, MissingArguments) {
  ProgramBuilder b;
  b.call("toy.copy", {b.input({16, 4})});
  EXPECT_TRUE(fails_saying(build(b), {"toy.copy", "argument 'x' is missing", "1 arguments"}));
  ProgramBuilder c;
  c.call("toy.mix", {});
  EXPECT_TRUE(fails_saying(build(c), {"toy.mix", "0 arguments", "toy.mix(Tensor a, Tensor b)"}));
}

TEST(OpErrors, TooManyArguments) {
  ProgramBuilder b;
  const ValueId x = b.input({16, 4});
  b.call("toy.copy", {x, x, b.tensor({16, 4})});
  EXPECT_TRUE(fails_saying(build(b), {"3 arguments", "toy.copy(Tensor x) -> Tensor"}));
}

TEST(OpErrors, DTypesThatTheSchemaDoesNotAllow) {
  ProgramBuilder b;
  const ValueId ids = b.input({16, 4}, DType::Int64);
  b.output(b.apply("aten._softmax.default", {ids, b.integer(1), b.flag(false)}, {16, 4}));
  EXPECT_TRUE(fails_saying(build(b), {"'self', tensor 0 (int64", "a float dtype"}));
  ProgramBuilder c;
  const ValueId x = c.input({16, 4});
  c.output(c.apply("aten.bitwise_not.default", {x}, {16, 4}));
  EXPECT_TRUE(fails_saying(build(c), {"'self', tensor 0 (float32", "an integer dtype"}));
}

TEST(OpErrors, UnknownOpsAreAllNamedAtOnce) {
  ProgramBuilder b;
  const ValueId x = b.input({16, 4});
  b.output(b.apply("no.such", {b.apply("nor.this", {x}, {1})}, {1}));
  b.output(b.apply("no.such", {x}, {1}));
  EXPECT_TRUE(fails_saying(build(b), {"not supported: nor.this, no.such"}));
}

TEST(OpErrors, OutputThatNothingWrites) {
  ProgramBuilder b;
  b.output(b.tensor({3}));
  EXPECT_TRUE(fails_saying(build(b), {"output tensor 0 (float32, at most [3])", "by no op"}));
  ProgramBuilder c;
  c.output(c.scalar());
  EXPECT_TRUE(fails_saying(build(c), {"output scalar 0", "by no op"}));
}

TEST(OpErrors, WritingIntoAnArgumentWithoutHavingSaidSo) {
  ProgramBuilder b;
  const ValueId cache = b.constant({16, 4}, "zeros"), x = b.input({16, 4});
  b.output(b.apply("toy.store_unregistered", {cache, x}, {16, 4}));
  EXPECT_TRUE(fails_saying(build(b), {"toy.store_unregistered", "schema does not say", "'cache'"}));
}

TEST(OpErrors, EveryRealOpRefusesACallWithoutArguments) {
  for (const OpEntry* op : op_table()) {
    const std::string_view name = op->schema.name();
    ProgramBuilder b;
    b.call(std::string(name), {});
    EXPECT_TRUE(fails_saying(build(b), {name, "0 arguments"}));
  }
}

TEST(OpErrors, EveryRealOpSurvivesArgumentsOfTheWrongKind) {
  for (const OpEntry* op : op_table()) {
    const std::string_view name = op->schema.name();
    for (size_t count = 1; count < 16; ++count) {
      ProgramBuilder b;
      std::vector<ValueId> args;
      for (size_t i = 0; i < count; ++i) args.push_back(b.string("nonsense"));
      b.call(std::string(name), args);
      EXPECT_TRUE(fails_saying(build(b), {name}));
    }
  }
}

}  // namespace
}  // namespace highwater
