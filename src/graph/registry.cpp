#include "graph/registry.h"

#include <map>
#include <vector>

namespace highwater {
namespace {

std::map<std::string_view, OpEntry>& table() {
  static std::map<std::string_view, OpEntry> ops;
  return ops;
}

}  // namespace

void register_ops(const OpRow* first, size_t count, size_t apart, MakeOp make) {
  const auto* at = reinterpret_cast<const std::byte*>(first);
  for (size_t i = 0; i < count; ++i, at += apart) {
    const auto& row = *reinterpret_cast<const OpRow*>(at);
    table().insert_or_assign(row.name(), OpEntry{Schema(row.schema.text), row.limits, make});
  }
}

const OpEntry* find_op(std::string_view name) {
  const auto found = table().find(name);
  return found == table().end() ? nullptr : &found->second;
}

std::vector<const OpEntry*> op_table() {
  std::vector<const OpEntry*> entries;
  for (const auto& [name, entry] : table()) entries.push_back(&entry);
  return entries;
}

}  // namespace highwater
