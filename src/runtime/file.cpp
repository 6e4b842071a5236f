#include "highwater/file.h"

#include "blob/pte.h"
#include "graph/signature_check.h"
#include "runtime/language_model.h"

namespace highwater {

namespace {

// What cannot be read here is an error when the method is loaded.
std::vector<InputSummary> inputs_of(const Pte& pte, const PteMethod& method) {
  const auto signature = signature_of(pte, method);
  std::vector<InputSummary> inputs(signature ? method.inputs.size() : 0);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Signature::Input& told = signature->inputs[i];
    inputs[i].name = told.name;
    const auto* tensor = std::get_if<PteMethod::TensorValue>(&method.values[method.inputs[i]]);
    for (size_t d = 0; tensor && d < told.sizes.size(); ++d) {
      inputs[i].least.push_back(signature->least(told.sizes[d]));
    }
  }
  return inputs;
}

std::vector<std::string> constant_texts(const PteMethod& method) {
  std::vector<std::string> texts;
  if (!method.calls.empty() || !method.cpu_ops.empty()) return texts;
  for (uint32_t id : method.outputs) {
    if (const auto* text = std::get_if<std::string>(&method.values[id])) texts.push_back(*text);
  }
  return texts;
}

MethodSummary summarize(const Pte& pte, const PteMethod& method) {
  MethodSummary summary;
  summary.name = method.name;
  for (const PteMethod::DelegateCall& call : method.calls) {
    summary.delegates.push_back(method.delegates[call.delegate].name);
  }
  summary.cpu_ops = method.cpu_ops;
  summary.inputs = inputs_of(pte, method);
  summary.integers = method.constant_integers();
  summary.texts = constant_texts(method);
  return summary;
}

}  // namespace

File::File(std::string name, std::shared_ptr<const Pte> pte)
    : name_(std::move(name)), pte_(std::move(pte)) {}

Result<File> File::open(const std::string& path) {
  HW_TRY(Pte pte, open_pte(path));
  return File(path, std::make_shared<const Pte>(std::move(pte)));
}

Result<File> File::in_memory(std::span<const std::byte> bytes) {
  return read(highwater::in_memory(bytes), "the program in memory");
}

Result<File> File::read(std::shared_ptr<const ByteSource> source, std::string name) {
  HW_TRY(Pte pte, read_pte(std::move(source)));
  return File(std::move(name), std::make_shared<const Pte>(std::move(pte)));
}

std::vector<MethodSummary> File::methods() const {
  std::vector<MethodSummary> summaries;
  for (const PteMethod& method : pte_->methods) {
    if (!is_signature(method)) summaries.push_back(summarize(*pte_, method));
  }
  return summaries;
}

Runner File::runner(std::string_view name) const {
  const PteMethod* method = pte_->find(name);
  if (!method) return Runner::Session;
  const size_t calls = method->calls.size();
  if (calls > 1 || (calls == 1 && !method->cpu_ops.empty())) return Runner::ExecuTorch;
  const bool writes = name == kModelMethod && check_language_model(*pte_);
  return writes ? Runner::Generator : Runner::Session;
}

Result<std::vector<std::string>> File::delegated_ops(std::string_view name) const {
  std::vector<std::string> ops;
  const PteMethod* method = pte_->find(name);
  if (!method) return ops;
  for (const PteMethod::Delegate& delegate : method->delegates) {
    if (!is_delegate_name(delegate.name)) continue;
    HW_TRY(const Program program, read_delegate(*pte_, delegate));
    for (const OpCall& op : program.calls) ops.push_back(op.name);
  }
  return ops;
}

struct CallCheck::State {
  Signature signature;
  SignatureCheck check{signature};
};

CallCheck::CallCheck(std::unique_ptr<State> state) : state_(std::move(state)) {}
CallCheck::~CallCheck() = default;

Result<std::unique_ptr<CallCheck>> CallCheck::open(const File& file, std::string_view method) {
  const PteMethod* found = file.pte()->find(method);
  if (!found) return fail(file.name(), " has no method '", method, "'");
  HW_TRY(Signature signature, signature_of(*file.pte(), *found));
  std::unique_ptr<State> state(new State{std::move(signature)});
  return std::unique_ptr<CallCheck>(new CallCheck(std::move(state)));
}

Status CallCheck::check(std::span<const Input> inputs) {
  state_->check.begin();
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (const auto* tensor = std::get_if<HostTensor>(&inputs[i])) {
      HW_CHECK(state_->check.check_tensor(i, tensor->dims));
    } else if (const auto* integer = std::get_if<int64_t>(&inputs[i])) {
      HW_CHECK(state_->check.check_integer(i, *integer));
    }
  }
  return {};
}

}  // namespace highwater
