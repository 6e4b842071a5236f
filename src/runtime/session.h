// A loaded program: give it inputs of any live shape, run it, read its outputs. What every front
// door uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "blob/program.h"
#include "gpu/device.h"
#include "gpu/executable.h"
#include "graph/graph.h"
#include "graph/live.h"
#include "highwater/accounts.h"
#include "highwater/host_tensor.h"
#include "highwater/result.h"

namespace highwater {

struct SessionOptions {
  gpu::DeviceOptions device;
  std::string without_passes;  // names of rewrites to leave out; see passes.h
  bool half_cache = false;     // keep float32 caches as float16; see passes.h
};

// Gives the bytes of a constant under its key to `use`, which is done with them when it returns.
using UseBytes = std::function<Status(std::span<const std::byte>)>;
using ConstantSource = std::function<Status(const std::string& key, const UseBytes& use)>;

class Session {
 public:
  static Result<std::unique_ptr<Session>> load(Program program, const ConstantSource& constants,
                                               const SessionOptions& options = {});

  // Runs at the live shapes of `inputs`. On an error nothing has changed, and the next good call
  // works.
  Status run(std::span<const HostInput> inputs);

  size_t input_count() const { return graph_->inputs.size(); }
  size_t output_count() const { return graph_->outputs.size(); }
  bool output_is_scalar(size_t i) const;

  // Of the last run.
  const Dims& output_dims(size_t i) const;
  int64_t output_scalar(size_t i) const;
  // Copies output i to host memory of `count` elements of `dtype`.
  Status read_output(size_t i, DType dtype, std::span<std::byte> to) const;

  const Accounts& load_accounts() const { return load_accounts_; }
  const Accounts& run_accounts() const { return run_accounts_; }
  // What the last run dispatched, in order; the steps are the graph's.
  std::span<const gpu::Dispatch> dispatches() const { return dispatches_; }
  const gpu::AdapterDescription& adapter() const { return executable_->device().adapter(); }

  const Graph& graph() const { return *graph_; }
  const Live& live() const { return *live_; }

 private:
  Session() = default;
  Status prepare_inputs();
  Status run_on_device();
  Status stage_inputs(std::span<const HostInput> inputs);
  void list_dispatches();

  std::unique_ptr<Graph> graph_;
  std::unique_ptr<Live> live_;
  std::unique_ptr<gpu::Executable> executable_;
  std::vector<std::vector<std::byte>> staging_;  // for inputs that change width, or end mid-word
  std::vector<gpu::Executable::Upload> uploads_;
  std::vector<gpu::Dispatch> dispatches_;
  std::vector<gpu::ReadBack> read_backs_;
  bool fixed_nodes_ran_ = false;
  Accounts load_accounts_;
  Accounts run_accounts_;
};

}  // namespace highwater
