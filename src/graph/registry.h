// The table of ops: what each is called, takes and gives, what it does not do, and who makes it.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "graph/schema.h"

namespace highwater {

class Args;
class Op;

// A row of the table, as it stands beside its op.
struct OpRow {
  SchemaText schema;
  std::string_view limits;  // what torch's op does and this one does not, in a few words

  consteval OpRow(const char* text, std::string_view does_not = {})
      : schema(text), limits(does_not) {}

  constexpr std::string_view name() const { return schema.text.substr(0, schema.text.find('(')); }
};

using MakeOp = std::unique_ptr<Op> (*)(Args&);

struct OpEntry {
  Schema schema;
  std::string_view limits;
  MakeOp make;
};

// Called before main, with rows that begin so many bytes apart.
void register_ops(const OpRow* first, size_t count, size_t apart, MakeOp make);

// Null when there is no such op.
const OpEntry* find_op(std::string_view name);

// All of them, by name.
std::vector<const OpEntry*> op_table();

}  // namespace highwater
