// Live scalars: integers that follow from live dims and from what the caller's tensors hold. Their
// ops are nodes like any other, so a scalar is never older than what it depends on.
#include "base/checked.h"
#include "graph/op.h"

namespace highwater {
namespace {

class SymSize final : public Op {
 public:
  explicit SymSize(Args& a) : x_(a.tensor("self")), dim_(a.integer("dim")), y_(a.out_scalar()) {}

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    HW_TRY(const size_t at, wrap_dim(dim_, x.rank()));
    if (x.empty()) return fail("a tensor of rank 0 has no dim ", dim_);
    plan.set(y_, x[at]);
    return {};
  }

 private:
  Tensor x_;
  int64_t dim_;
  Scalar y_;
};

// The only element of x[…, index, …].
class SelectAsSymInt final : public Op {
 public:
  explicit SelectAsSymInt(Args& a)
      : x_(a.tensor("x")), dim_(a.integer("dim")), index_(a.integer("index")), y_(a.out_scalar()) {
    a.read_on_host(x_);
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    int64_t flat = 0;
    if (!x.empty()) {
      HW_TRY(const size_t at, wrap_dim(dim_, x.rank()));
      const int64_t size = x[at];
      const int64_t index = index_ < 0 ? index_ + size : index_;
      if (index < 0 || index >= size) {
        return fail("index ", index_, " of dim ", at, " of ", x);
      }
      if (x.numel() != size) return fail("dims ", x, " leave more than one element to choose");
      flat = index;
    }
    HW_TRY(const int64_t element, s.host_integer(x_, flat));
    plan.set(y_, element);
    return {};
  }

 private:
  Tensor x_;
  int64_t dim_;
  int64_t index_;
  Scalar y_;
};

Result<int64_t> compute(std::string_view op, int64_t a, int64_t b) {
  const auto or_overflow = [&](std::optional<int64_t> result) -> Result<int64_t> {
    if (!result) return fail(a, " ", op, " ", b, " overflows");
    return *result;
  };
  if (op == "add") return or_overflow(checked_add(a, b));
  if (op == "sub") return or_overflow(checked_sub(a, b));
  if (op == "mul") return or_overflow(checked_mul(a, b));
  if (op == "lt") return a < b;
  if (op == "le") return a <= b;
  if (op == "gt") return a > b;
  if (op == "ge") return a >= b;
  if (op == "eq") return a == b;
  if (op == "ne") return a != b;
  // floordiv and mod round towards minus infinity, as in Python.
  if (b == 0) return fail(a, " ", op, " 0");
  if (b == -1) {
    if (op == "mod") return int64_t{0};
    return or_overflow(checked_sub(int64_t{0}, a));
  }
  const bool inexact = a % b != 0 && (a < 0) != (b < 0);
  if (op == "mod") return a % b + (inexact ? b : 0);
  return a / b - (inexact ? 1 : 0);
}

class ScalarArithmetic final : public Op {
 public:
  explicit ScalarArithmetic(Args& a)
      : op_(a.op()), a_(a.live_integer("a")), b_(a.live_integer("b")), y_(a.out_scalar()) {}

  Status plan(const Shapes& s, Plan& plan) const override {
    HW_TRY(const int64_t result, compute(op_, s[a_], s[b_]));
    plan.set(y_, result);
    return {};
  }

 private:
  std::string op_;
  LiveInt a_;
  LiveInt b_;
  Scalar y_;
};

HIGHWATER_OP(SymSize, "sym_size.int(Tensor self, int dim) -> SymInt");
HIGHWATER_OP(SelectAsSymInt,
             {"et_vk.select_as_symint.default(IntTensor x, int dim, int index) -> SymInt",
              "of an input of the program, or a view of one"});
HIGHWATER_OP(ScalarArithmetic, "add(SymInt a, SymInt b) -> SymInt",
             "sub(SymInt a, SymInt b) -> SymInt", "mul(SymInt a, SymInt b) -> SymInt",
             "floordiv(SymInt a, SymInt b) -> SymInt", "mod(SymInt a, SymInt b) -> SymInt",
             "lt(SymInt a, SymInt b) -> SymInt", "le(SymInt a, SymInt b) -> SymInt",
             "gt(SymInt a, SymInt b) -> SymInt", "ge(SymInt a, SymInt b) -> SymInt",
             "eq(SymInt a, SymInt b) -> SymInt", "ne(SymInt a, SymInt b) -> SymInt");

}  // namespace
}  // namespace highwater
