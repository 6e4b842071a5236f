#include "highwater/listing.h"

#include <cstdio>

#include "base/json.h"
#include "blob/pte.h"
#include "runtime/all_values.h"
#include "runtime/choices.h"

namespace highwater {
namespace {

template <class Items>
void list_items(Json& json, std::string_view name, const Items& items) {
  json.key(name).begin_list();
  for (const auto& item : items) json.value(item);
  json.end_list();
}

// All digits, and names for what JSON has no numbers for.
std::string exactly(double number) {
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.17g", number);
  return digits;
}

// A value is an object with one field that tells its kind; that of nothing is empty.
struct ValueListing {
  Json& json;

  void operator()(const NullValue&) const {}
  void operator()(int64_t n) const { json.field("int", n); }
  void operator()(double n) const { json.field("double", exactly(n)); }
  void operator()(bool b) const { json.field("bool", b); }
  void operator()(const std::string& s) const { json.field("text", as_utf8(s)); }
  void operator()(const std::vector<int64_t>& items) const { list_items(json, "ints", items); }
  void operator()(const std::vector<double>& items) const {
    json.key("doubles").begin_list();
    for (const double item : items) json.value(exactly(item));
    json.end_list();
  }
  void operator()(const std::vector<bool>& items) const {
    json.key("bools").begin_list();
    for (const bool item : items) json.value(item);
    json.end_list();
  }
  void operator()(const ValueList& list) const { list_items(json, "values", list.items); }
  void operator()(const SymInt&) const { json.field("number", true); }
  void operator()(const TensorDecl& tensor) const {
    json.field("tensor", name(tensor.dtype));
    list_items(json, "bound", tensor.dims);
    if (tensor.constant) json.field("constant", *tensor.constant);
  }
};

// A size without a length is fixed, and one that is empty is not known.
void list_signature(Json& json, const Signature& signature) {
  json.key("signature").begin_list();
  for (const Signature::Input& input : signature.inputs) {
    json.begin_list();
    for (const Signature::Size& size : input.sizes) {
      json.begin_object();
      if (size.is_live()) json.field("length", size.length).field("times", size.times);
      if (size.is_live() || size.is_fixed()) json.field("plus", size.plus);
      json.end_object();
    }
    json.end_list();
  }
  json.end_list().key("lengths").begin_list();
  for (const Signature::Length& length : signature.lengths) {
    json.begin_object().field("least", length.least).field("most", length.most).end_object();
  }
  json.end_list();
}

}  // namespace

struct Listing::State {
  std::shared_ptr<const Pte> pte;
  Program program;
};

Listing::Listing(std::unique_ptr<State> state) : state_(std::move(state)) {}
Listing::~Listing() = default;

Result<std::unique_ptr<Listing>> Listing::open(const File& file, std::string_view method,
                                               Rewriting rewriting,
                                               std::string_view without_passes) {
  HW_TRY(Program program, read_method(*file.pte(), method));
  if (rewriting == Rewriting::AsRun) {
    HW_TRY(const Choices choices, Choices::read(without_passes));
    rewrite(program, choices);
    give_all_values(program);
  }
  std::unique_ptr<State> state(new State{file.pte(), std::move(program)});
  return std::unique_ptr<Listing>(new Listing(std::move(state)));
}

std::string Listing::text() const {
  const Program& program = state_->program;
  Json json;
  json.begin_object().key("values").begin_list();
  for (const Value& value : program.values) {
    json.begin_object();
    std::visit(ValueListing{json}, value);
    json.end_object();
  }
  json.end_list().key("calls").begin_list();
  for (const OpCall& call : program.calls) {
    json.begin_object().field("op", as_utf8(call.name)).field("node", call.node_id);
    list_items(json, "args", call.args);
    json.end_object();
  }
  json.end_list();
  list_items(json, "inputs", program.inputs);
  list_items(json, "outputs", program.outputs);
  list_signature(json, program.signature);
  return json.end_object().text();
}

Result<std::vector<std::byte>> Listing::constant(size_t i) const {
  const auto& constants = state_->program.constants;
  if (i >= constants.size()) {
    return fail("there is no constant ", i, "; there are ", constants.size());
  }
  const ConstantDecl& constant = constants[i];
  if (!constant.parts.empty()) return fail("constant ", i, " is put together at load");
  if (constant.key.empty()) {
    return std::vector<std::byte>(constant.inline_bytes.begin(), constant.inline_bytes.end());
  }
  const auto found = state_->pte->named_data.find(constant.key);
  if (found == state_->pte->named_data.end()) {
    return fail("there is no data '", constant.key, "' in the file");
  }
  HW_TRY(const ByteBuffer data, state_->pte->read(found->second));
  const auto bytes = data.bytes();
  return std::vector<std::byte>(bytes.begin(), bytes.end());
}

}  // namespace highwater
