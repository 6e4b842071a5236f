// StridedLoop against the plain nested loop that it stands for.
#include "graph/strided.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace highwater {
namespace {

struct Dim {
  int64_t size;
  std::array<int64_t, 3> strides;
};

// Where operand k is read for each output element in turn, loop within loop.
std::vector<int64_t> offsets(const std::vector<Dim>& dims, size_t operand) {
  std::vector<int64_t> result{0};
  for (const Dim& d : dims) {
    std::vector<int64_t> next;
    for (int64_t outer : result) {
      for (int64_t i = 0; i < d.size; ++i) next.push_back(outer + i * d.strides[operand]);
    }
    result = next;
  }
  return result;
}

// The same from the merged loop, as kernels compute it: in wrapping 32-bit arithmetic.
std::vector<int64_t> merged_offsets(const StridedLoop& loop, size_t operand, size_t count) {
  const StridedLoop::Walk dims = loop.dims();
  std::vector<int64_t> result;
  for (size_t i = 0; i < count; ++i) {
    auto rest = static_cast<uint32_t>(i);
    uint32_t offset = 0;
    for (uint32_t d = loop.rank(); d-- > 0;) {
      const uint32_t size = dims[4 * d];
      offset += rest % size * dims[4 * d + 1 + operand];
      rest /= size;
    }
    result.push_back(static_cast<int32_t>(offset));
  }
  return result;
}

StridedLoop loop_over(const std::vector<Dim>& dims) {
  StridedLoop loop;
  for (const Dim& d : dims) loop.add_dim(d.size, d.strides);
  return loop;
}

void expect_same(const std::vector<Dim>& dims) {
  const StridedLoop loop = loop_over(dims);
  for (size_t k = 0; k < 3; ++k) {
    const auto expected = offsets(dims, k);
    EXPECT_EQ(merged_offsets(loop, k, expected.size()), expected);
  }
}

TEST(StridedLoop, ContiguousOperandsBecomeOneDim) {
  const std::vector<Dim> dims{{2, {12, 12}}, {3, {4, 4}}, {4, {1, 1}}};
  EXPECT_EQ(loop_over(dims).rank(), 1u);
  EXPECT_EQ(loop_over(dims).inner_size(), 24);
  expect_same(dims);
}

TEST(StridedLoop, MergesOnlyWhereEveryOperandAllowsIt) {
  const std::vector<Dim> dims{{2, {12, 0}}, {3, {4, 4}}, {4, {1, 1}}};
  EXPECT_EQ(loop_over(dims).rank(), 2u);
  expect_same(dims);
}

TEST(StridedLoop, OnesVanishWhateverTheirStride) {
  EXPECT_EQ(loop_over({{1, {99, -7}}, {1, {0, 5}}}).rank(), 0u);
  EXPECT_EQ(loop_over({}).inner_size(), 1);
  expect_same({{3, {5, 0}}, {1, {99, 99}}, {5, {1, 1}}});
}

TEST(StridedLoop, RandomLoopsEqualThePlainOnes) {
  std::mt19937 random(7);
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % uint64_t(n)); };
  int merged = 0;
  for (int round = 0; round < 2000; ++round) {
    // From the inside out; half of the dims continue the one within.
    std::vector<Dim> dims(static_cast<size_t>(below(6)));
    Dim inner{1, {1, 1}};
    for (size_t i = dims.size(); i-- > 0;) {
      Dim& d = dims[i];
      d.size = 1 + below(4);
      for (size_t k = 0; k < 2; ++k) {
        d.strides[k] = below(2) ? inner.size * inner.strides[k] : below(41) - 20;
      }
      inner = d;
    }
    expect_same(dims);
    merged += loop_over(dims).rank() < dims.size();
  }
  EXPECT_GT(merged, 500);
}

TEST(StridedLoop, ByQuadIsSaidOnlyWhereFourOutputsReadAQuadOrASingleElement) {
  std::mt19937 random(11);
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % uint64_t(n)); };
  int said = 0;
  for (int round = 0; round < 4000; ++round) {
    std::vector<Dim> dims(static_cast<size_t>(1 + below(3)));
    for (Dim& d : dims) d = {below(2) ? 4 : 1 + below(8), {4 * below(3), below(9)}};
    dims.back().strides = {below(2), below(2)};
    const int64_t offset = below(2) ? 4 * below(3) : below(6);
    const StridedLoop loop = loop_over(dims);
    for (size_t k = 0; k < 3; ++k) {
      if (!loop.by_quad(k, offset)) continue;
      ++said;
      const auto from = offsets(dims, k);
      ASSERT_EQ(from.size() % 4, 0u);
      for (size_t i = 0; i < from.size(); i += 4) {
        const bool one = from[i + 1] == from[i] && from[i + 2] == from[i] && from[i + 3] == from[i];
        const bool quad = (from[i] + offset) % 4 == 0 && from[i + 1] == from[i] + 1 &&
                          from[i + 2] == from[i] + 2 && from[i + 3] == from[i] + 3;
        ASSERT_TRUE(one || quad) << "round " << round << ", operand " << k;
      }
    }
  }
  EXPECT_GT(said, 500);
}

TEST(StridedLoop, SaysWhenThereAreTooManyDims) {
  StridedLoop loop;
  for (int i = 0; i < 8; ++i) loop.add_dim(2, {7});
  EXPECT_TRUE(loop.fits());
  loop.add_dim(2, {7});
  EXPECT_FALSE(loop.fits());
}

TEST(StridedLoop, TwoWalksShareAnArray) {
  StridedLoop first, second;
  first.add_dim(5, {7});
  second.add_dim(3, {2, 9});
  second.add_dim(4, {11});
  StridedLoop::Walk dims{};
  first.put_dims(dims, 0);
  second.put_dims(dims, first.rank());
  const StridedLoop::Walk wanted{5, 7, 0, 0, 3, 2, 9, 0, 4, 11};
  EXPECT_EQ(dims, wanted);
}

TEST(StridedLoop, BroadcastStridesAreZeroWhereATensorIsStretched) {
  const Dims out{5, 4, 3};
  const Dims x{4, 1};
  EXPECT_EQ(broadcast_stride(x, out, 0), 0);
  EXPECT_EQ(broadcast_stride(x, out, 1), 1);
  EXPECT_EQ(broadcast_stride(x, out, 2), 0);
  EXPECT_EQ(broadcast_stride(out, out, 0), 12);
}

}  // namespace
}  // namespace highwater
