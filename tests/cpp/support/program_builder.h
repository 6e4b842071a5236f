// Programs written by hand, value by value.
#pragma once

#include <string>
#include <vector>

#include "blob/program.h"

namespace highwater {

class ProgramBuilder {
 public:
  ValueId tensor(const Dims& bound, DType dtype = DType::Float32);
  ValueId input(const Dims& bound, DType dtype = DType::Float32);
  ValueId input_scalar();
  // A constant under a key in the named data, as exporters write them.
  ValueId constant(const Dims& dims, std::string key, DType dtype = DType::Float32);
  ValueId scalar();

  ValueId null();
  ValueId integer(int64_t number);
  ValueId number(double number);
  ValueId flag(bool flag);
  ValueId string(std::string text);
  ValueId integers(std::vector<int64_t> items);
  ValueId list(std::vector<ValueId> items);

  ProgramBuilder& call(std::string name, std::vector<ValueId> args);
  // Calls an op whose last argument is the tensor that it makes, and gives that.
  ValueId apply(std::string name, std::vector<ValueId> args, const Dims& bound,
                DType dtype = DType::Float32);
  // The same for an op that makes a live scalar.
  ValueId apply_scalar(std::string name, std::vector<ValueId> args);

  ProgramBuilder& output(ValueId id);

  const Dims& bound(ValueId id) const;
  const Program& program() const { return program_; }

 private:
  ValueId add(Value value);

  Program program_;
};

}  // namespace highwater
