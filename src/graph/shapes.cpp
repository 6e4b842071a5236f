#include "graph/shapes.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "graph/graph.h"

namespace highwater {

Shapes::Shapes(const Graph& graph)
    : graph_(graph), dims_(graph.values.size()), scalars_(graph.values.size()) {
  for (ValueId id = 0; id < graph.values.size(); ++id) {
    if (graph.values[id].kind == ValueInfo::Kind::Tensor) dims_[id] = graph.values[id].tensor.dims;
  }
}

const Dims& Shapes::bound(Tensor t) const {
  return graph_.tensor(t).dims;
}

Result<Dims> Shapes::broadcast(std::span<const Tensor> tensors) const {
  size_t rank = 0;
  for (Tensor t : tensors) rank = std::max(rank, (*this)[t].rank());
  Dims result;
  while (result.rank() < rank) result.push_back(1);
  std::array<bool, Dims::kMaxRank> is_settled{};
  for (Tensor t : tensors) {
    const Dims &live = (*this)[t], &most = bound(t);
    const size_t lead = rank - live.rank();
    for (size_t i = 0; i < live.rank(); ++i) {
      if (live[i] == 1 && most[i] == 1) continue;
      if (is_settled[lead + i] && live[i] != result[lead + i]) return does_not_broadcast(tensors);
      result[lead + i] = live[i];
      is_settled[lead + i] = true;
    }
  }
  return result;
}

Error Shapes::does_not_broadcast(std::span<const Tensor> tensors) const {
  std::string all;
  for (Tensor t : tensors) {
    append(all, text(all.empty() ? "" : " and ", (*this)[t], " (at most ", bound(t), ")"));
  }
  return fail("dims ", all, " do not broadcast");
}

Result<int64_t> Shapes::host_integer(Tensor t, int64_t index) const {
  const auto input = graph_.values[graph_.root(t.id)].input;
  if (!input) return fail(graph_.describe(t.id), " is not an input");
  // While the graph is built there is no call yet; any number will do.
  if (*input >= inputs_.size()) return int64_t{0};
  const auto* host = std::get_if<HostTensor>(&inputs_[*input]);
  if (!host) return fail(graph_.describe(t.id), " is wanted on the host; it is on the device");
  if (index < 0 || index >= host->dims.numel()) {
    return fail("element ", index, " of ", graph_.describe(t.id), " is not there");
  }
  const auto read = [&](auto element) {
    std::memcpy(&element, static_cast<const std::byte*>(host->data) + index * sizeof element,
                sizeof element);
    return static_cast<int64_t>(element);
  };
  switch (host->dtype) {
    case DType::Bool:
    case DType::UInt8:
      return read(uint8_t{});
    case DType::Int8:
      return read(int8_t{});
    case DType::Int32:
      return read(int32_t{});
    case DType::Int64:
      return read(int64_t{});
    default:
      return fail(graph_.describe(t.id), " was given as ", host->dtype, ", not as integers");
  }
}

Status Shapes::check_host_range(Tensor t, int64_t begin, int64_t end) const {
  const auto input = graph_.values[graph_.root(t.id)].input;
  if (!input || *input >= inputs_.size()) return {};
  if (!std::holds_alternative<HostTensor>(inputs_[*input])) return {};
  const int64_t count = (*this)[t].numel();
  for (int64_t i = 0; i < count; ++i) {
    HW_TRY(const int64_t element, host_integer(t, i));
    if (element >= begin && element < end) continue;
    return fail("element ", i, " of input ", *input, " is ", element, "; it must be at least ",
                begin, " and below ", end);
  }
  return {};
}

}  // namespace highwater
