// What an executable has on the device, and how it is run. For gpu/ only.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "gpu/buffers.h"
#include "gpu/executable.h"
#include "gpu/read_back.h"
#include "gpu/staging.h"
#include "gpu/steps.h"
#include "gpu/timestamps.h"
#include "gpu/turns.h"
#include "platform/complete.h"

namespace highwater::gpu {

class Executable::Objects {
 public:
  Objects(WebGpuDevice& device, const Timeout& timeout)
      : turns_(device), device_(device), timeout_(timeout), staging_(device), read_back_(device) {}

  const Turns& turns() const { return turns_; }
  WGPUBuffer params() const { return params_.get(); }

  // Parts of a load, each in a turn of its own. What the device has to say of them is for `errors`.
  // `work` is told when it has done them.
  Status load_params(const ExecutableSpec& spec, Answers& errors, Accounts& accounts);
  Status write_params(std::span<const std::byte> bytes, Answers& errors, Accounts& accounts);
  Status run_first(const Dispatch& dispatch, Answers& errors, Answers& work, Accounts& accounts);
  // What the load or a run has made is good, as the device has said by now.
  void keep_all();
  // Has the device take what was handed over so far.
  Status flush(Answers& errors, Answers* work, Accounts& accounts);

  // See Executable.
  Status start(std::span<const Work> works, Accounts& accounts, Timing* timing);
  Result<bool> has_kernels(std::span<const Dispatch> dispatches, Clock::time_point began);
  bool is_under_way() const { return is_under_way_; }
  bool poll();
  Status finish(Accounts& accounts);
  Status run_by_host_clock(const Work& work, Timing& timing, Accounts& accounts);
  std::span<const std::byte> result(size_t i) const { return read_back_.result(i); }

  Buffers buffers;
  Steps steps;

 private:
  // In a turn.
  Status start_in_turn(std::span<const Work> works, Accounts& accounts);
  Status finish_in_turn();
  Status run_in_turn(std::span<const Work> works, Accounts& accounts);
  Result<Interval> run_alone(std::span<const Dispatch> dispatches, Accounts& accounts);
  Result<uint64_t> time_of_nothing(Accounts& accounts);

  Result<CommandBufferHandle> record(std::span<const Work> works, Answers& errors,
                                     Accounts& accounts);
  Status reserve_read_back(std::span<const Work> works, Answers& errors, Accounts& accounts);
  void write_now(const Work& work, Accounts& accounts);
  Status stage(std::span<const Work> works, Answers& errors, Accounts& accounts);
  CommandBufferHandle encode(std::span<const Work> works, bool staged, Accounts& accounts);

  bool is_answered() const;

  Turns turns_;
  WebGpuDevice& device_;
  Timeout timeout_;
  BufferHandle params_;
  Staging staging_;
  std::vector<size_t> staged_ends_;  // of each work, among the staged copies
  ReadBackBuffer read_back_;
  std::unique_ptr<Timestamps> timestamps_;  // made by the first run that wants it

  // The run that is under way.
  bool is_under_way_ = false;
  OwnAnswers answers_;
  Timing* timing_ = nullptr;  // if it is timed by the device's clock
  Clock::time_point submitted_;
};

}  // namespace highwater::gpu
