// Floats to small integers and back, by scales that a whole tensor, a channel, a row or a block of
// elements shares.
#include <limits>

#include "ops/map/map.h"

namespace highwater {
namespace {

// Which elements share a scale.
enum class Share : uint8_t { Tensor, Channel, Row, Block };

// What is computed of a tensor a by its scale, its zero point and a range.
enum class How : uint8_t {
  Quantize,
  QuantizeSum,  // rounded after the zero point is added: where that is odd, halves go the other way
  Dequantize,
};

struct QuantizeRow {
  OpRow op;
  Share share;
  How how;
};

constexpr QuantizeRow kQuantizers[] = {
    {"quantized_decomposed.quantize_per_tensor.default(FloatTensor input, float scale, int "
     "zero_point, int quant_min, int quant_max, ScalarType dtype) -> Tensor",
     Share::Tensor, How::Quantize},
    {"quantized_decomposed.quantize_per_tensor.tensor(FloatTensor input, Tensor scale, Tensor "
     "zero_point, int quant_min, int quant_max, ScalarType dtype) -> Tensor",
     Share::Tensor, How::Quantize},
    {"quantized_decomposed.quantize_per_channel.default(FloatTensor input, Tensor scales, Tensor "
     "zero_points, int axis, int quant_min, int quant_max, ScalarType dtype) -> Tensor",
     Share::Channel, How::Quantize},
    {"quantized_decomposed.quantize_per_token.default(FloatTensor input, Tensor scales, Tensor "
     "zero_points, int quant_min, int quant_max, ScalarType dtype) -> Tensor",
     Share::Row, How::QuantizeSum},
    {"torchao.quantize_affine.default(FloatTensor input, SymInt[] block_size, Tensor scale, "
     "Tensor? "
     "zero_point, ScalarType output_dtype, Scalar? quant_min=None, Scalar? quant_max=None) -> "
     "Tensor",
     Share::Block, How::Quantize},
    {"quantized_decomposed.dequantize_per_tensor.default(IntTensor input, float scale, int "
     "zero_point, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) "
     "-> Tensor",
     Share::Tensor, How::Dequantize},
    {"quantized_decomposed.dequantize_per_tensor.tensor(IntTensor input, Tensor scale, Tensor "
     "zero_point, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? out_dtype=None) "
     "-> Tensor",
     Share::Tensor, How::Dequantize},
    {"quantized_decomposed.dequantize_per_channel.default(IntTensor input, Tensor scales, Tensor? "
     "zero_points, int axis, int quant_min, int quant_max, ScalarType dtype, *, ScalarType? "
     "out_dtype=None) -> Tensor",
     Share::Channel, How::Dequantize},
    {"quantized_decomposed.dequantize_per_token.default(IntTensor input, Tensor scales, Tensor "
     "zero_points, int quant_min, int quant_max, ScalarType dtype, ScalarType output_dtype) -> "
     "Tensor",
     Share::Row, How::Dequantize},
    {"torchao.dequantize_affine.default(IntTensor input, SymInt[] block_size, Tensor scale, "
     "Tensor? "
     "zero_point, ScalarType input_dtype, Scalar? quant_min=None, Scalar? quant_max=None, "
     "ScalarType output_dtype=6) -> Tensor",
     Share::Block, How::Dequantize},
};

struct Range {
  double lowest;
  double highest;
};

Range range_of(DType dtype) {
  if (dtype == DType::Int8) return {-128, 127};
  if (dtype == DType::UInt8) return {0, 255};
  return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
}

class Quantize final : public Op {
 public:
  explicit Quantize(Args& a)
      : row_(row_of(kQuantizers, a.op())), x_(a.tensor("input")), y_(a.out()), bound_(a.bound(x_)) {
    choose_share(a);
    const bool quantizes = row_.how != How::Dequantize;
    a.require(is_float(a.dtype(quantizes ? x_ : y_)) && !is_float(a.dtype(quantizes ? y_ : x_)),
              "from ", a.dtype(x_), " to ", a.dtype(y_));
    Mapped mapped{.y = y_, .operands = {x_}, .variant = quantizes ? "quantize" : "dequantize"};
    if (quantizes) {
      const Range range = range_of(a.dtype(y_));
      mapped.numbers.emplace_back(a.number_or("quant_min", range.lowest));
      mapped.numbers.emplace_back(a.number_or("quant_max", range.highest));
    }
    if (a.op().ends_with("per_tensor.default")) {
      const double scale = a.number("scale");
      mapped.numbers.emplace_back(quantizes ? 1.0 / scale : scale);
      mapped.numbers.emplace_back(static_cast<double>(a.integer("zero_point")));
      mapped.expression = quantizes ? "clamp(round(a * r) + s, p, q)" : "(a - q) * p";
    } else {
      read_scales(a, mapped);
    }
    if (row_.share == Share::Tensor) {
      flat_ = Map(a, mapped);
    } else {
      strided_ = StridedMap(a, mapped);
    }
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    if (flat_) return flat_->plan(s, plan);
    const Dims& x = s[x_];
    HW_TRY(const StridedLoop loop, walk(x));
    HW_CHECK(check_scales(s, x));
    return strided_->plan(s, x, loop, 0, plan);
  }

