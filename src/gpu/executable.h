// A graph made real on a device: its buffers, pipelines and bind groups, and how to run them.
// Knows nothing of ops or programs, and shows no WebGPU type.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/texels.h"
#include "gpu/device.h"
#include "gpu/timeout.h"
#include "highwater/accounts.h"
#include "highwater/progress.h"
#include "highwater/result.h"

namespace highwater::gpu {

struct BufferSpec {
  uint64_t size = 0;
  bool filled = false;           // by ExecutableSpec::fill, at load
  Texels texels = Texels::None;  // an image, which is always filled
};

struct StepSpec {
  struct Binding {
    uint32_t buffer;
    bool writes;
    // Which bytes of it, of one that is not an image; all if there is no size.
    uint64_t at = 0;
    uint64_t size = 0;
  };
  std::string name;
  std::string wgsl;
  std::vector<Binding> bindings;  // from binding 1 on; binding 0 is the params
  uint32_t params_at = 0;
  uint32_t params_size = 0;
};

struct ExecutableSpec {
  std::vector<BufferSpec> buffers;
  std::vector<StepSpec> steps;
  std::vector<uint32_t> order;        // in which their kernels are made; as they stand if empty
  bool waits_for_kernels = true;      // else a run waits for those that it needs
  std::span<const std::byte> params;  // the arena as it is at first
  bool params_in_storage = false;     // which the WGSL says too; else they are uniforms
  uint64_t read_back_size = 0;        // the most that one run reads back
  Timeout timeout;                    // at load and in runs
  // Writes what of a buffer's first content begins at byte `at` into memory that is handed to the
  // device afterwards. A large buffer is filled a portion at a time.
  std::function<Status(uint32_t buffer, uint64_t at, std::span<std::byte> memory)> fill;
  // Whether it can be by now. Without this, it always can.
  std::function<bool(uint32_t buffer)> is_ready;
  // Whether its content goes to the device without coming here, and who brings it there before the
  // load goes on: to the implementation's own object. Without these, all of it is written by
  // `fill`.
  std::function<bool(uint32_t buffer)> is_placed;
  std::function<Status(uint32_t buffer, void* object)> place;
  Progress progress;

  bool is_placed_at(uint32_t buffer) const {
    return buffers[buffer].texels == Texels::None && is_placed && is_placed(buffer);
  }
};

inline Status tell(const Progress& progress, std::string_view stage, size_t done, size_t total) {
  return progress ? progress(stage, done, total) : Status();
}

struct Dispatch {
  uint32_t step;
  uint32_t x;
  uint32_t y;
  uint64_t rounds = 0;  // of loops, of all its workgroups
};

struct ReadBack {
  uint32_t buffer;
  uint64_t size;
};

// From one buffer's start to another's, or to a place in it.
struct BufferCopy {
  uint32_t from;
  uint32_t to;
  uint64_t size;  // whole words
  uint64_t to_at = 0;
};

struct Upload {
  uint32_t buffer;
  std::span<const std::byte> bytes;  // whole words
};

struct ParamsWrite {
  uint32_t at = 0;
  std::span<const std::byte> bytes;
};

// One call of a program, in the order in which its parts take effect.
struct Work {
  std::span<const BufferCopy> copies = {};
  std::span<const Upload> uploads = {};
  ParamsWrite params = {};
  std::span<const Dispatch> dispatches = {};  // one pass
  std::span<const ReadBack> read_backs = {};
  // Made after the copies; what they write is nothing that an upload brings.
  std::span<const BufferCopy> poison = {};
};

// When something began and ended, in nanoseconds of one clock.
struct Interval {
  uint64_t begin;
  uint64_t end;
};

// What a timed run tells besides its results.
struct Timing {
  std::vector<Interval> dispatches;
  std::chrono::steady_clock::time_point submitted;  // the first of them
  uint64_t empty_ns = 0;                            // what a submit of nothing takes
};

// Every chunk of the read-back buffer starts at a multiple of this.
constexpr uint64_t kReadBackAlignment = 8;

class Executable {
 public:
  // Made in parts by an ExecutableLoad, or here at once.
  static Result<std::unique_ptr<Executable>> create(std::shared_ptr<Device> device,
                                                    ExecutableSpec spec, Accounts& accounts);
  // Also while a run is under way.
  ~Executable();

  // Sends all of it in one submit, with at most one params write. What is given is not needed any
  // more when this returns. With a `timing`, each dispatch is a pass of its own, and finish()
  // writes there when it ran by the device's clock, which must have kTimestampQuery.
  Status start(std::span<const Work> works, Accounts& accounts, Timing* timing = nullptr);
  // Whether the kernels of such a run are there by now, without which it cannot start; an error if
  // one of them could not be made, or if the device has been silent for too long since `began`.
  Result<bool> has_kernels(std::span<const Dispatch> dispatches,
                           std::chrono::steady_clock::time_point began);
  bool is_under_way() const;
  // Whether the device is done with it, or will never be. Looks, and does not wait.
  bool poll();
  // What came of it, when it is done. What was read back stays mapped until the next run.
  Status finish(Accounts& accounts);

  // The three of them, with a wait between.
  Status run(std::span<const Work> works, Accounts& accounts, Timing* timing = nullptr);
  // The same for one call, timed by the host's clock: each dispatch is submitted, and waited for,
  // by itself, while no other has the device.
  Status run_by_host_clock(const Work& work, Timing& timing, Accounts& accounts);

  // The bytes of read-back i of the last run, counted over all of its works.
  std::span<const std::byte> result(size_t i) const;

  // The implementation's own object for a buffer, which stays the same.
  void* buffer_object(uint32_t buffer) const;

  Device& device() { return *device_; }

 private:
  friend class ExecutableLoad;
  class Objects;
  Executable(std::shared_ptr<Device> device, const Timeout& timeout);

  std::shared_ptr<Device> device_;
  std::unique_ptr<Objects> objects_;
};

}  // namespace highwater::gpu
