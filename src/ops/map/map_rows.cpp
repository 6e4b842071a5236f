#include "ops/map/map_rows.h"

#include <algorithm>

namespace highwater {
namespace {

// The rows of the op, which stand together.
std::span<const MapRow> rows_of(std::span<const MapRow> table, std::string_view op) {
  const auto is_op = [&](const MapRow& row) { return row.op.name() == op; };
  const auto first = std::find_if(table.begin(), table.end(), is_op);
  return {first, std::find_if_not(first, table.end(), is_op)};
}

// The op's string argument, if it has one.
const Argument* choice_of(const Schema& schema) {
  for (const Argument& argument : schema.arguments()) {
    if (argument.kind == ArgumentKind::String) return &argument;
  }
  return nullptr;
}

const MapRow& choose_row(Args& a, std::span<const MapRow> rows, const Schema& schema) {
  const Argument* choice = choice_of(schema);
  std::string when, allowed;
  if (choice && !(choice->is_optional && a.is_null(choice->name))) when = a.string(choice->name);
  for (const MapRow& row : rows) {
    if (row.when == when) return row;
    append(allowed, text(allowed.empty() ? "" : " or ", row.when.empty() ? "none" : row.when));
  }
  a.require(!choice, choice ? choice->name : "", " is '", when, "', not ", allowed);
  return rows.front();
}

std::string_view expression(Args& a, const MapRow& row, const Mapped& mapped) {
  if (mapped.on_float) {
    a.require(!row.on_float.empty(), "it is not defined on floats");
    return row.on_float;
  }
  if (!row.on_bool.empty() && a.dtype(mapped.y) == DType::Bool) return row.on_bool;
  return row.on_int == kSame ? row.on_float : row.on_int;
}

// Torch's promotion has given y its dtype. What it leaves open is how to compute results of another
// kind, such as comparisons: with floats as soon as one of the operands is no int.
bool is_on_float(Args& a, const MapRow& row, const Mapped& mapped) {
  bool on_float = row.on_int.empty() || is_float(a.dtype(mapped.y));
  for (Tensor x : mapped.operands) on_float = on_float || is_float(a.dtype(x));
  return on_float;
}

Mapped mapped_by(Args& a, std::span<const MapRow> rows) {
  const Schema schema(rows.front().op.schema.text);
  const MapRow& row = choose_row(a, rows, schema);
  Mapped mapped;
  bool all_integers = true;
  for (const Argument& argument : schema.arguments()) {
    if (argument.kind == ArgumentKind::Tensor) {
      mapped.operands.push_back(a.tensor(argument.name));
    } else if (argument.kind == ArgumentKind::Scalar) {
      const size_t place = mapped.numbers.size();
      if (argument.is_optional && a.is_null(argument.name)) {
        mapped.numbers.emplace_back(row.none[place]);
      } else {
        mapped.numbers.emplace_back(a, argument.name);
        all_integers = all_integers && mapped.numbers.back().is_integer();
      }
    }
  }
  mapped.y = a.out();
  mapped.on_float = is_on_float(a, row, mapped) || !all_integers;
  mapped.expression = expression(a, row, mapped);
  const std::string_view name = a.op().substr(a.op().find('.') + 1);
  mapped.variant = name.substr(0, name.find('.'));
  return mapped;
}

}  // namespace

MapOp::MapOp(Args& a, std::span<const MapRow> table)
    : map_(a, mapped_by(a, rows_of(table, a.op()))) {}

}  // namespace highwater
