// x times a dense matrix, at any live sizes.
#pragma once

#include <optional>
#include <vector>

#include "graph/op.h"
#include "ops/gather/strided_copy.h"
#include "ops/routes.h"
#include "wgsl/linear/matmul_tile.h"

namespace highwater {

// How the right-hand side lies in memory: a linear layer's weight is [N, K], a matrix [K, N].
enum class WeightLayout { ColumnsByDepth, DepthByColumns };

class Matmul {
 public:
  struct Operands {
    Tensor x;
    Tensor w;
    std::optional<Tensor> bias;
    std::vector<Tensor> ys;  // up to three, whose columns stand side by side in w
    WeightLayout layout;
    double alpha = 1;
    double beta = 1;
    bool swiglu = false;  // w holds a gate and what it gates: y = silu(x gate) * (x other)
  };
  struct Problem {
    int64_t batch = 1;
    int64_t rows = 0;
    int64_t columns = 0;  // of w
    int64_t depth = 0;
    bool shared_weight = true;  // by all batches
    Dims bias;
    Dims y;
  };

  Matmul(Args& a, const Operands& operands);

  // Gives the only output its dims; several have theirs already.
  Status plan(const Shapes& s, const Problem& p, Plan& plan) const;

 private:
  // How many rows and column quads a lane computes, and from how many live rows on that is the best
  // choice. Large tiles load little for what they compute, and loads are what a product costs.
  struct Route {
    int64_t from_rows;
    int64_t rows;
    int64_t quads;
    Step<wgsl::linear::matmul_tile> whole = {};   // where all rows in memory are whole quads
    Step<wgsl::linear::matmul_tile> ragged = {};  // where not
  };

  static Routes<Route> routes_for(uint32_t lanes, int64_t column_quads, int64_t layers);
  // How many quads of the depth a lane takes at a time.
  int64_t step_of(const Route& route) const;
  // The weight as kernels read it best, if nothing else reads it; else as it is.
  Tensor packed_weight(Args& a);
  void declare_whole(Args& a);
  void declare_ragged(Args& a);
  Step<wgsl::linear::matmul_tile> declare(Args& a, const Route& route,
                                          const std::vector<Tensor>& bindings, bool whole) const;
  // Runs what computes so many rows, from `params.row_start` on. A few that are over where others
  // make whole tiles have a smaller tile, so that a length costs what its neighbours cost.
  void plan_rows(const Route& route, int64_t rows, int64_t batch,
                 wgsl::linear::matmul_tile::Params params, Plan& plan) const;
  void place_outputs(int64_t column_quads, wgsl::linear::matmul_tile::Params& params) const;
  int64_t layers() const { return o_.swiglu ? 2 : 1; }

  Operands o_;
  bool is_packed_ = false;  // the weight of `whole`
  Dims bias_bound_;
  uint32_t lanes_;
  std::vector<int64_t> widths_;  // of each output, where there are several
  Routes<Route> routes_;
  // What is written element by element is of 32 bits; other results are made of that.
  std::optional<Tensor> wide_y_;
  std::optional<StridedCopy> narrow_y_;
};

}  // namespace highwater
