#include "runtime/language_model.h"

namespace highwater {
namespace {

// What a method, or a delegate's program, takes and gives.
struct Border {
  std::vector<PteMethod::Value> inputs;
  std::vector<PteMethod::Value> outputs;
};

Border border_of(const PteMethod& method) {
  Border border;
  for (uint32_t id : method.inputs) border.inputs.push_back(method.values[id]);
  for (uint32_t id : method.outputs) border.outputs.push_back(method.values[id]);
  return border;
}

PteMethod::Value border_value(const Value& value) {
  const auto* tensor = std::get_if<TensorDecl>(&value);
  if (!tensor) return {};
  return PteMethod::TensorValue{tensor->dtype, {tensor->dims.begin(), tensor->dims.end()}};
}

Border border_of(const Program& program) {
  Border border;
  for (ValueId id : program.inputs) border.inputs.push_back(border_value(program.values[id]));
  for (ValueId id : program.outputs) border.outputs.push_back(border_value(program.values[id]));
  return border;
}

bool holds_integers(const PteMethod::Value& value, size_t rank) {
  const auto* tensor = std::get_if<PteMethod::TensorValue>(&value);
  return tensor && (tensor->dtype == DType::Int64 || tensor->dtype == DType::Int32) &&
         tensor->dims.size() == rank && (rank < 2 || tensor->dims[0] == 1);
}

std::string dims_of(const PteMethod::TensorValue& tensor) {
  const auto dims = Dims::make(tensor.dims);
  return dims ? dims->text() : std::string("out of range");
}

Status check(const Border& border, const Pte& pte) {
  const auto refuse = [](const auto&... why) {
    return fail("this is not a language model with a cache: ", why...);
  };
  const auto& [inputs, outputs] = border;
  if (inputs.size() != kModelInputs || outputs.size() != 1) {
    return refuse("it takes ", inputs.size(), " inputs and gives ", outputs.size(),
                  " outputs; tokens, a position, and logits are wanted");
  }
  if (!holds_integers(inputs[kModelTokens], 2) || !holds_integers(inputs[kModelPosition], 1)) {
    return refuse("its inputs are not tokens [1, length] and a position [1]");
  }
  const auto& tokens = *std::get_if<PteMethod::TensorValue>(&inputs[kModelTokens]);
  const auto* logits = std::get_if<PteMethod::TensorValue>(&outputs[0]);
  if (tokens.dims[1] < 1 || !logits || logits->dims.empty() || logits->dims.back() < 1) {
    return refuse("it takes no token, or tells of none: its tokens are at most ", dims_of(tokens),
                  logits ? text(", its logits ", dims_of(*logits)) : std::string());
  }
  const std::vector<int64_t> capacity = pte.metadata("get_max_context_len");
  if (capacity.empty() || capacity.front() < 1) {
    return refuse("its metadata does not say how long a text can be (get_max_context_len)");
  }
  return {};
}

}  // namespace

Status check_language_model(const Pte& pte) {
  const PteMethod* method = pte.find(kModelMethod);
  if (!method) return fail("there is no method '", kModelMethod, "'");
  return check(border_of(*method), pte);
}

Result<Program> read_language_model(const Pte& pte) {
  HW_TRY(Program program, read_method(pte, kModelMethod));
  HW_CHECK(check(border_of(program), pte));
  return program;
}

}  // namespace highwater
