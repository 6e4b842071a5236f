// Blobs cut short and blobs with flipped bits: whatever they say, reading them harms nobody. The
// sanitized build is where these tests bite.
#include <algorithm>
#include <memory>

#include "blob/program.h"
#include "support/blob_builder.h"
#include "support/expect.h"

namespace highwater {
namespace {

// Everything that a later room would look at is in range, or there is an error with words in it.
void expect_safe(std::span<const std::byte> blob) {
  const auto program = read_program(blob);
  if (!program) {
    EXPECT_FALSE(program.error().message().empty());
    return;
  }
  const size_t count = program->values.size();
  for (const Value& value : program->values) {
    if (const auto* t = std::get_if<TensorDecl>(&value)) {
      EXPECT_LE(t->dims.numel(), 2147483647);
      EXPECT_LT(t->constant.value_or(0), std::max<size_t>(program->constants.size(), 1));
    } else if (const auto* list = std::get_if<ValueList>(&value)) {
      for (ValueId id : list->items) EXPECT_LT(id, count);
    }
  }
  for (const OpCall& call : program->calls) {
    for (ValueId id : call.args) EXPECT_LT(id, count);
  }
  for (ValueId id : program->inputs) EXPECT_LT(id, count);
  for (ValueId id : program->outputs) EXPECT_LT(id, count);
  // Read, so that a span that points outside is noticed.
  for (const ConstantDecl& c : program->constants) {
    for (const std::byte& b : c.inline_bytes) (void)*static_cast<const volatile std::byte*>(&b);
  }
}

TEST(Damage, TruncationAtEveryLength) {
  const Blob blob = make_blob(good_content());
  for (size_t length = 0; length < blob.size(); ++length) {
    // On the heap at its exact size, so that a read past the end is noticed.
    const auto copy = std::make_unique<std::byte[]>(length);
    std::copy_n(blob.begin(), length, copy.get());
    const auto program = read_program({copy.get(), length});
    EXPECT_FALSE(program.ok()) << length << " of " << blob.size();
  }
}

TEST(Damage, GraphCutAtEveryLength) {
  const Blob blob = make_blob(good_content());
  const auto size = get<uint32_t>(blob, kGraphSizeField);
  for (uint32_t length = 0; length < size; ++length) {
    Blob cut(blob.begin(), blob.begin() + get<uint32_t>(blob, kGraphOffsetField) + length);
    put(cut, kGraphSizeField, length);
    put(cut, kBytesOffsetField, uint32_t{0});
    put(cut, kBytesSizeField, uint64_t{0});
    expect_safe(cut);
  }
}

class DamagedByte : public testing::TestWithParam<uint8_t> {};

TEST_P(DamagedByte, EveryByteFlipped) {
  const Blob blob = make_blob(good_content());
  for (size_t i = 0; i < blob.size(); ++i) {
    Blob damaged = blob;
    damaged[i] ^= static_cast<std::byte>(GetParam());
    expect_safe(damaged);
  }
}

INSTANTIATE_TEST_SUITE_P(Patterns, DamagedByte,
                         testing::Values(0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff,
                                         0x7f));

TEST(Damage, EveryPairOfNeighboursSetToExtremes) {
  const Blob blob = make_blob(good_content());
  for (size_t i = 0; i + 4 <= blob.size(); i += 2) {
    for (uint32_t value : {0u, 0xffffffffu, 0x7fffffffu, 0x80000000u}) {
      Blob damaged = blob;
      put(damaged, i, value);
      expect_safe(damaged);
    }
  }
}

}  // namespace
}  // namespace highwater
