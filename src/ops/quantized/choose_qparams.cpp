// The scale and the zero point by which floats become small integers, chosen by their range.
#include "wgsl/quantized/choose_qparams.h"

#include <limits>

#include "ops/fold/row_steps.h"
#include "ops/narrow.h"

namespace highwater {
namespace {

constexpr std::string_view kPerTensor = "quantized_decomposed.choose_qparams.tensor";
constexpr std::string_view kAffine = "torchao.choose_qparams_affine.default";

constexpr int64_t kAll = 0;

// A row here is what shares a scale: consecutive elements, up to all of the tensor.
class ChooseQparams final : public Op {
 public:
  explicit ChooseQparams(Args& a)
      : x_(a.tensor("input")), bound_(a.bound(x_)), is_per_tensor_(a.op() == kPerTensor) {
    const std::vector<Tensor> outs = a.outs();
    scale_ = outs[0];
    zero_ = outs[1];
    choose_range(a);
    choose_rows(a);
    int64_t width = 1;
    for (size_t i = 0; i < bound_.rank(); ++i) {
      width = saturating_mul(width, blocks_[i] == kAll ? bound_[i] : blocks_[i]);
    }
    steps_ = RowSteps<wgsl::quantized::choose_qparams>(
        a,
        {.bindings = {scale_, zero_, x_}, .substitutions = {{"MAPPING", std::string(mapping(a))}}},
        walk(width));
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    Dims y;
    int64_t width = 1;
    for (size_t i = 0; i < x.rank(); ++i) {
      const int64_t block = blocks_[i] == kAll ? x[i] : blocks_[i];
      if (block > 0 && x[i] % block != 0) return fail("blocks of ", block, " in dims ", x);
      width *= block;
      if (blocks_[i] != kAll) {
        y.push_back(x[i] / block);
      } else if (keeps_dims_) {
        y.push_back(1);
      }
    }
    if (is_per_tensor_) y.push_back(1);
    const int64_t rows = y.numel();
    if (rows > 0 && width == 0) return fail("there is no range to choose by in dims ", x);
    plan.resize(scale_, y).resize(zero_, y);
    steps_.plan(walk(width), ceil_div<int64_t>(rows, 4),
                {.rows = u32(rows),
                 .width = u32(width),
                 .lowest = lowest_,
                 .highest = highest_,
                 .middle = middle_,
                 .eps = eps_},
                plan);
    return {};
  }

 private:
  void choose_range(Args& a) {
    double lowest = -128, highest = 127, eps = std::numeric_limits<float>::epsilon();
    if (a.takes("quant_min")) {
      lowest = a.number_or("quant_min", lowest);
      highest = a.number_or("quant_max", highest);
      // Torch's default is the least that is not denormal.
      eps = a.number_or("eps", std::numeric_limits<float>::min());
    }
    a.require(lowest < highest, "a range from ", lowest, " to ", highest);
    lowest_ = narrow_to_float(lowest);
    highest_ = narrow_to_float(highest);
    eps_ = narrow_to_float(eps);
    middle_ = static_cast<float>(narrow_to_int((highest + lowest + 1) / 2));
  }

  std::string_view mapping(Args& a) {
    if (is_per_tensor_) return "asymmetric";
    if (a.op() != kAffine) return "by_least_error";
    const std::string name = a.string("mapping_type");
    if (name == "SYMMETRIC") return "symmetric";
    if (name == "SYMMETRIC_NO_CLIPPING_ERR") return "symmetric_unclipped";
    a.require(name == "ASYMMETRIC", "there is no mapping '", name, "'");
    return "asymmetric";
  }

  void choose_rows(Args& a) {
    const size_t rank = bound_.rank();
    blocks_.fill(is_per_tensor_ ? kAll : 1);
    if (is_per_tensor_) return;
    a.require(rank > 0, "its input has rank 0");
    if (rank == 0) return;
    keeps_dims_ = a.bound(scale_).rank() == rank;
    if (a.op() == kAffine) {
      choose_blocks(a);
    } else {
      blocks_[rank - 1] = kAll;
    }
  }

  // Blocks must be consecutive elements: of one dim a part, of those behind it all.
  void choose_blocks(Args& a) {
    const LiveInts blocks = a.live_integers("block_size");
    const size_t rank = bound_.rank();
    a.require(blocks.size() == rank, blocks.size(), " sizes of a block of ", bound_);
    if (blocks.size() != rank) return;
    bool begun = false;
    for (size_t i = 0; i < rank; ++i) {
      const int64_t size = blocks[i].literal;
      const bool is_one = !blocks[i].is_live() && size == 1;
      const bool is_all = blocks[i].is_live() || size == bound_[i];
      a.require(is_all || !begun, "blocks that are not consecutive elements of ", bound_);
      const bool is_part = !is_all && size > 0 && size < bound_[i];
      a.require(is_all || is_part, "blocks of ", size, " in dims ", bound_);
      blocks_[i] = is_one ? 1 : is_part ? size : kAll;
      begun = begun || !is_one;
    }
  }

  // By quads, of which a row may begin and end within one.
  static Walk walk(int64_t width) {
    const int64_t quads = ceil_div<int64_t>(width, 4) + 1;
    return {.elements = width,
            .alone = 4 * quads,
            .shared = 4 * ceil_div<int64_t>(quads, Grid::kWorkgroupSize)};
  }

  Tensor x_;
  Dims bound_;
  Tensor scale_, zero_;
  float lowest_ = 0, highest_ = 0, middle_ = 0, eps_ = 0;
  bool is_per_tensor_;
  bool keeps_dims_ = false;                       // those that are all in one row, as 1
  std::array<int64_t, Dims::kMaxRank> blocks_{};  // how much of each dim is in one row
  RowSteps<wgsl::quantized::choose_qparams> steps_;
};

HIGHWATER_OP(
    ChooseQparams,
    "quantized_decomposed.choose_qparams.tensor(FloatTensor input, int quant_min, int quant_max, "
    "float eps, ScalarType dtype) -> (Tensor, Tensor)",
    "quantized_decomposed.choose_qparams_per_token_asymmetric.default(FloatTensor input, "
    "ScalarType dtype) -> (Tensor, Tensor)",
    {"torchao.choose_qparams_affine.default(FloatTensor input, str mapping_type, "
     "SymInt[] block_size, ScalarType target_dtype, Scalar? quant_min=None, "
     "Scalar? quant_max=None, float? eps=None, ScalarType? scale_dtype=None, "
     "ScalarType? zero_point_dtype=None, bool keepdim=False) -> (Tensor, Tensor)",
     "blocks of consecutive elements only"});

}  // namespace
}  // namespace highwater
