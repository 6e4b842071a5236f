// A .pte file: ExecuTorch's program around the blobs of its delegates, read without ExecuTorch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/byte_source.h"
#include "blob/program.h"
#include "blob/signature.h"
#include "highwater/dims.h"
#include "highwater/dtype.h"
#include "highwater/result.h"

namespace highwater {

// What HighwaterPartitioner names its delegate, and what VulkanPartitioner and WebGPUPartitioner
// do.
inline constexpr const char* kDelegateNames[] = {"HighwaterBackend", "VulkanBackend"};
constexpr bool is_delegate_name(std::string_view name) {
  return name == kDelegateNames[0] || name == kDelegateNames[1];
}

// A stretch of the file, read when it is wanted.
struct FilePart {
  uint64_t offset = 0;
  uint64_t size = 0;
};

struct PteMethod {
  struct Delegate {
    std::string name;
    FilePart blob;
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
  // What else there is, only the CPU's ops want.
  using Value = std::variant<std::monostate, TensorValue, int64_t, std::string>;

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

struct Pte {
  std::shared_ptr<const ByteSource> source;
  std::vector<PteMethod> methods;
  std::map<std::string, FilePart, std::less<>> named_data;

  std::map<std::string, size_t, std::less<>> by_name;  // of the methods; the first of a name

  const PteMethod* find(std::string_view method) const;
  // The integers that the metadata method gives; none if there is no such method.
  std::vector<int64_t> metadata(std::string_view method) const;
  Result<ByteBuffer> read(const FilePart& part) const {
    return source->read(part.offset, part.size);
  }
};

Result<Pte> read_pte(std::shared_ptr<const ByteSource> source);
Result<Pte> open_pte(const std::string& path);

// What is known of a method's inputs: what its exporter wrote into the file, or at least which of
// them never change their dims.
Result<Signature> signature_of(const Pte& pte, const PteMethod& method);
// Whether a method only tells the signature of another.
bool is_signature(const PteMethod& method);

// The program of a delegate of ours.
Result<Program> read_delegate(const Pte& pte, const PteMethod::Delegate& delegate);

// A method all of whose work is one delegate of ours, as a program that takes the method's inputs
// and gives its outputs, in their order.
Result<Program> read_method(const Pte& pte, std::string_view method);

}  // namespace highwater
