#include <algorithm>

#include "base/json.h"
#include "runtime/session_access.h"
#include "web/model.h"

namespace highwater::web {
namespace {

void write(Json& json, std::string_view name, const Dims& dims) {
  json.key(name).begin_list();
  for (size_t i = 0; i < dims.rank(); ++i) json.value(dims[i]);
  json.end_list();
}

void write(Json& json, std::string_view name, std::span<const int64_t> numbers) {
  json.key(name).begin_list();
  for (const int64_t number : numbers) json.value(number);
  json.end_list();
}

void write_inputs(Json& json, const Model& model) {
  const Session& session = model.session();
  json.key("inputs").begin_list();
  for (size_t i = 0; i < model.input_count(); ++i) {
    json.begin_object();
    json.field("name", session.input_name(i));
    if (session.input_is_scalar(i)) {
      json.field("kind", std::string_view("integer"));
    } else {
      json.field("kind", std::string_view("tensor"));
      json.field("dtype", name(session.input_dtype(i)));
      write(json, "least", session.input_least(i));
      write(json, "bound", session.input_bound(i));
    }
    json.end_object();
  }
  json.end_list();
}

void write_outputs(Json& json, const Model& model) {
  const Session& session = model.session();
  json.key("outputs").begin_list();
  for (size_t i = 0; i < model.output_count(); ++i) {
    json.begin_object();
    if (session.output_is_scalar(i)) {
      json.field("kind", std::string_view("integer"));
    } else {
      json.field("kind", std::string_view("tensor"));
      json.field("dtype", name(session.output_dtype(i)));
      write(json, "bound", session.output_bound(i));
    }
    json.end_object();
  }
  json.end_list();
}

void write_accounts(Json& json, std::string_view name, const Accounts& accounts) {
  json.key(name).begin_object();
  for_each_account([&](const char* field, auto member) { json.field(field, accounts.*member); });
  json.end_object();
}

// Whether a run changes what the next one gives.
bool keeps_state(const Session& session) {
  const auto is_state = [](const ValueInfo& v) { return v.mutated && v.tensor.constant; };
  const auto& values = SessionAccess::graph(session).values;
  return std::any_of(values.begin(), values.end(), is_state);
}

}  // namespace

std::string describe(Model& model) {
  Json json;
  json.begin_object();
  json.field("adapter", model.session().adapter_name());
  write_inputs(json, model);
  write_outputs(json, model);
  json.field("keepsState", keeps_state(model.session()));
  if (const Generator* g = model.generator()) {
    json.key("text").begin_object();
    json.field("capacity", g->capacity());
    json.field("longestStep", g->longest_step());
    json.field("vocabulary", g->vocabulary());
    write(json, "endTokens", g->end_tokens());
    if (const auto begin = g->begin_token()) json.field("beginToken", *begin);
    json.end_object();
  }
  json.end_object();
  return json.text();
}

std::string describe_accounts(Model& model) {
  Json json;
  json.begin_object();
  write_accounts(json, "load", model.session().load_accounts());
  const Generator* g = model.generator();
  const bool drew = g && g->accounts().submits > 0;
  write_accounts(json, "run", drew ? g->accounts() : model.session().run_accounts());
  json.end_object();
  return json.text();
}

}  // namespace highwater::web
