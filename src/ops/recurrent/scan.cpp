// The recurrent part of LSTM and GRU layers, in one direction. HighwaterPartitioner's exporter
// makes a layer of it and of dense products, which need no order.
#include "wgsl/recurrent/scan.h"

#include "graph/op.h"
#include "wgsl/recurrent/scan_gru.h"
#include "wgsl/recurrent/scan_lstm.h"

namespace highwater {
namespace {

class Scan final : public Op {
 public:
  explicit Scan(Args& a)
      : is_lstm_(a.takes("c")),
        gates_per_unit_(is_lstm_ ? 4 : 3),
        gates_(a.tensor("gates")),
        h_(a.tensor("h")),
        w_(a.tensor("weight")),
        b_(a.tensor("bias")),
        batch_first_(a.flag("batch_first")),
        backwards_(a.flag("backwards")),
        outs_(a.outs()),
        width_(a.bound(w_).rank() == 2 ? a.bound(w_)[1] : 0) {
    a.require(width_ > 0 && width_ % 4 == 0, "a hidden size of ", width_,
              " is not a multiple of 4");
    a.require(a.bound(w_) == Dims{gates_per_unit_ * width_, width_} &&
                  a.bound(b_).numel() == gates_per_unit_ * width_,
              "weights of ", a.bound(w_), " and a bias of ", a.bound(b_));
    a.require(width_ <= kMostHidden, "a hidden size of ", width_, ", over ", kMostHidden);
    step_ = is_lstm_ ? declare_lstm(a, a.tensor("c")) : declare_gru(a);
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims &gates = s[gates_], &h = s[h_];
    if (gates.rank() != 3 || gates[2] != gates_per_unit_ * width_ || h.empty() ||
        h.back() != width_) {
      return fail("gates of ", gates, " and a state of ", h, " for a hidden size of ", width_);
    }
    const int64_t sequences = gates[batch_first_ ? 0 : 1], steps = gates[batch_first_ ? 1 : 0];
    if (h.numel() != sequences * width_) return fail("a state of ", h, " for gates of ", gates);
    if (steps == 0) return fail("there are no steps in gates of ", gates);
    plan.resize(outs_[0], {gates[0], gates[1], width_});
    for (size_t i = 1; i < outs_.size(); ++i) plan.resize(outs_[i], h);
    const int64_t quads = width_ / 4;
    plan.run(
        step_,
        {.sequences = u32(sequences),
         .steps = u32(steps),
         .step_stride = u32(batch_first_ ? quads : sequences * quads),
         .sequence_stride = u32(batch_first_ ? steps * quads : quads),
         .backwards = backwards_},
        Grid::groups(sequences),
        Rounds{(steps + 1) * (1 + ceil_div<int64_t>(quads, Grid::kWorkgroupSize) * (1 + quads))});
    return {};
  }

 private:
  // Two states and a cell fit into the workgroup memory that WebGPU guarantees.
  static constexpr int64_t kMostHidden = 1024;
  using Kernel = wgsl::recurrent::scan;

  std::vector<Substitution> holes(std::string_view bindings, std::string_view step) const {
    return {{"BINDINGS", std::string(bindings)},
            {"STEP", std::string(step)},
            {"GATES", std::to_string(gates_per_unit_)},
            {"QUADS", std::to_string(width_ / 4)}};
  }

  Step<Kernel> declare_lstm(Args& a, Tensor c) const {
    auto substitutions = holes(
        "#output y\n#output h_last\n#output c_last\n#input gates\n#input h\n#input c\n#image w\n"
        "#input b\n",
        wgsl::recurrent::scan_lstm::kSource.text);
    substitutions.push_back({"MEMORY", "var<workgroup> cell: array<vec4<f32>, ${QUADS}u>;"});
    substitutions.push_back({"BEGIN", "cell[u] = c_quad(sequence * ${QUADS}u + u);"});
    substitutions.push_back({"END", "c_last_put(sequence * ${QUADS}u + u, new_cell);"});
    return a.step<Kernel>({outs_[0], outs_[1], outs_[2], gates_, h_, c, w_, b_}, substitutions,
                          "lstm");
  }

  Step<Kernel> declare_gru(Args& a) const {
    auto substitutions =
        holes("#output y\n#output h_last\n#input gates\n#input h\n#image w\n#input b\n",
              wgsl::recurrent::scan_gru::kSource.text);
    for (const char* hole : {"MEMORY", "BEGIN", "END"}) substitutions.push_back({hole, ""});
    return a.step<Kernel>({outs_[0], outs_[1], gates_, h_, w_, b_}, substitutions, "gru");
  }

  bool is_lstm_;
  int64_t gates_per_unit_;
  Tensor gates_;
  Tensor h_;
  Tensor w_;
  Tensor b_;
  bool batch_first_;
  bool backwards_;
  std::vector<Tensor> outs_;  // all hidden states, and the last states
  int64_t width_;
  Step<Kernel> step_;
};

HIGHWATER_OP(Scan,
             {"highwater.lstm_scan.default(FloatTensor gates, FloatTensor h, FloatTensor c, "
              "FloatTensor weight, FloatTensor bias, bool batch_first, bool backwards) -> "
              "(Tensor, Tensor, Tensor)",
              "hidden sizes up to 1024, in whole quads"},
             {"highwater.gru_scan.default(FloatTensor gates, FloatTensor h, FloatTensor weight, "
              "FloatTensor bias, bool batch_first, bool backwards) -> (Tensor, Tensor)",
              "hidden sizes up to 1024, in whole quads"});

}  // namespace
}  // namespace highwater
