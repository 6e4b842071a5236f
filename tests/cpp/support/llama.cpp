#include "support/llama.h"

#include "passes/passes.h"
#include "runtime/sampler.h"
#include "support/expect.h"
#include "support/program_builder.h"

namespace highwater {
namespace {

class Llama {
 public:
  explicit Llama(const LlamaSizes& sizes) : s_(sizes) {
    const ValueId tokens = b_.input({1, s_.longest}, DType::Int64);
    position_ = b_.input_scalar();
    length_ = b_.apply_scalar("sym_size.int", {tokens, b_.integer(1)});
    cosines_ = b_.constant({s_.capacity, s_.head_dim / 2}, "cosines");
    sines_ = b_.constant({s_.capacity, s_.head_dim / 2}, "sines");
    ValueId x = b_.apply("et_vk.embedding_q4gsw.default",
                         {b_.constant({s_.vocabulary, s_.dim / 2}, name("table"), DType::UInt8),
                          b_.constant({s_.vocabulary, s_.dim / kGroup}, name("table_scales")),
                          b_.integer(kGroup), tokens},
                         rows(s_.dim));
    for (int64_t i = 0; i < s_.layers; ++i) x = feed_forward(attention(x));
    const ValueId last =
        b_.apply("aten.select_copy.int", {x, b_.integer(1), b_.integer(-1)}, {1, s_.dim});
    b_.output(linear(norm(last), {1, s_.vocabulary}));
  }

  Program program() const { return b_.program(); }

 private:
  static constexpr int64_t kGroup = 32;

  Dims rows(int64_t width) const { return {1, s_.longest, width}; }
  std::string name(std::string_view what) { return text(what, names_++); }

  ValueId linear(ValueId x, const Dims& y) {
    const int64_t depth = b_.bound(x).back(), columns = y.back();
    return b_.apply(
        "et_vk.linear_q4gsw.default",
        {x, b_.constant({columns, depth / 2}, name("w"), DType::UInt8),
         b_.constant({depth / kGroup, columns}, name("scales")), b_.integer(kGroup), b_.null()},
        y);
  }

  ValueId norm(ValueId x) {
    const Dims dims = b_.bound(x);
    return b_.apply("et_vk.rms_norm.default",
                    {x, b_.constant({dims.back()}, name("norm")), b_.number(1e-5)}, dims);
  }

  ValueId add(ValueId x, ValueId y) {
    return b_.apply("aten.add.Tensor", {x, y, b_.integer(1)}, b_.bound(x));
  }

  ValueId heads_of(ValueId x, int64_t heads) {
    const ValueId size =
        b_.list({b_.integer(1), length_, b_.integer(heads), b_.integer(s_.head_dim)});
    return b_.apply("aten.view_copy.default", {x, size}, {1, s_.longest, heads, s_.head_dim});
  }

  ValueId attention(ValueId x) {
    const ValueId y = norm(x);
    const int64_t width = s_.heads * s_.head_dim, kv_width = s_.kv_heads * s_.head_dim;
    const ValueId q = linear(y, rows(width)), k = linear(y, rows(kv_width)),
                  v = linear(y, rows(kv_width));
    const Dims q_dims{1, s_.longest, s_.heads, s_.head_dim},
        k_dims{1, s_.longest, s_.kv_heads, s_.head_dim},
        cache{1, s_.capacity, s_.kv_heads, s_.head_dim};
    const ValueId turned_q = b_.tensor(q_dims), turned_k = b_.tensor(k_dims);
    b_.call("hw.rope.at", {heads_of(q, s_.heads), heads_of(k, s_.kv_heads), cosines_, sines_,
                           position_, b_.list({turned_q, turned_k})});
    const ValueId seen =
        b_.apply("sdpa_with_kv_cache.default",
                 {turned_q, turned_k, heads_of(v, s_.kv_heads), b_.constant(cache, name("k_cache")),
                  b_.constant(cache, name("v_cache")), position_, length_, b_.null(),
                  b_.number(0.0), b_.flag(true), b_.null()},
                 q_dims);
    const ValueId size = b_.list({b_.integer(1), length_, b_.integer(width)});
    const ValueId joined = b_.apply("aten.view_copy.default", {seen, size}, rows(width));
    return add(x, linear(joined, rows(s_.dim)));
  }

  ValueId feed_forward(ValueId x) {
    const ValueId y = norm(x);
    const ValueId gate = linear(y, rows(s_.hidden)), up = linear(y, rows(s_.hidden));
    const ValueId sigmoid = b_.apply("aten.sigmoid.default", {gate}, rows(s_.hidden));
    const ValueId silu = b_.apply("aten.mul.Tensor", {gate, sigmoid}, rows(s_.hidden));
    const ValueId gated = b_.apply("aten.mul.Tensor", {silu, up}, rows(s_.hidden));
    return add(x, linear(gated, rows(s_.dim)));
  }

  LlamaSizes s_;
  ProgramBuilder b_;
  ValueId position_ = 0, length_ = 0, cosines_ = 0, sines_ = 0;
  int names_ = 0;
};

}  // namespace

Program llama_program(const LlamaSizes& sizes) {
  Program program = Llama(sizes).program();
  const Status status = add_sampler(program);
  if (!status) give_up(status.error());
  run_passes(program, "");
  return program;
}

}  // namespace highwater
