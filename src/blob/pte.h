// A .pte file: ExecuTorch's program around the blobs of its delegates, read without ExecuTorch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "blob/program.h"
#include "highwater/dims.h"
#include "highwater/dtype.h"
#include "highwater/result.h"

namespace highwater {

// What VulkanPartitioner and WebGPUPartitioner name their delegate.
inline constexpr std::string_view kDelegateName = "VulkanBackend";

struct PteMethod {
  struct Delegate {
    std::string name;
    std::span<const std::byte> blob;
  };
  struct DelegateCall {
    uint32_t delegate;
    std::vector<uint32_t> args;
  };
  struct TensorValue {
    std::optional<DType> dtype;  // none for types that Highwater does not know
    std::vector<int64_t> dims;   // at their bound
    bool dynamic = false;        // some of them may be smaller than that
  };
  // Tensors and integers; what else there is, only the CPU's ops want.
  using Value = std::variant<std::monostate, TensorValue, int64_t>;

  std::string name;
  std::vector<Value> values;
  std::vector<uint32_t> inputs;
  std::vector<uint32_t> outputs;
  std::vector<Delegate> delegates;
  std::vector<DelegateCall> calls;
  std::vector<std::string> cpu_ops;  // one for each call, in order

  // What a method gives that computes nothing: metadata such as get_eos_ids.
  std::vector<int64_t> constant_integers() const;
};

// Refers to the file's bytes and must not outlive them.
struct Pte {
  std::vector<PteMethod> methods;
  std::map<std::string, std::span<const std::byte>, std::less<>> named_data;

  const PteMethod* find(std::string_view method) const;
  // The integers that the metadata method gives; none if there is no such method.
  std::vector<int64_t> metadata(std::string_view method) const;
};

Result<Pte> read_pte(std::span<const std::byte> file);

// A method all of whose work is one delegate of ours, as a program that takes the method's inputs
// and gives its outputs, in their order.
Result<Program> read_method(const Pte& pte, std::string_view method);

}  // namespace highwater
