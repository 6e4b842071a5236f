// A program as nodes in order, the steps they may run, and the memory they run in. No GPU here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "blob/program.h"
#include "graph/arrangement.h"
#include "graph/handles.h"
#include "graph/kernel.h"
#include "graph/op.h"
#include "graph/traits.h"
#include "highwater/result.h"

namespace highwater {

using BufferId = uint32_t;
constexpr BufferId kNoBuffer = ~BufferId{0};

// A value of the program, or an op's scratch.
struct ValueInfo {
  enum class Kind : uint8_t { Other, Tensor, Scalar };
  Kind kind = Kind::Other;
  TensorDecl tensor;                       // dims are the bound
  std::optional<Arrangement> arrangement;  // of a constant that is not as the program has it
  bool scratch = false;                    // an op's own, and not a value of the program
  std::optional<uint32_t> input;           // index among the graph's inputs
  uint32_t calls = 0;                      // of the program that are given it
  bool mutated = false;                    // some op writes into it, beyond its definition
  bool defined = false;           // an input, a constant, or written by a node already seen
  bool fixed = false;             // the same in every run: a constant, or computed from such alone
  ValueId root = kNoValue;        // whose memory it uses: its own, or that of what it views
  BufferId buffer = kNoBuffer;    // set on roots that are touched as a buffer
  std::vector<uint32_t> readers;  // nodes to plan again when it changes
};

struct StepBinding {
  ValueId value;
  OperandUse use;
  BufferId memory = kNoBuffer;  // set when memory is planned
};

// A compiled kernel with its bindings: everything about a dispatch but its params and grid.
struct StepDecl {
  std::string name;
  std::string wgsl;
  std::vector<StepBinding> bindings;
  uint32_t params_at = 0;  // in the params arena
  uint32_t params_size = 0;
};

// How many buffers a kernel is bound to; adapters have a limit.
inline size_t storage_buffers(const StepDecl& step, const DeviceTraits& traits) {
  size_t count = step.params_size && traits.params_space() == ParamsSpace::Storage ? 1 : 0;
  for (const StepBinding& b : step.bindings) {
    if (b.use.texels == Texels::None) count += b.use.parts;
  }
  return count;
}

struct Node {
  std::string op_name;  // "aten.add.Tensor"
  uint32_t id = 0;      // the exporter's number
  std::string name;     // "aten.add.Tensor (node 12)", for messages
  std::unique_ptr<Op> op;
  std::vector<ValueId> reads;
  std::vector<ValueId> writes;
  bool reads_host_data = false;  // its plan depends on what an input holds, not only on dims
  bool fixed = false;            // its outputs are the same in every run; it runs once
  uint32_t first_step = 0;       // the steps that it declared, of which a plan runs some
  uint32_t end_step = 0;
};

struct BufferDecl {
  uint64_t size = 0;
  ValueId constant = kNoValue;   // filled from it at load
  Texels texels = Texels::None;  // not a buffer but an image
};

// Which values may lie in one place, one after the other.
enum class Memory {
  Shared,
  Apart,  // nothing that is computed shares any, so that all of it can be filled before a run
};

class Graph {
 public:
  static Result<std::unique_ptr<Graph>> build(const Program& program,
                                              const DeviceTraits& traits = {},
                                              Memory memory = Memory::Shared);

  std::vector<ValueInfo> values;
  std::vector<Node> nodes;
  std::vector<StepDecl> steps;
  std::vector<BufferDecl> buffers;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  Signature signature;
  uint32_t params_size = 0;
  DeviceTraits traits;
  Memory memory = Memory::Shared;

  const TensorDecl& tensor(Tensor t) const { return values[t.id].tensor; }
  // The value whose memory `id` uses, after any number of views.
  ValueId root(ValueId id) const { return values[id].root; }
  // "tensor 7 (float32, at most [1, 128, 64])"
  std::string describe(ValueId id) const;
};

}  // namespace highwater
