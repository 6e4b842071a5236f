// Rotary embeddings become part of the attention that reads them.
#include <gtest/gtest.h>

#include "support/rewritten.h"

namespace highwater {
namespace {

using Names = std::vector<std::string>;
const Dims kRopeQ{1, 8, 4, 16}, kRopeK{1, 8, 2, 16}, kRopeCache{1, 32, 2, 16};
constexpr const char* kCachedSdpa = "sdpa_with_kv_cache.default";

struct TurnedIntoCache {
  ProgramBuilder b;
  ValueId q = b.input(kRopeQ), k = b.input(kRopeK), v = b.input(kRopeK),
          position = b.input_scalar();
  ValueId turned_q = b.tensor(kRopeQ), turned_k = b.tensor(kRopeK), y = 0;

  TurnedIntoCache() {
    b.call("hw.rope.at", {q, k, b.constant({32, 8}, "cosines"), b.constant({32, 8}, "sines"),
                          position, b.list({turned_q, turned_k})});
  }
  void attend(ValueId query, ValueId key) {
    y = b.apply(kCachedSdpa,
                {query, key, v, b.constant(kRopeCache, "k"), b.constant(kRopeCache, "v"), position,
                 b.integer(1), b.null(), b.number(0), b.flag(true), b.null()},
                kRopeQ);
    b.output(y);
  }
};

TEST(RopeCache, BecomesPartOfAttention) {
  TurnedIntoCache t;
  t.attend(t.turned_q, t.turned_k);
  const Rewritten after(t.b, fuse_rope_cache);
  EXPECT_EQ(after.names(), Names{"hw.sdpa_with_kv_cache.rope"});
  EXPECT_EQ(after.args(0)[0], t.q);
  EXPECT_EQ(after.args(0)[1], t.k);
  EXPECT_EQ(after.args(0).back(), t.y);
}

TEST(RopeCache, WhatOthersReadIsLeftAlone) {
  for (const bool query : {true, false}) {
    TurnedIntoCache t;
    t.attend(t.turned_q, t.turned_k);
    t.b.output(query ? t.turned_q : t.turned_k);
    EXPECT_TRUE(leaves_alone(t.b, fuse_rope_cache));
  }
}

TEST(RopeCache, WhatIsNotTurnedIsLeftAlone) {
  TurnedIntoCache t;
  t.attend(t.turned_q, t.k);
  t.b.output(t.turned_k);
  EXPECT_TRUE(leaves_alone(t.b, fuse_rope_cache));
}

}  // namespace
}  // namespace highwater
