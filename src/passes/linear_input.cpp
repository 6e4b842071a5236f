#include "passes/linear_layer.h"
#include "passes/passes.h"

namespace highwater {
namespace {

constexpr std::string_view kFusedQ4 = "hw.linear_q4gsw.default";
constexpr std::string_view kOursQ4[] = {kFusedQ4, "hw.linear_q4gsw.shared",
                                        "hw.linear_q4gsw.swiglu"};

// A call of a 4-bit layer, or of several as one, and the op of ours that it is to become.
struct Q4Call {
  FullCall call;
  std::string_view ours;
};

std::optional<Q4Call> as_q4_call(const Rewriter& r, size_t i) {
  if (const auto plain = as_tiled_q4(r, i)) return Q4Call{*plain, kFusedQ4};
  for (std::string_view op : kOursQ4) {
    const auto call = r.call(i, op);
    if (call && r.is_null((*call)["norm_weight"]) && r.is_null((*call)["as_int8"])) {
      return Q4Call{*call, op};
    }
  }
  return {};
}

// What a layer reads, step by step back to where it comes from.
class SeenInput {
 public:
  SeenInput(const Rewriter& r, ValueId x) : r_(r), x_(x) {}

  // Whether the layer reads it by way of int8: then that is its own work.
  bool take_int8() {
    const auto made = step_to("hw.fake_quantize");
    if (!made) return false;
    const auto all_of_int8 = [&](ValueId end, double wanted) {
      return r_.is_null(end) || r_.number(end) == std::optional(wanted);
    };
    if (!all_of_int8((*made)["lowest"], -128) || !all_of_int8((*made)["highest"], 127)) {
      return false;
    }
    if (!r_.is_null((*made)["eps"]) && !r_.number((*made)["eps"])) return false;
    take(*made);
    arguments_.push_back({"int8_eps", (*made)["eps"]});
    return true;
  }

  // The same for a norm.
  bool take_norm() {
    const auto made = step_to("et_vk.rms_norm.default");
    if (!made || !r_.number((*made)["eps"])) return false;
    const TensorDecl &x = r_.tensor((*made)["x"]), &w = r_.tensor((*made)["weight"]),
                     &y = r_.tensor(made->out());
    const bool plain = x.dims == y.dims && x.dtype == y.dtype && is_float(x.dtype) &&
                       !x.dims.empty() && w.dims.rank() == 1 && w.dims.back() == x.dims.back() &&
                       is_float(w.dtype);
    const ValueId weight = (*made)["weight"];
    if (!plain || !r_.is_fixed(weight) || r_.is_mutated(weight)) return false;
    take(*made);
    arguments_.push_back({"norm_weight", weight});
    arguments_.push_back({"norm_eps", (*made)["eps"]});
    return true;
  }

  ValueId x() const { return x_; }
  const std::vector<size_t>& taken() const { return taken_; }
  const std::vector<Named>& arguments() const { return arguments_; }

 private:
  // The call that makes it, if nothing else reads it, and it reads what nobody writes into.
  std::optional<FullCall> step_to(std::string_view op) const {
    const auto made = r_.producer(x_, op);
    if (!made || r_.uses(x_) != 1 || r_.is_mutated(x_) || r_.is_mutated((*made)["x"])) return {};
    return made;
  }

  void take(const FullCall& made) {
    taken_.push_back(made.index());
    x_ = made["x"];
  }

  const Rewriter& r_;
  ValueId x_;
  std::vector<size_t> taken_;
  std::vector<Named> arguments_;
};

}  // namespace

void fuse_linear_input(Program& program) {
  Rewriter r(program);
  for (size_t i = 0; i < r.call_count(); ++i) {
    const auto layer = as_q4_call(r, i);
    if (!layer) continue;
    SeenInput input(r, layer->call["self"]);
    const bool as_int8 = input.take_int8(), normed = input.take_norm();
    if (!as_int8 && !normed) continue;
    std::vector<Named> arguments = input.arguments();
    arguments.push_back({"self", input.x()});
    if (as_int8) arguments.push_back({"as_int8", r.add_value(true)});
    for (std::string_view same : {"weights", "weight_scales", "group_size", "bias", "residual"}) {
      const auto& given = layer->call.schema();
      if (given.position(same) < given.arguments().size()) {
        arguments.push_back({same, layer->call[same]});
      }
    }
    for (size_t taken : input.taken()) r.remove(taken);
    r.replace(i, layer->ours, arguments, layer->call.out());
  }
}

}  // namespace highwater