 private:
  void read_scales(Args& a, Mapped& mapped) {
    scale_ = a.tensor(a.takes("scales") ? "scales" : "scale");
    zero_ = a.optional_tensor(a.takes("zero_points") ? "zero_points" : "zero_point");
    // An empty tensor means none.
    if (zero_ && a.bound(*zero_).numel() == 0) zero_.reset();
    mapped.operands.push_back(scale_);
    if (zero_) mapped.operands.push_back(*zero_);
    if (row_.share == Share::Tensor) {
      a.require(a.bound(scale_).numel() == 1, "a scale of dims ", a.bound(scale_));
      a.require(!zero_ || a.bound(*zero_).numel() == 1, "a zero point of other dims than [1]");
    }
    switch (row_.how) {
      case How::Quantize:
        mapped.expression =
            zero_ ? "clamp(round(a * (1.0 / b)) + c, p, q)" : "clamp(round(a * (1.0 / b)), p, q)";
        break;
      case How::QuantizeSum:
        mapped.expression = "clamp(round_sum(a * (1.0 / b), c), p, q)";
        break;
      case How::Dequantize:
        mapped.expression = zero_ ? "(a - c) * b" : "a * b";
    }
  }

  void choose_share(Args& a) {
    if (row_.share == Share::Channel) {
      const int64_t axis = a.integer("axis");
      const auto at = wrap_dim(axis, bound_.rank());
      a.require(at.ok(), "axis ", axis, " of ", bound_);
      if (at) axis_ = *at;
    } else if (row_.share == Share::Row) {
      a.require(!bound_.empty(), "its input has rank 0");
    } else if (row_.share == Share::Block) {
      blocks_ = a.live_integers("block_size");
      a.require(blocks_.size() == bound_.rank(), blocks_.size(), " sizes of a block of ", bound_);
    }
  }

  // How many elements along dim i share a scale.
  int64_t block(size_t i, const Dims& x) const {
    if (row_.share == Share::Channel) return i == axis_ ? 1 : x[i];
    if (row_.share == Share::Row) return i + 1 == x.rank() ? x[i] : 1;
    const LiveInt& size = blocks_[i];
    // A block as long as the dim is as long as it at every length.
    return size.is_live() || size.literal == bound_[i] ? x[i] : size.literal;
  }

  // Scales have a stride of 0 where elements share them.
  Result<StridedLoop> walk(const Dims& x) const {
    const Dims strides = x.strides();
    std::array<int64_t, Dims::kMaxRank> scale_stride{};
    int64_t scales = 1;
    for (size_t i = x.rank(); i-- > 0;) {
      const int64_t size = block(i, x);
      if (x[i] == 0) continue;
      if (size <= 0 || x[i] % size != 0) return fail("blocks of ", size, " in dims ", x);
      scale_stride[i] = size == x[i] ? 0 : scales;
      scales *= x[i] / size;
    }
    StridedLoop loop;
    for (size_t i = 0; i < x.rank(); ++i) {
      const int64_t size = x[i] == 0 ? 1 : block(i, x);
      loop.add_dim(x[i] / size, {strides[i] * size, scale_stride[i], scale_stride[i]});
      loop.add_dim(size, {strides[i], 0, 0});
    }
    return loop;
  }

  Status check_scales(const Shapes& s, const Dims& x) const {
    int64_t wanted = 1;
    for (size_t i = 0; i < x.rank(); ++i) wanted *= x[i] == 0 ? 0 : x[i] / block(i, x);
    // Exporters pad some constants.
    const auto fits = [&](Tensor t) {
      return s[t].numel() == wanted || (s[t].numel() > wanted && s[t] == s.bound(t));
    };
    if (!fits(scale_)) return fail("scales of dims ", s[scale_], " for an input of dims ", x);
    if (zero_ && !fits(*zero_)) {
      return fail("zero points of dims ", s[*zero_], " for an input of dims ", x);
    }
    return {};
  }

  const QuantizeRow& row_;
  Tensor x_;
  Tensor y_;
  Dims bound_;
  Tensor scale_;
  std::optional<Tensor> zero_;
  size_t axis_ = 0;
  LiveInts blocks_;
  std::optional<Map> flat_;
  std::optional<StridedMap> strided_;
};

HIGHWATER_OPS(Quantize, kQuantizers);

}  // namespace
}  // namespace highwater
