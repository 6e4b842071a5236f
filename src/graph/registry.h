// Which ops there are, by the names that programs use.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace highwater {

class Args;
class Op;

struct OpEntry {
  std::unique_ptr<Op> (*make)(Args&);
  // Arguments that the op writes into although they had a value before: caches.
  std::vector<size_t> mutates;
};

// Called by HIGHWATER_OP before main. Names must outlive the process. Always true.
bool register_ops(std::span<const std::string_view> names, OpEntry entry);
bool register_ops(std::initializer_list<std::string_view> names, OpEntry entry);

// Null when there is no such op.
const OpEntry* find_op(std::string_view name);

// All names, sorted.
std::vector<std::string_view> op_names();

}  // namespace highwater
