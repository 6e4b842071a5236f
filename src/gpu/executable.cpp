#include "gpu/executable.h"

#include <algorithm>

#include "base/checked.h"
#include "gpu/executable_objects.h"

namespace highwater::gpu {
namespace {

constexpr int kEmptySubmits = 3;

uint64_t nanoseconds(Clock::time_point at) {
  return static_cast<uint64_t>(std::chrono::nanoseconds(at.time_since_epoch()).count());
}

void count_writes(const Work& work, Accounts& accounts) {
  for (const Upload& u : work.uploads) accounts.uploaded_bytes += u.bytes.size();
  accounts.params_bytes += work.params.bytes.size();
}

}  // namespace

Status Executable::Objects::load_params(const ExecutableSpec& spec, Answers& errors,
                                        Accounts& accounts) {
  return turns_.take_checked(errors, [&]() -> Status {
    const WGPUBufferUsage usage =
        spec.params_in_storage ? WGPUBufferUsage_Storage : WGPUBufferUsage_Uniform;
    const auto size = std::max<uint64_t>(spec.params.size(), 16);
    HW_TRY(params_, device_.make_buffer(size, usage | WGPUBufferUsage_CopyDst, false, "params",
                                        errors, accounts));
    return read_back_.reserve(spec.read_back_size, errors, accounts);
  });
}

Status Executable::Objects::write_params(std::span<const std::byte> bytes, Answers& errors,
                                         Accounts& accounts) {
  return turns_.take_checked(errors, [&]() -> Status {
    write_now({.params = {0, bytes}}, accounts);
    return {};
  });
}

Status Executable::Objects::run_first(const Dispatch& dispatch, Answers& errors, Answers& work,
                                      Accounts& accounts) {
  return turns_.take([&]() -> Status {
    const Work only{.dispatches = {&dispatch, 1}};
    HW_TRY(const CommandBufferHandle commands, record({&only, 1}, errors, accounts));
    const ErrorScope scope(device_, errors);
    const WGPUCommandBuffer all[] = {commands.get()};
    api().QueueSubmit(device_.queue(), 1, all);
    accounts.submits += 1;
    work.ask_when_idle(device_);
    return {};
  });
}

Status Executable::Objects::flush(Answers& errors, Answers* work, Accounts& accounts) {
  return turns_.take_checked(errors, [&]() -> Status {
    api().QueueSubmit(device_.queue(), 0, nullptr);
    accounts.submits += 1;
    if (work) work->ask_when_idle(device_);
    return {};
  });
}

void Executable::Objects::keep_all() {
  read_back_.keep();
  staging_.keep();
  if (timestamps_) timestamps_->keep();
}

Status Executable::Objects::start(std::span<const Work> works, Accounts& accounts, Timing* timing) {
  Status started = turns_.take([&]() -> Status {
    answers_.begin();
    timing_ = timing;
    if (timing && !timestamps_) timestamps_ = std::make_unique<Timestamps>(device_);
    if (timing) {
      HW_CHECK(timestamps_->begin(works.front().dispatches.size(), *answers_, accounts));
    }
    return start_in_turn(works, accounts);
  });
  is_under_way_ = started.ok();
  if (!started) timing_ = nullptr;
  return started;
}

Result<bool> Executable::Objects::has_kernels(std::span<const Dispatch> dispatches,
                                              Clock::time_point began) {
  HW_TRY(const bool are_there, steps.are_made(dispatches));
  if (are_there) return true;
  HW_CHECK(device_.poll(began, timeout_, "making kernels"));
  return steps.are_made(dispatches);
}

bool Executable::Objects::poll() {
  if (is_answered()) return true;
  return !device_.poll(submitted_, timeout_, "a run") || is_answered();
}

Status Executable::Objects::finish(Accounts& accounts) {
  if (!is_under_way_) return fail("no run is under way that could be finished");
  if (!poll()) return fail("the run is not done yet: poll() tells when it is");
  is_under_way_ = false;
  accounts.wait_seconds += std::chrono::duration<double>(Clock::now() - submitted_).count();
  return turns_.take([&] { return finish_in_turn(); });
}

bool Executable::Objects::is_answered() const {
  return answers_->are_all_there() && read_back_.is_answered() &&
         (!timing_ || timestamps_->is_answered());
}

Status Executable::Objects::start_in_turn(std::span<const Work> works, Accounts& accounts) {
  HW_CHECK(device_.faults().take());
  read_back_.begin();
  HW_TRY(const CommandBufferHandle commands, record(works, *answers_, accounts));
  const ErrorScope scope(device_, *answers_);
  submitted_ = Clock::now();
  const WGPUCommandBuffer all[] = {commands.get()};
  api().QueueSubmit(device_.queue(), 1, all);
  accounts.submits += 1;
  accounts.waits += 1;
  read_back_.start_mapping();
  if (timing_) timestamps_->start_mapping();
  if (read_back_.empty()) answers_->ask_when_idle(device_);
  return {};
}

Status Executable::Objects::finish_in_turn() {
  if (!is_answered()) return device_.faults().take();  // it is lost
  // First of all, so that the next run knows what is mapped.
  Status mapped = read_back_.finish_mapping();
  Status timed = timing_ ? timestamps_->finish(timing_->dispatches) : Status();
  if (timing_) timing_->submitted = submitted_;
  timing_ = nullptr;
  HW_CHECK(answers_->so_far());
  HW_CHECK(device_.faults().take());
  HW_CHECK(std::move(timed));
  HW_CHECK(std::move(mapped));
  keep_all();
  return {};
}

Status Executable::Objects::run_in_turn(std::span<const Work> works, Accounts& accounts) {
  answers_.begin();
  HW_CHECK(start_in_turn(works, accounts));
  const auto look = [&]() -> Result<Advance> {
    HW_CHECK(device_.poll_in_turn(submitted_, timeout_, "a run"));
    return is_answered() ? Advance::Done : Advance::Waiting;
  };
  HW_CHECK(complete(look));
  accounts.wait_seconds += std::chrono::duration<double>(Clock::now() - submitted_).count();
  return finish_in_turn();
}

Status Executable::Objects::run_by_host_clock(const Work& work, Timing& timing,
                                              Accounts& accounts) {
  const Work before{.copies = work.copies, .uploads = work.uploads, .params = work.params};
  const Work after{.read_backs = work.read_backs};
  return turns_.take([&]() -> Status {
    timing_ = nullptr;
    HW_CHECK(run_in_turn({&before, 1}, accounts));
    HW_TRY(timing.empty_ns, time_of_nothing(accounts));
    timing.submitted = Clock::now();
    for (const Dispatch& dispatch : work.dispatches) {
      HW_TRY(const Interval interval, run_alone({&dispatch, 1}, accounts));
      timing.dispatches.push_back(interval);
    }
    return run_in_turn({&after, 1}, accounts);
  });
}

// When it was submitted and when it was done, with nothing read back.
Result<Interval> Executable::Objects::run_alone(std::span<const Dispatch> dispatches,
                                                Accounts& accounts) {
  const Work work{.dispatches = dispatches};
  HW_CHECK(run_in_turn({&work, 1}, accounts));
  return Interval{nanoseconds(submitted_), nanoseconds(Clock::now())};
}

// The best of a few, for a machine has other things to do.
Result<uint64_t> Executable::Objects::time_of_nothing(Accounts& accounts) {
  uint64_t best = UINT64_MAX;
  for (int i = 0; i < kEmptySubmits; ++i) {
    HW_TRY(const Interval interval, run_alone({}, accounts));
    best = std::min(best, interval.end - interval.begin);
  }
  return best;
}

Result<CommandBufferHandle> Executable::Objects::record(std::span<const Work> works,
                                                        Answers& errors, Accounts& accounts) {
  CommandBufferHandle commands;
  {
    const ErrorScope scope(device_, errors);
    HW_CHECK(reserve_read_back(works, errors, accounts));
    // One call's bytes can be written ahead of it, unless it must first save what they replace.
    const bool staged = works.size() > 1 || (works.size() == 1 && !works[0].copies.empty());
    if (staged) {
      HW_CHECK(stage(works, errors, accounts));
    } else {
      for (const Work& work : works) write_now(work, accounts);
    }
    commands = encode(works, staged, accounts);
  }
  // An invalid command buffer must not reach the queue of wgpu-native, which aborts on it. It has
  // answered by now; others take what is invalid without harm, and answer later.
  HW_CHECK(errors.so_far());
  return commands;
}

Status Executable::Objects::reserve_read_back(std::span<const Work> works, Answers& errors,
                                              Accounts& accounts) {
  uint64_t size = 0;
  for (const Work& work : works) {
    for (const ReadBack& r : work.read_backs) size += round_up(r.size, kReadBackAlignment);
  }
  return read_back_.reserve(size, errors, accounts);
}

void Executable::Objects::write_now(const Work& work, Accounts& accounts) {
  for (const Upload& u : work.uploads) {
    if (u.bytes.empty()) continue;
    api().QueueWriteBuffer(device_.queue(), buffers.buffer(u.buffer), 0, u.bytes.data(),
                           u.bytes.size());
  }
  count_writes(work, accounts);
  if (work.params.bytes.empty()) return;
  api().QueueWriteBuffer(device_.queue(), params_.get(), work.params.at, work.params.bytes.data(),
                         work.params.bytes.size());
  accounts.params_writes += 1;
}

Status Executable::Objects::stage(std::span<const Work> works, Answers& errors,
                                  Accounts& accounts) {
  staging_.clear();
  staged_ends_.clear();
  for (const Work& work : works) {
    for (const Upload& u : work.uploads) staging_.add(buffers.buffer(u.buffer), 0, u.bytes);
    staging_.add(params_.get(), work.params.at, work.params.bytes);
    staged_ends_.push_back(staging_.count());
    count_writes(work, accounts);
  }
  accounts.params_writes += staging_.count() > 0;
  return staging_.send(errors, accounts);
}

CommandBufferHandle Executable::Objects::encode(std::span<const Work> works, bool staged,
                                                Accounts& accounts) {
  const CommandEncoderHandle encoder(api().DeviceCreateCommandEncoder(device_.device(), nullptr));
  const auto copy_all = [&](std::span<const BufferCopy> copies) {
    for (const BufferCopy& c : copies) {
      api().CommandEncoderCopyBufferToBuffer(encoder.get(), buffers.buffer(c.from), 0,
                                             buffers.buffer(c.to), c.to_at, c.size);
    }
  };
  for (size_t w = 0; w < works.size(); ++w) {
    copy_all(works[w].copies);
    copy_all(works[w].poison);
    if (staged) staging_.encode(encoder.get(), w ? staged_ends_[w - 1] : 0, staged_ends_[w]);
    if (timing_) {
      steps.encode_timed(encoder.get(), works[w].dispatches, *timestamps_, accounts);
    } else {
      steps.encode(encoder.get(), works[w].dispatches, accounts);
    }
    for (const ReadBack& r : works[w].read_backs) {
      read_back_.copy(encoder.get(), r.size ? buffers.buffer(r.buffer) : nullptr, r.size, accounts);
    }
  }
  if (timing_) timestamps_->resolve(encoder.get(), accounts);
  return CommandBufferHandle(api().CommandEncoderFinish(encoder.get(), nullptr));
}

Executable::Executable(std::shared_ptr<Device> device, const Timeout& timeout)
    : device_(std::move(device)), objects_(std::make_unique<Objects>(device_->webgpu(), timeout)) {}

Executable::~Executable() {
  const auto lock = device_->webgpu().lock();
  // In a forked process there is no driver to give them back to.
  if (!lock) (void)objects_.release();
  objects_.reset();
}

Status Executable::start(std::span<const Work> works, Accounts& accounts, Timing* timing) {
  return objects_->start(works, accounts, timing);
}

Result<bool> Executable::has_kernels(std::span<const Dispatch> dispatches,
                                     std::chrono::steady_clock::time_point began) {
  return objects_->has_kernels(dispatches, began);
}

bool Executable::is_under_way() const {
  return objects_->is_under_way();
}

bool Executable::poll() {
  return objects_->poll();
}

Status Executable::finish(Accounts& accounts) {
  return objects_->finish(accounts);
}

Status Executable::run(std::span<const Work> works, Accounts& accounts, Timing* timing) {
  HW_CHECK(start(works, accounts, timing));
  HW_CHECK(
      complete([&]() -> Result<Advance> { return poll() ? Advance::Done : Advance::Waiting; }));
  return finish(accounts);
}

Status Executable::run_by_host_clock(const Work& work, Timing& timing, Accounts& accounts) {
  return objects_->run_by_host_clock(work, timing, accounts);
}

std::span<const std::byte> Executable::result(size_t i) const {
  return objects_->result(i);
}

void* Executable::buffer_object(uint32_t buffer) const {
  return objects_->buffers.buffer(buffer);
}

}  // namespace highwater::gpu
