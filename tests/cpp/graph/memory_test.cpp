// Which values share a buffer, and which must not.
#include "support/engine.h"

namespace highwater {
namespace {

BufferId buffer_of(Engine& engine, ValueId id) {
  return engine.graph().values[engine.graph().root(id)].buffer;
}

TEST(Memory, ChainOfCopiesNeedsTwoBuffersBesidesItsInputs) {
  ProgramBuilder b;
  ValueId x = b.input({16, 4});
  for (int i = 0; i < 10; ++i) x = b.apply("toy.copy", {x}, {16, 4});
  Engine engine(b.output(x).program());
  EXPECT_EQ(engine.graph().buffers.size(), 3u);
}

TEST(Memory, InputsShareTheirMemoryWithNothing) {
  ProgramBuilder b;
  const ValueId x = b.input({16, 4}), y = b.input({8, 4});
  ValueId last = b.apply("toy.copy", {x}, {16, 4});
  for (int i = 0; i < 4; ++i) last = b.apply("toy.copy", {last}, {16, 4});
  const ValueId small = b.apply("toy.copy", {y}, {8, 4});
  Engine engine(b.output(last).output(small).program());
  for (ValueId input : {x, y}) {
    for (ValueId other = 0; other < engine.graph().values.size(); ++other) {
      if (other == input || engine.graph().values[other].buffer == kNoBuffer) continue;
      EXPECT_NE(buffer_of(engine, input), buffer_of(engine, other));
    }
  }
}

TEST(Memory, ResidualKeepsItsBufferUntilItIsReadLast) {
  ProgramBuilder b;
  const ValueId x = b.input({16, 4});
  const ValueId kept = b.apply("toy.copy", {x}, {16, 4});
  ValueId last = kept;
  std::vector<ValueId> between;
  for (int i = 0; i < 5; ++i) between.push_back(last = b.apply("toy.copy", {last}, {16, 4}));
  const ValueId y = b.apply("toy.mix", {last, kept}, {16, 4});
  Engine engine(b.output(y).program());
  for (ValueId id : between) EXPECT_NE(buffer_of(engine, id), buffer_of(engine, kept));
  EXPECT_NE(buffer_of(engine, y), buffer_of(engine, kept)) << "it is read while y is written";
}

TEST(Memory, ViewChainsUseTheRootsBufferAndKeepItAlive) {
  ProgramBuilder b;
  const ValueId x = b.apply("toy.copy", {b.input({16, 4})}, {16, 4});
  const ValueId v = b.apply("toy.narrow", {x, b.integer(2)}, {32, 2});
  const ValueId w = b.apply("toy.narrow", {v, b.integer(1)}, {64, 1});
  const ValueId between = b.apply("toy.copy", {b.input({16, 4})}, {16, 4});
  const ValueId y = b.apply("toy.mix", {w, between}, {64, 1});
  Engine engine(b.output(y).program());
  EXPECT_EQ(engine.graph().root(w), x);
  EXPECT_EQ(engine.graph().root(v), x);
  EXPECT_EQ(buffer_of(engine, w), buffer_of(engine, x));
  EXPECT_EQ(engine.graph().values[v].buffer, kNoBuffer) << "only roots own one";
  EXPECT_NE(buffer_of(engine, between), buffer_of(engine, x)) << "its view is read after this";
  // The steps that read the view are bound to the root's memory.
  EXPECT_EQ(engine.graph().steps.back().bindings[1].value, w);
}

TEST(Memory, BufferHoldsTheLargestBoundOfItsViews) {
  ProgramBuilder b;
  const ValueId small = b.apply("toy.copy", {b.input({2, 4})}, {2, 4});
  const ValueId big = b.apply("toy.narrow", {small, b.integer(4)}, {50, 4});
  Engine engine(b.output(big).program());
  EXPECT_GE(engine.graph().buffers.at(buffer_of(engine, big)).size, 50u * 4 * sizeof(float));
}

TEST(Memory, ImmutableConstantsAreSharedByKey) {
  ProgramBuilder b;
  const ValueId w1 = b.constant({8, 4}, "same"), w2 = b.constant({8, 4}, "same");
  const ValueId other = b.constant({8, 4}, "other");
  const ValueId wider = b.constant({8, 4}, "same", DType::Int32);
  const ValueId x = b.input({8, 4});
  for (ValueId w : {w1, w2, other, wider}) b.output(b.apply("toy.mix", {x, w}, {8, 4}));
  Engine engine(b.program());
  EXPECT_EQ(buffer_of(engine, w1), buffer_of(engine, w2));
  EXPECT_NE(buffer_of(engine, w1), buffer_of(engine, other));
  EXPECT_NE(buffer_of(engine, w1), buffer_of(engine, wider)) << "read as another dtype";
}

TEST(Memory, CachesAreNeverSharedByKey) {
  ProgramBuilder b;
  // As exporters write them: all zero-filled caches have one key, and so may a constant.
  const ValueId k = b.constant({8, 4}, "zeros"), v = b.constant({8, 4}, "zeros");
  const ValueId fixed = b.constant({8, 4}, "zeros");
  const ValueId x = b.input({8, 4});
  for (ValueId cache : {k, v}) b.output(b.apply("toy.store", {cache, x}, {8, 4}));
  b.output(b.apply("toy.mix", {x, fixed}, {8, 4}));
  Engine engine(b.program());
  EXPECT_NE(buffer_of(engine, k), buffer_of(engine, v));
  EXPECT_NE(buffer_of(engine, k), buffer_of(engine, fixed));
  EXPECT_NE(buffer_of(engine, v), buffer_of(engine, fixed));
}

TEST(Memory, NothingIsAViewOfWhatALaterOpWritesInto) {
  ProgramBuilder b;
  const ValueId cache = b.constant({8, 4}, "zeros");
  const ValueId x = b.input({8, 4});
  const ValueId before = b.apply("aten.view_copy.default", {cache, b.integers({4, 8})}, {4, 8});
  b.output(b.apply("toy.store", {cache, x}, {8, 4})).output(before);
  Engine engine(b.program());
  EXPECT_EQ(engine.graph().root(before), before) << "a view would show what is stored later";
  EXPECT_NE(buffer_of(engine, before), buffer_of(engine, cache));
}

TEST(Memory, ConstantsAreNeverSharedWithWhatIsComputed) {
  ProgramBuilder b;
  const ValueId w = b.constant({16, 4}, "w");
  ValueId x = b.apply("toy.mix", {b.input({16, 4}), w}, {16, 4});
  for (int i = 0; i < 5; ++i) x = b.apply("toy.copy", {x}, {16, 4});
  Engine engine(b.output(x).program());
  for (ValueId id = 0; id < engine.graph().values.size(); ++id) {
    if (id == w) continue;
    EXPECT_NE(engine.graph().values[id].buffer, buffer_of(engine, w)) << id;
  }
}

TEST(Memory, ScalarsAndUntouchedValuesHaveNone) {
  ProgramBuilder b;
  const ValueId unread = b.input({16, 4});
  const ValueId x = b.input({16, 4});
  const ValueId n = b.apply_scalar("sym_size.int", {unread, b.integer(0)});
  const ValueId y = b.apply("toy.take", {x, n}, {16, 4});
  Engine engine(b.output(y).output(n).program());
  EXPECT_EQ(engine.graph().values[unread].buffer, kNoBuffer) << "only its dims are read";
  EXPECT_EQ(engine.graph().values[n].buffer, kNoBuffer) << "a scalar output lives on the host";
  EXPECT_EQ(engine.graph().buffers.size(), 2u);
}

}  // namespace
}  // namespace highwater
