#include "highwater/dims.h"

#include <algorithm>
#include <limits>

#include "base/checked.h"

namespace highwater {

Result<Dims> Dims::make(std::span<const int64_t> dims) {
  if (dims.size() > kMaxRank) {
    return fail("a tensor of rank ", dims.size(), " (at most ", kMaxRank, " is supported)");
  }
  Dims result;
  for (int64_t d : dims) result.push_back(d);
  int64_t numel = 1;
  for (int64_t d : dims) {
    if (d < 0) return fail("dims ", result, " have a negative size");
    // A zero elsewhere must not hide an overflow, so zeros count as one here.
    const auto product = checked_mul(numel, std::max<int64_t>(d, 1));
    if (!product || *product > std::numeric_limits<int32_t>::max()) {
      return fail("dims ", result, " have too many elements (at most 2^31 - 1)");
    }
    numel = *product;
  }
  return result;
}

void Dims::insert(size_t at, int64_t d) {
  assert(at <= rank_ && rank_ < kMaxRank);
  std::copy_backward(dims_.begin() + at, dims_.begin() + rank_, dims_.begin() + rank_ + 1);
  dims_[at] = d;
  ++rank_;
}

void Dims::erase(size_t at) {
  assert(at < rank_);
  std::copy(dims_.begin() + at + 1, dims_.begin() + rank_, dims_.begin() + at);
  --rank_;
}

Dims Dims::strides() const {
  Dims result = *this;
  int64_t stride = 1;
  for (size_t i = rank_; i-- > 0;) {
    result[i] = stride;
    stride = saturating_mul(stride, dims_[i]);
  }
  return result;
}

bool Dims::operator==(const Dims& other) const {
  return std::equal(begin(), end(), other.begin(), other.end());
}

std::string Dims::text() const {
  std::string out = "[";
  for (size_t i = 0; i < rank_; ++i) {
    if (i) out += ", ";
    out += std::to_string(dims_[i]);
  }
  return out + "]";
}

Result<size_t> wrap_dim(int64_t dim, size_t rank) {
  // A rank-0 tensor answers to dims 0 and -1, as in torch.
  const int64_t n = std::max<int64_t>(static_cast<int64_t>(rank), 1);
  if (dim < -n || dim >= n) return fail("dim ", dim, " of a tensor of rank ", rank);
  return static_cast<size_t>(dim < 0 ? dim + n : dim);
}

}  // namespace highwater
