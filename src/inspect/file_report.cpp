// A .pte file: its methods, and what of each is ours.
#include <algorithm>
#include <map>

#include "blob/pte.h"
#include "inspect/inspect.h"

namespace highwater {
namespace {

Result<Target> find_target() {
  HW_TRY(const Choices choices, Choices::read());
  auto device = gpu::Device::open();
  if (!device) {
    return Target{choices, traits_without_device(choices), {}, device.error().message()};
  }
  return Target{choices, traits_of(**device, choices), (*device)->adapter(), {}};
}

void write_target(Json& json, const Target& target) {
  const DeviceTraits& traits = target.traits;
  json.key("target").begin_object();
  if (target.adapter) {
    json.field("adapter", as_utf8(target.adapter->name));
    json.field("largest_binding", target.adapter->limits.max_storage_binding_size);
  } else {
    json.field("why_no_adapter", target.why_none);
  }
  json.field("kernels", traits.software ? "software" : "gpu")
      .field("lanes", traits.lanes)
      .field("float16", traits.half)
      .end_object();
}

class FileReport {
 public:
  FileReport(const Pte& pte, const Target& target, const InspectOptions& options)
      : pte_(pte), target_(target), options_(options) {}

  std::string write(uint64_t file_bytes) {
    json_.begin_object().field("bytes", file_bytes);
    uint64_t named = 0;
    for (const auto& [key, data] : pte_.named_data) named += data.size;
    json_.field("named_data", pte_.named_data.size()).field("named_data_bytes", named);
    write_target(json_, target_);
    json_.key("methods").begin_list();
    for (const PteMethod& method : pte_.methods) {
      const bool wanted = options_.method.empty() || options_.method == method.name;
      if (wanted && !is_signature(method)) write_method(method);
    }
    return json_.end_list().end_object().text();
  }

 private:
  void write_method(const PteMethod& method) {
    // One that cannot be read is an error when the file is loaded.
    auto told = signature_of(pte_, method);
    const Signature signature = told ? *std::move(told) : Signature();
    json_.begin_object().field("name", as_utf8(method.name));
    write_border("inputs", method, method.inputs, signature);
    write_border("outputs", method, method.outputs, {});
    std::map<std::string, size_t> cpu_ops;
    for (const std::string& op : method.cpu_ops) ++cpu_ops[as_utf8(op)];
    json_.key("cpu_ops").begin_object();
    for (const auto& [op, count] : cpu_ops) json_.field(op, count);
    json_.end_object();
    json_.key("delegates").begin_list();
    for (size_t i = 0; i < method.delegates.size(); ++i) write_delegate(method, i, signature);
    json_.end_list().end_object();
  }

  void write_border(std::string_view name, const PteMethod& method,
                    const std::vector<uint32_t>& ids, const Signature& signature) {
    json_.key(name).begin_list();
    for (size_t i = 0; i < ids.size(); ++i) {
      const PteMethod::Value& value = method.values[ids[i]];
      json_.begin_object();
      write_method_value(value);
      const bool is_known = i < signature.inputs.size() && !signature.inputs[i].name.empty();
      if (is_known) json_.field("name", signature.inputs[i].name);
      json_.key("least").begin_list();
      for (const int64_t size : least_sizes(signature, i, value)) json_.value(size);
      json_.end_list().end_object();
    }
    json_.end_list();
  }

  // The smallest dims that an input can have; nothing where that is not known.
  static std::vector<int64_t> least_sizes(const Signature& signature, size_t input,
                                          const PteMethod::Value& value) {
    std::vector<int64_t> least;
    const auto* tensor = std::get_if<PteMethod::TensorValue>(&value);
    if (!tensor || input >= signature.inputs.size()) return least;
    const std::vector<Signature::Size>& sizes = signature.inputs[input].sizes;
    for (size_t d = 0; d < std::min(sizes.size(), tensor->dims.size()); ++d) {
      least.push_back(signature.least(sizes[d]));
    }
    return least;
  }

  void write_method_value(const PteMethod::Value& value) {
    if (const auto* tensor = std::get_if<PteMethod::TensorValue>(&value)) {
      json_.field("dtype", tensor->dtype ? highwater::name(*tensor->dtype) : "unknown");
      json_.key("bound").begin_list();
      for (const int64_t d : tensor->dims) json_.value(d);
      json_.end_list().field("dynamic", tensor->dynamic);
    } else if (const auto* integer = std::get_if<int64_t>(&value)) {
      json_.field("integer", *integer);
    } else {
      json_.field("other", true);
    }
  }

  void write_delegate(const PteMethod& method, size_t index, const Signature& signature) {
    const PteMethod::Delegate& delegate = method.delegates[index];
    json_.begin_object()
        .field("name", as_utf8(delegate.name))
        .field("bytes", delegate.blob.size)
        .field("ours", is_delegate_name(delegate.name));
    if (is_delegate_name(delegate.name)) {
      auto program = read_delegate(pte_, delegate);
      if (program) {
        const auto facts = write_sources(method, index, *program, signature);
        json_.key("program");
        inspect_program(json_, *std::move(program), facts, target_, options_);
      } else {
        json_.field("error", program.error().message());
      }
    }
    json_.end_object();
  }

  // Where each input of a delegate comes from, and what follows from it.
  std::vector<InputFacts> write_sources(const PteMethod& method, size_t delegate,
                                        const Program& program, const Signature& signature) {
    std::vector<InputFacts> facts(program.inputs.size());
    const auto call = std::find_if(method.calls.begin(), method.calls.end(),
                                   [&](const auto& c) { return c.delegate == delegate; });
    json_.key("sources").begin_list();
    for (size_t i = 0; call != method.calls.end() && i < facts.size(); ++i) {
      if (i >= call->args.size()) break;
      const uint32_t id = call->args[i];
      const PteMethod::Value& value = method.values[id];
      const auto input = std::find(method.inputs.begin(), method.inputs.end(), id);
      const auto* tensor = std::get_if<PteMethod::TensorValue>(&value);
      if (input != method.inputs.end()) {
        const auto number = static_cast<size_t>(input - method.inputs.begin());
        facts[i].least = least_sizes(signature, number, value);
        json_.value(text("input ", number, " of the method"));
      } else if (tensor || computes_elsewhere(method)) {
        if (tensor && !tensor->dynamic) facts[i].least = tensor->dims;
        json_.value("computed before");
      } else {
        if (const auto* integer = std::get_if<int64_t>(&value)) facts[i].known = *integer;
        json_.value("always the same");
      }
    }
    json_.end_list();
    return facts;
  }

  // An integer may then come from an op of the CPU or from another delegate: a Pte does not tell
  // what those write.
  static bool computes_elsewhere(const PteMethod& method) {
    return !method.cpu_ops.empty() || method.calls.size() > 1;
  }

  const Pte& pte_;
  const Target& target_;
  const InspectOptions& options_;
  Json json_;
};

}  // namespace

Result<std::string> inspect(const File& file, const InspectOptions& options) {
  const Pte& pte = *file.pte();
  if (!options.method.empty() && !pte.find(options.method)) {
    std::string names;
    for (const PteMethod& m : pte.methods) append(names, text(names.empty() ? "" : ", ", m.name));
    return fail(file.name(), " has no method '", options.method, "'; it has ",
                names.empty() ? "none" : names);
  }
  HW_TRY(const Target target, find_target());
  return FileReport(pte, target, options).write(pte.source->size());
}

}  // namespace highwater
