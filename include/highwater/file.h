// A .pte file: opened once, asked what it holds, and handed to what runs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "highwater/export.h"
#include "highwater/host_tensor.h"
#include "highwater/result.h"

namespace highwater {

struct Pte;  // the engine's own
class ByteSource;

// What a method takes, as far as the file says.
struct InputSummary {
  std::string name;            // empty if it is not known
  std::vector<int64_t> least;  // the smallest dims of a tensor; empty if they are not known
};

struct MethodSummary {
  std::string name;
  std::vector<std::string> delegates;  // the backends that it calls, one for each call
  std::vector<std::string> cpu_ops;    // ops that are not delegated, one for each call
  std::vector<InputSummary> inputs;
  // What a method gives that computes nothing: metadata.
  std::vector<int64_t> integers;
  std::vector<std::string> texts;
};

// What can run a method.
enum class Runner {
  Session,     // it is one delegate, or nothing can run it: a Session says why
  Generator,   // so can a Session, but this is a language model with a cache
  ExecuTorch,  // it is in pieces: several delegates, or ops for the CPU beside one
};

class HIGHWATER_API File {
 public:
  static Result<File> open(const std::string& path);
  // What such a file holds. The bytes must outlive this and loads of it, but not what was loaded.
  static Result<File> in_memory(std::span<const std::byte> bytes);

  // What is read from `source`, which is the engine's own, too.
  static Result<File> read(std::shared_ptr<const ByteSource> source, std::string name);

  // Its path, for messages.
  const std::string& name() const { return name_; }
  std::vector<MethodSummary> methods() const;
  Runner runner(std::string_view method = "forward") const;
  // The ops of a method that are delegated to Highwater, in order.
  Result<std::vector<std::string>> delegated_ops(std::string_view method = "forward") const;

  // For the engine and its tools.
  const std::shared_ptr<const Pte>& pte() const { return pte_; }

 private:
  File(std::string name, std::shared_ptr<const Pte> pte);

  std::string name_;
  std::shared_ptr<const Pte> pte_;
};

// Holds calls of a method to what it was exported for, where another runtime runs it. A Session
// does so by itself.
class HIGHWATER_API CallCheck {
 public:
  static Result<std::unique_ptr<CallCheck>> open(const File& file, std::string_view method);
  ~CallCheck();

  // Looks at the dims of tensors and at integers; at nothing else.
  Status check(std::span<const Input> inputs);

 private:
  struct State;
  explicit CallCheck(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace highwater
