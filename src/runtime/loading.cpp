// Loading a session, a part at a time.
#include <algorithm>
#include <optional>

#include "base/checked.h"
#include "gpu/executable_load.h"
#include "platform/complete.h"
#include "runtime/all_values.h"
#include "runtime/choices.h"
#include "runtime/constants.h"
#include "runtime/kernel_order.h"
#include "runtime/meter.h"
#include "runtime/session_state.h"

namespace highwater {
namespace {

gpu::StepSpec step_spec(const Graph& graph, const StepDecl& step) {
  gpu::StepSpec spec{step.name, step.wgsl, {}, step.params_at, step.params_size};
  const uint64_t most = graph.traits.binding_bytes;
  for (const StepBinding& b : step.bindings) {
    // A buffer may be larger than a value in it, and than what is bound of it.
    for (uint64_t part = 0; part < b.use.parts; ++part) {
      const uint64_t at = part * most;
      spec.bindings.push_back(
          {b.memory, b.use.writes, at, std::min(most, graph.buffers[b.memory].size - at)});
    }
  }
  return spec;
}

// One more buffer, after the graph's: what others are filled with before each run. In every dtype
// of floats it is NaN.
void add_poison(gpu::ExecutableSpec& spec) {
  uint64_t largest = 16;
  for (const gpu::BufferSpec& b : spec.buffers) largest = std::max(largest, b.size);
  const auto poison = static_cast<uint32_t>(spec.buffers.size());
  spec.buffers.push_back({largest, true});
  spec.fill = [fill = std::move(spec.fill), poison](uint32_t buffer, uint64_t at,
                                                    std::span<std::byte> memory) {
    if (buffer != poison) return fill(buffer, at, memory);
    std::fill(memory.begin(), memory.end(), std::byte{0xff});
    return Status();
  };
  if (spec.is_ready) {
    spec.is_ready = [is_ready = std::move(spec.is_ready), poison](uint32_t buffer) {
      return buffer == poison || is_ready(buffer);
    };
  }
  if (spec.is_placed) {
    spec.is_placed = [is_placed = std::move(spec.is_placed), poison](uint32_t buffer) {
      return buffer != poison && is_placed(buffer);
    };
  }
}

gpu::ExecutableSpec executable_spec(const Graph& graph, const Live& live, const Program& program,
                                    const ConstantSource& constants,
                                    const ConstantArrivals& arrivals) {
  gpu::ExecutableSpec spec;
  for (const BufferDecl& b : graph.buffers) {
    spec.buffers.push_back({b.size, b.constant != kNoValue, b.texels});
  }
  for (const StepDecl& step : graph.steps) spec.steps.push_back(step_spec(graph, step));
  spec.params = live.params();
  spec.params_in_storage = graph.traits.params_space() == ParamsSpace::Storage;
  for (ValueId id : graph.outputs) {
    if (graph.values[id].kind != ValueInfo::Kind::Tensor) continue;
    const TensorDecl& t = graph.values[id].tensor;
    spec.read_back_size += round_up(live_bytes(t.dims, t.device_dtype()), gpu::kReadBackAlignment);
  }
  spec.fill = [&](uint32_t buffer, uint64_t at, std::span<std::byte> memory) -> Status {
    const ValueId id = graph.buffers[buffer].constant;
    Status filled = fill_constant(program, constants, graph.values[id], at, memory);
    if (!filled) return filled.take_error().within(text("constant ", graph.describe(id)));
    return {};
  };
  const auto value_of = [&](uint32_t buffer) -> const ValueInfo& {
    return graph.values[graph.buffers[buffer].constant];
  };
  if (arrivals.are_here) {
    spec.is_ready = [=, &program, &arrivals](uint32_t buffer) {
      const ConstantDecl& constant = program.constants[*value_of(buffer).tensor.constant];
      return is_constant_here(program, arrivals, constant);
    };
  }
  if (!arrivals.place) return spec;
  spec.is_placed = [=, &program](uint32_t buffer) {
    return is_as_in_file(program, value_of(buffer));
  };
  spec.place = [=, &graph, &program, &arrivals](uint32_t buffer, void* object) -> Status {
    const TensorDecl& tensor = value_of(buffer).tensor;
    const uint64_t bytes = static_cast<uint64_t>(tensor.dims.numel()) * byte_size(tensor.dtype);
    const std::string& key = program.constants[*tensor.constant].key;
    if (arrivals.place(key, bytes, object)) return {};
    return fail("constant ", graph.describe(graph.buffers[buffer].constant),
                ": its data is shorter ", "than the ", bytes,
                " bytes that are needed, or not in the file");
  };
  return spec;
}

}  // namespace

struct Session::Loading::State {
  Program program;
  ConstantSource constants;
  ConstantArrivals arrivals;
  SessionOptions options;
  Choices choices;
  gpu::Timeout timeout;
  gpu::DeviceOpening opening;
  std::chrono::steady_clock::time_point began;
  std::optional<gpu::ExecutableLoad> executable_load = {};
  std::unique_ptr<Session::State> session = std::make_unique<Session::State>();
  bool is_done = false;

