// What rotary embeddings of a q and a k share.
#pragma once

#include <algorithm>
#include <vector>

#include "graph/op.h"
#include "graph/params.h"

namespace highwater {

// q and k of dims [batch, positions, heads, head dim], each with an output that follows it, and
// tables whose rows `start` to `start` + positions are used.
class RopePair {
 public:
  RopePair(Args& a, Tensor turned_q, Tensor turned_k)
      : q(a.tensor("xq")),
        k(a.tensor("xk")),
        cosines(a.tensor("freqs_cos")),
        sines(a.tensor("freqs_sin")),
        q_out(turned_q),
        k_out(turned_k) {
    for (Tensor t : {q, k}) {
      const Dims& d = a.bound(t);
      a.require(d.rank() == 4 && d.back() % 4 == 0, "dims ", d,
                " are not [batch, positions, heads, a multiple of 4]");
    }
  }

  // For an op that makes both.
  explicit RopePair(Args& a) : RopePair(a, a.outs()) {}

  // Checks that they go together, and says so to a kernel.
  template <class Params>
  Status fill(const Shapes& s, int64_t start, int64_t table_width, Params& params) const {
    const Dims &qd = s[q], &kd = s[k];
    if (qd[0] != kd[0] || qd[1] != kd[1] || qd[3] != kd[3] || qd[3] % 4 != 0) {
      return fail("q of dims ", qd, " and k of dims ", kd, " do not go together");
    }
    for (Tensor table : {cosines, sines}) {
      const Dims& t = s[table];
      const int64_t rows = t.numel() / std::max<int64_t>(table_width, 1);
      if (t.back() != table_width || start < 0 || start > rows - qd[1]) {
        return fail(qd[1], " positions from ", start, " on run past a table of dims ", t);
      }
    }
    params.q_quads = u32(qd.numel() / 4);
    params.quads = params.q_quads + u32(kd.numel() / 4);
    params.head_quads = u32(qd[3] / 4);
    params.q_heads = u32(qd[2]);
    params.k_heads = u32(kd[2]);
    params.positions = u32(qd[1]);
    params.start = u32(start);
    return {};
  }

  Tensor q, k, cosines, sines;
  Tensor q_out, k_out;

 private:
  RopePair(Args& a, const std::vector<Tensor>& outs) : RopePair(a, outs[0], outs[1]) {}
};

}  // namespace highwater
