#include "graph/memory.h"

#include <algorithm>
#include <compare>
#include <map>

#include "base/checked.h"

namespace highwater {
namespace {

// Constants are never shared with what is computed. Two constants with the same bytes share one
// buffer, unless an op writes into them: all zero-filled caches have the same content key.
class ConstantBuffers {
 public:
  ConstantBuffers(Graph& graph, const Program& program) : graph_(graph), program_(program) {}

  BufferId buffer_for(ValueId id, uint64_t size, Texels texels = Texels::None) {
    const ValueInfo& value = graph_.values[id];
    const uint32_t index = *value.tensor.constant;
    const ConstantDecl& decl = program_.constants[index];
    if (value.mutated) return make(id, size, texels);
    Identity identity{decl.key, decl.inline_bytes.data(), value.tensor.dtype, size, texels};
    // What is put together from parts has neither a key nor bytes; another order is another
    // content.
    if (!decl.parts.empty()) identity.made = &decl;
    if (value.arrangement) identity.made = &*value.arrangement;
    const auto [entry, is_new] = shared_.try_emplace(identity, kNoBuffer);
    if (is_new) entry->second = make(id, size, texels);
    return entry->second;
  }

 private:
  struct Identity {
    std::string_view key;
    const std::byte* bytes;
    DType dtype;
    uint64_t size;
    Texels texels;
    const void* made = nullptr;

    auto operator<=>(const Identity&) const = default;
  };

  BufferId make(ValueId constant, uint64_t size, Texels texels) {
    graph_.buffers.push_back({size, constant, texels});
    return static_cast<BufferId>(graph_.buffers.size() - 1);
  }

  Graph& graph_;
  const Program& program_;
  std::map<Identity, BufferId> shared_;
};

// Buffers for computed values: the smallest free one that is large enough, else the largest free
// one made larger, else a new one.
class SharedBuffers {
 public:
  explicit SharedBuffers(Graph& graph) : graph_(graph) {}

  BufferId take(uint64_t size) {
    if (free_.empty() || graph_.memory == Memory::Apart) {
      graph_.buffers.push_back({size});
      return static_cast<BufferId>(graph_.buffers.size() - 1);
    }
    auto best = free_.lower_bound(size);
    if (best == free_.end()) --best;
    const BufferId id = best->second;
    free_.erase(best);
    graph_.buffers[id].size = std::max(graph_.buffers[id].size, size);
    return id;
  }

  void give_back(BufferId id) { free_.emplace(graph_.buffers[id].size, id); }

 private:
  Graph& graph_;
  std::multimap<uint64_t, BufferId> free_;  // by size
};

}  // namespace

uint64_t memory_bytes(const TensorDecl& tensor) {
  constexpr uint64_t kGranule = 16;
  const uint64_t bytes =
      static_cast<uint64_t>(tensor.dims.numel()) * byte_size(tensor.device_dtype());
  return std::max(round_up(bytes, kGranule), kGranule);
}

std::vector<Life> find_lives(const Graph& graph) {
  std::vector<Life> lives(graph.values.size());
  const auto touch = [&](ValueId id, int64_t node) {
    const ValueId root = graph.root(id);
    lives[root].last = std::max(lives[root].last, node);
  };
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    for (ValueId id : graph.nodes[n].writes) {
      if (graph.root(id) == id) lives[id].first = static_cast<int64_t>(n);
      touch(id, static_cast<int64_t>(n));
    }
    for (ValueId id : graph.nodes[n].reads) touch(id, static_cast<int64_t>(n));
  }
  for (ValueId id : graph.outputs) {
    // A scalar lives on the host.
    lives[graph.root(id)].touched = graph.values[id].kind == ValueInfo::Kind::Tensor;
    touch(id, static_cast<int64_t>(graph.nodes.size()));
  }
  for (const StepDecl& step : graph.steps) {
    for (const StepBinding& b : step.bindings) {
      // An image has memory of its own.
      if (b.use.texels == Texels::None) lives[graph.root(b.value)].touched = true;
    }
  }
  for (ValueId id = 0; id < graph.values.size(); ++id) {
    const ValueInfo& v = graph.values[id];
    if (v.kind != ValueInfo::Kind::Tensor) continue;
    Life& life = lives[graph.root(id)];
    life.size = std::max(life.size, memory_bytes(v.tensor));
  }
  return lives;
}

void plan_memory(Graph& graph, const Program& program) {
  const std::vector<Life> lives = find_lives(graph);
  ConstantBuffers constants(graph, program);
  SharedBuffers shared(graph);

  std::vector<std::vector<ValueId>> born(graph.nodes.size() + 1);
  std::vector<std::vector<BufferId>> done(graph.nodes.size() + 1);
  for (ValueId id = 0; id < graph.values.size(); ++id) {
    ValueInfo& value = graph.values[id];
    if (!lives[id].touched || graph.root(id) != id) continue;
    if (value.tensor.constant) {
      value.buffer = constants.buffer_for(id, lives[id].size);
    } else if (value.fixed) {
      // Written once, read by every run.
      graph.buffers.push_back({lives[id].size});
      value.buffer = static_cast<BufferId>(graph.buffers.size() - 1);
    } else {
      // Index 0 holds what exists before node 0, index n + 1 what node n writes.
      born[static_cast<size_t>(lives[id].first + 1)].push_back(id);
    }
  }
  for (size_t slot = 0; slot < born.size(); ++slot) {
    for (ValueId id : born[slot]) {
      const BufferId buffer = shared.take(lives[id].size);
      graph.values[id].buffer = buffer;
      const auto last = static_cast<size_t>(std::max<int64_t>(lives[id].last, 0));
      // An input's memory stays its own: the next call may feed it from any of the outputs.
      if (last < graph.nodes.size() && slot > 0) done[last].push_back(buffer);
    }
    // Node slot - 1 has run once its outputs are placed: what it touched last is free.
    if (slot == 0) continue;
    for (BufferId buffer : done[slot - 1]) shared.give_back(buffer);
  }
  for (StepDecl& step : graph.steps) {
    for (StepBinding& b : step.bindings) {
      const ValueId root = graph.root(b.value);
      b.memory = b.use.texels == Texels::None
                     ? graph.values[root].buffer
                     : constants.buffer_for(root, lives[root].size, b.use.texels);
    }
  }
}

}  // namespace highwater
