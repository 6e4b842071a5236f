#include <cstdint>
#include <numeric>

#include "base/checked.h"
#include "passes/passes.h"
#include "passes/q8_conv.h"

namespace highwater {
namespace {

// A call whose int8 tensors may have their channels last.
struct Link {
  size_t index;
  std::optional<Q8ConvCall> conv;  // none: all of its tensors must have the same order
  std::vector<ValueId> reads;
  ValueId writes;
};

std::optional<Link> as_link(const Rewriter& r, size_t i) {
  if (const auto conv = as_q8_conv(r, i)) return Link{i, conv, {conv->call["x"]}, conv->call.out()};
  if (const auto call = r.call(i, "et_vk.q8ta_relu.default")) {
    return Link{i, {}, {(*call)["input"]}, call->out()};
  }
  // Exporters write one where they would change the layout.
  if (const auto call = r.call(i, "aten.clone.default")) {
    return Link{i, {}, {(*call)["self"]}, call->out()};
  }
  const auto sum = r.call(i, "et_vk.q8ta_add.default");
  if (!sum) return {};
  const ValueId a = (*sum)["input_a"], b = (*sum)["input_b"];
  if (!(r.tensor(a).dims == r.tensor(b).dims)) return {};
  return Link{i, {}, {a, b}, sum->out()};
}

class ChannelsLast {
 public:
  explicit ChannelsLast(Program& program)
      : r_(program), root_(program.values.size()), reads_(root_.size()), is_last_(root_.size()) {
    std::iota(root_.begin(), root_.end(), ValueId{0});
  }

  void run() {
    for (size_t i = 0; i < r_.call_count(); ++i) {
      if (auto link = as_link(r_, i)) links_.push_back(std::move(*link));
    }
    choose();
    for (const Link& link : links_) {
      if (link.conv) rewrite(link);
    }
    for (const Link& link : links_) {
      if (!is_last_[link.writes]) continue;
      Dims& dims = std::get<TensorDecl>(r_.program().values[link.writes]).dims;
      dims = {dims[0], dims[2], dims[3], round_up<int64_t>(dims[1], 4)};
    }
  }

 private:
  ValueId root(ValueId id) {
    while (root_[id] != id) id = root_[id] = root_[root_[id]];
    return id;
  }

  // Values that a sum or a relu ties together have one order: channels come last if every one of
  // them is made by a link, and read by links alone.
  void choose() {
    std::vector<bool> is_made(root_.size());
    for (const Link& link : links_) {
      for (ValueId id : link.reads) {
        ++reads_[id];
        if (!link.conv) root_[root(id)] = root(link.writes);
      }
      is_made[link.writes] = makes_whole_quads(link);
    }
    for (ValueId id = 0; id < root_.size(); ++id) is_last_[id] = true;
    for (const Link& link : links_) {
      for (ValueId id : link.reads) note(id, is_made[id]);
      note(link.writes, is_made[link.writes]);
    }
    for (ValueId id = 0; id < root_.size(); ++id) {
      is_last_[id] = is_made[id] && is_last_[root(id)];
    }
  }

  void note(ValueId id, bool is_made) {
    const TensorDecl& t = r_.tensor(id);
    const bool fits = is_made && r_.is_tensor(id) && t.dtype == DType::Int8 && t.dims.rank() == 4 &&
                      !t.constant && !r_.is_mutated(id) && r_.uses(id) == reads_[id];
    if (!fits) is_last_[root(id)] = false;
  }

  // Groups of columns that are not whole quads lie otherwise.
  bool makes_whole_quads(const Link& link) const {
    if (!link.conv || link.conv->is_depthwise) return true;
    const auto groups = r_.number(link.conv->call["groups"]);
    const TensorDecl& y = r_.tensor(link.writes);
    if (groups == std::optional(1.0)) return true;
    return groups && *groups > 1 && *groups <= INT32_MAX && y.dims.rank() == 4 &&
           y.dims[1] % (4 * static_cast<int64_t>(*groups)) == 0;
  }

  void rewrite(const Link& link) {
    const ValueId x = link.reads[0];
    const bool reads = is_last_[x], writes = is_last_[link.writes];
    if (!reads && !writes) return;
    std::vector<Named> arguments = link.conv->arguments();
    if (reads) arguments.push_back({"channels", r_.add_value(r_.tensor(x).dims[1])});
    arguments.push_back({"gives_channels_last", r_.add_value(writes)});
    r_.replace(link.index, link.conv->ours, arguments, link.writes);
  }

  Rewriter r_;
  std::vector<Link> links_;
  std::vector<ValueId> root_;  // of values that must have the same order
  std::vector<size_t> reads_;  // by links
  std::vector<bool> is_last_;
};

}  // namespace

void keep_channels_last(Program& program) {
  ChannelsLast(program).run();
}

}  // namespace highwater
