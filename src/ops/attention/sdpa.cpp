// Attention ops, with and without a cache.
#include <algorithm>
#include <limits>
#include <variant>

#include "ops/attention/attention.h"
#include "ops/attention/cache_write.h"
#include "ops/rope/rope_into_cache.h"

namespace highwater {
namespace {

std::optional<double> given_scale(Args& a) {
  return a.is_null("scale") ? std::nullopt : std::optional(a.number("scale"));
}

constexpr int64_t kSeesAll = std::numeric_limits<int32_t>::max() / 2;

// Writes k and v at the live position, then attends over all that the caches hold up to there. All
// of q, k and v are [batch, positions, heads, head dim]. seq_len is a literal 1 on some paths: the
// live dims say it better. hw.sdpa_with_kv_cache.rope turns q and k first.
class SdpaWithKvCache final : public Op {
 public:
  explicit SdpaWithKvCache(Args& a)
      : q_(a.tensor(a.takes("xq") ? "xq" : "query")),
        k_(a.tensor(a.takes("xk") ? "xk" : "key")),
        v_(a.tensor("value")),
        k_cache_(a.mutated("key_cache")),
        v_cache_(a.mutated("value_cache")),
        start_(a.live_integer("start_pos")),
        mask_(a.optional_tensor("attn_mask")),
        causal_(a.flag("is_causal")),
        y_(a.out()),
        write_(write_of(a)),
        scale_(given_scale(a)),
        // The longest context is a full cache, wherever the call that fills it starts.
        attention_(a, {y_, query(), k_cache_, v_cache_, mask_},
                   problem(a.bound(q_), a.bound(k_cache_),
                           a.bound(k_cache_).rank() == 4 ? a.bound(k_cache_)[1] : 0)) {
    a.require(a.number("drpout_p") == 0, "dropout is not supported");
    for (Tensor t : {q_, k_, v_, k_cache_, v_cache_}) {
      a.require(a.bound(t).rank() == 4, "dims ", a.bound(t),
                " are not [batch, positions, heads, head dim]");
    }
    a.require(
        a.bound(k_cache_) == a.bound(v_cache_) && a.bound(k_cache_).back() == a.bound(q_).back(),
        "caches of dims ", a.bound(k_cache_), " and ", a.bound(v_cache_));
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims &q = s[q_], &k = s[k_], &cache = s[k_cache_];
    const int64_t start = s[start_];
    if (k != s[v_] || q[0] != k[0] || q[1] != k[1] || q[3] != k[3]) {
      return fail("q of dims ", q, ", k of ", k, " and v of ", s[v_], " do not go together");
    }
    if (const auto* rope = std::get_if<RopeIntoCache>(&write_)) {
      HW_CHECK(rope->plan(s, cache, start, plan));
    } else {
      HW_CHECK(std::get<CacheWrite<2>>(write_).plan(k, cache, start, plan));
    }
    plan.resize(y_, q);
    if (q.numel() == 0) return {};
    Attention::Problem p = problem(q, cache, start);
    if (mask_) {
      HW_CHECK(p.set_mask(s[*mask_], s.bound(*mask_)));
      // Which keys count is then for the mask to say, of all that it is wide.
      p.context = std::min(s[*mask_].back(), cache[1]);
    }
    attention_.plan(p, plan);
    return {};
  }

 private:
  using Write = std::variant<CacheWrite<2>, RopeIntoCache>;

  Write write_of(Args& a) const {
    if (a.takes("xq")) return RopeIntoCache(a, v_, {k_cache_, v_cache_});
    return CacheWrite<2>(a, {{k_cache_, k_}, {v_cache_, v_}});
  }

  Tensor query() const {
    const auto* rope = std::get_if<RopeIntoCache>(&write_);
    return rope ? rope->turned_q() : q_;
  }

  Attention::Problem problem(const Dims& q, const Dims& cache, int64_t start) const {
    Attention::Problem p;
    if (q.rank() != 4 || cache.rank() != 4) return p;
    p.head_dim = q[3];
    p.scale = scale_.value_or(Attention::default_scale(p.head_dim));
    p.batch = q[0];
    p.positions = q[1];
    p.q_heads = q[2];
    p.kv_heads = cache[2];
    p.context = std::min(start + q[1], cache[1]);
    p.causal_from = causal_ ? start : kSeesAll;
    p.q_batch = q[1] * q[2] * q[3];
    p.q_position = q[2] * q[3];
    p.q_head = q[3];
    p.kv_batch = cache[1] * cache[2] * cache[3];
    p.kv_position = cache[2] * cache[3];
    p.kv_head = cache[3];
    return p;
  }

  Tensor q_, k_, v_;
  Tensor k_cache_, v_cache_;
  LiveInt start_;
  std::optional<Tensor> mask_;
  bool causal_;
  Tensor y_;
  Write write_;
  std::optional<double> scale_;
  Attention attention_;
};

// Its result is a dummy: the exporter needs one.
class UpdateCache final : public Op {
 public:
  explicit UpdateCache(Args& a)
      : value_(a.tensor("value")),
        cache_(a.mutated("cache")),
        position_(a.live_integer("start_pos")),
        dummy_(a.out()),
        dummy_dims_(a.bound(dummy_)),
        write_(a, {{cache_, value_}}) {}

  Status plan(const Shapes& s, Plan& plan) const override {
    plan.resize(dummy_, dummy_dims_);
    return write_.plan(s[value_], s[cache_], s[position_], plan);
  }

