// x times a 4-bit weight, at any live number of rows.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "graph/op.h"
#include "ops/long_walks.h"
#include "wgsl/q4_any.h"
#include "wgsl/q4_tile.h"

namespace highwater {

// Which way a byte's two weights lie.
enum class NibbleOrder { LowFirst, HighFirst };

class Q4Matmul {
 public:
  struct Operands {
    Tensor x;      // [..., K]
    Tensor w;      // uint8 [N, pad8(K) / 2]
    Tensor scale;  // [K / group, at least N], or [N] for one group
    std::optional<Tensor> bias;
    std::vector<Tensor> ys;  // up to three, whose columns stand side by side in w
    int64_t group;           // weights that share a scale
    int64_t depth;           // K
    NibbleOrder order = NibbleOrder::LowFirst;
    bool swiglu = false;  // w holds a gate and what it gates: y = silu(x gate) * (x other)
  };

  Q4Matmul(Args& a, const Operands& operands);

  // Resizes the outputs and runs the kernel that suits the live number of rows.
  Status plan(const Dims& x, Plan& plan) const;

 private:
  // How many rows and column quads a lane computes, and from how many live rows on that is the best
  // choice. Large tiles load little for what they compute, and loads are what a product costs.
  struct Route {
    int64_t from_rows;
    int64_t rows;
    int64_t quads;
    int64_t words;  // of a block, in one step: 1 or 4
  };
  static constexpr std::array<Route, 3> kRoutes{{{1, 1, 4, 4}, {2, 4, 4, 1}, {9, 16, 4, 1}}};

  bool tiles() const;
  void declare_tiles(Args& a);
  void plan_tiles(int64_t rows, Plan& plan) const;
  Status plan_any(int64_t rows, Plan& plan) const;

  Operands o_;
  WalkLimit walk_limit_;
  std::vector<int64_t> columns_;  // of each output
  int64_t all_columns_ = 0;       // of w
  int64_t row_bytes_ = 0;
  int64_t scale_row_ = 0;
  uint32_t lanes_;
  std::array<Step<wgsl::q4_tile>, kRoutes.size()> tile_;
  Step<wgsl::q4_any> any_;
};

}  // namespace highwater
