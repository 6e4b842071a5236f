// Programs of toy and scalar ops, made at random from a seed.
#pragma once

#include <random>
#include <vector>

#include "highwater/host_tensor.h"
#include "support/program_builder.h"

namespace highwater {

class RandomProgram {
 public:
  RandomProgram(uint32_t seed, size_t nodes);

  const Program& program() const { return b_.program(); }

  // One call's inputs: a scalar, then tensors. About half of them stay as they were.
  std::vector<Input> inputs();

 private:
  void add_node();
  void add_scalar_node();
  int64_t below(int64_t n);
  ValueId pick(const std::vector<ValueId>& from);
  Input tensor();

  std::mt19937 random_;
  ProgramBuilder b_;
  std::vector<ValueId> tensors_;
  std::vector<ValueId> scalars_;
  std::vector<ValueId> caches_;
  std::vector<Input> last_;
};

}  // namespace highwater
