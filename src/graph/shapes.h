// What an op may know about the present call: live dims, live scalars, and host-side integers.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "graph/handles.h"
#include "highwater/dims.h"
#include "highwater/host_tensor.h"
#include "highwater/result.h"

namespace highwater {

class Graph;

class Shapes {
 public:
  explicit Shapes(const Graph& graph);

  const Dims& operator[](Tensor t) const { return dims_[t.id]; }
  int64_t operator[](Scalar s) const { return scalars_[s.id]; }
  int64_t operator[](const LiveInt& i) const {
    return i.is_live() ? scalars_[i.scalar] : i.literal;
  }

  // The largest that its dims can be.
  const Dims& bound(Tensor t) const;

  // The dims that these have together, by NumPy's rule: align at the end, and 1 stretches. But only
  // a 1 that is one at its bound: the exporter has settled what stretches, and a live dim that
  // happens to be 1 where another is not is a wrong call.
  Result<Dims> broadcast(std::span<const Tensor> tensors) const;
  Result<Dims> broadcast(std::initializer_list<Tensor> tensors) const {
    return broadcast(std::span(tensors.begin(), tensors.size()));
  }

  // Element `index` of an integer tensor that the caller gave, or of a view of one.
  Result<int64_t> host_integer(Tensor t, int64_t index) const;

  // Whether all of t's elements lie in [begin, end). Where the host does not have them, it is up to
  // the kernel to be careful.
  Status check_host_range(Tensor t, int64_t begin, int64_t end) const;

 private:
  friend class Live;
  Error does_not_broadcast(std::span<const Tensor> tensors) const;

  const Graph& graph_;
  std::vector<Dims> dims_;
  std::vector<int64_t> scalars_;
  std::span<const Input> inputs_;
};

}  // namespace highwater
