#include "ops/gather/strided_copy.h"

namespace highwater {
namespace {

// Tensors of a program lie in memory without gaps, so that strides mean the same as in torch.
class AsStrided final : public Op {
 public:
  explicit AsStrided(Args& a)
      : x_(a.tensor("self")),
        size_(a.live_integers("size")),
        stride_(a.live_integers("stride")),
        y_(a.out()),
        copy_(a, y_, x_, "as_strided") {
    if (!a.is_null("storage_offset")) offset_ = a.live_integer("storage_offset");
    a.require(size_.size() == stride_.size() && size_.size() <= Dims::kMaxRank, size_.size(),
              " sizes with ", stride_.size(), " strides");
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    Dims dims, strides;
    int64_t last = offset_ ? s[*offset_] : 0;
    const int64_t first = last;
    for (size_t i = 0; i < size_.size(); ++i) {
      dims.push_back(s[size_[i]]);
      strides.push_back(s[stride_[i]]);
      last += (dims[i] - 1) * strides[i];
      if (dims[i] < 0 || strides[i] < 0) return fail("sizes ", dims, " with strides ", strides);
    }
    if (dims.numel() > 0 && (first < 0 || last >= s[x_].numel())) {
      return fail("sizes ", dims, " with strides ", strides, " from ", first, " on go beyond ",
                  s[x_]);
    }
    return copy_.plan(s, dims, strides, first, plan);
  }

 private:
  Tensor x_;
  LiveInts size_;
  LiveInts stride_;
  std::optional<LiveInt> offset_;
  Tensor y_;
  StridedCopy copy_;
};

HIGHWATER_OP(AsStrided,
             "aten.as_strided_copy.default(Tensor self, SymInt[] size, SymInt[] stride, "
             "SymInt? storage_offset=None) -> Tensor");

}  // namespace
}  // namespace highwater
