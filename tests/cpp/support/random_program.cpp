#include "support/random_program.h"

#include <algorithm>

namespace highwater {
namespace {

constexpr int64_t kMostRows = 16;

}  // namespace

RandomProgram::RandomProgram(uint32_t seed, size_t nodes) : random_(seed) {
  const Dims bound{kMostRows, 4};
  scalars_ = {b_.integer(0), b_.integer(3), b_.input_scalar()};
  for (int i = 0; i < 3; ++i) tensors_.push_back(b_.input(bound));
  for (int i = 0; i < 2; ++i) tensors_.push_back(b_.constant(bound, "weights"));
  for (int i = 0; i < 2; ++i) caches_.push_back(b_.constant(bound, "zeros"));
  while (b_.program().calls.size() < nodes) add_node();
  for (int i = 0; i < 3; ++i) b_.output(pick(tensors_));
  b_.output(tensors_.back()).output(scalars_.back());
}

std::vector<Input> RandomProgram::inputs() {
  if (last_.empty()) last_ = {int64_t{0}, tensor(), tensor(), tensor()};
  for (Input& input : last_) {
    if (below(2) == 0) continue;
    if (std::holds_alternative<HostTensor>(input)) {
      input = tensor();
    } else {
      input = below(kMostRows + 8) - 4;
    }
  }
  return last_;
}

void RandomProgram::add_node() {
  const ValueId x = pick(tensors_), z = pick(tensors_);
  const Dims d = b_.bound(x), e = b_.bound(z);
  const auto add = [&](const char* op, std::vector<ValueId> args, const Dims& bound) {
    tensors_.push_back(b_.apply(op, std::move(args), bound));
  };
  switch (below(10)) {
    case 0:
      return add("toy.copy", {x}, d);
    case 1:
    case 2:
      return add("toy.mix", {x, z}, {std::max(d[0], e[0]), d[1]});
    case 3:
      if (d[0] + e[0] > 8 * kMostRows) return;
      return add("toy.concat", {x, z}, {d[0] + e[0], d[1]});
    case 4:
      return add("toy.take", {x, pick(scalars_)}, d);
    case 5:
      if (d[1] == 1) return;
      return add("toy.narrow", {x, b_.integer(d[1] / 2)}, {2 * d[0], d[1] / 2});
    case 6:
      return add("toy.routes", {x}, d);
    case 7:
      // Fails now and then, at whatever place in the graph it has.
      return add("toy.avoid", {x, b_.integer(below(100) * 2 + 1)}, d);
    case 8:
      return add("toy.store", {pick(caches_), x}, d);
    default:
      return add_scalar_node();
  }
}

void RandomProgram::add_scalar_node() {
  const ValueId zero = scalars_[0], three = scalars_[1];
  switch (below(4)) {
    case 0:
      return scalars_.push_back(b_.apply_scalar("add", {pick(scalars_), pick(scalars_)}));
    case 1:
      return scalars_.push_back(b_.apply_scalar("floordiv", {pick(scalars_), three}));
    default:
      return scalars_.push_back(b_.apply_scalar("sym_size.int", {pick(tensors_), zero}));
  }
}

int64_t RandomProgram::below(int64_t n) {
  return static_cast<int64_t>(random_() % static_cast<uint64_t>(n));
}

ValueId RandomProgram::pick(const std::vector<ValueId>& from) {
  return from[static_cast<size_t>(below(static_cast<int64_t>(from.size())))];
}

Input RandomProgram::tensor() {
  return HostTensor{DType::Float32, {below(kMostRows + 1), 4}, nullptr};
}

}  // namespace highwater
