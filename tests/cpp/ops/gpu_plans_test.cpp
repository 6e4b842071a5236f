// What a GPU would be given to do for a Llama of one billion weights: enough workgroups for what
// there is to read, few dispatches, and few lanes without work. Planned, and run nowhere.
#include <bit>
#include <set>

#include "graph/graph.h"
#include "graph/live.h"
#include "support/engine.h"
#include "support/llama.h"
#include "support/program_builder.h"

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

 public:
  // What the dispatches of a step read and write, and what no step could do without: each weight
  // once, and what there is of the caches.
  struct Traffic {
    int64_t moved = 0;
    int64_t needed = 0;
  };
  Traffic traffic(int64_t tokens, int64_t position) {
    call(tokens, position);
    Traffic traffic;
    std::set<ValueId> seen;
    for (size_t n = 0; n < graph_->nodes.size(); ++n) {
      if (graph_->nodes[n].fixed) continue;
      for (const Plan::Run& run : live_->plan(n).runs()) {
        const StepDecl& step = graph_->steps[run.step];
        for (const StepBinding& b : step.bindings) {
          // The step that puts rows into a cache moves no more than them.
          const bool puts = b.use.writes && is_cache(b);
          if (puts) continue;
          const int64_t bytes = is_partial(step, b) ? partial_bytes(tokens, position + tokens)
                                                    : bytes_of(step, b, tokens + position);
          traffic.moved += bytes;
          if ((is_constant(b) || is_cache(b)) && seen.insert(b.value).second)
            traffic.needed += bytes;
        }
      }
    }
    return traffic;
  }

 private:
  int64_t bytes_of(const StepDecl& step, int64_t context) const {
    int64_t bytes = 0;
    for (const StepBinding& b : step.bindings) {
      if (!b.use.writes) bytes += bytes_of(step, b, context);
    }
    return bytes;
  }

  int64_t bytes_of(const StepDecl& step, const StepBinding& binding, int64_t context) const {
    const Tensor tensor{binding.value};
    const Dims& dims = live_->shapes()[tensor];
    int64_t numel = dims.numel();
    // A few rows of a table.
    if (step.name.starts_with("embedding") && is_constant(binding)) numel = 0;
    // Of caches no more than there is, and of tables of angles a row for each token.
    if (!dims.empty() && dims[0] == sizes_.capacity) numel = 0;
    if (is_cache(binding)) numel = numel / dims[1] * context;
    return numel * static_cast<int64_t>(byte_size(graph_->tensor(tensor).dtype));
  }

  // What attention finds in chunks of the context, which is memory for the longest.
  bool is_partial(const StepDecl& step, const StepBinding& b) const {
    return step.name.starts_with("attention") && live_->shapes()[Tensor{b.value}].rank() == 1;
  }

  // No more than this: chunks are of 64 places, or there are fewer than 32 of them.
  int64_t partial_bytes(int64_t tokens, int64_t context) const {
    const int64_t chunks = ceil_div<int64_t>(context, 64) + 32;
    return tokens * sizes_.heads * chunks * (sizes_.head_dim + 4) * 4;
  }

  bool is_cache(const StepBinding& b) const {
    const Dims& dims = live_->shapes()[Tensor{b.value}];
    return dims.rank() == 4 && dims[1] == sizes_.capacity;
  }

  bool is_constant(const StepBinding& b) const {
    return graph_->tensor(Tensor{b.value}).constant.has_value();
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

TEST(GpuPlans, FewRowsMoveLittleButWeightsAndCaches) {
  PlannedLlama llama;
  const LlamaSizes& sizes = llama.sizes();
  const int64_t kv_dim = sizes.kv_heads * sizes.head_dim;
  const int64_t weights = sizes.layers * (2 * sizes.dim * sizes.dim + 2 * sizes.dim * kv_dim +
                                          3 * sizes.dim * sizes.hidden) +
                          sizes.dim * sizes.vocabulary;
  for (int64_t position : {0, 128, 1000, 8191}) {
    for (int64_t rows : {1, 2, 5}) {
      const auto [moved, needed] = llama.traffic(rows, position);
      // Half a byte each, and scales; and float32.
      EXPECT_GE(needed, weights / 2 + 2 * sizes.layers * kv_dim * (position + rows) * 4);
      EXPECT_LE(10 * moved, 13 * needed) << rows << " rows at " << position;
    }
  }
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

// A layer with a weight of its own, called with so many rows.
std::vector<Dispatch> dense_layer(int64_t rows, int64_t columns, int64_t depth) {
  ProgramBuilder b;
  const ValueId x = b.input({256, depth}), w = b.constant({columns, depth}, "w");
  b.output(b.apply("aten.linear.default", {x, w, b.null()}, {256, columns}));
  DeviceTraits traits;
  traits.software = false;
  traits.most_rounds = DeviceTraits::kAnyRounds;
  const auto graph = Graph::build(b.program(), traits);
  if (!graph) give_up(graph.error());
  Live live(**graph);
  const std::vector<float> data(static_cast<size_t>(rows * depth));
  const std::vector<Input> inputs{HostTensor{DType::Float32, {rows, depth}, data.data()}};
  EXPECT_TRUE(succeeds(live.update(inputs)));
  std::vector<Dispatch> out;
  for (size_t n = 0; n < (*graph)->nodes.size(); ++n) {
    for (const Plan::Run& run : live.plan(n).runs()) {
      out.push_back({(*graph)->steps[run.step].name, run.grid.workgroups(), 0});
    }
  }
  return out;
}

int64_t tile_rows_of(const Dispatch& d) {
  return std::stoi(d.kernel.substr(d.kernel.find('_', d.kernel.find('/')) + 1));
}

TEST(GpuPlans, TilesOfDenseProductsFitTheRows) {
  constexpr int64_t kColumns = 128;
  for (int64_t rows = 9; rows <= 200; ++rows) {
    int64_t lanes = 0;
    const auto dispatches = dense_layer(rows, kColumns, 64);
    for (const Dispatch& d : dispatches) {
      const int64_t width = std::stoi(d.kernel.substr(d.kernel.find('x') + 1));
      lanes += static_cast<int64_t>(d.workgroups) / (kColumns / width) * tile_rows_of(d);
    }
    EXPECT_LE(dispatches.size(), 2u) << rows;
    EXPECT_GE(4 * rows, 3 * lanes) << rows;
  }
}

TEST(GpuPlans, DenseProductsOfFewRowsReadTheWeightsOnceOnManyWorkgroups) {
  for (int64_t columns : {256, 512, 2048, 8192}) {
    for (int64_t rows = 1; rows <= 8; ++rows) {
      const auto dispatches = dense_layer(rows, columns, 2048);
      ASSERT_EQ(dispatches.size(), 1u);
      EXPECT_GE(tile_rows_of(dispatches[0]), rows);
      EXPECT_GE(dispatches[0].workgroups, 32u) << columns << " columns";
    }
  }
}

}  // namespace
}  // namespace highwater
