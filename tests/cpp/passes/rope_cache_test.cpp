// Rotary embeddings become part of the attention that reads them.
#include <gtest/gtest.h>

#include "support/rewritten.h"

namespace highwater {
namespace {

using Names = std::vector<std::string>;
const Dims kQ{1, 8, 4, 16}, kK{1, 8, 2, 16}, kCache{1, 32, 2, 16};
constexpr const char* kSdpa = "sdpa_with_kv_cache.default";

struct Turned {
  ProgramBuilder b;
  ValueId q = b.input(kQ), k = b.input(kK), v = b.input(kK), position = b.input_scalar();
  ValueId turned_q = b.tensor(kQ), turned_k = b.tensor(kK), y = 0;

  Turned() {
    b.call("hw.rope.at", {q, k, b.constant({32, 8}, "cosines"), b.constant({32, 8}, "sines"),
                          position, b.list({turned_q, turned_k})});
  }
  void attend(ValueId query, ValueId key) {
    y = b.apply(kSdpa,
                {query, key, v, b.constant(kCache, "k"), b.constant(kCache, "v"), position,
                 b.integer(1), b.null(), b.number(0), b.flag(true), b.null()},
                kQ);
    b.output(y);
  }
};

TEST(RopeCache, BecomesPartOfAttention) {
  Turned t;
  t.attend(t.turned_q, t.turned_k);
  const Rewritten after(t.b, fuse_rope_cache);
  EXPECT_EQ(after.names(), Names{"hw.sdpa_with_kv_cache.rope"});
  EXPECT_EQ(after.args(0)[0], t.q);
  EXPECT_EQ(after.args(0)[1], t.k);
  EXPECT_EQ(after.args(0).back(), t.y);
}

TEST(RopeCache, WhatOthersReadIsLeftAlone) {
  for (const bool query : {true, false}) {
    Turned t;
    t.attend(t.turned_q, t.turned_k);
    t.b.output(query ? t.turned_q : t.turned_k);
    EXPECT_TRUE(leaves_alone(t.b, fuse_rope_cache));
  }
}

TEST(RopeCache, WhatIsNotTurnedIsLeftAlone) {
  Turned t;
  t.attend(t.turned_q, t.k);
  t.b.output(t.turned_k);
  EXPECT_TRUE(leaves_alone(t.b, fuse_rope_cache));
}

}  // namespace
}  // namespace highwater
