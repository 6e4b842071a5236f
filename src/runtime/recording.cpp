#include "runtime/recording.h"

#include <algorithm>
#include <cmath>

#include "base/checked.h"
#include "runtime/host_io.h"
#include "runtime/session_state.h"

namespace highwater {

uint64_t live_bytes(const Dims& dims, DType device) {
  constexpr uint64_t kWord = 4;
  return round_up(static_cast<uint64_t>(dims.numel()) * byte_size(device), kWord);
}

void Recording::clear() {
  bytes_.clear();
  staged_.clear();
  copies_.clear();
  uploads_.clear();
  dispatches_.clear();
  read_backs_.clear();
  poison_.clear();
  calls_.clear();
  works_.clear();
  present_ = {};
}

std::span<std::byte> Recording::stage(size_t size) {
  staged_begin_ = bytes_.size();
  bytes_.resize(staged_begin_ + size);
  return std::span(bytes_).subspan(staged_begin_);
}

void Recording::upload_staged(uint32_t buffer, size_t size) {
  staged_.push_back({uploads_.size(), staged_begin_, size});
  uploads_.push_back({buffer, {}});
}

void Recording::keep_uploads() {
  for (size_t i = 0; i < uploads_.size(); ++i) {
    const auto is_this = [&](const Staged& s) { return s.upload == i; };
    if (std::any_of(staged_.begin(), staged_.end(), is_this)) continue;
    const auto bytes = uploads_[i].bytes;
    std::copy(bytes.begin(), bytes.end(), stage(bytes.size()).begin());
    staged_.push_back({i, staged_begin_, bytes.size()});
  }
}

void Recording::params(uint32_t at, std::span<const std::byte> bytes) {
  present_.params_at = at;
  present_.params_size = bytes.size();
  std::copy(bytes.begin(), bytes.end(), stage(bytes.size()).begin());
  present_.params_begin = staged_begin_;
}

void Recording::end_call() {
  present_.copies = copies_.size();
  present_.uploads = uploads_.size();
  present_.dispatches = dispatches_.size();
  present_.read_backs = read_backs_.size();
  present_.poison = poison_.size();
  calls_.push_back(present_);
  present_ = {};
}

std::span<const gpu::Work> Recording::works() {
  const std::span<const std::byte> bytes(bytes_);
  for (const Staged& s : staged_) uploads_[s.upload].bytes = bytes.subspan(s.begin, s.size);
  const auto between = [](const auto& list, size_t begin, size_t end) {
    return std::span(list).subspan(begin, end - begin);
  };
  works_.clear();
  Ends before{};
  for (const Ends& ends : calls_) {
    works_.push_back({between(copies_, before.copies, ends.copies),
                      between(uploads_, before.uploads, ends.uploads),
                      {ends.params_at, bytes.subspan(ends.params_begin, ends.params_size)},
                      between(dispatches_, before.dispatches, ends.dispatches),
                      between(read_backs_, before.read_backs, ends.read_backs),
                      between(poison_, before.poison, ends.poison)});
    before = ends;
  }
  return works_;
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
    if (graph->memory == Memory::Apart) record_poison();
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
  const auto bytes = static_cast<size_t>(live_bytes(tensor.dims, device));
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

// All that this call computes, and what lies beyond the live extent of its inputs.
void Session::State::record_poison() {
  const auto poison = static_cast<uint32_t>(graph->buffers.size());
  for (ValueId id = 0; id < graph->values.size(); ++id) {
    const ValueInfo& value = graph->values[id];
    if (value.buffer == kNoBuffer || value.tensor.constant || value.fixed) continue;
    const uint64_t live_end =
        value.input ? live_bytes(live->shapes()[Tensor{id}], value.tensor.device_dtype()) : 0;
    const uint64_t size = graph->buffers[value.buffer].size;
    if (live_end < size) recording.poison({poison, value.buffer, size - live_end, live_end});
  }
}

void Session::State::record_dispatches(bool with_fixed) {
  each_run(with_fixed, [&](const Node&, const Plan::Run& run) {
    const auto count = static_cast<double>(std::max<int64_t>(run.rounds.count, 1));
    const double rounds = count * run.rounds.share * static_cast<double>(run.grid.workgroups());
    recording.dispatch(
        {run.step, run.grid.x, run.grid.y, static_cast<uint64_t>(std::ceil(rounds))});
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

}  // namespace highwater
