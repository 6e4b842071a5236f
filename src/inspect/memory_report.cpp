#include "inspect/memory_report.h"

#include <algorithm>
#include <map>

#include "base/checked.h"
#include "gpu/executable.h"
#include "graph/memory.h"

namespace highwater {
namespace {

std::string_view kind_of(const Graph& graph, BufferId id) {
  const BufferDecl& buffer = graph.buffers[id];
  if (buffer.texels != Texels::None) return "images";
  if (buffer.constant == kNoValue) {
    for (const ValueInfo& value : graph.values) {
      if (value.buffer != id) continue;
      if (value.fixed) return "kept";
      if (value.input) return "inputs";  // which share with nothing
    }
    return "shared";
  }
  return graph.values[buffer.constant].mutated ? "caches" : "constants";
}

// An image has whole rows.
uint64_t bytes_on_device(const BufferDecl& buffer) {
  if (buffer.texels == Texels::None) return buffer.size;
  return image_rows(buffer.size, buffer.texels) * kImageWidth * byte_size(buffer.texels);
}

uint64_t read_back_bytes(const Graph& graph) {
  uint64_t bytes = 0;
  for (ValueId id : graph.outputs) {
    const ValueInfo& value = graph.values[id];
    if (value.kind != ValueInfo::Kind::Tensor) continue;
    const uint64_t elements = static_cast<uint64_t>(value.tensor.dims.numel());
    bytes += round_up(elements * byte_size(value.tensor.device_dtype()), gpu::kReadBackAlignment);
  }
  return bytes;
}

// What values would take that have a buffer each, and what is in use at once.
struct Sharing {
  uint64_t apart = 0;
  uint64_t peak = 0;

  explicit Sharing(const Graph& graph) {
    const std::vector<Life> lives = find_lives(graph);
    std::vector<uint64_t> in_use(graph.nodes.size() + 1);
    for (ValueId id = 0; id < graph.values.size(); ++id) {
      const ValueInfo& value = graph.values[id];
      if (value.buffer == kNoBuffer || graph.root(id) != id) continue;
      if (value.tensor.constant || value.fixed || value.input) continue;
      apart += lives[id].size;
      const auto first = static_cast<size_t>(std::max<int64_t>(lives[id].first, 0));
      const auto last = static_cast<size_t>(std::max<int64_t>(lives[id].last, 0));
      for (size_t n = first; n <= last; ++n) in_use[n] += lives[id].size;
    }
    peak = *std::max_element(in_use.begin(), in_use.end());
  }
};

void write_troubles(Json& json, const Graph& graph, const Target& target) {
  json.key("troubles").begin_list();
  if (!target.adapter) {
    json.end_list();
    return;
  }
  const gpu::Limits& limits = target.adapter->limits;
  for (BufferId id = 0; id < graph.buffers.size(); ++id) {
    const BufferDecl& buffer = graph.buffers[id];
    if (buffer.texels != Texels::None || buffer.size <= limits.max_buffer_size) continue;
    json.value(text("buffer ", id, " (", kind_of(graph, id), ") needs ", buffer.size,
                    " bytes; a buffer of this adapter has at most ", limits.max_buffer_size));
  }
  std::map<std::string_view, size_t> crowded;
  for (const StepDecl& step : graph.steps) {
    const size_t buffers = storage_buffers(step, graph.traits);
    if (buffers > limits.max_storage_buffers) crowded[step.name] = buffers;
  }
  for (const auto& [kernel, buffers] : crowded) {
    json.value(text("kernel ", kernel, " binds ", buffers, " buffers; this adapter allows ",
                    limits.max_storage_buffers));
  }
  json.end_list();
}

}  // namespace

std::string_view role_of(const Graph& graph, ValueId id) {
  const ValueInfo& value = graph.values[id];
  if (value.input) return "input";
  if (std::count(graph.outputs.begin(), graph.outputs.end(), id)) return "output";
  if (value.kind != ValueInfo::Kind::Tensor) return "scalar";
  if (value.tensor.constant) return value.mutated ? "cache" : "constant";
  if (value.scratch) return "scratch";
  if (graph.root(id) != id) return "view";
  return value.fixed ? "kept" : "activation";
}

void write_memory(Json& json, const Graph& graph, const Target& target) {
  std::map<std::string_view, uint64_t> kinds;
  for (const auto kind : {"constants", "images", "caches", "kept", "inputs", "shared"})
    kinds[kind] = 0;
  json.key("buffers").begin_list();
  for (BufferId id = 0; id < graph.buffers.size(); ++id) {
    const std::string_view kind = kind_of(graph, id);
    const uint64_t bytes = bytes_on_device(graph.buffers[id]);
    kinds[kind] += bytes;
    json.begin_object().field("kind", kind).field("bytes", bytes);
    if (graph.buffers[id].constant != kNoValue) {
      json.field("constant", graph.buffers[id].constant);
    }
    json.end_object();
  }
  json.end_list();
  const Sharing sharing(graph);
  json.key("memory").begin_object();
  for (const auto& [kind, bytes] : kinds) json.field(kind, bytes);
  json.field("params", graph.params_size)
      .field("read_back", read_back_bytes(graph))
      .field("shared_peak", sharing.peak)
      .field("shared_if_apart", sharing.apart)
      .end_object();
  write_troubles(json, graph, target);
}

}  // namespace highwater
