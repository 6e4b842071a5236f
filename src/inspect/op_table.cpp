// The table of ops, for those who ask what can run.
#include "base/json.h"
#include "graph/registry.h"
#include "highwater/inspect.h"

namespace highwater {

std::string supported_ops() {
  Json json;
  json.begin_list();
  for (const OpEntry* op : op_table()) {
    // Made by our own passes; no exporter writes them.
    if (op->schema.name().starts_with("hw.")) continue;
    json.begin_object().field("name", op->schema.name()).field("schema", op->schema.text());
    json.key("arguments").begin_list();
    for (const Argument& argument : op->schema.arguments()) {
      json.begin_object().field("name", argument.name).field("type", argument.type);
      if (!argument.otherwise.empty()) json.field("default", argument.otherwise);
      json.end_object();
    }
    json.end_list().field("limits", op->limits).end_object();
  }
  json.end_list();
  return json.text();
}

}  // namespace highwater
