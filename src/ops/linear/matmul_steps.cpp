// What a dense product declares on the device: its weight in the order of the kernels, and these.
#include "ops/linear/matmul.h"
#include "wgsl/linear/matmul_ragged.h"
#include "wgsl/linear/matmul_whole.h"
#include "wgsl/linear/matmul_write_columns.h"
#include "wgsl/linear/q4_write_swiglu.h"

namespace highwater {
namespace {

// Columns of a weight that lie side by side, so that neighbours in a subgroup or a workgroup load
// from neighbouring places; as `w_packed` has it.
constexpr int64_t kPanelColumns = 32;

}  // namespace

Tensor Matmul::packed_weight(Args& a) {
  const Dims& w = a.bound(o_.w);
  is_packed_ =
      o_.layout == WeightLayout::ColumnsByDepth && w.rank() == 2 && a.is_own_constant(o_.w);
  if (!is_packed_) return o_.w;
  const int64_t panels = ceil_div(w[0], kPanelColumns);
  return a.arranged(o_.w, {w, {{panels, 0, kPanelColumns}, {w[1], 1}, {kPanelColumns, 0}}});
}

std::vector<Tensor> Matmul::bindings(const std::vector<Tensor>& ys, Tensor w) const {
  std::vector<Tensor> result = ys;
  for (Tensor t : {o_.x, w, o_.bias.value_or(o_.x)}) result.push_back(t);
  if (o_.epilogue.residual) result.push_back(*o_.epilogue.residual);
  return result;
}

void Matmul::declare_whole(Args& a) {
  declare_tiles(a, bindings(o_.ys, packed_weight(a)), true);
}

void Matmul::declare_ragged(Args& a) {
  Tensor y = o_.ys[0];
  if (a.dtype(y) != DType::Float32) {
    wide_y_ = a.scratch(DType::Float32, a.bound(y).numel());
    narrow_y_.emplace(a, y, *wide_y_, "narrow");
    y = *wide_y_;
  }
  declare_tiles(a, bindings({y}, o_.w), false);
}

void Matmul::declare_tiles(Args& a, const std::vector<Tensor>& bindings, bool whole) {
  if (!a.traits().software) {
    (whole ? whole_on_gpu_ : ragged_on_gpu_).emplace(declare_on_gpu(a, bindings, whole));
    return;
  }
  for (Tile* tile : tiles()) {
    (whole ? tile->whole : tile->ragged) = declare(a, *tile, bindings, whole);
  }
}

MatmulOnGpu Matmul::declare_on_gpu(Args& a, const std::vector<Tensor>& bindings, bool whole) const {
  const Dims &y = a.bound(o_.ys[0]), &w = a.bound(o_.w);
  const int64_t columns = w[w.rank() - (is_layer() ? 2 : 1)];
  const int64_t depth = w[w.rank() - (is_layer() ? 1 : 2)];
  const int64_t rows = is_layer() ? y.rows() : y[y.rank() - 2];
  return MatmulOnGpu(a, {.bindings = bindings,
                         .substitutions = substitutions(whole),
                         .before = name_before(),
                         .after = name_after(whole),
                         .layers = layers(),
                         .batch = is_layer() || y.rank() < 3 ? 1 : y[0],
                         .rows = rows,
                         .column_quads = ceil_div<int64_t>(columns / layers(), 4),
                         .depth_quads = ceil_div<int64_t>(depth, 4),
                         .by_column = reads_by_column(whole),
                         .live_columns = !weight_is_constant_});
}

std::vector<Substitution> Matmul::substitutions(bool whole) const {
  const bool by_column = reads_by_column(whole);
  return {
      {"OPERANDS", std::string(whole ? wgsl::linear::matmul_whole::kSource.text
                                     : wgsl::linear::matmul_ragged::kSource.text)},
      {"EPILOGUE", o_.epilogue.lines(whole ? Epilogue::Place::Quad : Epilogue::Place::Elements)},
      {"LAYERS", std::to_string(layers())},
      {"OUTPUTS", std::to_string(o_.ys.size())},
      {"W", by_column     ? "w_by_column"
            : !is_layer() ? "w_by_depth"
                          : "w_packed"},
      // A layer's bias is one row; loading it for every row would cost as much as a tenth of the
      // tile.
      {"NEXT_BIAS", is_layer() ? ""
                               : "b = params.beta * bias_along(min(row + ${m}u, params.rows - 1u) "
                                 "* params.bias_row, w_quad${c});"},
      {"ADD", by_column ? "add_by_column" : "add_by_depth"},
      // Of one quad of sums, for the kernel that has a loop for all of them; and of all of them.
      {"RESULT", o_.swiglu ? "gate / (1.0 + exp(-gate)) * v"
                           : "epilogue(v, place(batch_row + at_row, quad))"},
      {"WRITE", std::string(o_.swiglu ? wgsl::linear::q4_write_swiglu::kSource.text
                                      : wgsl::linear::matmul_write_columns::kSource.text)}};
}

std::string Matmul::name_before() const {
  return is_layer() ? "linear_" : "mm_";
}

std::string Matmul::name_after(bool whole) const {
  const std::string end = o_.epilogue.name();
  return text(o_.swiglu ? "_swiglu" : "", end.empty() ? "" : text("_", end),
              o_.ys.size() > 1 ? text("_to_", o_.ys.size()) : "", whole ? "" : "_ragged");
}

Step<wgsl::linear::matmul_tile> Matmul::declare(Args& a, const Tile& tile,
                                                const std::vector<Tensor>& bindings,
                                                bool whole) const {
  const int64_t step = tile.step();
  std::vector<Substitution> all = substitutions(whole);
  for (Substitution s :
       {Substitution{"LANES", std::to_string(tile.lanes)},
        {"FROM_LANE", tile.lanes == 1 ? "mine${g}" : "subgroupBroadcast(mine${g}, ${l}u)"},
        {"ROWS", std::to_string(tile.rows)},
        {"WRITE_ROWS", std::to_string(tile.rows)},
        {"QUADS", std::to_string(tile.quads)},
        {"OWN_QUADS", std::to_string(tile.quads)},
        {"SUMS", std::to_string(tile.rows * tile.quads)},
        {"STEP", std::to_string(step)},
        {"WHEN_INSIDE", step == 1 ? "" : "if (k + ${j}u < params.depth_quads)"},
        {"LOADS", std::to_string(tile.rows * step / tile.lanes)}}) {
    all.push_back(std::move(s));
  }
  return a.step<wgsl::linear::matmul_tile>(
      bindings, all,
      text(name_before(), tile.rows, "x", 4 * tile.quads / layers(), name_after(whole)));
}

}  // namespace highwater
