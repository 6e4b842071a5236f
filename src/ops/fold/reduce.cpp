#include <algorithm>

#include "graph/strided.h"
#include "ops/fold/row_steps.h"
#include "wgsl/reduce_groups.h"
#include "wgsl/reduce_shared.h"
#include "wgsl/reduce_threads.h"

namespace highwater {
namespace {

// One row an op, as WGSL: how it begins, with `first` the first elements; how two states a and b
// become one; and what a state s of `n` elements comes to.
struct Row {
  OpRow op;
  std::string_view begin;
  std::string_view merge;
  std::string_view finish;
  bool finds_place = false;  // it tells where, not what: of one dim, or of all flattened
  bool needs_elements = false;
};

constexpr Row kRows[] = {
    {"aten.sum.dim_IntList(Tensor self, int[]? dim, bool keepdim=False, *, ScalarType? dtype=None) "
     "-> Tensor",
     "vec4<T>()", "State(a.value + b.value, a.at)", "s.value"},
    {"aten.mean.dim(Tensor self, int[]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> "
     "Tensor",
     "vec4<T>()", "State(a.value + b.value, a.at)", "s.value / T(n)"},
    {"aten.amax.default(Tensor self, int[] dim=[], bool keepdim=False) -> Tensor", "first",
     "State(max(a.value, b.value), a.at)", "s.value", false, true},
    {"aten.amin.default(Tensor self, int[] dim=[], bool keepdim=False) -> Tensor", "first",
     "State(min(a.value, b.value), a.at)", "s.value", false, true},
    {"aten.argmax.default(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", "first",
     "pick(a, b, b.value > a.value)", "s.at", true, true},
    {"aten.argmin.default(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", "first",
     "pick(a, b, b.value < a.value)", "s.at", true, true},
};

// What the two kernels share, with the row's expressions in place.
std::string shared_text(const Row& row, bool on_float) {
  return text("alias T = ", on_float ? "f32" : "i32", ";\n", wgsl::reduce_shared::kSource.text,
              "fn merge(a: State, b: State) -> State { return ", row.merge,
              "; }\nfn begin(base: vec4<u32>) -> State { let first = gathered(base); return State(",
              row.begin, ", vec4<u32>()); }\n",
              "fn finish(s: State) -> vec4<y_t> { let n = params.count; return vec4<y_t>(",
              row.finish, "); }\n");
}

// No dims, or an empty list of them, are all dims.
class Reduce final : public Op {
 public:
  explicit Reduce(Args& a)
      : row_(row_of(kRows, a.op())),
        x_(a.tensor("self")),
        keepdim_(a.flag("keepdim")),
        y_(a.out()) {
    const int64_t most = choose_dims(a);
    const bool on_float = is_float(a.dtype(x_)) || is_float(a.dtype(y_));
    const std::string_view name = a.op().substr(a.op().find('.') + 1);
    const std::string_view variant = name.substr(0, name.find('.'));
    const std::string shared = shared_text(row_, on_float);
    steps_ = RowSteps<wgsl::reduce_threads, wgsl::reduce_groups>(
        a, {.bindings = {y_, x_}, .substitutions = {{"SHARED", shared}}, .variant = variant},
        Walk::of(most, most * static_cast<int64_t>(Dims::kMaxRank)));
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    const Dims strides = x.strides();
    Dims y;
    StridedLoop<1> kept, reduced;
    int64_t outputs = 1, count = 1;
    for (size_t i = 0; i < x.rank(); ++i) {
      if (reduced_[i]) {
        reduced.add_dim(x[i], {strides[i]});
        count *= x[i];
        if (keepdim_) y.push_back(1);
      } else {
        kept.add_dim(x[i], {strides[i]});
        outputs *= x[i];
        y.push_back(x[i]);
      }
    }
    plan.resize(y_, y);
    if (row_.needs_elements && count == 0 && outputs > 0) {
      return fail("there are no elements to choose from in dims ", x);
    }
    const bool columns = is_columns(kept, reduced);
    const uint32_t mode = columns ? 1 : is_rows(kept, reduced) ? 2 : 0;
    // Several reduced dims cost a loop over them for each element.
    const int64_t rounds = count * std::max<int64_t>(reduced.rank(), 1);
    // Neighbouring columns are neighbouring invocations: a GPU has nothing to gain by sharing them.
    Walk walk = Walk::of(columns ? 0 : count, rounds);
    if (mode == 2) walk.alone = rounds / 4;
    const auto fill = [&](auto params) {
      return filled(params, kept, reduced, outputs, count, mode);
    };
    steps_.plan(walk, {Grid::quads(outputs), Grid::groups(ceil_div<int64_t>(outputs, 4))}, fill,
                plan);
    return {};
  }

 private:
  // The most elements that go into one output.
  int64_t choose_dims(Args& a) {
    const size_t rank = a.bound(x_).rank();
    std::vector<int64_t> dims;
    if (!a.is_null("dim")) {
      dims = row_.finds_place ? std::vector{a.integer("dim")} : a.integers("dim");
    }
    for (int64_t dim : dims) {
      const auto at = wrap_dim(dim, rank);
      a.require(at.ok(), "dim ", dim, " of ", a.bound(x_));
      if (at) reduced_[*at] = true;
    }
    if (dims.empty()) reduced_.fill(true);
    int64_t most = 1;
    for (size_t i = 0; i < rank; ++i) most *= reduced_[i] ? a.bound(x_)[i] : 1;
    return most;
  }

  static bool all_whole_quads(const StridedLoop<1>& loop, size_t dims) {
    const auto strides = loop.strides(0);
    return std::all_of(strides.begin(), strides.begin() + dims,
                       [](uint32_t stride) { return stride % 4 == 0; });
  }

  // Whether four neighbouring outputs always read whole quads of x together.
  static bool is_columns(const StridedLoop<1>& kept, const StridedLoop<1>& reduced) {
    return kept.inner_stride(0) == 1 && kept.by_quad(0) && all_whole_quads(reduced, reduced.rank());
  }

  // Whether each output reads whole quads of x.
  static bool is_rows(const StridedLoop<1>& kept, const StridedLoop<1>& reduced) {
    return reduced.inner_stride(0) == 1 && reduced.by_quad(0) && all_whole_quads(kept, kept.rank());
  }

  template <class Params>
  static Params filled(Params params, const StridedLoop<1>& kept, const StridedLoop<1>& reduced,
                       int64_t outputs, int64_t count, uint32_t mode) {
    const int64_t inner = reduced.inner_size();
    params.quads = quads_of(outputs);
    params.outputs = u32(outputs);
    params.count = u32(count);
    params.mode = mode;
    params.outer = u32(count == 0 ? 0 : count / inner);
    params.inner = u32(inner);
    params.inner_stride = u32(reduced.inner_stride(0));
    params.kept_rank = kept.rank();
    params.reduced_rank = reduced.rank();
    params.kept_size = kept.sizes();
    params.kept_stride = kept.strides(0);
    params.reduced_size = reduced.sizes();
    params.reduced_stride = reduced.strides(0);
    return params;
  }

  const Row& row_;
  Tensor x_;
  bool keepdim_;
  Tensor y_;
  std::array<bool, Dims::kMaxRank> reduced_{};
  RowSteps<wgsl::reduce_threads, wgsl::reduce_groups> steps_;
};

HIGHWATER_OPS(Reduce, kRows);

}  // namespace
}  // namespace highwater
