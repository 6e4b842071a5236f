// Rows as int8 shows them, for the layers that quantize their input as it comes.
#include "ops/linear/int8_rows.h"
#include "ops/narrow.h"

namespace highwater {
namespace {

// Rows of whole quads.
class FakeQuantize final : public Op {
 public:
  explicit FakeQuantize(Args& a)
      : x_(a.tensor("x")),
        y_(a.out()),
        rows_(a, y_, x_,
              {.lowest = narrow_to_float(a.number_or("lowest", Int8Range().lowest)),
               .highest = narrow_to_float(a.number_or("highest", Int8Range().highest)),
               .eps = narrow_to_float(a.number_or("eps", Int8Range().eps))},
              a.bound(x_).back()) {
    a.require(a.bound(x_).back() % 4 == 0, "rows of ", a.bound(x_), " are not whole quads");
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    if (x.back() % 4 != 0) return fail("rows of ", x, " are not whole quads");
    plan.resize(y_, x);
    rows_.plan(x.rows(), x.back(), plan);
    return {};
  }

 private:
  Tensor x_;
  Tensor y_;
  Int8Rows rows_;
};

HIGHWATER_OP(
    FakeQuantize,
    "hw.fake_quantize(FloatTensor x, Scalar? lowest, Scalar? highest, float? eps) -> Tensor");

}  // namespace
}  // namespace highwater
