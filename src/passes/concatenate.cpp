#include "passes/rewriter.h"

namespace highwater {

std::optional<Value> concatenate(Program& program, const std::vector<ValueId>& parts, size_t dim) {
  TensorDecl whole;
  ConstantDecl constant;
  int64_t extent = 0;
  for (ValueId id : parts) {
    const auto* part = std::get_if<TensorDecl>(&program.values[id]);
    if (!part || !part->constant || dim >= part->dims.rank()) return std::nullopt;
    // Parts of parts would need more than one level of rows.
    if (!program.constants[*part->constant].parts.empty()) return std::nullopt;
    Dims rest = part->dims;
    rest[dim] = 0;
    if (constant.parts.empty()) {
      whole = *part;
      whole.dims[dim] = 0;
      constant.rows = static_cast<uint64_t>(part->dims.product(0, dim));
    }
    Dims expected = whole.dims;
    expected[dim] = 0;
    if (!(rest == expected) || part->dtype != whole.dtype) return std::nullopt;
    const int64_t row = part->dims.product(dim, part->dims.rank());
    constant.parts.push_back(
        {*part->constant, static_cast<uint64_t>(row) * byte_size(part->dtype)});
    extent += part->dims[dim];
  }
  whole.dims[dim] = extent;
  constant.size = static_cast<uint64_t>(whole.dims.numel()) * byte_size(whole.dtype);
  whole.constant = static_cast<uint32_t>(program.constants.size());
  program.constants.push_back(std::move(constant));
  return Value(std::move(whole));
}

}  // namespace highwater