 private:
  Tensor value_;
  Tensor cache_;
  LiveInt position_;
  Tensor dummy_;
  Dims dummy_dims_;
  CacheWrite<1> write_;
};

// All of [batch, heads, positions, head dim]; without heads, there is one. Of the op that a pass
// writes, all of [batch, positions, heads, head dim], as linear layers leave them.
class Sdpa final : public Op {
 public:
  explicit Sdpa(Args& a)
      : positions_first_(a.op() == "hw.sdpa.positions_first"),
        q_(a.tensor(a.takes("query") ? "query" : "q")),
        k_(a.tensor(a.takes("key") ? "key" : "k")),
        v_(a.tensor(a.takes("value") ? "value" : "v")),
        mask_(a.optional_tensor("attn_mask")),
        causal_(a.takes("is_causal") && a.flag("is_causal")),
        y_(a.out()),
        scale_(given_scale(a)),
        attention_(a, {y_, q_, k_, v_, mask_}, problem(a.bound(q_), a.bound(k_))) {
    a.require(!a.takes("dropout_p") || a.number("dropout_p") == 0, "dropout is not supported");
  }

  Status plan(const Shapes& s, Plan& plan) const override {
    const Dims &q = s[q_], &k = s[k_];
    if (k != s[v_] || !fits(q) || q.rank() != k.rank() || q[0] != k[0] || q.back() != k.back()) {
      return fail("q of dims ", q, ", k of ", k, " and v of ", s[v_], " do not go together");
    }
    plan.resize(y_, q);
    if (q.numel() == 0) return {};
    Attention::Problem p = problem(q, k);
    if (p.context == 0) return fail("there are no keys");
    if (mask_) {
      HW_CHECK(p.set_mask(with_heads(s[*mask_], q), with_heads(s.bound(*mask_), q)));
    }
    attention_.plan(p, plan);
    return {};
  }

 private:
  bool fits(const Dims& dims) const {
    return (dims.rank() == 3 && !positions_first_) || dims.rank() == 4;
  }

  // Of what goes with a q that has no heads.
  static Dims with_heads(const Dims& dims, const Dims& q) {
    Dims result = dims;
    if (q.rank() == 3 && dims.rank() == 3) result.insert(1, 1);
    return result;
  }

  Attention::Problem problem(const Dims& q_dims, const Dims& k_dims) const {
    Attention::Problem p;
    if (!fits(q_dims) || q_dims.rank() != k_dims.rank()) return p;
    const Dims q = with_heads(q_dims, q_dims), k = with_heads(k_dims, q_dims);
    const size_t head = positions_first_ ? 2 : 1, position = positions_first_ ? 1 : 2;
    p.head_dim = q[3];
    p.scale = scale_.value_or(Attention::default_scale(p.head_dim));
    p.batch = q[0];
    p.q_heads = q[head];
    p.positions = q[position];
    p.kv_heads = k[head];
    p.context = k[position];
    p.causal_from = causal_ ? 0 : kSeesAll;
    p.q_batch = q[1] * q[2] * q[3];
    p.q_head = q.product(head + 1, 4);
    p.q_position = q.product(position + 1, 4);
    p.kv_batch = k[1] * k[2] * k[3];
    p.kv_head = k.product(head + 1, 4);
    p.kv_position = k.product(position + 1, 4);
    return p;
  }

  bool positions_first_;
  Tensor q_, k_, v_;
  std::optional<Tensor> mask_;
  bool causal_;
  Tensor y_;
  std::optional<double> scale_;
  Attention attention_;
};

HIGHWATER_OP(
    SdpaWithKvCache,
    {"sdpa_with_kv_cache.default(FloatTensor query, FloatTensor key, FloatTensor value, "
     "FloatTensor(a!) key_cache, FloatTensor(b!) value_cache, SymInt start_pos, "
     "SymInt seq_len, FloatTensor? attn_mask=None, float drpout_p=0.0, "
     "bool is_causal=False, float? scale=None) -> Tensor",
     "no dropout"},
    "hw.sdpa_with_kv_cache.rope(FloatTensor xq, FloatTensor xk, FloatTensor freqs_cos, "
    "FloatTensor freqs_sin, SymInt rope_pos, FloatTensor value, FloatTensor(a!) key_cache, "
    "FloatTensor(b!) value_cache, SymInt start_pos, SymInt seq_len, "
    "FloatTensor? attn_mask=None, float drpout_p=0.0, bool is_causal=False, "
    "float? scale=None) -> Tensor");
HIGHWATER_OP(UpdateCache,
             "update_cache.default(FloatTensor value, FloatTensor(a!) cache, SymInt start_pos) "
             "-> Tensor");
HIGHWATER_OP(Sdpa,
             "et_vk.sdpa.default(FloatTensor q, FloatTensor k, FloatTensor v, "
             "FloatTensor? attn_mask=None, float? scale=None) -> Tensor",
             {"aten.scaled_dot_product_attention.default(FloatTensor query, FloatTensor key, "
              "FloatTensor value, Tensor? attn_mask=None, float dropout_p=0.0, "
              "bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor",
              "no dropout; values as wide as keys"},
             "hw.sdpa.positions_first(FloatTensor query, FloatTensor key, FloatTensor value, "
             "Tensor? attn_mask=None, bool is_causal=False, float? scale=None) -> Tensor");

}  // namespace
}  // namespace highwater
