// What a GPU would be given to do for a Llama of one billion weights: enough workgroups for what
// there is to read, few dispatches, and few lanes without work. Planned, and run nowhere.
#include <bit>

#include "graph/graph.h"
#include "graph/live.h"
#include "support/engine.h"
#include "support/llama.h"

namespace highwater {
namespace {

struct Dispatch {
  std::string kernel;
  uint64_t workgroups = 0;
  int64_t bytes = 0;  // that it reads

  bool is(std::string_view name) const { return kernel.starts_with(name); }
};

class PlannedLlama {
 public:
  PlannedLlama() {
    DeviceTraits traits;
    traits.software = false;
    traits.most_rounds = DeviceTraits::kAnyRounds;
    auto graph = Graph::build(llama_program(sizes_), traits);
    if (!graph) give_up(graph.error());
    graph_ = *std::move(graph);
    live_ = std::make_unique<Live>(*graph_);
  }

  const LlamaSizes& sizes() const { return sizes_; }

  std::vector<Dispatch> call(int64_t tokens, int64_t position, float temperature = 0,
                             int64_t top_k = 0, float top_p = 1) {
    const auto bits = [](float x) { return int64_t{std::bit_cast<uint32_t>(x)}; };
    const std::vector<int64_t> ids(static_cast<size_t>(tokens));
    const std::vector<Input> inputs{HostTensor{DType::Int64, {1, tokens}, ids.data()},
                                    position,
                                    bits(temperature),
                                    top_k,
                                    bits(top_p),
                                    int64_t{1},
                                    int64_t{0}};
    EXPECT_TRUE(succeeds(live_->update(inputs)));
    std::vector<Dispatch> out;
    for (size_t n = 0; n < graph_->nodes.size(); ++n) {
      if (graph_->nodes[n].fixed) continue;
      for (const Plan::Run& run : live_->plan(n).runs()) {
        const StepDecl& step = graph_->steps[run.step];
        out.push_back({step.name, run.grid.workgroups(), bytes_of(step, tokens + position)});
      }
    }
    return out;
  }

 private:
  int64_t bytes_of(const StepDecl& step, int64_t context) const {
    // A few rows of a table.
    if (step.name.starts_with("embedding")) return 0;
    int64_t bytes = 0;
    for (const StepBinding& b : step.bindings) {
      if (b.use.writes) continue;
      const Dims& dims = live_->shapes()[Tensor{b.value}];
      // Of caches no more than there is, and of tables of angles a row for each token.
      int64_t numel = dims.numel();
      if (!dims.empty() && dims[0] == sizes_.capacity) numel = 0;
      if (dims.rank() == 4 && dims[1] == sizes_.capacity) numel = numel / dims[1] * context;
      bytes += numel * static_cast<int64_t>(byte_size(graph_->tensor(Tensor{b.value}).dtype));
    }
    return bytes;
  }

  LlamaSizes sizes_;
  std::unique_ptr<Graph> graph_;
  std::unique_ptr<Live> live_;
};

TEST(GpuPlans, WhatReadsMuchHasManyWorkgroups) {
  PlannedLlama llama;
  for (int64_t position : {0, 1, 63, 127, 128, 1000, 8191, 16383}) {
    for (const Dispatch& d : llama.call(1, position, 0.8f, 40, 0.9f)) {
      if (d.bytes > 256 * 1024) {
        EXPECT_GE(d.workgroups, 32u)
            << d.kernel << " reads " << d.bytes << " bytes at " << position;
      }
    }
  }
}

TEST(GpuPlans, DispatchesOfADecodeStep) {
  PlannedLlama llama;
  const size_t layers = static_cast<size_t>(llama.sizes().layers);
  EXPECT_EQ(llama.call(1, 128).size(), 7 * layers + 5);
  // Cuts take more of them, once in a step.
  EXPECT_EQ(llama.call(1, 128, 0.8f, 40, 0.9f).size(), 7 * layers + 5 + 8);
  // Of several rows, norms are kernels of their own.
  EXPECT_EQ(llama.call(4, 128).size(), 9 * layers + 5);
}

TEST(GpuPlans, TilesOf4BitProductsFitTheRows) {
  PlannedLlama llama;
  const int64_t columns = llama.sizes().dim;
  for (int64_t rows = 9; rows <= 200; ++rows) {
    int seen = 0;
    for (const Dispatch& d : llama.call(rows, 0)) {
      const size_t x = d.kernel.find('x');
      if (!d.is("q4_blocks/") || !d.kernel.ends_with("x64_residual")) continue;
      const int64_t tile_rows = std::stoi(d.kernel.substr(10, x - 10));
      const int64_t tiles = static_cast<int64_t>(d.workgroups) / (columns / 64);
      EXPECT_LE(4 * tiles * tile_rows, 4 * rows + tiles * tile_rows) << d.kernel << " at " << rows;
      ++seen;
    }
    EXPECT_EQ(seen, 2 * llama.sizes().layers) << rows;
  }
}

TEST(GpuPlans, EightRowsReadTheWeightsOnce) {
  PlannedLlama llama;
  for (int64_t rows = 1; rows <= 8; ++rows) {
    for (const Dispatch& d : llama.call(rows, 0)) {
      const bool plain = d.kernel.ends_with("_residual") || d.kernel.ends_with("16_norm");
      if (!d.is("q4_slices/") || !plain) continue;
      const int64_t width = std::stoi(d.kernel.substr(d.kernel.find('x') + 1));
      const bool head = d.workgroups * width >= uint64_t(llama.sizes().vocabulary);
      EXPECT_EQ(d.workgroups * width,
                uint64_t(head ? llama.sizes().vocabulary : llama.sizes().dim));
    }
  }
}

}  // namespace
}  // namespace highwater
