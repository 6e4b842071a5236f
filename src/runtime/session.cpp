#include "highwater/session.h"

#include <algorithm>

#include "platform/complete.h"
#include "runtime/host_io.h"
#include "runtime/meter.h"
#include "runtime/session_state.h"

namespace highwater {

Status Session::State::check_idle() const {
  if (!executable->is_under_way() && !is_held && held_failed) return {};
  return fail("a run is under way: finish it before the next is started");
}

Status Session::State::start(std::span<const Call> calls, gpu::Timing* timing) {
  HW_CHECK(begin(calls));
  const Meter meter(run_accounts, began);
  const auto has_kernels = executable->has_kernels(recording.dispatches(), began);
  is_held = has_kernels && !*has_kernels;
  if (is_held) {
    recording.keep_uploads();
    held_timing = timing;
    return {};
  }
  Status started = has_kernels ? executable->start(recording.works(), run_accounts, timing)
                               : Status(has_kernels.error());
  return started ? std::move(started) : conclude(std::move(started));
}

bool Session::State::poll_held() {
  if (is_held) {
    auto has_kernels = executable->has_kernels(recording.dispatches(), began);
    if (has_kernels && !*has_kernels) return false;
    is_held = false;
    held_failed = has_kernels ? executable->start(recording.works(), run_accounts, held_timing)
                              : Status(has_kernels.take_error());
  }
  return !held_failed;
}

// Puts a run together. If it is refused, all is as it was.
Status Session::State::begin(std::span<const Call> calls) {
  HW_CHECK(check_idle());
  run_accounts = {};
  began = std::chrono::steady_clock::now();
  const Meter meter(run_accounts, began);
  HW_CHECK(record(calls));
  read_outputs.clear();  // they are where the results of this run come
  return {};
}

bool Session::State::poll() {
  const Meter meter(run_accounts, began);
  return poll_held() || (!is_held && executable->poll());
}

Status Session::State::finish() {
  const Meter meter(run_accounts, began);
  if (poll_held()) return conclude(std::exchange(held_failed, Status()));
  if (is_held) return fail("the run is not done yet: poll() tells when it is");
  const bool is_done = executable->is_under_way() && executable->poll();
  Status finished = executable->finish(run_accounts);
  return is_done ? conclude(std::move(finished)) : std::move(finished);
}

Status Session::State::run(std::span<const Call> calls, gpu::Timing* timing) {
  HW_CHECK(start(calls, timing));
  HW_CHECK(
      complete([&]() -> Result<Advance> { return poll() ? Advance::Done : Advance::Waiting; }));
  return finish();
}

Status Session::State::run_by_host_clock(const Call& call, gpu::Timing& timing) {
  HW_CHECK(begin({&call, 1}));
  const Meter meter(run_accounts, began);
  return conclude(executable->run_by_host_clock(recording.works().front(), timing, run_accounts));
}

// What follows from what the device did.
Status Session::State::conclude(Status ran) {
  if (!ran) {
    // What it holds is not known: everything is written again.
    live->mark_params_dirty({0, static_cast<uint32_t>(live->params().size())});
    outputs_are_live = false;
    return ran;
  }
  fixed_nodes_ran = true;
  outputs_are_live = true;
  keep_outputs();
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
  return run_recovering([&] {
    const Call call{inputs, state_->all_outputs};
    return state_->run({&call, 1});
  });
}

Status Session::run_all(std::span<const Call> calls) {
  return run_recovering([&] { return state_->run(calls); });
}

// Recovering replaces all of the state, so that `run` must not refer to any of it.
template <class Run>
Status Session::run_recovering(const Run& run) {
  Status ran = run();
  if (ran || !is_lost()) return ran;
  if (!state_->origin || state_->keeps_state()) return state_->with_advice(ran.take_error());
  HW_CHECK(recover());
  return run();
}

Status Session::start_run(std::span<const Input> inputs) {
  const Call call{inputs, state_->all_outputs};
  return start_all({&call, 1});
}

Status Session::start_all(std::span<const Call> calls) {
  return state_->start(calls);
}

bool Session::poll() {
  return state_->poll();
}

Status Session::finish() {
  return state_->finish();
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
  return state_->executable->device().adapter().name;
}
std::vector<std::string> Session::kernels() const {
  std::vector<std::string> names;
  for (const gpu::Dispatch& d : state_->recording.dispatches()) {
    names.push_back(state_->graph->steps[d.step].name);
  }
  return names;
}

}  // namespace highwater
