#include "wgsl/gather/pad.h"

#include "graph/op.h"
#include "ops/map/live_number.h"
#include "ops/narrow.h"

namespace highwater {
namespace {

// `pad` is before and after the last dim, before and after the one before it, …
class Pad final : public Op {
 public:
  explicit Pad(Args& a)
      : x_(a.tensor("self")),
        pads_(a.live_integers("pad")),
        value_(a, "value"),
        y_(a.out()),
        is_float_(is_float(a.dtype(y_))),
        step_(a.step<wgsl::gather::pad>({y_, x_})) {
    a.require(pads_.size() % 2 == 0 && pads_.size() <= 2 * a.bound(x_).rank(), pads_.size(),
              " paddings for ", a.bound(x_));
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    Dims y = x;
    wgsl::gather::pad::Params params{};
    // From the last dim outwards. What is not padded is one with the dim outside it.
    std::array<Padded, Dims::kMaxRank> dims{};
    size_t rank = 0;
    Padded inner{1, 1, 0};
    for (size_t i = x.rank(); i-- > 0;) {
      const size_t from_last = x.rank() - 1 - i;
      const bool listed = 2 * from_last < pads_.size();
      const int64_t before = listed ? s[pads_[2 * from_last]] : 0;
      const int64_t after = listed ? s[pads_[2 * from_last + 1]] : 0;
      const auto padded = padded_size(x[i], before, after);
      if (!padded) return fail("padding dim ", i, " of ", x, " by ", before, " and ", after);
      y[i] = *padded;
      inner = {.y = saturating_mul(inner.y, y[i]),
               .x = inner.x * x[i],
               .before = saturating_mul(inner.x, before)};
      if (before == 0 && after == 0) continue;
      dims[rank++] = inner;
      inner = {1, 1, 0};
    }
    if (inner.y != 1 || rank == 0) dims[rank++] = inner;
    plan.resize(y_, y);

    params.quads = quads_of(y.numel());
    params.rank = u32(rank);
    params.by_quad = dims[0].y % 4 == 0 && dims[0].x % 4 == 0 && dims[0].before % 4 == 0;
    params.value = narrow_to_bits(value_.at(s), is_float_);
    for (size_t i = 0; i < rank; ++i) {
      const Padded& d = dims[rank - 1 - i];
      params.dims[4 * i] = u32(d.y);
      params.dims[4 * i + 1] = u32(d.x);
      params.dims[4 * i + 2] = u32(d.before);
    }
    plan.run(step_, params, Grid::quads(y.numel()));
    return {};
  }

 private:
  struct Padded {
    int64_t y;
    int64_t x;
    int64_t before;
  };

  // Padding below zero cuts off, but no more than there is.
  static std::optional<int64_t> padded_size(int64_t size, int64_t before, int64_t after) {
    const auto with_before = checked_add(size, before), with_after = checked_add(size, after);
    if (!with_before || !with_after || *with_before < 0 || *with_after < 0) return std::nullopt;
    const auto padded = checked_add(*with_before, after);
    return padded && *padded >= 0 ? padded : std::nullopt;
  }

  Tensor x_;
  LiveInts pads_;
  LiveNumber value_;
  Tensor y_;
  bool is_float_;
  Step<wgsl::gather::pad> step_;
};

HIGHWATER_OP(Pad,
             "aten.constant_pad_nd.default(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor");

}  // namespace
}  // namespace highwater
