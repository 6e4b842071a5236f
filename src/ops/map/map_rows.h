// Ops of the map family that are rows of a table.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "ops/map/map.h"

namespace highwater {

// Where an op does the same with ints as with floats.
inline constexpr std::string_view kSame = "same";

// What an op computes, as WGSL. The tensors of its schema are a, b and c in order, and its numbers
// p, q and so on; see Mapped.
struct MapRow {
  OpRow op;
  std::string_view on_float;      // empty: it is not defined on floats
  std::string_view on_int = {};   // empty: ints are computed as floats
  std::string_view on_bool = {};  // where that is not as for other ints
  // Of rows of the same op, this is for the op's string argument being so. A none is empty.
  std::string_view when = {};
  // What a number that is none stands for.
  std::array<double, Mapped::kMostNumbers> none = {};
};

// Whether there are names for all that the ops take.
constexpr bool has_names(std::span<const MapRow> table) {
  for (const MapRow& row : table) {
    const Schema schema(row.op.schema.text);
    size_t tensors = 0, numbers = 0;
    for (const Argument& argument : schema.arguments()) {
      tensors += argument.kind == ArgumentKind::Tensor;
      numbers += argument.kind == ArgumentKind::Scalar;
    }
    if (tensors > Mapped::kMostOperands || numbers > Mapped::kMostNumbers) return false;
  }
  return true;
}

class MapOp : public Op {
 public:
  MapOp(Args& a, std::span<const MapRow> table);

  Status plan(const Shapes& s, Plan& plan) const override { return map_.plan(s, plan); }

 private:
  Map map_;
};

}  // namespace highwater

// Registers the rows of a table as ops of class T.
#define HIGHWATER_MAPS(T, rows)                          \
  static_assert(::highwater::has_names(rows));           \
  class T final : public ::highwater::MapOp {            \
   public:                                               \
    explicit T(::highwater::Args& a) : MapOp(a, rows) {} \
  };                                                     \
  HIGHWATER_OPS(T, rows)
