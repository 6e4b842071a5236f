// x times a 4-bit weight, at any live number of rows.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/op.h"
#include "ops/linear/q4_input.h"
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
  // Only the kernel's own is declared; of tiles one for all outputs, or one for each.
  std::array<Step<wgsl::linear::q4_tile>, 3> tiles = {};
  Step<wgsl::linear::q4_slices> slices = {};
  Step<wgsl::linear::q4_blocks> blocks = {};
};

class Q4Matmul {
 public:
  struct Operands {
    Q4Input::Operands input;  // [..., K]
    Tensor w;                 // uint8 [N, pad8(K) / 2]
    Tensor scale;             // [K / group, at least N], or [N] for one group
    std::optional<Tensor> bias;
    std::vector<Tensor> ys;  // up to three, whose columns stand side by side in w
    int64_t group;           // weights that share a scale
    int64_t depth;           // K
    NibbleOrder order = NibbleOrder::LowFirst;
    bool swiglu = false;  // w holds a gate and what it gates: y = silu(x gate) * (x other)
    std::optional<Tensor> residual = std::nullopt;  // of y's dims, added to the only one
  };

  Q4Matmul(Args& a, const Operands& operands);

  // Resizes the outputs and runs the kernel that suits the live number of rows.
  Status plan(const Dims& x, Plan& plan) const;

 private:
  bool tiles() const;
  void declare_tiles(Args& a);
  void pack_weight(Args& a);
  void declare_route(Args& a, Q4Route& route, Tensor x);
  // Whether a kernel makes what it sees of the input as it goes. Each workgroup does so anew, which
  // a single row, for which it waits for weights, hides; of four it takes a quarter longer.
  static bool sees_for_itself(const Q4Route& route) {
    return route.kernel == Q4Route::Kernel::Slices && route.rows == 1;
  }
  const Q4Route& route_for(int64_t rows) const;
  void declare_lanes(Args& a, Q4Route& route, Tensor x, std::vector<Substitution> substitutions);
  bool is_by_output(const Q4Route& route) const;
  void plan_tiles(int64_t rows, Plan& plan) const;
  // Computes so many of the outputs.
  struct Window {
    size_t first;
    size_t count;
  };
  template <class K>
  void run_tiles(Step<K> step, const Q4Route& route, const Window& window, int64_t rows,
                 Plan& plan) const;
  std::vector<Tensor> bindings_of(const Q4Route& route, const Window& window, Tensor x) const;
  std::vector<std::pair<std::string_view, Tensor>> more_of(const Q4Route& route, Tensor x) const;
  std::string more_inputs(const Q4Route& route) const;
  std::string variant_of(const Q4Route& route, const Window& window) const;
  Window all_outputs() const { return {0, o_.ys.size()}; }
  int64_t tile_quads(const Q4Route& route) const;
  void plan_any(int64_t rows, Plan& plan) const;
  // Gate and partner are computed together.
  int64_t layers() const { return o_.swiglu ? 2 : 1; }

  Operands o_;
  int64_t most_rows_;
  Q4Input input_;
  std::vector<int64_t> columns_;  // of each output
  int64_t all_columns_ = 0;       // of w
  int64_t row_bytes_ = 0;
  int64_t scale_row_ = 0;
  bool is_packed_ = false;
  uint32_t lanes_;
  Routes<Q4Route> routes_;
  Step<wgsl::linear::q4_any> any_;
};

}  // namespace highwater
