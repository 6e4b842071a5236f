#include "runtime/session.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "base/allocations.h"
#include "base/checked.h"
#include "runtime/choices.h"
#include "runtime/host_io.h"

namespace highwater {
namespace {

// WebGPU copies whole words.
constexpr uint64_t kWord = 4;

// Time and heap allocations of a stretch of code.
class Meter {
 public:
  explicit Meter(Accounts& accounts)
      : accounts_(accounts),
        allocations_(heap_allocations()),
        start_(std::chrono::steady_clock::now()) {}
  ~Meter() {
    accounts_.heap_allocations = heap_allocations() - allocations_;
    accounts_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  Accounts& accounts_;
  uint64_t allocations_;
  std::chrono::steady_clock::time_point start_;
};

uint64_t live_bytes(const Dims& dims, DType device) {
  return round_up(static_cast<uint64_t>(dims.numel()) * byte_size(device), kWord);
}

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

Status fill_constant(const Program& program, const ConstantSource& source, const ValueInfo& value,
                     std::span<std::byte> memory) {
  const ConstantDecl& constant = program.constants[*value.tensor.constant];
  if (!constant.parts.empty()) return fill_from_parts(program, source, constant, memory);
  const auto count = static_cast<size_t>(value.tensor.dims.numel());
  const DType stored = value.tensor.dtype;
  return use_constant(constant, source, count * byte_size(stored), [&](auto bytes) {
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

Result<std::unique_ptr<Session>> Session::load(Program program, const ConstantSource& constants,
                                               const SessionOptions& options) {
  std::unique_ptr<Session> session(new Session);
  const Meter meter(session->load_accounts_);
  HW_TRY(auto device, gpu::Device::open(options.device));
  rewrite(program, options.without_passes, options.half_cache);
  HW_TRY(session->graph_, Graph::build(program, traits_of(*device)));
  session->live_ = std::make_unique<Live>(*session->graph_);
  session->load_accounts_.planned_nodes = session->graph_->nodes.size();
  HW_TRY(
      session->executable_,
      gpu::Executable::create(
          std::move(device), executable_spec(*session->graph_, *session->live_, program, constants),
          session->load_accounts_));
  session->live_->mark_params_clean();
  HW_CHECK(session->prepare_inputs());
  return session;
}

Status Session::prepare_inputs() {
  staging_.resize(graph_->inputs.size());
  for (size_t i = 0; i < graph_->inputs.size(); ++i) {
    const ValueInfo& v = graph_->values[graph_->inputs[i]];
    if (v.kind != ValueInfo::Kind::Tensor) continue;
    staging_[i].resize(live_bytes(v.tensor.dims, v.tensor.device_dtype()));
  }
  uploads_.reserve(graph_->inputs.size());
  dispatches_.reserve(graph_->steps.size());
  read_backs_.reserve(graph_->outputs.size());
  return {};
}

Status Session::run(std::span<const HostInput> inputs) {
  run_accounts_ = {};
  const Meter meter(run_accounts_);
  HW_CHECK(stage_inputs(inputs));
  HW_CHECK(live_->update(inputs));
  run_accounts_.planned_nodes = live_->planned_nodes();
  return run_on_device();
}

// Before the sweep, so that a value that does not fit leaves everything as it was.
Status Session::stage_inputs(std::span<const HostInput> inputs) {
  uploads_.clear();
  for (size_t i = 0; i < std::min(inputs.size(), graph_->inputs.size()); ++i) {
    const ValueInfo& v = graph_->values[graph_->inputs[i]];
    const auto* tensor = std::get_if<HostTensor>(&inputs[i]);
    if (!tensor || v.kind != ValueInfo::Kind::Tensor) continue;
    const DType device = v.tensor.device_dtype();
    if (!convertible(tensor->dtype, device)) {
      return fail("input ", i, " was given as ", tensor->dtype, "; ",
                  graph_->describe(graph_->inputs[i]), " is wanted");
    }
    const size_t bytes = live_bytes(tensor->dims, device);
    // Over its bound: the sweep will say so.
    if (bytes > staging_[i].size()) continue;
    const std::span given(static_cast<const std::byte*>(tensor->data), tensor->size_bytes());
    std::span<const std::byte> words = given;
    if (tensor->dtype != device || given.size() % kWord != 0) {
      Status converted = to_device(tensor->dtype, given, device, staging_[i],
                                   static_cast<size_t>(tensor->dims.numel()));
      if (!converted) return converted.take_error().within(text("input ", i));
      words = std::span<const std::byte>(staging_[i]).first(bytes);
    }
    // An input that only the host reads has no buffer.
    if (v.buffer != kNoBuffer) uploads_.push_back({v.buffer, words});
  }
  return {};
}

Status Session::run_on_device() {
  list_dispatches();
  read_backs_.clear();
  for (ValueId id : graph_->outputs) {
    const ValueInfo& v = graph_->values[id];
    if (v.kind != ValueInfo::Kind::Tensor) {
      read_backs_.push_back({0, 0});
      continue;
    }
    read_backs_.push_back({graph_->values[graph_->root(id)].buffer,
                           live_bytes(live_->shapes()[Tensor{id}], v.tensor.device_dtype())});
  }
  const Live::Range dirty = live_->dirty_params();
  gpu::Executable::ParamsWrite params;
  if (!dirty.empty()) {
    params = {dirty.begin, live_->params().subspan(dirty.begin, dirty.end - dirty.begin)};
  }
  HW_CHECK(executable_->run(uploads_, params, dispatches_, read_backs_, run_accounts_));
  live_->mark_params_clean();
  fixed_nodes_ran_ = true;
  return {};
}

void Session::list_dispatches() {
  dispatches_.clear();
  for (size_t n = 0; n < graph_->nodes.size(); ++n) {
    if (graph_->nodes[n].fixed && fixed_nodes_ran_) continue;
    for (const Plan::Run& run : live_->plan(n).runs()) {
      dispatches_.push_back({run.step, run.grid.x, run.grid.y});
    }
  }
}

bool Session::output_is_scalar(size_t i) const {
  return graph_->values[graph_->outputs[i]].kind == ValueInfo::Kind::Scalar;
}

const Dims& Session::output_dims(size_t i) const {
  return live_->shapes()[Tensor{graph_->outputs[i]}];
}

int64_t Session::output_scalar(size_t i) const {
  return live_->shapes()[Scalar{graph_->outputs[i]}];
}

Status Session::read_output(size_t i, DType dtype, std::span<std::byte> to) const {
  const ValueId id = graph_->outputs[i];
  const DType device = graph_->values[id].tensor.device_dtype();
  const auto count = static_cast<size_t>(output_dims(i).numel());
  if (!convertible(device, dtype) || to.size() != count * byte_size(dtype)) {
    return fail("output ", i, " is ", graph_->describe(id), " of live dims ", output_dims(i),
                "; it cannot be read into ", to.size(), " bytes of ", dtype);
  }
  from_device(device, executable_->result(i), dtype, to, count);
  return {};
}

}  // namespace highwater
