#include "highwater/session.h"

#include <algorithm>

#include "base/checked.h"
#include "runtime/host_io.h"
#include "runtime/meter.h"
#include "runtime/session_state.h"

namespace highwater {

uint64_t live_bytes(const Dims& dims, DType device) {
  constexpr uint64_t kWord = 4;
  return round_up(static_cast<uint64_t>(dims.numel()) * byte_size(device), kWord);
}

Status Session::State::execute(Timed* timed) {
  if (!timed) return executable->run(recording.works(), run_accounts);
  const gpu::Work& work = recording.works().front();
  return timed->clock == ProfileClock::Device
             ? executable->run_by_device_clock(work, timed->timing, run_accounts)
             : executable->run_by_host_clock(work, timed->timing, run_accounts);
}

Status Session::State::run(std::span<const Call> calls, Timed* timed) {
  run_accounts = {};
  const Meter meter(run_accounts);
  HW_CHECK(record(calls));
  Status ran = execute(timed);
  if (!ran) {
    // What the device holds now is not known: everything is written again.
    live->mark_params_dirty({0, static_cast<uint32_t>(live->params().size())});
    outputs_are_live = false;
    return ran;
  }
  fixed_nodes_ran = true;
  outputs_are_live = true;
  keep_outputs();
  return {};
}

// Looks at every call before any of it reaches the device.
Status Session::State::record(std::span<const Call> calls) {
  recording.clear();
  reads_under_way.clear();
  Live::Range unsent = live->dirty_params();
  for (size_t c = 0; c < calls.size(); ++c) {
    Status recorded = record_call(calls[c]);
    if (!recorded) {
      live->mark_params_dirty(unsent);
      if (c > 0) outputs_are_live = false;
      return calls.size() == 1 ? std::move(recorded)
                               : Status(recorded.take_error().within(text("call ", c)));
    }
    run_accounts.planned_nodes += live->planned_nodes();
    const Live::Range dirty = live->dirty_params();
    recording.params(dirty.begin, live->params().subspan(dirty.begin, dirty.size()));
    live->mark_params_clean();
    unsent = unsent.merged(dirty);
    record_dispatches(c == 0 && !fixed_nodes_ran);
    if (Status reads = record_reads(c, calls[c].reads); !reads) {
      live->mark_params_dirty(unsent);
      outputs_are_live = false;
      return reads;
    }
    recording.end_call();
    outputs_are_live = true;  // to the call that comes next
  }
  return {};
}

Status Session::State::record_call(const Call& call) {
  // Before the sweep, so that a value that does not fit leaves everything as it was.
  for (size_t i = 0; i < std::min(call.inputs.size(), graph->inputs.size()); ++i) {
    Status recorded = record_input(i, call.inputs[i]);
    if (!recorded) return recorded.take_error().within(graph->signature.describe(i));
  }
  return live->update(call.inputs);
}

Status Session::State::record_input(size_t i, const Input& given) {
  // Of the wrong kind: the sweep will say so.
  if (input(i).kind != ValueInfo::Kind::Tensor) return {};
  if (const auto* tensor = std::get_if<HostTensor>(&given)) return record_host_tensor(i, *tensor);
  if (const auto* fed = std::get_if<FromOutput>(&given)) return record_feed(i, fed->output);
  return {};
}

Status Session::State::record_host_tensor(size_t i, const HostTensor& tensor) {
  const DType device = input(i).tensor.device_dtype();
  if (!convertible(tensor.dtype, device)) {
    return fail("it was given as ", tensor.dtype, "; ", graph->describe(graph->inputs[i]),
                " is wanted");
  }
  const uint64_t bytes = live_bytes(tensor.dims, device);
  // Over its bound: the sweep will say so.
  if (bytes > live_bytes(input(i).tensor.dims, device)) return {};
  const std::span given(static_cast<const std::byte*>(tensor.data), tensor.size_bytes());
  const bool as_it_is = tensor.dtype == device && given.size() == bytes;
  if (!as_it_is) {
    HW_CHECK(to_device(tensor.dtype, given, device, recording.stage(bytes),
                       static_cast<size_t>(tensor.dims.numel())));
  }
  // An input that only the host reads has no buffer.
  if (input(i).buffer == kNoBuffer) return {};
  if (as_it_is) {
    recording.upload(input(i).buffer, given);
  } else {
    recording.upload_staged(input(i).buffer, bytes);
  }
  return {};
}

Status Session::State::record_feed(size_t i, size_t o) {
  if (o >= graph->outputs.size() || output(o).kind != ValueInfo::Kind::Tensor) {
    return fail("it is to be fed from output ", o, ", which is not a tensor of this program");
  }
  if (!outputs_are_live) {
    return fail("it is to be fed from output ", o, ", but there is no good call before this one");
  }
  const DType device = output(o).tensor.device_dtype();
  if (device != input(i).tensor.device_dtype()) {
    return fail("it is ", graph->describe(graph->inputs[i]), "; output ", o, " is ",
                graph->describe(graph->outputs[o]));
  }
  const uint64_t bytes = live_bytes(live->shapes()[Tensor{graph->outputs[o]}], device);
  if (input(i).buffer == kNoBuffer || bytes == 0) return {};
  if (bytes > live_bytes(input(i).tensor.dims, device)) return {};  // the sweep will say so
  const BufferId from = graph->values[graph->root(graph->outputs[o])].buffer;
  // An output may be an input that nothing changed.
  if (from != input(i).buffer) recording.copy({from, input(i).buffer, bytes});
  return {};
}

void Session::State::record_dispatches(bool with_fixed) {
  each_run(with_fixed, [&](const Node&, const Plan::Run& run) {
    recording.dispatch({run.step, run.grid.x, run.grid.y});
  });
}

Status Session::State::record_reads(size_t call, std::span<const size_t> reads) {
  for (size_t o : reads) {
    if (o >= graph->outputs.size()) {
      return fail("output ", o, " is to be read, but there are ", graph->outputs.size());
    }
    if (output(o).kind != ValueInfo::Kind::Tensor) continue;
    const ValueId id = graph->outputs[o];
    const Dims& dims = live->shapes()[Tensor{id}];
    reads_under_way.push_back({call, o, dims});
    recording.read_back(
        {graph->values[graph->root(id)].buffer, live_bytes(dims, output(o).tensor.device_dtype())});
  }
  return {};
}

void Session::State::keep_outputs() {
  std::swap(read_outputs, reads_under_way);
  for (size_t o = 0; o < graph->outputs.size(); ++o) {
    if (output(o).kind == ValueInfo::Kind::Tensor) {
      last_outputs[o].dims = live->shapes()[Tensor{graph->outputs[o]}];
    } else {
      last_outputs[o].scalar = live->shapes()[Scalar{graph->outputs[o]}];
    }
  }
}

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::~Session() = default;

Status Session::run(std::span<const Input> inputs) {
  const Call call{inputs, state_->all_outputs};
  return run_all({&call, 1});
}

Status Session::run_all(std::span<const Call> calls) {
  return state_->run(calls);
}

Status Session::read_output(size_t i, DType dtype, std::span<std::byte> to) const {
  const size_t last = state_->read_outputs.empty() ? 0 : state_->read_outputs.back().call;
  return read_output(last, i, dtype, to);
}

Status Session::read_output(size_t call, size_t i, DType dtype, std::span<std::byte> to) const {
  const auto& reads = state_->read_outputs;
  const auto found = std::find_if(reads.begin(), reads.end(), [&](const State::ReadOutput& r) {
    return r.call == call && r.output == i;
  });
  if (found == reads.end()) {
    return fail("output ", i, " of call ", call, " was not read back in the last run");
  }
  const DType device = state_->output(i).tensor.device_dtype();
  const auto count = static_cast<size_t>(found->dims.numel());
  if (!convertible(device, dtype) || to.size() != count * byte_size(dtype)) {
    return fail("output ", i, " is ", state_->graph->describe(state_->graph->outputs[i]),
                " of live dims ", found->dims, "; it cannot be read into ", to.size(), " bytes of ",
                dtype);
  }
  const auto result = static_cast<size_t>(found - reads.begin());
  from_device(device, state_->executable->result(result), dtype, to, count);
  return {};
}

size_t Session::input_count() const {
  return state_->graph->inputs.size();
}
size_t Session::output_count() const {
  return state_->graph->outputs.size();
}
bool Session::input_is_scalar(size_t i) const {
  return state_->input(i).kind == ValueInfo::Kind::Scalar;
}
bool Session::output_is_scalar(size_t i) const {
  return state_->output(i).kind == ValueInfo::Kind::Scalar;
}
DType Session::input_dtype(size_t i) const {
  return state_->input(i).tensor.dtype;
}
DType Session::output_dtype(size_t i) const {
  return state_->output(i).tensor.dtype;
}
std::string_view Session::input_name(size_t i) const {
  const auto& inputs = state_->graph->signature.inputs;
  return i < inputs.size() ? std::string_view(inputs[i].name) : std::string_view();
}
Dims Session::input_least(size_t i) const {
  const Signature& signature = state_->graph->signature;
  Dims least = input_bound(i);
  const bool is_told = i < signature.inputs.size() && !signature.inputs[i].sizes.empty();
  for (size_t d = 0; d < least.rank(); ++d) {
    least[d] = is_told ? signature.least(signature.inputs[i].sizes[d]) : 0;
  }
  return least;
}
const Dims& Session::input_bound(size_t i) const {
  return state_->input(i).tensor.dims;
}
const Dims& Session::output_bound(size_t i) const {
  return state_->output(i).tensor.dims;
}
const Dims& Session::output_dims(size_t i) const {
  return state_->last_outputs[i].dims;
}
int64_t Session::output_scalar(size_t i) const {
  return state_->last_outputs[i].scalar;
}
const Accounts& Session::load_accounts() const {
  return state_->load_accounts;
}
const Accounts& Session::run_accounts() const {
  return state_->run_accounts;
}
std::string_view Session::adapter_name() const {
  return adapter().name;
}
std::vector<std::string> Session::kernels() const {
  std::vector<std::string> names;
  for (const gpu::Dispatch& d : dispatches()) names.push_back(state_->graph->steps[d.step].name);
  return names;
}
const gpu::AdapterDescription& Session::adapter() const {
  return state_->executable->device().adapter();
}
const Graph& Session::graph() const {
  return *state_->graph;
}
const Live& Session::live() const {
  return *state_->live;
}
std::span<const gpu::Dispatch> Session::dispatches() const {
  return state_->recording.dispatches();
}

}  // namespace highwater
