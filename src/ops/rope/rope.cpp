// Rotary position embeddings.
#include "wgsl/rope/rope.h"

#include "ops/rope/rope_pair.h"
#include "wgsl/rope/rope_freqs.h"
#include "wgsl/rope/rope_halves.h"

namespace highwater {
namespace {

// Neighbours are pairs; the tables hold just the live positions. hw.rope.at has the whole tables,
// and the position of the first row.
class Rope final : public Op {
 public:
  explicit Rope(Args& a)
      : pair_(a),
        start_(a.op() == "hw.rope.at" ? a.live_integer("start_pos") : LiveInt{}),
        step_(a.step<wgsl::rope::rope>(
            {pair_.q_out, pair_.k_out, pair_.q, pair_.k, pair_.cosines, pair_.sines})) {}

  Status plan(const Shapes& s, Plan& plan) const override {
    wgsl::rope::rope::Params params{};
    HW_CHECK(pair_.fill(s, s[start_], s[pair_.q].back() / 2, params));
    plan.resize(pair_.q_out, s[pair_.q]).resize(pair_.k_out, s[pair_.k]);
    plan.run(step_, params, Grid::threads(params.quads));
    return {};
  }

 private:
  RopePair pair_;
  LiveInt start_;
  Step<wgsl::rope::rope> step_;
};

// Halves are pairs; the tables are whole.
class RopeHalves final : public Op {
 public:
  explicit RopeHalves(Args& a)
      : pair_(a),
        start_(a.live_integer("start_pos")),
        rotary_(a.bound(pair_.cosines).back()),
        step_(a.step<wgsl::rope::rope_halves>(
            {pair_.q_out, pair_.k_out, pair_.q, pair_.k, pair_.cosines, pair_.sines})) {
    a.require(rotary_ % 2 == 0 && rotary_ <= a.bound(pair_.q).back(), "turning ", rotary_, " of ",
              a.bound(pair_.q).back(), " elements of a head");
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    wgsl::rope::rope_halves::Params params{};
    HW_CHECK(pair_.fill(s, s[start_], rotary_, params));
    plan.resize(pair_.q_out, s[pair_.q]).resize(pair_.k_out, s[pair_.k]);
    params.rotary = u32(rotary_);
    plan.run(step_, params, Grid::threads(params.quads));
    return {};
  }

 private:
  RopePair pair_;
  LiveInt start_;
  int64_t rotary_;
  Step<wgsl::rope::rope_halves> step_;
};

class RopeFreqs final : public Op {
 public:
  explicit RopeFreqs(Args& a)
      : x_(a.tensor("x")),
        freqs_(a.tensor("freqs_cis")),
        y_(a.out()),
        step_(a.step<wgsl::rope::rope_freqs>({y_, x_, freqs_})) {
    a.require(a.bound(x_).rank() == 3 && a.bound(x_).back() % 4 == 0, "dims ", a.bound(x_),
              " are not [batch, positions, a multiple of 4]");
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims& x = s[x_];
    const int64_t table = x[1] * x[2];
    if (s[freqs_].numel() != table || x[2] % 4 != 0) {
      return fail("a table of dims ", s[freqs_], " for an input of dims ", x);
    }
    plan.resize(y_, x);
    plan.run(step_, {.quads = quads_of(x.numel()), .table_quads = u32(table / 4)},
             Grid::quads(x.numel()));
    return {};
  }

 private:
  Tensor x_;
  Tensor freqs_;
  Tensor y_;
  Step<wgsl::rope::rope_freqs> step_;
};

HIGHWATER_OP(Rope,
             {"et_vk.apply_rotary_emb.default(FloatTensor xq, FloatTensor xk, "
              "FloatTensor freqs_cos, FloatTensor freqs_sin) -> (Tensor, Tensor)",
              "heads of whole quads"},
             "hw.rope.at(FloatTensor xq, FloatTensor xk, FloatTensor freqs_cos, "
             "FloatTensor freqs_sin, SymInt start_pos) -> (Tensor, Tensor)");
HIGHWATER_OP(RopeHalves,
             {"et_vk.apply_rotary_emb_hf.default(FloatTensor xq, FloatTensor xk, "
              "FloatTensor freqs_cos, FloatTensor freqs_sin, SymInt start_pos) -> (Tensor, Tensor)",
              "heads of whole quads"});
HIGHWATER_OP(RopeFreqs,
             {"et_vk.apply_rotary_emb_interleaved.default(FloatTensor x, FloatTensor freqs_cis) -> "
              "Tensor",
              "heads of whole quads"});

}  // namespace
}  // namespace highwater
