#include "graph/plan.h"

namespace highwater {

Plan& Plan::resize(Tensor y, const Dims& dims) {
  resizes_.push_back({y.id, dims});
  return *this;
}

Plan& Plan::set(Scalar y, int64_t number) {
  scalars_.push_back({y.id, number});
  return *this;
}

Plan& Plan::add(uint32_t step, std::span<const std::byte> params, Grid grid, Rounds rounds) {
  if (grid.empty()) return *this;
  const auto at = static_cast<uint32_t>(params_.size());
  params_.insert(params_.end(), params.begin(), params.end());
  runs_.push_back({step, grid, rounds, at, static_cast<uint32_t>(params.size())});
  return *this;
}

}  // namespace highwater
