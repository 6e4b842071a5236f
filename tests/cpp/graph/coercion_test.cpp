// Exporters merge equal literals, so that Int, Double and Bool stand for each other.
#include <cmath>
#include <limits>

#include "support/engine.h"

namespace highwater {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// One literal, read in every way.
ValueId number_of(ProgramBuilder& b, ValueId literal, const Dims& bound) {
  return b.apply("toy.number", {literal, literal, literal, literal}, bound);
}

TEST(Coercion, IntDoubleAndBoolReadTheSame) {
  ProgramBuilder b;
  const ValueId from_int = number_of(b, b.integer(1), {1, 1});
  const ValueId from_double = number_of(b, b.number(1.0), {1, 1});
  const ValueId from_bool = number_of(b, b.flag(true), {1, 1});
  const ValueId zero = number_of(b, b.flag(false), {1, 1});
  const ValueId large = number_of(b, b.number(4096.0), {4096, 1});
  Engine engine(b.program());
  for (ValueId id : {from_int, from_double, from_bool}) EXPECT_EQ(engine.dims(id), (Dims{1, 1}));
  EXPECT_EQ(engine.dims(zero), (Dims{0, 1}));
  EXPECT_EQ(engine.dims(large), (Dims{4096, 1}));
}

TEST(Coercion, NumbersThatAreNoIntegersAreRefusedAsSuch) {
  for (double number : {1.5, 0x1p63, -0x1p64, kNoNumber, HUGE_VAL, 1.797e308}) {
    ProgramBuilder b;
    number_of(b, b.number(number), {1, 1});
    EXPECT_TRUE(fails_saying(Graph::build(b.program()),
                             {"toy.number", "argument 'integer' is of kind Double", "an integer"}))
        << number;
  }
}

TEST(Coercion, LiteralsInScalarOpsAndLists) {
  ProgramBuilder b;
  const ValueId x = b.input({16, 4});
  // As seen in a real export: dims and indices written as doubles.
  const ValueId n = b.apply_scalar("sym_size.int", {x, b.number(0.0)});
  const ValueId m = b.apply_scalar("mul", {n, b.number(2.0)});
  const ValueId k = b.apply_scalar("add", {m, b.flag(true)});
  const ValueId sizes = b.list({b.flag(true), b.number(-1.0), n});
  const ValueId y = b.apply("aten.view_copy.default", {x, sizes}, {1, 4, 16});
  Engine engine(b.output(k).output(y).program());
  ASSERT_TRUE(succeeds(engine.call({rows(5)})));
  EXPECT_EQ(engine.scalar(k), 11);
  EXPECT_EQ(engine.dims(y), (Dims{1, 4, 5}));
}

TEST(Coercion, ListsOfAnythingElseAreRefused) {
  const auto view_as = [](auto make) {
    ProgramBuilder b;
    const ValueId x = b.input({16, 4});
    const ValueId sizes = make(b);
    b.apply("aten.view_copy.default", {x, sizes}, {64});
    return Graph::build(b.program());
  };
  const std::string_view wanted = "a list of integers is wanted";
  EXPECT_TRUE(fails_saying(view_as([](auto& b) { return b.integer(64); }), {"kind Int", wanted}));
  EXPECT_TRUE(fails_saying(view_as([](auto& b) { return b.list({b.number(0.5)}); }), {wanted}));
  EXPECT_TRUE(fails_saying(view_as([](auto& b) { return b.list({b.string("a")}); }), {wanted}));
  EXPECT_TRUE(fails_saying(view_as([](auto& b) { return b.list({b.input({1})}); }), {wanted}));
}

}  // namespace
}  // namespace highwater
