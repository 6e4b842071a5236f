#include <algorithm>

#include "passes/passes.h"
#include "passes/rewriter.h"

namespace highwater {
namespace {

constexpr std::string_view kAttentionView = "aten.view_copy.default",
                           kAttentionPermute = "aten.permute_copy.default",
                           kAttentionProduct = "aten.bmm.default",
                           kAttention = "aten.scaled_dot_product_attention.default";

// The items of a list of sizes; of one that is live, nothing.
std::vector<std::optional<int64_t>> sizes_of(const Rewriter& r, ValueId list) {
  std::vector<std::optional<int64_t>> sizes;
  const std::vector<int64_t> identity = r.identity(list);
  for (size_t i = 0; i + 1 < identity.size(); i += 2) {
    sizes.push_back(identity[i] == 0 ? std::optional(identity[i + 1]) : std::nullopt);
  }
  return sizes;
}

// Whether a dim has its bound's size in every call.
bool is_dim_fixed(const Rewriter& r, ValueId id, size_t dim) {
  if (r.tensor(id).constant || (dim < r.tensor(id).dims.rank() && r.tensor(id).dims[dim] == 1)) {
    return true;
  }
  if (const auto view = r.producer(id, kAttentionView)) {
    const auto sizes = sizes_of(r, (*view)["size"]);
    return dim < sizes.size() && sizes[dim] == r.tensor(id).dims[dim];
  }
  if (const auto permute = r.producer(id, kAttentionPermute)) {
    const auto* dims = std::get_if<std::vector<int64_t>>(&r.value((*permute)["dims"]));
    return dims && dim < dims->size() && (*dims)[dim] >= 0 &&
           is_dim_fixed(r, (*permute)["self"], size_t((*dims)[dim]));
  }
  if (const auto select = r.producer(id, "aten.select_copy.int")) {
    const auto* at = std::get_if<int64_t>(&r.value((*select)["dim"]));
    return at && *at >= 0 && is_dim_fixed(r, (*select)["self"], dim + (int64_t(dim) >= *at));
  }
  return false;
}

// What `id` is a view of, if the view makes one dim of the first two.
std::optional<ValueId> with_heads(const Rewriter& r, ValueId id) {
  const auto view = r.producer(id, kAttentionView);
  if (!view) return {};
  const ValueId source = (*view)["self"];
  const Dims &from = r.tensor(source).dims, &to = r.tensor(id).dims;
  const bool merges = from.rank() == 4 && to.rank() == 3 && from[0] * from[1] == to[0] &&
                      from[2] == to[1] && from[3] == to[2];
  if (!merges || !is_dim_fixed(r, source, 0) || !is_dim_fixed(r, source, 1)) return {};
  // Of the others one may be live: there is one way to have as many elements.
  const auto sizes = sizes_of(r, (*view)["size"]);
  const bool is_plain = sizes.size() == 3 && sizes[0] == to[0] && (sizes[1] || sizes[2]);
  return is_plain ? std::optional(source) : std::nullopt;
}

// softmax(q k^T), or that of its multiple, times v, as exporters write matrix products of four
// dims.
class WrittenOut {
 public:
  WrittenOut(Rewriter& r, const FullCall& softmax) : r_(r), softmax_(softmax) {}

  bool find() { return find_scores() && find_result() && fits(); }

  void fuse() {
    ValueId q = *q_;
    if (scaling_) {
      // Before the product, where there is less to multiply.
      const std::string op = r_.program().calls[scaling_->index()].name;
      const ValueId scaled = r_.add_value(Value(r_.tensor(q)));
      r_.replace(scaling_->index(), op, {{"self", q}, {"other", scale_}}, scaled);
      q = scaled;
    }
    for (size_t i : taken_) r_.remove(i);
    r_.replace(last_, kAttention,
               {{"query", q}, {"key", *k_}, {"value", *v_}, {"scale", r_.add_value(1.0)}}, y_);
    for (ValueId id : operands_) r_.remove_unused(id);
  }

