#include "inspect/probe.h"

namespace highwater {

Probe::Probe(const Graph& graph) : graph_(graph), live_(graph), elements_(graph.inputs.size()) {
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const ValueInfo& value = graph.values[graph.inputs[i]];
    if (value.kind != ValueInfo::Kind::Tensor) {
      inputs_.emplace_back(int64_t{0});
      continue;
    }
    HostTensor tensor{value.tensor.dtype, value.tensor.dims, nullptr};
    if (!is_float(tensor.dtype)) {
      // Of the widest type, so that any number can be tried.
      elements_[i].resize(static_cast<size_t>(tensor.dims.numel()));
      tensor.dtype = DType::Int64;
      tensor.data = elements_[i].data();
    }
    inputs_.emplace_back(tensor);
  }
}

void Probe::set(const Place& place, int64_t number) {
  Input& input = inputs_[place.input];
  switch (place.kind) {
    case Place::Kind::Dim:
      std::get_if<HostTensor>(&input)->dims[place.index] = number;
      break;
    case Place::Kind::Element:
      elements_[place.input][place.index] = number;
      break;
    case Place::Kind::Integer:
      input = number;
      break;
  }
}

int64_t Probe::get(const Place& place) const {
  const Input& input = inputs_[place.input];
  switch (place.kind) {
    case Place::Kind::Dim:
      return std::get_if<HostTensor>(&input)->dims[place.index];
    case Place::Kind::Element:
      return elements_[place.input][place.index];
    case Place::Kind::Integer:
      return *std::get_if<int64_t>(&input);
  }
  return 0;
}

Status Probe::plan_at(std::span<const Symbol> symbols, const Point& point) {
  for (size_t i = 0; i < symbols.size(); ++i) {
    for (const Place& place : symbols[i].places) {
      // No tensor has fewer elements than none; the sweep refuses what is over the bound, before
      // anybody looks at elements that are not there.
      set(place, place.kind == Place::Kind::Dim ? std::max<int64_t>(point[i], 0) : point[i]);
    }
  }
  return plan();
}

}  // namespace highwater
