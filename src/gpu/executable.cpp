#include "gpu/executable.h"

#include <algorithm>
#include <chrono>

#include "base/checked.h"
#include "gpu/device_impl.h"
#include "gpu/memory.h"
#include "gpu/read_back.h"
#include "gpu/staging.h"
#include "gpu/steps.h"
#include "gpu/timestamps.h"

namespace highwater::gpu {
namespace {

constexpr int kEmptySubmits = 3;

}  // namespace

class Executable::Objects {
 public:
  Objects(DeviceImpl& device, const Timeout& timeout)
      : turns_(device, timeout), device_(device), staging_(device), read_back_(device) {}

  // In many turns, so that others run between them, and `progress` is called in none.
  Status load(const ExecutableSpec& spec, Accounts& accounts) {
    HW_CHECK(memory_.load(turns_, spec, accounts));
    HW_CHECK(turns_.take_checked([&] { return load_params(spec, accounts); }));
    HW_CHECK(steps_.load(turns_, spec, memory_, params_.get(), accounts));
    HW_CHECK(warm_up(spec.progress, accounts));
    return turns_.take_checked([&]() -> Status {
      write_now({.params = {0, spec.params}}, accounts);
      return {};
    });
  }

  Status run(std::span<const Work> works, Accounts& accounts) {
    return turns_.take([&] { return run_in_turn(works, accounts); });
  }

  Status run_by_device_clock(const Work& work, Timing& timing, Accounts& accounts) {
    return turns_.take([&]() -> Status {
      if (!timestamps_) timestamps_ = std::make_unique<Timestamps>(device_);
      HW_CHECK(timestamps_->begin(work.dispatches.size(), accounts));
      HW_CHECK(run_in_turn({&work, 1}, accounts, timestamps_.get()));
      timing.submitted = wait_began_;
      return timestamps_->read(timing.dispatches);
    });
  }

  Status run_by_host_clock(const Work& work, Timing& timing, Accounts& accounts) {
    const Work before{.copies = work.copies, .uploads = work.uploads, .params = work.params};
    const Work after{.read_backs = work.read_backs};
    return turns_.take([&]() -> Status {
      HW_CHECK(run_in_turn({&before, 1}, accounts));
      HW_TRY(timing.empty_ns, empty_submit(accounts));
      timing.submitted = std::chrono::steady_clock::now();
      for (const Dispatch& dispatch : work.dispatches) {
        HW_TRY(const Interval interval, submit_alone({&dispatch, 1}, accounts));
        timing.dispatches.push_back(interval);
      }
      return run_in_turn({&after, 1}, accounts);
    });
  }

  std::span<const std::byte> result(size_t i) const { return read_back_.result(i); }

 private:
  Status load_params(const ExecutableSpec& spec, Accounts& accounts) {
    const WGPUBufferUsage usage =
        spec.params_in_storage ? WGPUBufferUsage_Storage : WGPUBufferUsage_Uniform;
    HW_TRY(params_,
           device_.make_buffer(std::max<uint64_t>(spec.params.size(), 16),
                               usage | WGPUBufferUsage_CopyDst, false, "params", accounts));
    return read_back_.reserve(spec.read_back_size, accounts);
  }

  Status run_in_turn(std::span<const Work> works, Accounts& accounts,
                     Timestamps* timestamps = nullptr) {
    HW_CHECK(device_.faults().take());
    read_back_.begin();
    ErrorScope scope(device_);
    HW_CHECK(reserve_read_back(works, accounts));
    // One call's bytes can be written ahead of it, unless it must first save what they replace.
    const bool staged = works.size() > 1 || (works.size() == 1 && !works[0].copies.empty());
    if (staged) {
      HW_CHECK(stage(works, accounts));
    } else {
      for (const Work& work : works) write_now(work, accounts);
    }
    const CommandBufferHandle commands = encode(works, staged, accounts, timestamps);
    // An invalid command buffer must not reach the queue: wgpu-native aborts on it.
    HW_CHECK(scope.finish());
    return submit(commands.get(), accounts);
  }

  // Drivers may compile a pipeline when it first runs, and that should not be in the middle of a
  // user's work. Buffers begin as zeros, and with params of zero every kernel returns at once.
  Status warm_up(const Progress& progress, Accounts& accounts) {
    const std::vector<uint32_t> steps = steps_.one_for_each_pipeline();
    for (size_t i = 0; i < steps.size(); ++i) {
      HW_CHECK(tell(progress, "first runs", i, steps.size()));
      const Dispatch dispatch{steps[i], 1, 1};
      const auto run_once = [&]() -> Status {
        HW_CHECK(submit_alone({&dispatch, 1}, accounts));
        return {};
      };
      HW_CHECK(turns_.take(run_once));
    }
    return tell(progress, "first runs", steps.size(), steps.size());
  }

  // What the host's clock says of nothing: the best of a few, for a machine has other things to do.
  Result<uint64_t> empty_submit(Accounts& accounts) {
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < kEmptySubmits; ++i) {
      HW_TRY(const Interval interval, submit_alone({}, accounts));
      best = std::min(best, interval.end - interval.begin);
    }
    return best;
  }

