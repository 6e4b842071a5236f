// The one type for a tensor's dims.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>

#include "highwater/export.h"
#include "highwater/result.h"

namespace highwater {

// Up to eight non-negative dims, stored in place: copying one never allocates.
class HIGHWATER_API Dims {
 public:
  static constexpr size_t kMaxRank = 8;

  Dims() = default;
  Dims(std::initializer_list<int64_t> dims) {
    for (int64_t d : dims) push_back(d);
  }

  // Checks rank, signs, and that the element count fits the 31 bits that kernels index with.
  static Result<Dims> make(std::span<const int64_t> dims);

  size_t rank() const { return rank_; }
  bool empty() const { return rank_ == 0; }
  int64_t operator[](size_t i) const {
    assert(i < rank_);
    return dims_[i];
  }
  int64_t& operator[](size_t i) {
    assert(i < rank_);
    return dims_[i];
  }
  // The innermost dim; a rank-0 tensor is one element wide.
  int64_t back() const { return rank_ ? dims_[rank_ - 1] : 1; }

  const int64_t* begin() const { return dims_.data(); }
  const int64_t* end() const { return dims_.data() + rank_; }

  void push_back(int64_t d) {
    assert(rank_ < kMaxRank);
    dims_[rank_++] = d;
  }
  void insert(size_t at, int64_t d);
  void erase(size_t at);

  // Elements of dims [from, to) as far as there are such; an empty product is 1. More than can be
  // counted, which dims that no bound has seen may ask for, are the largest number there is.
  int64_t product(size_t from, size_t to) const {
    int64_t n = 1;
    for (size_t i = from; i < to && i < rank_; ++i) {
      if (__builtin_mul_overflow(n, dims_[i], &n)) return std::numeric_limits<int64_t>::max();
    }
    return n;
  }
  int64_t numel() const { return product(0, rank_); }
  // Rows, as ops see them that work along the last dim.
  int64_t rows() const { return rank_ ? product(0, rank_ - 1) : 1; }

  // Distance in elements between neighbours along each dim of a contiguous tensor.
  Dims strides() const;

  bool operator==(const Dims& other) const;
  std::string text() const;

 private:
  std::array<int64_t, kMaxRank> dims_{};
  uint32_t rank_ = 0;
};

// A dim index that may count from the end, as an index into `rank` dims.
Result<size_t> wrap_dim(int64_t dim, size_t rank);

}  // namespace highwater
