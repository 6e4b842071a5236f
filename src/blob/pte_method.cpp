#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "blob/pte.h"

namespace highwater {
namespace {

using Ids = std::vector<uint32_t>;

std::string names_of(const Pte& pte) {
  std::string names;
  for (const PteMethod& method : pte.methods) {
    if (method.calls.empty()) continue;
    append(names, text(names.empty() ? "" : ", ", method.name));
  }
  return names.empty() ? "none" : names;
}

// "aten::sub.out, aten::view.out": each once.
std::string distinct(std::span<const std::string> ops) {
  std::string list;
  for (const std::string_view op : std::set<std::string_view>(ops.begin(), ops.end()))
    append(list, text(list.empty() ? "" : ", ", op));
  return list;
}

Result<const PteMethod::DelegateCall*> only_call(const PteMethod& method) {
  if (method.calls.size() != 1 || !method.cpu_ops.empty()) {
    Error error =
        fail("the method '", method.name, "' is not one delegate: it has ", method.calls.size(),
             " delegate calls and ", method.cpu_ops.size(), " ops for the CPU");
    if (!method.cpu_ops.empty()) error = fail(error.message(), " (", distinct(method.cpu_ops), ")");
    return fail(error.message(),
                ". ExecuTorch's runtime can run it, with Highwater as its delegate");
  }
  const PteMethod::DelegateCall& call = method.calls.front();
  const std::string& name = method.delegates[call.delegate].name;
  if (!is_delegate_name(name)) {
    return fail("the method '", method.name, "' is delegated to ", name,
                "; it must be exported with HighwaterPartitioner, VulkanPartitioner or "
                "WebGPUPartitioner");
  }
  return &call;
}

// Where a file keeps what its exporter said of a method's inputs.
constexpr std::string_view kSignaturePrefix = "highwater_inputs_of_";

// Of the inputs by themselves: tensors whose dims never change.
Signature signature_of_values(const PteMethod& method) {
  Signature signature;
  for (uint32_t id : method.inputs) {
    Signature::Input& input = signature.inputs.emplace_back();
    const auto* tensor = std::get_if<PteMethod::TensorValue>(&method.values[id]);
    input.is_integer = !tensor;
    if (!tensor || tensor->dynamic) continue;
    for (int64_t size : tensor->dims) input.sizes.push_back(Signature::Size::fixed(size));
  }
  return signature;
}

// A signature must be one of these very inputs: one of others would let wrong calls pass.
Status check_signature(const Signature& signature, const PteMethod& method) {
  if (signature.inputs.size() != method.inputs.size()) {
    return fail("it tells of ", signature.inputs.size(), " inputs, but there are ",
                method.inputs.size());
  }
  for (size_t i = 0; i < signature.inputs.size(); ++i) {
    const Signature::Input& input = signature.inputs[i];
    const auto* tensor = std::get_if<PteMethod::TensorValue>(&method.values[method.inputs[i]]);
    if (input.is_integer != !tensor) return fail("input ", i, " is of another kind");
    if (!tensor) continue;
    if (input.sizes.size() != tensor->dims.size()) return fail("input ", i, " is of another rank");
    for (size_t d = 0; d < input.sizes.size(); ++d) {
      const int64_t least = signature.least(input.sizes[d]);
      if (least < 0 || least > tensor->dims[d]) {
        return fail("dim ", d, " of input ", i, " is at least ", least, ", but its bound is ",
                    tensor->dims[d]);
      }
    }
  }
  return {};
}

// A method's inputs and outputs in their own order, where the delegate has them in another.
class Border {
 public:
  Border(const PteMethod& method, const Ids& args, Program& program)
      : method_(method), args_(args), program_(program) {}

  Status apply() {
    if (args_.size() < program_.inputs.size() || args_.size() < program_.outputs.size()) {
      return fail("its delegate is called with ", args_.size(), " arguments, but takes ",
                  program_.inputs.size(), " inputs and gives ", program_.outputs.size(),
                  " outputs");
    }
    HW_CHECK(fold_constants());
    HW_TRY(std::vector<ValueId> inputs, ordered_inputs());
    HW_TRY(program_.outputs, ordered_outputs());
    program_.inputs = std::move(inputs);
    return {};
  }

 private:
  // Where each value stands among others; the first place of one that stands there twice.
  using Places = std::map<uint32_t, size_t>;
  static Places places_of(std::span<const uint32_t> ids) {
    Places places;
    for (size_t i = 0; i < ids.size(); ++i) places.emplace(ids[i], i);
    return places;
  }

