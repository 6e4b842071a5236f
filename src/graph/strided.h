// Walking tensors of different strides in step: the arithmetic behind broadcasting and copies.
#pragma once

#include <array>
#include <cstdint>

#include "base/checked.h"
#include "highwater/dims.h"

namespace highwater {

// Dims of the output, and for each of N operands its stride along each of them. Neighbouring dims
// are merged where every operand allows it, so that most cases end with one or two.
template <size_t N>
class StridedLoop {
 public:
  // Before merging there may be more dims than a tensor has: repeat() counts each twice.
  static constexpr size_t kMaxRank = 2 * Dims::kMaxRank;
  using PerDim = std::array<uint32_t, Dims::kMaxRank>;

  void add_dim(int64_t size, std::array<int64_t, N> strides) {
    if (size == 1) return;
    if (rank_ > 0 && merges(size, strides)) {
      size_[rank_ - 1] = saturating_mul(size_[rank_ - 1], size);
      strides_[rank_ - 1] = strides;
      return;
    }
    size_[rank_] = size;
    strides_[rank_++] = strides;
  }

  uint32_t rank() const { return static_cast<uint32_t>(rank_); }
  bool fits() const { return rank_ <= Dims::kMaxRank; }
  int64_t inner_size() const { return rank_ ? size_[rank_ - 1] : 1; }
  int64_t inner_stride(size_t operand) const { return rank_ ? strides_[rank_ - 1][operand] : 0; }

  PerDim sizes() const {
    PerDim result{};
    for (size_t i = 0; i < rank_; ++i) result[i] = static_cast<uint32_t>(size_[i]);
    return result;
  }
  // Negative strides wrap; so do the kernel's sums, to the same effect.
  PerDim strides(size_t operand) const {
    PerDim result{};
    for (size_t i = 0; i < rank_; ++i) result[i] = static_cast<uint32_t>(strides_[i][operand]);
    return result;
  }

  // Whether every four consecutive outputs read one whole quad, or one single element, of each
  // operand that starts at `offset`.
  bool by_quad(size_t operand, int64_t offset = 0) const {
    if (inner_size() % 4 != 0) return false;
    if (inner_stride(operand) == 0) return true;
    if (inner_stride(operand) != 1 || offset % 4 != 0) return false;
    for (size_t i = 0; i + 1 < rank_; ++i) {
      if (strides_[i][operand] % 4 != 0) return false;
    }
    return true;
  }

 private:
  bool merges(int64_t size, const std::array<int64_t, N>& strides) const {
    for (size_t k = 0; k < N; ++k) {
      if (checked_mul(strides[k], size) != strides_[rank_ - 1][k]) return false;
    }
    return true;
  }

  size_t rank_ = 0;
  std::array<int64_t, kMaxRank> size_{};
  std::array<std::array<int64_t, N>, kMaxRank> strides_{};
};

// The stride of a contiguous tensor of `dims` along dim `i` of `out`, into which it broadcasts.
inline int64_t broadcast_stride(const Dims& dims, const Dims& out, size_t i) {
  const size_t lead = out.rank() - dims.rank();
  if (i < lead || dims[i - lead] == 1) return 0;
  return dims.product(i - lead + 1, dims.rank());
}

}  // namespace highwater
