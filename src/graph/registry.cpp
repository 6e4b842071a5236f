#include "graph/registry.h"

#include <map>
#include <utility>

#include "graph/op.h"

namespace highwater {
namespace {

std::map<std::string_view, OpEntry>& table() {
  static std::map<std::string_view, OpEntry> ops;
  return ops;
}

}  // namespace

bool register_ops(std::span<const std::string_view> names, OpEntry entry) {
  for (std::string_view name : names) table()[name] = entry;
  return true;
}

bool register_ops(std::initializer_list<std::string_view> names, OpEntry entry) {
  return register_ops(std::span(names.begin(), names.size()), std::move(entry));
}

const OpEntry* find_op(std::string_view name) {
  const auto found = table().find(name);
  return found == table().end() ? nullptr : &found->second;
}

std::vector<std::string_view> op_names() {
  std::vector<std::string_view> names;
  for (const auto& [name, entry] : table()) names.push_back(name);
  return names;
}

}  // namespace highwater
