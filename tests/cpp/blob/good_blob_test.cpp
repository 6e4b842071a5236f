// A good blob becomes the program that it describes.
#include "blob/program.h"
#include "support/blob_builder.h"
#include "support/expect.h"

namespace highwater {
namespace {

void expect_good_program(const Program& p) {
  ASSERT_EQ(p.values.size(), 13u);
  const auto& x = std::get<TensorDecl>(p.values[0]);
  EXPECT_EQ(x.dims, (Dims{4, 8}));
  EXPECT_EQ(x.dtype, DType::Float32);
  EXPECT_FALSE(x.constant.has_value());
  EXPECT_EQ(std::get<TensorDecl>(p.values[1]).constant, 0u);
  EXPECT_EQ(std::get<TensorDecl>(p.values[2]).constant, 1u);
  EXPECT_EQ(std::get<TensorDecl>(p.values[2]).dtype, DType::Int64);
  EXPECT_EQ(std::get<TensorDecl>(p.values[2]).device_dtype(), DType::Int32);
  EXPECT_EQ(std::get<int64_t>(p.values[4]), -7);
  EXPECT_EQ(std::get<double>(p.values[5]), 2.5);
  EXPECT_EQ(std::get<bool>(p.values[6]), true);
  EXPECT_EQ(std::get<std::string>(p.values[7]), "tanh");
  EXPECT_EQ(std::get<std::vector<int64_t>>(p.values[8]), (std::vector<int64_t>{4, -1}));
  EXPECT_EQ(std::get<std::vector<double>>(p.values[9]), (std::vector<double>{0.5}));
  EXPECT_TRUE(std::holds_alternative<SymInt>(p.values[10]));
  EXPECT_EQ(std::get<ValueList>(p.values[11]).items, (std::vector<ValueId>{10, 4, 0}));
  EXPECT_TRUE(std::holds_alternative<NullValue>(p.values[12]));

  ASSERT_EQ(p.calls.size(), 2u);
  EXPECT_EQ(p.calls[1].name, "aten.add.Tensor");
  EXPECT_EQ(p.calls[1].node_id, 17u);
  EXPECT_EQ(p.calls[1].args, (std::vector<ValueId>{0, 1, 4, 3}));
  EXPECT_EQ(p.inputs, std::vector<ValueId>{0});
  EXPECT_EQ(p.outputs, (std::vector<ValueId>{3, 10}));

  ASSERT_EQ(p.constants.size(), 2u);
  EXPECT_TRUE(p.constants[0].key.empty());
  ASSERT_EQ(p.constants[0].inline_bytes.size(), 32u);
  EXPECT_EQ(p.constants[0].inline_bytes[0], std::byte{16});
  EXPECT_EQ(p.constants[1].key, "sha256-of-it");
  EXPECT_EQ(p.constants[1].size, 32u);
}

TEST(GoodBlob, IsReadAsWritten) {
  const Blob blob = make_blob(good_content());
  const auto program = read_program(blob);
  ASSERT_TRUE(succeeds(program));
  expect_good_program(*program);
}

TEST(GoodBlob, IsReadAtAnyAlignment) {
  const Blob blob = make_blob(good_content());
  for (size_t shift = 1; shift < 16; ++shift) {
    Blob shifted(blob.size() + shift);
    std::memcpy(shifted.data() + shift, blob.data(), blob.size());
    const auto program = read_program(std::span(shifted).subspan(shift));
    ASSERT_TRUE(succeeds(program)) << shift;
    expect_good_program(*program);
  }
}

TEST(GoodBlob, GraphMayLieAtAnyOffset) {
  const Blob blob = make_blob(good_content());
  const auto size = get<uint32_t>(blob, kGraphSizeField);
  Blob moved(blob);
  // To the end, at an odd place.
  const size_t at = moved.size() + 3;
  moved.resize(at + size);
  std::memcpy(moved.data() + at, blob.data() + get<uint32_t>(blob, kGraphOffsetField), size);
  put(moved, kGraphOffsetField, static_cast<uint32_t>(at));
  const auto program = read_program(moved);
  ASSERT_TRUE(succeeds(program));
  expect_good_program(*program);
}

TEST(GoodBlob, EmptyGraphIsAProgramThatDoesNothing) {
  const Blob blob = make_blob({});
  const auto program = read_program(blob);
  ASSERT_TRUE(succeeds(program));
  EXPECT_TRUE(program->values.empty() && program->calls.empty() && program->inputs.empty());
}

TEST(GoodBlob, KindsHaveNames) {
  EXPECT_EQ(kind_name(NullValue{}), "Null");
  EXPECT_EQ(kind_name(int64_t{1}), "Int");
  EXPECT_EQ(kind_name(ValueList{}), "ValueList");
  EXPECT_EQ(kind_name(SymInt{}), "SymInt");
  EXPECT_EQ(kind_name(TensorDecl{}), "Tensor");
}

}  // namespace
}  // namespace highwater
