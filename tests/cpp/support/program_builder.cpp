#include "support/program_builder.h"

#include <utility>

namespace highwater {

ValueId ProgramBuilder::add(Value value) {
  program_.values.push_back(std::move(value));
  return static_cast<ValueId>(program_.values.size() - 1);
}

ValueId ProgramBuilder::tensor(const Dims& bound, DType dtype) {
  return add(TensorDecl{dtype, bound, std::nullopt});
}

ValueId ProgramBuilder::input(const Dims& bound, DType dtype) {
  program_.inputs.push_back(tensor(bound, dtype));
  return program_.inputs.back();
}

ValueId ProgramBuilder::input_scalar() {
  program_.inputs.push_back(scalar());
  return program_.inputs.back();
}

ValueId ProgramBuilder::constant(const Dims& dims, std::string key, DType dtype) {
  ConstantDecl decl;
  decl.key = std::move(key);
  decl.size = static_cast<uint64_t>(dims.numel()) * byte_size(dtype);
  program_.constants.push_back(std::move(decl));
  const auto index = static_cast<uint32_t>(program_.constants.size() - 1);
  return add(TensorDecl{dtype, dims, index});
}

ValueId ProgramBuilder::scalar() {
  return add(SymInt{});
}
ValueId ProgramBuilder::null() {
  return add(NullValue{});
}
ValueId ProgramBuilder::integer(int64_t number) {
  return add(number);
}
ValueId ProgramBuilder::number(double number) {
  return add(number);
}
ValueId ProgramBuilder::flag(bool flag) {
  return add(flag);
}
ValueId ProgramBuilder::string(std::string text) {
  return add(std::move(text));
}
ValueId ProgramBuilder::integers(std::vector<int64_t> items) {
  return add(std::move(items));
}
ValueId ProgramBuilder::list(std::vector<ValueId> items) {
  return add(ValueList{std::move(items)});
}

ProgramBuilder& ProgramBuilder::call(std::string name, std::vector<ValueId> args) {
  const auto node = static_cast<uint32_t>(program_.calls.size());
  program_.calls.push_back({std::move(name), node, std::move(args)});
  return *this;
}

ValueId ProgramBuilder::apply(std::string name, std::vector<ValueId> args, const Dims& bound,
                              DType dtype) {
  const ValueId made = tensor(bound, dtype);
  args.push_back(made);
  call(std::move(name), std::move(args));
  return made;
}

ValueId ProgramBuilder::apply_scalar(std::string name, std::vector<ValueId> args) {
  const ValueId made = scalar();
  args.push_back(made);
  call(std::move(name), std::move(args));
  return made;
}

ProgramBuilder& ProgramBuilder::output(ValueId id) {
  program_.outputs.push_back(id);
  return *this;
}

const Dims& ProgramBuilder::bound(ValueId id) const {
  return std::get<TensorDecl>(program_.values[id]).dims;
}

}  // namespace highwater
