// The declarations that an op's constructor makes through its Args.
#include <algorithm>
#include <array>

#include "base/checked.h"
#include "graph/args.h"
#include "graph/graph.h"
#include "graph/memory.h"

namespace highwater {
namespace {

// WebGPU's guaranteed alignment of a uniform binding's offset.
constexpr uint32_t kParamsAlignment = 256;

bool may_be_image(const Graph& graph, Tensor t) {
  const ValueInfo& v = graph.values[graph.root(t.id)];
  if (!v.tensor.constant || v.mutated) return false;
  const uint64_t bytes =
      static_cast<uint64_t>(v.tensor.dims.numel()) * byte_size(v.tensor.device_dtype());
  // Of the smallest texels there are.
  return image_rows(bytes, Texels::Uint1) <= kMaxImageRows;
}

}  // namespace

bool Args::alias(Tensor y, Tensor x) {
  if (error_) return true;
  ValueInfo& view = graph_.values[y.id];
  const ValueInfo& source = graph_.values[graph_.root(x.id)];
  if (view.mutated || source.mutated) return false;
  if (byte_size(dtype(y)) != byte_size(dtype(x))) return false;
  view.root = graph_.root(x.id);
  return true;
}

Tensor Args::arranged(Tensor constant, Arrangement arrangement) {
  if (error_) return {};
  require(is_constant(constant), graph_.describe(constant.id), " is not a constant");
  require(arrangement.source.numel() == bound(constant).numel(), graph_.describe(constant.id),
          " cannot be seen as ", arrangement.source);
  const auto dims = Dims::make(std::array{arrangement.numel()});
  require(dims.ok(), graph_.describe(constant.id), " is too large in another order");
  if (error_) return {};
  const auto id = static_cast<ValueId>(graph_.values.size());
  ValueInfo info;
  info.kind = ValueInfo::Kind::Tensor;
  info.tensor = graph_.tensor(constant);
  info.tensor.dims = *dims;
  info.arrangement = std::move(arrangement);
  info.defined = true;
  info.root = id;
  graph_.values.push_back(std::move(info));
  return {id};
}

void Args::alias_mutated(Tensor y, Tensor x) {
  require(byte_size(dtype(y)) == byte_size(dtype(x)), "its result is ", dtype(y),
          ", but it writes ", dtype(x));
  if (error_) return;
  graph_.values[y.id].root = graph_.root(x.id);
}

void Args::make_constant(Tensor y, Tensor x) {
  if (error_) return;
  const TensorDecl& source = graph_.tensor(x);
  TensorDecl& copy = graph_.values[y.id].tensor;
  require(source.constant.has_value(), "argument 0, ", graph_.describe(x.id),
          ", is not a constant");
  require(source.dtype == copy.dtype && source.dims.numel() == copy.dims.numel(),
          graph_.describe(x.id), " cannot stand for ", graph_.describe(y.id));
  copy.constant = source.constant;
  // What an op writes into is there once, under both names.
  if (graph_.values[y.id].mutated) graph_.values[y.id].root = graph_.root(x.id);
}

void Args::read_on_host(Tensor x) {
  if (error_) return;
  const ValueInfo& source = graph_.values[graph_.root(x.id)];
  require(source.input.has_value(), graph_.describe(x.id),
          " is computed on the device; its elements can be read only where the caller gives them");
  require(!is_float(dtype(x)), graph_.describe(x.id), " does not hold integers");
  node().reads_host_data = true;
}

void Args::read_on_host_if_given(Tensor x) {
  if (error_) return;
  if (graph_.values[graph_.root(x.id)].input) node().reads_host_data = true;
}

Tensor Args::scratch(DType dtype, int64_t elements) {
  if (error_) return {};
  const auto id = static_cast<ValueId>(graph_.values.size());
  ValueInfo info;
  info.kind = ValueInfo::Kind::Tensor;
  info.tensor.dtype = dtype;
  info.tensor.dims = {elements};
  info.scratch = true;
  info.defined = true;
  info.root = id;
  graph_.values.push_back(std::move(info));
  node().writes.push_back(id);
  return {id};
}

// What a kernel is bound to is known when it is made; what parts make of it is better told here.
void Args::check_parts(const StepDecl& step) {
  const size_t buffers = storage_buffers(step, traits());
  if (buffers <= traits().most_buffers) return;
  const auto fewer = [](const StepBinding& a, const StepBinding& b) {
    return a.use.parts < b.use.parts;
  };
  const auto& largest = *std::max_element(step.bindings.begin(), step.bindings.end(), fewer);
  if (largest.use.parts == 1) return;
  refuse(fail("kernel ", step.name, " takes ", buffers, " bindings, of which ",
              graph_.describe(largest.value), " takes ", largest.use.parts,
              ", for one shows at most ", traits().binding_bytes, " bytes; this device allows ",
              traits().most_buffers));
}

uint32_t Args::declare_step(const KernelSource& source, std::span<const Tensor> bindings,
                            std::span<const Substitution> substitutions, std::string_view variant) {
  if (error_) return kNoStep;
  std::vector<Operand> operands;
  for (Tensor t : bindings) {
    operands.push_back({dtype(t), may_be_image(graph_, t), memory_bytes(graph_.tensor(t))});
  }
  auto expanded = expand(source, traits(), operands, substitutions);
  if (!expanded) {
    refuse(expanded.take_error());
    return kNoStep;
  }
  StepDecl step;
  step.name = variant.empty() ? std::string(source.name) : text(source.name, "/", variant);
  step.wgsl = std::move(expanded->wgsl);
  for (size_t i = 0; i < bindings.size(); ++i) {
    step.bindings.push_back({bindings[i].id, expanded->uses[i]});
  }
  step.params_size = source.params_size;
  check_parts(step);
  step.params_at = graph_.params_size;
  graph_.params_size += round_up(source.params_size, kParamsAlignment);
  graph_.steps.push_back(std::move(step));
  return static_cast<uint32_t>(graph_.steps.size() - 1);
}

}  // namespace highwater
