#include <algorithm>
#include <span>

#include "passes/activation.h"
#include "passes/passes.h"

namespace highwater {
namespace {

constexpr std::string_view kClamped = "et_vk.conv_with_clamp.default";
constexpr std::string_view kConvArguments[] = {"input",      "weight",         "bias",
                                               "stride",     "padding",        "dilation",
                                               "transposed", "output_padding", "groups"};
constexpr std::string_view kLinearArguments[] = {"input", "weight", "bias"};

// An op that can end with more, what it becomes then, and the arguments that both take.
struct Product {
  std::string_view op;
  std::string_view fused;
  std::span<const std::string_view> arguments;
};
constexpr Product kConvs[] = {{"aten.convolution.default", "hw.conv", kConvArguments},
                              {kClamped, "hw.conv", kConvArguments}};
constexpr Product kLinears[] = {{"aten.linear.default", "hw.linear.epilogue", kLinearArguments}};

// A product, and what happens to its result before anybody else reads it.
class Chain {
 public:
  Chain(Rewriter& r, const FullCall& call, const Product& product)
      : r_(r), fused_(product.fused), y_(call.out()), last_(call.index()) {
    for (std::string_view name : product.arguments) arguments_.push_back({name, call[name]});
  }

  // The clamp that an exporter has fused already.
  void begin_clamped(const FullCall& conv) {
    add_activation("aten.clamp.default");
    arguments_.push_back({"p", conv["output_min"]});
    arguments_.push_back({"q", conv["output_max"]});
  }

  // Whether the call could be made later than it is: nothing that it reads changes in between.
  bool can_move() const {
    return std::none_of(arguments_.begin(), arguments_.end(),
                        [&](const Named& given) { return r_.is_mutated(given.id); });
  }

  // Takes what reads the result into the chain, if it can be a part of it.
  bool grow() {
    if (r_.is_mutated(y_)) return false;
    const std::vector<size_t> readers = r_.readers(y_);
    if (r_.uses(y_) == 2 && readers.size() == 2) return take_gate(readers[0], readers[1]);
    if (r_.uses(y_) != 1 || readers.size() != 1) return false;
    return take_sum(readers[0]) || take_activation(readers[0]);
  }

  // In place of the last call, where all that any of them reads is there.
  void fuse() {
    if (taken_.empty()) return;
    for (size_t i : taken_) r_.remove(i);
    r_.replace(last_, fused_, arguments_, y_);
  }

 private:
  bool is_like_y(ValueId id) const {
    const TensorDecl &t = r_.tensor(id), &y = r_.tensor(y_);
    return r_.is_tensor(id) && is_float(y.dtype) && t.dtype == y.dtype && t.dims == y.dims;
  }

  bool take_sum(size_t i) {
    const auto sum = r_.call(i, "aten.add.Tensor");
    if (!sum || has_residual_ || r_.number((*sum)["alpha"]) != 1) return false;
    const ValueId a = (*sum)["self"], b = (*sum)["other"], residual = a == y_ ? b : a;
    // What would be stretched has other dims at its bound.
    if (a != y_ && b != y_) return false;
    if (!is_like_y(residual) || !is_like_y(sum->out()) || r_.is_mutated(residual)) return false;
    arguments_.push_back({"residual", residual});
    if (has_activation_) arguments_.push_back({"adds_last", r_.add_value(true)});
    has_residual_ = true;
    take(i, sum->out());
    return true;
  }

  bool take_activation(size_t i) {
    const auto activation = as_activation(r_, i);
    if (!activation || activation->x != y_ || has_activation_) return false;
    if (!is_like_y(activation->y)) return false;
    add_activation(activation->op);
    arguments_.insert(arguments_.end(), activation->others.begin(), activation->others.end());
    take(i, activation->y);
    return true;
  }

  // y * sigmoid(y), which is how exporters write a silu.
  bool take_gate(size_t first, size_t second) {
    const auto sigmoid = r_.call(first, "aten.sigmoid.default");
    const auto product = r_.call(second, "aten.mul.Tensor");
    if (!sigmoid || !product || has_activation_) return false;
    const ValueId s = sigmoid->out(), a = (*product)["self"], b = (*product)["other"];
    const bool is_gate = (a == y_ && b == s) || (a == s && b == y_);
    if (!is_gate || r_.uses(s) != 1 || r_.is_mutated(s)) return false;
    if (!is_like_y(s) || !is_like_y(product->out())) return false;
    add_activation("aten.sigmoid.default");
    arguments_.push_back({"gates", r_.add_value(true)});
    taken_.push_back(first);
    take(second, product->out());
    return true;
  }

  void add_activation(std::string_view op) {
    arguments_.push_back({"activation", r_.add_value(std::string(op))});
    has_activation_ = true;
  }

  void take(size_t i, ValueId y) {
    taken_.push_back(last_);
    last_ = i;
    y_ = y;
  }

  Rewriter& r_;
  std::string_view fused_;
  ValueId y_;
  size_t last_;                // the call that makes it
  std::vector<size_t> taken_;  // those before
  std::vector<Named> arguments_;
  bool has_activation_ = false;
  bool has_residual_ = false;
};

void fuse_epilogues(Program& program, std::span<const Product> products) {
  Rewriter r(program);
  for (size_t i = 0; i < r.call_count(); ++i) {
    for (const Product& product : products) {
      const auto call = r.call(i, product.op);
      if (!call) continue;
      Chain chain(r, *call, product);
      if (product.op == kClamped) chain.begin_clamped(*call);
      if (!chain.can_move()) break;
      while (chain.grow()) {
      }
      chain.fuse();
      break;
    }
  }
}

}  // namespace

void fuse_conv_epilogue(Program& program) {
  fuse_epilogues(program, kConvs);
}

void fuse_linear_epilogue(Program& program) {
  fuse_epilogues(program, kLinears);
}

}  // namespace highwater
