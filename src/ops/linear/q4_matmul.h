// x times a 4-bit weight, at any live number of rows.
#pragma once

#include <optional>
#include <vector>

#include "graph/op.h"
#include "ops/routes.h"
#include "wgsl/linear/q4_any.h"
#include "wgsl/linear/q4_blocks.h"
#include "wgsl/linear/q4_slices.h"
#include "wgsl/linear/q4_tile.h"

namespace highwater {

// Which way a byte's two weights lie.
enum class NibbleOrder { LowFirst, HighFirst };

// A kernel, with how many rows and quads of columns for a lane or a workgroup, and from how many
// live rows on it is the best choice.
struct Q4Route {
  enum class Kernel : uint8_t { Lanes, Slices, Blocks };
  int64_t from_rows;
  Kernel kernel;
  int64_t rows;
  int64_t quads;
  int64_t words = 0;  // of a block, that lanes compute in one step: 1 or 4
  // Only the kernel's own is declared.
  Step<wgsl::linear::q4_tile> tile = {};
  Step<wgsl::linear::q4_slices> slices = {};
  Step<wgsl::linear::q4_blocks> blocks = {};
};

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
  bool tiles() const;
  void declare_tiles(Args& a);
  void declare_route(Args& a, Q4Route& route);
  const Q4Route& route_for(int64_t rows) const;
  void plan_tiles(int64_t rows, Plan& plan) const;
  template <class K>
  void run_tiles(Step<K> step, const Q4Route& route, int64_t rows, Plan& plan) const;
  void plan_any(int64_t rows, Plan& plan) const;
  // Gate and partner are computed together.
  int64_t layers() const { return o_.swiglu ? 2 : 1; }

  Operands o_;
  std::vector<int64_t> columns_;  // of each output
  int64_t all_columns_ = 0;       // of w
  int64_t row_bytes_ = 0;
  int64_t scale_row_ = 0;
  uint32_t lanes_;
  Routes<Q4Route> routes_;
  Step<wgsl::linear::q4_any> any_;
};

}  // namespace highwater