 private:
  // From the softmax back to q and k.
  bool find_scores() {
    ValueId scores = softmax_["self"];
    const size_t rank = r_.tensor(scores).dims.rank();
    const auto dim = r_.number(softmax_["dim"]);
    if (rank != 4 || (dim != -1 && dim != 3) || r_.uses(scores) != 1) return false;
    scaling_ = r_.producer(scores, "aten.mul.Tensor");
    if (!scaling_) scaling_ = r_.producer(scores, "aten.div.Tensor");
    if (scaling_) {
      scores = (*scaling_)["self"], scale_ = (*scaling_)["other"];
      if (r_.tensor(scale_).dims.numel() != 1 || !is_float(r_.tensor(scale_).dtype)) return false;
    }
    const auto view = r_.producer(scores, kAttentionView);
    if (!view || r_.uses(scores) != 1 || r_.uses((*view)["self"]) != 1) return false;
    scores_sizes_ = r_.identity((*view)["size"]);
    const auto product = r_.producer((*view)["self"], kAttentionProduct);
    if (!product) return false;
    taken_.insert(taken_.end(), {view->index(), product->index()});
    q_ = with_heads(r_, (*product)["self"]);
    const auto turned = with_heads(r_, (*product)["mat2"]);
    if (turned) k_ = r_.before_permute(*turned, {0, 1, 3, 2});
    operands_ = {(*product)["self"], (*product)["mat2"]};
    return q_ && k_;
  }

  // From the softmax on to v and the result.
  bool find_result() {
    taken_.push_back(softmax_.index());
    const auto view = r_.only_reader(softmax_.out(), kAttentionView);
    if (!view) return false;
    // The view back must be of the same two sizes.
    const std::vector<int64_t> sizes = r_.identity((*view)["size"]);
    if (sizes.size() != 6 || scores_sizes_.size() != 8) return false;
    if (!std::equal(sizes.begin() + 2, sizes.end(), scores_sizes_.begin() + 4)) return false;
    const auto product = r_.only_reader(view->out(), kAttentionProduct);
    if (!product || (*product)["self"] != view->out()) return false;
    taken_.insert(taken_.end(), {view->index(), product->index()});
    v_ = with_heads(r_, (*product)["mat2"]);
    operands_.push_back((*product)["mat2"]);
    const auto last = r_.only_reader(product->out(), kAttentionView);
    if (!v_ || !last) return false;
    last_ = last->index();
    y_ = last->out();
    const auto y_sizes = sizes_of(r_, (*last)["size"]);
    return y_sizes.size() == 4 && y_sizes[0] && y_sizes[1] && y_sizes[3];
  }

  bool fits() const {
    const TensorDecl &q = r_.tensor(*q_), &k = r_.tensor(*k_), &v = r_.tensor(*v_);
    const bool same = k.dims == v.dims && q.dims == r_.tensor(y_).dims && q.dims[0] == k.dims[0] &&
                      q.dims[1] == k.dims[1] && q.dims[3] == k.dims[3];
    if (!same || !is_float(q.dtype) || k.dtype != q.dtype || v.dtype != q.dtype) return false;
    const ValueId all[] = {*q_, *k_, *v_};
    return std::all_of(std::begin(all), std::end(all),
                       [&](ValueId id) { return !r_.is_mutated(id) && is_dim_fixed(r_, id, 3); });
  }

  Rewriter& r_;
  FullCall softmax_;
  std::optional<FullCall> scaling_;
  ValueId scale_ = 0;
  std::optional<ValueId> q_, k_, v_;
  std::vector<int64_t> scores_sizes_;
  std::vector<size_t> taken_;
  std::vector<ValueId> operands_;  // of the two products
  size_t last_ = 0;
  ValueId y_ = 0;
};

}  // namespace

void fuse_attention(Program& program) {
  Rewriter r(program);
  for (size_t i = 0; i < r.call_count(); ++i) {
    const auto softmax = r.call(i, "aten._softmax.default");
    if (!softmax) continue;
    WrittenOut attention(r, *softmax);
    if (attention.find()) attention.fuse();
  }
}

}  // namespace highwater
