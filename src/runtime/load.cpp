#include "runtime/load.h"

#include <algorithm>
#include <cstring>

#include "base/checked.h"
#include "runtime/choices.h"
#include "runtime/host_io.h"
#include "runtime/meter.h"
#include "runtime/session_state.h"

namespace highwater {
namespace {

Status use_constant(const ConstantDecl& constant, const ConstantSource& source, uint64_t wanted,
                    const UseBytes& use) {
  const auto checked = [&](std::span<const std::byte> bytes) -> Status {
    if (bytes.size() < wanted) {
      return fail("its data has ", bytes.size(), " bytes; ", wanted, " are needed");
    }
    return use(bytes);
  };
  return constant.key.empty() ? checked(constant.inline_bytes) : source(constant.key, checked);
}

// Rows of each part side by side.
Status fill_from_parts(const Program& program, const ConstantSource& source,
                       const ConstantDecl& constant, std::span<std::byte> memory) {
  const uint64_t pitch = constant.size / std::max<uint64_t>(constant.rows, 1);
  uint64_t column = 0;
  for (const ConstantDecl::Part& part : constant.parts) {
    const auto copy = [&](std::span<const std::byte> bytes) -> Status {
      for (uint64_t row = 0; row < constant.rows; ++row) {
        std::memcpy(memory.data() + row * pitch + column, bytes.data() + row * part.row_bytes,
                    part.row_bytes);
      }
      return {};
    };
    HW_CHECK(use_constant(program.constants[part.constant], source, constant.rows * part.row_bytes,
                          copy));
    column += part.row_bytes;
  }
  return {};
}

// All in its new order, before it goes to the device.
Status fill_arranged(const ConstantDecl& constant, const ConstantSource& source,
                     const ValueInfo& value, std::span<std::byte> memory) {
  const DType stored = value.tensor.dtype;
  const size_t width = byte_size(stored);
  const auto count = static_cast<size_t>(value.tensor.dims.numel());
  const auto wanted = static_cast<uint64_t>(value.arrangement->source.numel()) * width;
  return use_constant(constant, source, wanted, [&](auto bytes) {
    std::vector<std::byte> arranged(count * width);
    arrange(*value.arrangement, bytes, width, arranged);
    return to_device(stored, arranged, value.tensor.device_dtype(), memory, count);
  });
}

Status fill_constant(const Program& program, const ConstantSource& source, const ValueInfo& value,
                     std::span<std::byte> memory) {
  const ConstantDecl& constant = program.constants[*value.tensor.constant];
  if (value.arrangement) return fill_arranged(constant, source, value, memory);
  if (!constant.parts.empty()) return fill_from_parts(program, source, constant, memory);
  const auto count = static_cast<size_t>(value.tensor.dims.numel());
  const DType stored = value.tensor.dtype;
  return use_constant(constant, source, uint64_t{count} * byte_size(stored), [&](auto bytes) {
    return to_device(stored, bytes, value.tensor.device_dtype(), memory, count);
  });
}

gpu::StepSpec step_spec(const StepDecl& step) {
  gpu::StepSpec spec{step.name, step.wgsl, {}, step.params_at, step.params_size};
  for (const StepBinding& b : step.bindings) {
    spec.bindings.push_back({b.memory, b.use.writes});
  }
  return spec;
}

gpu::ExecutableSpec executable_spec(const Graph& graph, const Live& live, const Program& program,
                                    const ConstantSource& constants) {
  gpu::ExecutableSpec spec;
  for (const BufferDecl& b : graph.buffers) {
    spec.buffers.push_back({b.size, b.constant != kNoValue, b.texels});
  }
  for (const StepDecl& step : graph.steps) spec.steps.push_back(step_spec(step));
  spec.params = live.params();
  spec.params_in_storage = graph.traits.params_space() == ParamsSpace::Storage;
  for (ValueId id : graph.outputs) {
    if (graph.values[id].kind != ValueInfo::Kind::Tensor) continue;
    const TensorDecl& t = graph.values[id].tensor;
    spec.read_back_size += round_up(live_bytes(t.dims, t.device_dtype()), gpu::kReadBackAlignment);
  }
  spec.fill = [&](uint32_t buffer, std::span<std::byte> memory) -> Status {
    const ValueId id = graph.buffers[buffer].constant;
    Status filled = fill_constant(program, constants, graph.values[id], memory);
    if (!filled) return filled.take_error().within(text("constant ", graph.describe(id)));
    return {};
  };
  return spec;
}

}  // namespace

ConstantSource constants_of(const Pte& pte) {
  return [&pte](const std::string& key, const UseBytes& use) -> Status {
    const auto found = pte.named_data.find(key);
    if (found == pte.named_data.end()) {
      return fail("there is no data '", key,
                  "' in the file; if it is in a .ptd file, export without external data");
    }
    HW_TRY(const ByteBuffer data, pte.read(found->second));
    return use(data.bytes());
  };
}

Result<std::unique_ptr<Session>> Session::load(Program program, const ConstantSource& constants,
                                               const SessionOptions& options) {
  auto state = std::make_unique<State>();
  {
    const Meter meter(state->load_accounts);
    HW_TRY(const Choices choices, Choices::read(options.without_passes, options.half_cache));
    HW_TRY(const gpu::Timeout timeout, gpu::Timeout::of(options.timeout_seconds));
    HW_TRY(auto device, gpu::Device::open(options.adapter));
    rewrite(program, choices);
    HW_TRY(state->graph, Graph::build(program, traits_of(*device, choices)));
    state->live = std::make_unique<Live>(*state->graph);
    state->load_accounts.planned_nodes = state->graph->nodes.size();
    gpu::ExecutableSpec spec = executable_spec(*state->graph, *state->live, program, constants);
    spec.timeout = timeout;
    spec.progress = options.progress;
    HW_TRY(state->executable,
           gpu::Executable::create(std::move(device), spec, state->load_accounts));
    state->live->mark_params_clean();
    state->last_outputs.resize(state->graph->outputs.size());
    for (size_t o = 0; o < state->graph->outputs.size(); ++o) state->all_outputs.push_back(o);
  }
  return std::unique_ptr<Session>(new Session(std::move(state)));
}

Result<std::unique_ptr<Session>> Session::open(const std::string& path,
                                               const SessionOptions& options,
                                               std::string_view method) {
  HW_TRY(const Pte pte, open_pte(path));
  HW_TRY(Program program, read_method(pte, method));
  return load(std::move(program), constants_of(pte), options);
}

}  // namespace highwater
