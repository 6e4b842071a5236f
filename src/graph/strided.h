// Walking tensors of different strides in step: the arithmetic behind broadcasting and copies.
#pragma once

#include <array>
#include <cstdint>

#include "base/checked.h"
#include "highwater/dims.h"

namespace highwater {

// Dims of the output, and for each of up to three operands its stride along each of them.
// Neighbouring dims are merged where every operand allows it, so that most cases end with one or
// two.
class StridedLoop {
 public:
  static constexpr size_t kOperands = 3;
  // Before merging there may be more dims than a tensor has: repeat() counts each twice.
  static constexpr size_t kMaxRank = 2 * Dims::kMaxRank;
  // A dim as walk.wgsl takes it: its size, and the stride of each operand.
  static constexpr size_t kPerDim = 1 + kOperands;
  using Walk = std::array<uint32_t, Dims::kMaxRank * kPerDim>;

  void add_dim(int64_t size, std::array<int64_t, kOperands> strides) {
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

  // As kernels walk it. Negative strides wrap; so do the kernel's sums, to the same effect.
  Walk dims() const {
    Walk result{};
    put_dims(result, 0);
    return result;
  }
  // The same among the dims of other walks: from dim `first` on.
  void put_dims(Walk& walk, size_t first) const {
    for (size_t i = 0; i < rank_ && first + i < Dims::kMaxRank; ++i) {
      uint32_t* dim = &walk[(first + i) * kPerDim];
      dim[0] = static_cast<uint32_t>(size_[i]);
      for (size_t k = 0; k < kOperands; ++k) dim[1 + k] = static_cast<uint32_t>(strides_[i][k]);
    }
  }

  // Whether every four consecutive outputs read one whole quad, or one single element, of each
  // operand that starts at `offset`.
  bool by_quad(size_t operand, int64_t offset = 0) const {
    if (inner_size() % 4 != 0) return false;
    if (inner_stride(operand) == 0) return true;
    return inner_stride(operand) == 1 && offset % 4 == 0 && has_whole_quads(operand, rank_ - 1);
  }

  // Whether the first `dims` dims have strides of whole quads.
  bool has_whole_quads(size_t operand, size_t dims) const {
    for (size_t i = 0; i < dims; ++i) {
      if (strides_[i][operand] % 4 != 0) return false;
    }
    return true;
  }

 private:
  bool merges(int64_t size, const std::array<int64_t, kOperands>& strides) const {
    for (size_t k = 0; k < kOperands; ++k) {
      if (checked_mul(strides[k], size) != strides_[rank_ - 1][k]) return false;
    }
    return true;
  }

  size_t rank_ = 0;
  std::array<int64_t, kMaxRank> size_{};
  std::array<std::array<int64_t, kOperands>, kMaxRank> strides_{};
};

// The stride of a contiguous tensor of `dims` along dim `i` of `out`, into which it broadcasts.
inline int64_t broadcast_stride(const Dims& dims, const Dims& out, size_t i) {
  const size_t lead = out.rank() - dims.rank();
  if (i < lead || dims[i - lead] == 1) return 0;
  return dims.product(i - lead + 1, dims.rank());
}

}  // namespace highwater