  // The exporter may hand an integer that it knows to the delegate as if it were live.
  Status fold_constants() {
    const Places given = places_of(method_.inputs);
    for (size_t i = 0; i < program_.inputs.size(); ++i) {
      if (given.contains(args_[i])) continue;
      const auto* integer = std::get_if<int64_t>(&method_.values[args_[i]]);
      if (!integer) return fail("input ", i, " of its delegate is not an input of the method");
      program_.values[program_.inputs[i]] = *integer;
    }
    return {};
  }

  Result<std::vector<ValueId>> ordered_inputs() {
    std::vector<ValueId> ordered;
    const Places taken = places_of(std::span(args_).first(program_.inputs.size()));
    for (uint32_t id : method_.inputs) {
      if (const auto found = taken.find(id); found != taken.end()) {
        ordered.push_back(program_.inputs[found->second]);
        continue;
      }
      HW_TRY(const ValueId unused, add_unused(id));
      ordered.push_back(unused);
    }
    return ordered;
  }

  // The caller gives it; no op reads it.
  Result<ValueId> add_unused(uint32_t id) {
    const PteMethod::Value& value = method_.values[id];
    if (const auto* tensor = std::get_if<PteMethod::TensorValue>(&value)) {
      if (!tensor->dtype) return fail("an input has an element type that is not supported");
      TensorDecl decl;
      decl.dtype = *tensor->dtype;
      HW_TRY(decl.dims, Dims::make(tensor->dims));
      program_.values.emplace_back(std::move(decl));
    } else {
      program_.values.emplace_back(SymInt{});
    }
    return static_cast<ValueId>(program_.values.size() - 1);
  }

  Result<std::vector<ValueId>> ordered_outputs() {
    std::vector<ValueId> ordered;
    const Places made = places_of(std::span(args_).last(program_.outputs.size()));
    for (uint32_t id : method_.outputs) {
      const auto found = made.find(id);
      if (found == made.end()) {
        return fail("output ", ordered.size(), " does not come from its delegate");
      }
      ordered.push_back(program_.outputs[found->second]);
    }
    return ordered;
  }

  const PteMethod& method_;
  const Ids& args_;
  Program& program_;
};

}  // namespace

std::vector<int64_t> PteMethod::constant_integers() const {
  std::vector<int64_t> integers;
  if (!calls.empty() || !cpu_ops.empty()) return integers;
  for (uint32_t id : outputs) {
    if (const auto* integer = std::get_if<int64_t>(&values[id])) integers.push_back(*integer);
  }
  return integers;
}

const PteMethod* Pte::find(std::string_view method) const {
  const auto found = by_name.find(method);
  return found == by_name.end() ? nullptr : &methods[found->second];
}

std::vector<int64_t> Pte::metadata(std::string_view method) const {
  const PteMethod* found = find(method);
  return found ? found->constant_integers() : std::vector<int64_t>();
}

bool is_signature(const PteMethod& method) {
  return method.name.starts_with(kSignaturePrefix);
}

Result<Signature> signature_of(const Pte& pte, const PteMethod& method) {
  const std::string name = text(kSignaturePrefix, method.name);
  const PteMethod* told = pte.find(name);
  if (!told || told->outputs.size() != 1) return signature_of_values(method);
  const auto* json = std::get_if<std::string>(&told->values[told->outputs[0]]);
  if (!json) return fail(name, " gives no text");
  auto signature = read_signature(*json);
  if (!signature) return signature.take_error().within(name);
  Status fits = check_signature(*signature, method);
  if (!fits) return fits.take_error().within(name);
  return signature;
}

Result<Program> read_delegate(const Pte& pte, const PteMethod::Delegate& delegate) {
  HW_TRY(ByteBuffer bytes, pte.read(delegate.blob));
  auto blob = std::make_shared<const ByteBuffer>(std::move(bytes));
  HW_TRY(Program program, read_program(blob->bytes()));
  program.blob = std::move(blob);
  return program;
}

Result<Program> read_method(const Pte& pte, std::string_view name) {
  const PteMethod* method = pte.find(name);
  if (!method) return fail("there is no method '", name, "'; there are: ", names_of(pte));
  HW_TRY(const PteMethod::DelegateCall* call, only_call(*method));
  HW_TRY(Program program, read_delegate(pte, method->delegates[call->delegate]));
  Status bordered = Border(*method, call->args, program).apply();
  if (!bordered) return bordered.take_error().within(text("method ", name));
  HW_TRY(program.signature, signature_of(pte, *method));
  return program;
}

}  // namespace highwater
