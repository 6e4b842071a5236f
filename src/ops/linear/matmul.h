// x times a dense matrix, at any live sizes.
#pragma once

#include <array>
#include <optional>

#include "graph/op.h"
#include "ops/long_walks.h"
#include "wgsl/matmul_any.h"
#include "wgsl/matmul_tile.h"

namespace highwater {

// How the right-hand side lies in memory: a linear layer's weight is [N, K], a matrix [K, N].
enum class WeightLayout { ColumnsByDepth, DepthByColumns };

class Matmul {
 public:
  struct Operands {
    Tensor x;
    Tensor w;
    std::optional<Tensor> bias;
    Tensor y;
    WeightLayout layout;
    double alpha = 1;
    double beta = 1;
  };
  struct Problem {
    int64_t batch = 1;
    int64_t rows = 0;
    int64_t columns = 0;
    int64_t depth = 0;
    bool shared_weight = true;  // by all batches
    Dims bias;
  };

  Matmul(Args& a, const Operands& operands);

  Status plan(const Problem& p, Plan& plan) const;

 private:
  // Rows of one invocation, for at least so many live rows.
  static constexpr std::array<int64_t, 3> kTileRows{1, 2, 4};

  Operands o_;
  WalkLimit walk_limit_;
  std::array<Step<wgsl::matmul_tile>, kTileRows.size()> tile_;
  Step<wgsl::matmul_any> any_;
};

}  // namespace highwater
