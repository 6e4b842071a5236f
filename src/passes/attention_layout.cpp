#include <algorithm>

#include "passes/passes.h"
#include "passes/rewriter.h"

namespace highwater {
namespace {

// Heads before positions, and back.
constexpr std::initializer_list<int64_t> kTurn{0, 2, 1, 3};

// A query that is multiplied with one number on its way, as attention that was written out leaves
// it.
struct Scaling {
  FullCall call;
  ValueId q;
  ValueId factor;
};

std::optional<Scaling> scaling_of(const Rewriter& r, ValueId q) {
  auto call = r.producer(q, "aten.mul.Tensor");
  if (!call) call = r.producer(q, "aten.div.Tensor");
  if (!call || r.uses(q) != 1) return {};
  const ValueId factor = (*call)["other"];
  const TensorDecl& number = r.tensor(factor);
  if (number.dims.numel() != 1 || number.dtype != r.tensor(q).dtype) return {};
  return Scaling{*call, (*call)["self"], factor};
}

void fuse_turns(Rewriter& r, const FullCall& attention, bool torchs) {
  ValueId q = attention[torchs ? "query" : "q"];
  const ValueId k = attention[torchs ? "key" : "k"], v = attention[torchs ? "value" : "v"];
  const auto is_zero = [&](ValueId id) { return r.is_null(id) || r.number(id) == 0; };
  if (torchs && !is_zero(attention["dropout_p"])) return;
  const auto scaling = scaling_of(r, q);
  const ValueId turned_q = scaling ? scaling->q : q;
  const auto from_q = r.before_permute(turned_q, kTurn), from_k = r.before_permute(k, kTurn),
             from_v = r.before_permute(v, kTurn);
  const auto turned_back = r.only_reader(attention.out(), "aten.permute_copy.default");
  if (!from_q || !from_k || !from_v || !turned_back) return;
  if (!r.before_permute(turned_back->out(), kTurn)) return;
  // What is written into may be another by the time that it is read.
  if (r.is_mutated(*from_q) || r.is_mutated(*from_k) || r.is_mutated(*from_v)) return;

  std::vector<Named> arguments{{"query", *from_q},
                               {"key", *from_k},
                               {"value", *from_v},
                               {"attn_mask", attention["attn_mask"]},
                               {"scale", attention["scale"]}};
  if (torchs) arguments.push_back({"is_causal", attention["is_causal"]});
  if (scaling) {
    const size_t at = scaling->call.index();
    const std::string op = r.program().calls[at].name;
    arguments[0].id = r.add_value(Value(r.tensor(*from_q)));
    r.replace(at, op, {{"self", *from_q}, {"other", scaling->factor}}, arguments[0].id);
  }
  const ValueId y = turned_back->out();
  r.remove(attention.index());
  r.replace(turned_back->index(), "hw.sdpa.positions_first", arguments, y);
  for (ValueId id : {turned_q, k, v}) r.remove_unused(id);
}

}  // namespace

void attend_in_place(Program& program) {
  Rewriter r(program);
  for (size_t i = 0; i < r.call_count(); ++i) {
    const auto torchs = r.call(i, "aten.scaled_dot_product_attention.default");
    const auto theirs = torchs ? std::nullopt : r.call(i, "et_vk.sdpa.default");
    if (torchs || theirs) fuse_turns(r, torchs ? *torchs : *theirs, torchs.has_value());
  }
}

}  // namespace highwater
