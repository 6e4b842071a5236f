// x times a dense matrix, at any live sizes.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "graph/op.h"
#include "ops/gather/strided_copy.h"
#include "ops/linear/matmul_on_gpu.h"
#include "ops/map/epilogue.h"
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
    bool swiglu = false;     // w holds a gate and what it gates: y = silu(x gate) * (x other)
    Epilogue epilogue = {};  // of one output
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
  using Params = MatmulOnGpu::Params;
  // How many rows and column quads a lane computes, of so many that share the rows. Large tiles
  // load little for what they compute, and loads are what a product costs.
  struct Tile {
    int64_t rows = 0;
    int64_t quads = 0;
    uint32_t lanes = 1;
    Step<wgsl::linear::matmul_tile> whole = {};   // where all rows in memory are whole quads
    Step<wgsl::linear::matmul_tile> ragged = {};  // where not

    bool is_used() const { return rows > 0; }
    // How many quads of the depth a lane takes at a time.
    int64_t step() const { return std::max<int64_t>(lanes / rows, 1); }
    int64_t width() const { return lanes * quads; }
  };
  // From how many live rows on a tile is the best choice.
  struct Route {
    int64_t from_rows;
    Tile tile;
  };
  // A part of the result that one step computes, from a row and a quad of columns on.
  struct Part {
    int64_t row = 0;
    int64_t rows = 0;
    int64_t quad = 0;
    int64_t column_tiles = 0;
  };

  static Routes<Route> routes_for(uint32_t lanes, int64_t column_quads, int64_t layers);
  // Those that take what columns are over, where their number is live.
  void add_small_tiles();
  // The weight as kernels read it best, if nothing else reads it; else as it is.
  Tensor packed_weight(Args& a);
  void declare_whole(Args& a);
  void declare_ragged(Args& a);
  void declare_tiles(Args& a, const std::vector<Tensor>& bindings, bool whole);
  MatmulOnGpu declare_on_gpu(Args& a, const std::vector<Tensor>& bindings, bool whole) const;
  Step<wgsl::linear::matmul_tile> declare(Args& a, const Tile& tile,
                                          const std::vector<Tensor>& bindings, bool whole) const;
  // What fills the holes that all kernels have, and how they are called about the size of a tile.
  std::vector<Substitution> substitutions(bool whole) const;
  std::string name_before() const;
  std::string name_after(bool whole) const;
  bool is_layer() const { return o_.layout == WeightLayout::ColumnsByDepth; }
  bool reads_by_column(bool whole) const { return is_layer() && !(whole && is_packed_); }
  std::vector<Tile*> tiles();
  // What a kernel binds, in order.
  std::vector<Tensor> bindings(const std::vector<Tensor>& ys, Tensor w) const;
  // Runs what computes all rows and columns. Those that are over where others make whole tiles have
  // smaller tiles, so that a length costs what its neighbours cost.
  void plan_parts(const Params& params, int64_t batch, Plan& plan) const;
  void plan_part(const Tile& tile, const Part& part, int64_t batch, Params params,
                 Plan& plan) const;
  // What a round of the tile's loop costs.
  double work_of(const Tile& tile) const;
  void place_outputs(int64_t column_quads, Params& params) const;
  int64_t layers() const { return o_.swiglu ? 2 : 1; }

  Operands o_;
  bool is_packed_ = false;  // the weight of `whole`
  Dims bias_bound_;
  uint32_t lanes_;
  std::vector<int64_t> widths_;  // of each output, where there are several
  bool weight_is_constant_ = false;
  std::optional<MatmulOnGpu> whole_on_gpu_, ragged_on_gpu_;
  Routes<Route> routes_;  // of software adapters
  Tile thin_;             // as many rows as the largest, and a quad of columns for each lane
  Tile narrow_;           // a quad of columns for one alone, whose neighbours have other rows
  // What is written element by element is of 32 bits; other results are made of that.
  std::optional<Tensor> wide_y_;
  std::optional<StridedCopy> narrow_y_;
};

}  // namespace highwater