  Result<Advance> advance();
  Status plan();
  void take_executable();
};

Result<Advance> Session::Loading::State::advance() {
  if (is_done) return Advance::Done;
  const Meter meter(session->load_accounts, began);
  if (!executable_load) {
    if (const Advance now = opening.advance(); now != Advance::Done) return now;
    HW_CHECK(plan());
    return Advance::More;
  }
  HW_TRY(const Advance now, executable_load->advance(session->load_accounts));
  if (now == Advance::Done) take_executable();
  return now;
}

// What the program is on this device.
Status Session::Loading::State::plan() {
  Session::State& s = *session;
  rewrite(program, choices, opening.device()->adapter());
  if (options.gives_all) give_all_values(program);
  const Memory memory = choices.poisoned ? Memory::Apart : Memory::Shared;
  HW_TRY(s.graph, Graph::build(program, traits_of(*opening.device(), choices), memory));
  s.live = std::make_unique<Live>(*s.graph);
  s.load_accounts.planned_nodes = s.graph->nodes.size();
  gpu::ExecutableSpec spec = executable_spec(*s.graph, *s.live, program, constants, arrivals);
  if (choices.poisoned) add_poison(spec);
  spec.timeout = timeout;
  spec.waits_for_kernels = options.wait_for_kernels;
  if (!spec.waits_for_kernels) spec.order = kernels_first(*s.graph);
  spec.progress = options.progress;
  executable_load.emplace(opening.device(), std::move(spec));
  return {};
}

void Session::Loading::State::take_executable() {
  Session::State& s = *session;
  s.executable = executable_load->finish();
  s.live->mark_params_clean();
  s.last_outputs.resize(s.graph->outputs.size());
  for (size_t o = 0; o < s.graph->outputs.size(); ++o) s.all_outputs.push_back(o);
  is_done = true;
}

Session::Loading::Loading(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::Loading::~Loading() = default;

Result<Advance> Session::Loading::advance() {
  return state_->advance();
}

Result<std::unique_ptr<Session>> Session::Loading::finish() {
  if (!state_->is_done || !state_->session) {
    return fail("the load is not done yet, or has given its session away");
  }
  return std::unique_ptr<Session>(new Session(std::move(state_->session)));
}

Result<std::unique_ptr<Session::Loading>> SessionAccess::start_load(Program program,
                                                                    ConstantSource constants,
                                                                    const SessionOptions& options,
                                                                    ConstantArrivals arrivals) {
  const auto began = std::chrono::steady_clock::now();
  HW_TRY(Choices choices, Choices::read(options.without_passes, options.half_cache));
  HW_TRY(const gpu::Timeout timeout, gpu::Timeout::of(options.timeout_seconds));
  HW_TRY(gpu::DeviceOpening opening, gpu::DeviceOpening::start(options.adapter));
  std::shared_ptr<const Session::State::Origin> origin;
  if (options.recover) {
    SessionOptions again = options;
    again.progress = {};  // of somebody who may be gone by then
    origin.reset(new Session::State::Origin{program, constants, arrivals, std::move(again)});
  }
  std::unique_ptr<Session::Loading::State> state(
      new Session::Loading::State{std::move(program), std::move(constants), std::move(arrivals),
                                  options, std::move(choices), timeout, std::move(opening), began});
  state->session->origin = std::move(origin);
  return std::unique_ptr<Session::Loading>(new Session::Loading(std::move(state)));
}

Result<std::unique_ptr<Session::Loading>> Session::start_open(const std::string& path,
                                                              const SessionOptions& options,
                                                              std::string_view method) {
  HW_TRY(const File file, File::open(path));
  return start_open(file, options, method);
}

Result<std::unique_ptr<Session::Loading>> Session::start_open(const File& file,
                                                              const SessionOptions& options,
                                                              std::string_view method) {
  HW_TRY(Program program, read_method(*file.pte(), method));
  return SessionAccess::start_load(std::move(program), constants_of(file.pte()), options,
                                   arrivals_of(file.pte()));
}

Result<std::unique_ptr<Session>> Session::open(const std::string& path,
                                               const SessionOptions& options,
                                               std::string_view method) {
  HW_TRY(const File file, File::open(path));
  return open(file, options, method);
}

Result<std::unique_ptr<Session>> Session::open(const File& file, const SessionOptions& options,
                                               std::string_view method) {
  HW_TRY(const auto loading, start_open(file, options, method));
  HW_CHECK(complete([&] { return loading->advance(); }));
  return loading->finish();
}

}  // namespace highwater
