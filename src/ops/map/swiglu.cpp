#include "wgsl/swiglu.h"

#include "graph/op.h"

namespace highwater {
namespace {

// All are of the same dims.
class Swiglu final : public Op {
 public:
  explicit Swiglu(Args& a)
      : gate_(a.tensor("gate")),
        u_(a.tensor("u")),
        y_(a.out()),
        step_(a.step<wgsl::swiglu>({y_, gate_, u_})) {}

  Status plan(const Shapes& s, Plan& plan) const override {
    if (!(s[gate_] == s[u_])) return fail("dims ", s[gate_], " and ", s[u_], " differ");
    plan.resize(y_, s[gate_]);
    const int64_t numel = s[gate_].numel();
    plan.run(step_, {.quads = quads_of(numel)}, Grid::quads(numel));
    return {};
  }

 private:
  Tensor gate_;
  Tensor u_;
  Tensor y_;
  Step<wgsl::swiglu> step_;
};

HIGHWATER_OP(Swiglu, "hw.swiglu(FloatTensor gate, FloatTensor u) -> Tensor");

}  // namespace
}  // namespace highwater
