// Making an executable, in parts that do not wait. For gpu/ and runtime/.
#pragma once

#include <memory>
#include <vector>

#include "gpu/executable.h"
#include "highwater/advance.h"

namespace highwater::gpu {

class ExecutableLoad {
 public:
  ExecutableLoad(std::shared_ptr<Device> device, ExecutableSpec spec);
  ~ExecutableLoad();

  // A part of it: a buffer, a kernel, a first run. An error ends the load. `progress` and `fill`
  // are called from here, and in no turn of the device.
  Result<Advance> advance(Accounts& accounts);
  // When all is done.
  std::unique_ptr<Executable> finish();

 private:
  enum class Stage : uint8_t { Weights, Kernels, FirstRuns, Settling, Done };
  struct Pending;

  Status do_part(Accounts& accounts);
  Status load_weights(Accounts& accounts);
  Status load_kernels(Accounts& accounts);
  Status run_first(Accounts& accounts);
  bool must_wait() const;
  bool waits_for_kernels() const;
  bool lacks_content() const;
  Result<bool> poll(Accounts& accounts);

  ExecutableSpec spec_;
  std::unique_ptr<Executable> executable_;
  std::unique_ptr<Pending> pending_;
  Stage stage_ = Stage::Weights;
  uint64_t portion_ = 0;              // handed over since the last flush
  std::vector<uint32_t> first_runs_;  // steps
  size_t next_first_run_ = 0;
};

}  // namespace highwater::gpu
