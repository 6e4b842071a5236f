#include "highwater/file.h"

#include "blob/pte.h"
#include "graph/signature_check.h"

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

}  // namespace

Result<std::vector<MethodSummary>> summarize(const std::string& path) {
  HW_TRY(const Pte pte, open_pte(path));
  std::vector<MethodSummary> summaries;
  for (const PteMethod& method : pte.methods) {
    if (is_signature(method)) continue;
    MethodSummary summary{
        method.name, {}, method.cpu_ops, inputs_of(pte, method), method.constant_integers()};
    for (const PteMethod::DelegateCall& call : method.calls) {
      summary.delegates.push_back(method.delegates[call.delegate].name);
    }
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

struct CallCheck::State {
  Signature signature;
  SignatureCheck check{signature};
};

CallCheck::CallCheck(std::unique_ptr<State> state) : state_(std::move(state)) {}
CallCheck::~CallCheck() = default;

Result<std::unique_ptr<CallCheck>> CallCheck::open(const std::string& path,
                                                   std::string_view method) {
  HW_TRY(const Pte pte, open_pte(path));
  const PteMethod* found = pte.find(method);
  if (!found) return fail(path, " has no method '", method, "'");
  HW_TRY(Signature signature, signature_of(pte, *found));
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
