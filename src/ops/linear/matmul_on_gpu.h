// A dense product on a GPU: workgroups that share what they load, for few rows and for many.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "graph/op.h"
#include "wgsl/linear/matmul_block.h"
#include "wgsl/linear/matmul_shared.h"
#include "wgsl/linear/matmul_slices.h"
#include "wgsl/linear/matmul_tile.h"

namespace highwater {

class MatmulOnGpu {
 public:
  using Params = wgsl::linear::matmul_shared::Params;

  struct Product {
    std::vector<Tensor> bindings;
    std::vector<Substitution> substitutions;  // those that all of its kernels share
    std::string before, after;                // the size of a tile, in reports
    int64_t layers = 1;                       // read together
    // At most; columns are those of one layer.
    int64_t batch = 1, rows = 0, column_quads = 0, depth_quads = 0;
    bool by_column = false;  // neighbours in w are those along the depth
    bool live_columns = false;
  };

  MatmulOnGpu(Args& a, const Product& product);

  void plan(const Params& params, int64_t batch, Plan& plan) const;

 private:
  // A tile of so many rows. One of its steps is declared, if any: the first for few rows.
  struct Route {
    int64_t rows;
    Step<wgsl::linear::matmul_slices> slices = {};
    Step<wgsl::linear::matmul_block> block = {};

    bool is_few() const { return rows <= kMostFew; }
  };
  // What one step computes of the result, from a row and a quad of columns on.
  struct Part {
    int64_t row = 0, rows = 0;
    int64_t quad = 0, quads = 0;
  };
  static constexpr int64_t kMostFew = 8;

  void declare_slices(Args& a, const Product& product, Route& route) const;
  void declare_block(Args& a, const Product& product, Route& route) const;
  void declare_narrow(Args& a, const Product& product);
  const Route& route_for(int64_t rows) const;
  void plan_part(const Route& route, const Part& part, int64_t batch, Params params,
                 Plan& plan) const;
  void plan_narrow(const Part& part, int64_t batch, Params params, Plan& plan) const;
  // What a round of a kernel's loop costs, as a part of one of the largest block's.
  double share_of(const Route& route) const;

  int64_t layers_;
  int64_t width_;  // quads of columns of a workgroup that takes few rows
  std::array<Route, 7> routes_{{{1}, {4}, {8}, {12}, {16}, {20}, {32}}};
  // Live columns that are over where others make whole blocks, a quad for each invocation.
  Step<wgsl::linear::matmul_tile> narrow_;
};

}  // namespace highwater
