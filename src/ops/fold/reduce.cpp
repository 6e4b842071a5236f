#include "wgsl/fold/reduce.h"

#include <algorithm>
#include <bit>

#include "graph/strided.h"
#include "ops/fold/row_steps.h"

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
  bool one_dim = false;  // its `dim` is a number, not a list
};

// Of truths, whatever number stands for one.
constexpr std::string_view kNone = "vec4<T>()";
constexpr std::string_view kOne = "vec4<T>(T(1))";
constexpr std::string_view kEither =
    "State(vec4<T>((a.value != vec4<T>()) | (b.value != vec4<T>())), a.at)";
constexpr std::string_view kBoth =
    "State(vec4<T>((a.value != vec4<T>()) & (b.value != vec4<T>())), a.at)";
constexpr std::string_view kIsTrue = "s.value";

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
    {"aten.prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> "
     "Tensor",
     kOne, "State(a.value * b.value, a.at)", "s.value", false, false, true},
    {"aten.any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor", kNone, kEither, kIsTrue,
     false, false, true},
    {"aten.any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", kNone, kEither,
     kIsTrue},
    {"aten.any.default(Tensor self) -> Tensor", kNone, kEither, kIsTrue},
    {"aten.all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor", kOne, kBoth, kIsTrue,
     false, false, true},
    {"aten.all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", kOne, kBoth,
     kIsTrue},
    {"aten.all.default(Tensor self) -> Tensor", kOne, kBoth, kIsTrue},
};

// No dims, or an empty list of them, are all dims.
class Reduce final : public Op {
 public:
  explicit Reduce(Args& a)
      : row_(row_of(kRows, a.op())),
        x_(a.tensor("self")),
        keepdim_(a.takes("keepdim") && a.flag("keepdim")),
        y_(a.out()) {
    const int64_t most = choose_dims(a);
    const bool on_float = is_float(a.dtype(x_)) || is_float(a.dtype(y_));
    const std::string_view name = a.op().substr(a.op().find('.') + 1);
    const std::string_view variant = name.substr(0, name.find('.'));
    steps_ =
        RowSteps<wgsl::fold::reduce>(a,
                                     {.bindings = {y_, x_},
                                      .substitutions = {{"T", on_float ? "f32" : "i32"},
                                                        {"BEGIN", std::string(row_.begin)},
                                                        {"MERGED", std::string(row_.merge)},
                                                        {"FINISH", std::string(row_.finish)}},
                                      .variant = variant},
                                     Walk::of(most, most * static_cast<int64_t>(Dims::kMaxRank)));
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    const Dims strides = x.strides();
    Dims y;
    StridedLoop kept, reduced;
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
    run(kept, reduced, outputs, count, plan);
    return {};
  }

 private:
  // The most elements that go into one output.
  int64_t choose_dims(Args& a) {
    const size_t rank = a.bound(x_).rank();
    std::vector<int64_t> dims;
    if (a.takes("dim") && !a.is_null("dim")) {
      const bool one = row_.finds_place || row_.one_dim;
      dims = one ? std::vector{a.integer("dim")} : a.integers("dim");
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

  // How a kernel may read x.
  enum class Mode : uint8_t { Elements, Columns, Rows };

  static Mode mode_of(const StridedLoop& kept, const StridedLoop& reduced) {
    // Four neighbouring outputs always read whole quads of x together.
    if (kept.inner_stride(0) == 1 && kept.by_quad(0) &&
        reduced.has_whole_quads(0, reduced.rank())) {
      return Mode::Columns;
    }
    // Each output reads whole quads of x.
    if (reduced.inner_stride(0) == 1 && reduced.by_quad(0) &&
        kept.has_whole_quads(0, kept.rank())) {
      return Mode::Rows;
    }
    return Mode::Elements;
  }

  void run(const StridedLoop& kept, const StridedLoop& reduced, int64_t outputs, int64_t count,
           Plan& plan) const {
    const Mode mode = mode_of(kept, reduced);
    const int64_t unit = mode == Mode::Rows ? 4 : 1;
    const int64_t inner = reduced.inner_size(), outer = count == 0 ? 0 : count / inner;
    // Lanes that the innermost dim cannot use share what is about it.
    const int64_t useful = std::clamp<int64_t>(ceil_div(inner, unit), 1, Grid::kWorkgroupSize);
    const auto inner_lanes = static_cast<int64_t>(std::bit_ceil(static_cast<uint32_t>(useful)));
    const int64_t outer_lanes = Grid::kWorkgroupSize / inner_lanes;
    const int64_t rank = std::max<int64_t>(reduced.rank(), 1);
    const Walk walk{
        // Neighbouring columns are neighbouring invocations: a GPU has nothing to gain by
        // sharing them.
        .elements = mode == Mode::Columns ? 0 : count,
        // Several reduced dims cost a loop over them for each element.
        .alone = count * rank / unit,
        .shared = ceil_div(outer, outer_lanes) * (ceil_div(inner, unit * inner_lanes) + rank)};
    wgsl::fold::reduce::Params params{};
    params.quads = quads_of(outputs);
    params.outputs = u32(outputs);
    params.count = u32(count);
    params.mode = static_cast<uint32_t>(mode);
    params.outer = u32(outer);
    params.inner = u32(inner);
    params.inner_stride = u32(reduced.inner_stride(0));
    params.inner_lanes = u32(inner_lanes);
    params.kept_rank = kept.rank();
    params.outer_rank = u32(rank - 1);
    kept.put_dims(params.dims, 0);
    reduced.put_dims(params.dims, kept.rank());
    steps_.plan(walk, ceil_div<int64_t>(outputs, 4), params, plan);
  }

  const Row& row_;
  Tensor x_;
  bool keepdim_;
  Tensor y_;
  std::array<bool, Dims::kMaxRank> reduced_{};
  RowSteps<wgsl::fold::reduce> steps_;
};

HIGHWATER_OPS(Reduce, kRows);

}  // namespace
}  // namespace highwater
