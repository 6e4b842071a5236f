#include "support/toy_ops.h"

#include <algorithm>
#include <utility>

#include "graph/op.h"

namespace highwater {
namespace {

int plans = 0;

// Kernels that never reach a GPU, but whose text and params are handled as those of any other.
struct OneInput {
  struct alignas(16) Params {
    uint32_t rows;
    uint32_t width;
    uint32_t route;
    uint32_t spare = 0;
  };
  static constexpr uint32_t kParamsSize = 16;
  static constexpr bool kWalks = false;
  static constexpr KernelSource kSource{"toy_one", kParamsSize, "#output y\n#input x\n"};
};

struct TwoInputs {
  struct alignas(16) Params {
    uint32_t rows;
    uint32_t a_rows;
    uint32_t b_rows;
    uint32_t spare = 0;
  };
  static constexpr uint32_t kParamsSize = 16;
  static constexpr bool kWalks = false;
  static constexpr KernelSource kSource{"toy_two", kParamsSize, "#output y\n#input a\n#input b\n"};
};

OneInput::Params params_of(const Dims& d, uint32_t route = 0) {
  return {static_cast<uint32_t>(d[0]), static_cast<uint32_t>(d[1]), route};
}

TwoInputs::Params params_of(const Dims& y, const Dims& a, const Dims& b) {
  return {static_cast<uint32_t>(y[0]), static_cast<uint32_t>(a[0]), static_cast<uint32_t>(b[0])};
}

class Toy : public Op {
 public:
  Status plan(const Shapes& s, Plan& plan) const final {
    ++plans;
    return plan_toy(s, plan);
  }
  virtual Status plan_toy(const Shapes& s, Plan& plan) const = 0;
};

// Of the last toy.copy that was made.
Step<OneInput> step_of_copy;

class Copy final : public Toy {
 public:
  explicit Copy(Args& a) : x_(a.tensor("x")), y_(a.out()), step_(a.step<OneInput>({y_, x_})) {
    step_of_copy = step_;
  }

  Status plan_toy(const Shapes& s, Plan& plan) const override {
    plan.resize(y_, s[x_]).run(step_, params_of(s[x_]), Grid::quads(s[x_].numel()));
    return {};
  }

 private:
  Tensor x_;
  Tensor y_;
  Step<OneInput> step_;
};

// toy.mix and toy.concat.
class Pair final : public Toy {
 public:
  explicit Pair(Args& a)
      : joins_(a.op() == "toy.concat"),
        a_(a.tensor("a")),
        b_(a.tensor("b")),
        y_(a.out()),
        step_(a.step<TwoInputs>({y_, a_, b_})) {}

  Status plan_toy(const Shapes& s, Plan& plan) const override {
    const Dims &a = s[a_], &b = s[b_];
    const Dims y{joins_ ? a[0] + b[0] : std::max(a[0], b[0]), a[1]};
    plan.resize(y_, y).run(step_, params_of(y, a, b), Grid::quads(y.numel()));
    return {};
  }

 private:
  bool joins_;
  Tensor a_;
  Tensor b_;
  Tensor y_;
  Step<TwoInputs> step_;
};

// toy.take and toy.exactly.
class Take final : public Toy {
 public:
  explicit Take(Args& a)
      : clamps_(a.op() == "toy.take"),
        x_(a.tensor("x")),
        n_(a.live_integer("n")),
        y_(a.out()),
        step_(a.step<OneInput>({y_, x_})) {}

  Status plan_toy(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    const int64_t rows = std::clamp<int64_t>(s[n_], 0, x[0]);
    if (!clamps_ && rows != s[n_]) return fail("cannot take ", s[n_], " of ", x);
    const Dims y{rows, x[1]};
    plan.resize(y_, y).run(step_, params_of(y), Grid::quads(y.numel()));
    return {};
  }

 private:
  bool clamps_;
  Tensor x_;
  LiveInt n_;
  Tensor y_;
  Step<OneInput> step_;
};

class Narrow final : public Toy {
 public:
  explicit Narrow(Args& a) : x_(a.tensor("x")), width_(a.integer("width")), y_(a.out()) {
    const bool shares = a.alias(y_, x_);
    a.require(shares, "its memory cannot be shared");
  }

  Status plan_toy(const Shapes& s, Plan& plan) const override {
    plan.resize(y_, {s[x_].numel() / width_, width_});
    return {};
  }

 private:
  Tensor x_;
  int64_t width_;
  Tensor y_;
};

class Routes final : public Toy {
 public:
  explicit Routes(Args& a)
      : x_(a.tensor("x")),
        y_(a.out()),
        between_(a.scratch(DType::Float32, a.bound(x_).numel())),
        direct_(a.step<OneInput>({y_, x_}, {}, "direct")),
        first_(a.step<OneInput>({between_, x_}, {}, "first")),
        second_(a.step<OneInput>({y_, between_}, {}, "second")) {}