  // When it was submitted and when it was done, with nothing read back.
  Result<Interval> submit_alone(std::span<const Dispatch> dispatches, Accounts& accounts) {
    const auto now = [] {
      const auto since = std::chrono::steady_clock::now().time_since_epoch();
      return static_cast<uint64_t>(std::chrono::nanoseconds(since).count());
    };
    const Work work{.dispatches = dispatches};
    ErrorScope scope(device_);
    const CommandBufferHandle commands = encode({&work, 1}, false, accounts);
    HW_CHECK(scope.finish());
    const uint64_t begin = now();
    HW_CHECK(submit(commands.get(), accounts));
    return Interval{begin, now()};
  }

  Status reserve_read_back(std::span<const Work> works, Accounts& accounts) {
    uint64_t size = 0;
    for (const Work& work : works) {
      for (const ReadBack& r : work.read_backs) size += round_up(r.size, kReadBackAlignment);
    }
    return read_back_.reserve(size, accounts);
  }

  static void count_writes(const Work& work, Accounts& accounts) {
    for (const Upload& u : work.uploads) accounts.uploaded_bytes += u.bytes.size();
    accounts.params_bytes += work.params.bytes.size();
  }

  void write_now(const Work& work, Accounts& accounts) {
    for (const Upload& u : work.uploads) {
      if (u.bytes.empty()) continue;
      api().QueueWriteBuffer(device_.queue(), memory_.buffer(u.buffer), 0, u.bytes.data(),
                             u.bytes.size());
    }
    count_writes(work, accounts);
    if (work.params.bytes.empty()) return;
    api().QueueWriteBuffer(device_.queue(), params_.get(), work.params.at, work.params.bytes.data(),
                           work.params.bytes.size());
    accounts.params_writes += 1;
  }

  Status stage(std::span<const Work> works, Accounts& accounts) {
    staging_.clear();
    staged_ends_.clear();
    for (const Work& work : works) {
      for (const Upload& u : work.uploads) staging_.add(memory_.buffer(u.buffer), 0, u.bytes);
      staging_.add(params_.get(), work.params.at, work.params.bytes);
      staged_ends_.push_back(staging_.count());
      count_writes(work, accounts);
    }
    accounts.params_writes += staging_.count() > 0;
    return staging_.send(accounts);
  }

  CommandBufferHandle encode(std::span<const Work> works, bool staged, Accounts& accounts,
                             Timestamps* timestamps = nullptr) {
    const CommandEncoderHandle encoder(api().DeviceCreateCommandEncoder(device_.device(), nullptr));
    for (size_t w = 0; w < works.size(); ++w) {
      for (const Copy& c : works[w].copies) {
        api().CommandEncoderCopyBufferToBuffer(encoder.get(), memory_.buffer(c.from), 0,
                                               memory_.buffer(c.to), 0, c.size);
      }
      if (staged) staging_.encode(encoder.get(), w ? staged_ends_[w - 1] : 0, staged_ends_[w]);
      if (timestamps) {
        steps_.encode_timed(encoder.get(), works[w].dispatches, *timestamps, accounts);
      } else {
        steps_.encode(encoder.get(), works[w].dispatches, accounts);
      }
      for (const ReadBack& r : works[w].read_backs) {
        read_back_.copy(encoder.get(), r.size ? memory_.buffer(r.buffer) : nullptr, r.size,
                        accounts);
      }
    }
    if (timestamps) timestamps->resolve(encoder.get(), accounts);
    return CommandBufferHandle(api().CommandEncoderFinish(encoder.get(), nullptr));
  }

  Status submit(WGPUCommandBuffer commands, Accounts& accounts) {
    ErrorScope scope(device_);
    api().QueueSubmit(device_.queue(), 1, &commands);
    accounts.submits += 1;
    wait_began_ = std::chrono::steady_clock::now();
    Status finished = read_back_.empty() ? device_.wait_idle() : read_back_.map();
    accounts.waits += 1;
    accounts.wait_seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - wait_began_).count();
    HW_CHECK(scope.finish());
    return finished;
  }

  Turns turns_;
  DeviceImpl& device_;
  Memory memory_;
  BufferHandle params_;
  Steps steps_;
  Staging staging_;
  std::vector<size_t> staged_ends_;  // of each work, among the staged copies
  ReadBackBuffer read_back_;
  std::chrono::steady_clock::time_point wait_began_;
  std::unique_ptr<Timestamps> timestamps_;  // made by the first run that wants it
};

Executable::Executable(std::shared_ptr<Device> device, const Timeout& timeout)
    : device_(std::move(device)), objects_(std::make_unique<Objects>(device_->impl(), timeout)) {}

Executable::~Executable() {
  const auto lock = device_->impl().lock({});
  // In a forked process there is no driver to give them back to.
  if (!lock) (void)objects_.release();
  objects_.reset();
}

Result<std::unique_ptr<Executable>> Executable::create(std::shared_ptr<Device> device,
                                                       const ExecutableSpec& spec,
                                                       Accounts& accounts) {
  std::unique_ptr<Executable> result(new Executable(std::move(device), spec.timeout));
  HW_CHECK(result->objects_->load(spec, accounts));
  return result;
}

Status Executable::run(std::span<const Work> works, Accounts& accounts) {
  return objects_->run(works, accounts);
}

Status Executable::run_by_device_clock(const Work& work, Timing& timing, Accounts& accounts) {
  return objects_->run_by_device_clock(work, timing, accounts);
}

Status Executable::run_by_host_clock(const Work& work, Timing& timing, Accounts& accounts) {
  return objects_->run_by_host_clock(work, timing, accounts);
}

std::span<const std::byte> Executable::result(size_t i) const {
  return objects_->result(i);
}

}  // namespace highwater::gpu
