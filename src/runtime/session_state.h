// What a session holds. For runtime/ only.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "gpu/executable.h"
#include "graph/graph.h"
#include "graph/live.h"
#include "highwater/session.h"
#include "runtime/recording.h"
#include "runtime/session_access.h"

namespace highwater {

// WebGPU copies whole words.
uint64_t live_bytes(const Dims& dims, DType device);

struct Session::State {
  std::unique_ptr<Graph> graph;
  std::unique_ptr<Live> live;
  std::unique_ptr<gpu::Executable> executable;

  // What to load again, if that is wanted.
  struct Origin {
    Program program;
    ConstantSource constants;
    ConstantArrivals arrivals;
    SessionOptions options;
  };
  std::shared_ptr<const Origin> origin;

  Accounts load_accounts;
  Accounts run_accounts;
  std::chrono::steady_clock::time_point began;  // the run
  // A run that is put together and waits for kernels, or could not start when they were there.
  bool is_held = false;
  gpu::Timing* held_timing = nullptr;
  Status held_failed;

  // What is being put together.
  Recording recording;
  std::vector<size_t> all_outputs;
  bool fixed_nodes_ran = false;
  // Whether the device holds the outputs of the call that `live` knows.
  bool outputs_are_live = false;

  // Of the last good run. The order of `read_outputs` is that of the executable's results.
  struct ReadOutput {
    size_t call;
    size_t output;
    Dims dims;
  };
  struct LastOutput {
    Dims dims;
    int64_t scalar = 0;
  };
  std::vector<ReadOutput> read_outputs;
  std::vector<ReadOutput> reads_under_way;
  std::vector<LastOutput> last_outputs;

  // In recovery.cpp.
  bool is_lost() const;
  bool keeps_state() const;
  // The error of a run on a device that is lost, with what can be done about it.
  Error with_advice(Error error) const;

  Status check_idle() const;
  // Whether a run that waits for kernels has ended, because it could not start.
  bool poll_held();
  // With a `timing`, its dispatches are timed by the device's clock.
  Status start(std::span<const Call> calls, gpu::Timing* timing = nullptr);
  bool poll();
  Status finish();
  Status run(std::span<const Call> calls, gpu::Timing* timing = nullptr);
  Status run_by_host_clock(const Call& call, gpu::Timing& timing);
  Status begin(std::span<const Call> calls);
  Status conclude(Status ran);
  void keep_outputs();

  // In recording.cpp.
  Status record(std::span<const Call> calls);
  Status record_call(const Call& call);
  Status record_input(size_t i, const Input& input);
  Status record_host_tensor(size_t i, const HostTensor& tensor);
  Status record_feed(size_t i, size_t output);
  void record_dispatches(bool with_fixed);
  void record_poison();
  // Calls visit(node, run) for all that a call of the present shapes dispatches, in order.
  template <class Visit>
  void each_run(bool with_fixed, const Visit& visit) const {
    for (size_t n = 0; n < graph->nodes.size(); ++n) {
      if (graph->nodes[n].fixed && !with_fixed) continue;
      for (const Plan::Run& run : live->plan(n).runs()) visit(graph->nodes[n], run);
    }
  }
  Status record_reads(size_t call, std::span<const size_t> reads);

  const ValueInfo& input(size_t i) const { return graph->values[graph->inputs[i]]; }
  const ValueInfo& output(size_t i) const { return graph->values[graph->outputs[i]]; }
};

}  // namespace highwater