  Status plan_toy(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    const Grid grid = Grid::quads(x.numel());
    plan.resize(y_, x);
    if (x[0] % 2 == 0) {
      plan.run(direct_, params_of(x, 1), grid);
    } else {
      plan.run(first_, params_of(x, 2), grid).run(second_, params_of(x, 3), grid);
    }
    return {};
  }

 private:
  Tensor x_;
  Tensor y_;
  Tensor between_;
  Step<OneInput> direct_;
  Step<OneInput> first_;
  Step<OneInput> second_;
};

class Avoid final : public Toy {
 public:
  explicit Avoid(Args& a)
      : x_(a.tensor("x")),
        n_(a.live_integer("n")),
        y_(a.out()),
        step_(a.step<OneInput>({y_, x_})) {}

  Status plan_toy(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    // What a plan did before it failed must not be seen either.
    plan.resize(y_, x).run(step_, params_of(x), Grid::quads(x.numel()));
    if (x[0] == s[n_]) return fail("it does not like ", x);
    return {};
  }

 private:
  Tensor x_;
  LiveInt n_;
  Tensor y_;
  Step<OneInput> step_;
};

// toy.foreign, toy.undeclared and toy.twice.
class Misplanned final : public Toy {
 public:
  explicit Misplanned(Args& a)
      : x_(a.tensor("x")), n_(a.live_integer("n")), y_(a.out()), step_(a.step<OneInput>({y_, x_})) {
    if (a.op() == "toy.foreign") wrong_ = step_of_copy;
    if (a.op() == "toy.twice") wrong_ = step_;
  }

  Status plan_toy(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    plan.resize(y_, x).run(step_, params_of(x), Grid::quads(x.numel()));
    if (x[0] == s[n_]) plan.run(wrong_, params_of(x), Grid::quads(x.numel()));
    return {};
  }

 private:
  Tensor x_;
  LiveInt n_;
  Tensor y_;
  Step<OneInput> step_;
  Step<OneInput> wrong_;
};

class Store final : public Toy {
 public:
  explicit Store(Args& a)
      : cache_(a.mutated("cache")),
        x_(a.tensor("x")),
        y_(a.out()),
        step_(a.step<TwoInputs>({cache_, x_, x_})),
        copy_(a.step<OneInput>({y_, x_})) {}

  Status plan_toy(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    plan.resize(y_, x)
        .run(step_, params_of(s[cache_], x, x), Grid::quads(x.numel()))
        .run(copy_, params_of(x), Grid::quads(x.numel()));
    return {};
  }

 private:
  Tensor cache_;
  Tensor x_;
  Tensor y_;
  Step<TwoInputs> step_;
  Step<OneInput> copy_;
};

class Number final : public Toy {
 public:
  explicit Number(Args& a)
      : integer_(a.integer("integer")),
        number_(a.number("number")),
        flag_(a.flag("flag")),
        live_(a.live_integer("live")),
        y_(a.out()) {
    a.require(static_cast<double>(integer_) == number_ && flag_ == (integer_ != 0),
              "its ways to read a number disagree: ", integer_, ", ", number_, ", ", flag_);
  }

  Status plan_toy(const Shapes& s, Plan& plan) const override {
    if (s[live_] != integer_) return fail(s[live_], " live, but ", integer_, " written");
    plan.resize(y_, {integer_, 1});
    return {};
  }

 private:
  int64_t integer_;
  double number_;
  bool flag_;
  LiveInt live_;
  Tensor y_;
};

HIGHWATER_OP(Copy, "toy.copy(Tensor x) -> Tensor");
HIGHWATER_OP(Pair, "toy.mix(Tensor a, Tensor b) -> Tensor",
             "toy.concat(Tensor a, Tensor b) -> Tensor");
HIGHWATER_OP(Take, "toy.take(Tensor x, SymInt n) -> Tensor",
             "toy.exactly(Tensor x, SymInt n) -> Tensor");
HIGHWATER_OP(Narrow, "toy.narrow(Tensor x, int width) -> Tensor");
HIGHWATER_OP(Routes, "toy.routes(Tensor x) -> Tensor");
HIGHWATER_OP(Avoid, "toy.avoid(Tensor x, SymInt n) -> Tensor");
HIGHWATER_OP(Misplanned, "toy.foreign(Tensor x, SymInt n) -> Tensor",
             "toy.undeclared(Tensor x, SymInt n) -> Tensor",
             "toy.twice(Tensor x, SymInt n) -> Tensor");
HIGHWATER_OP(Store, "toy.store(Tensor(a!) cache, Tensor x) -> Tensor",
             "toy.store_unregistered(Tensor cache, Tensor x) -> Tensor");
HIGHWATER_OP(Number, "toy.number(int integer, float number, bool flag, SymInt live) -> Tensor");

}  // namespace

int take_toy_plans() {
  return std::exchange(plans, 0);
}

}  // namespace highwater
