#include "support/pte_builder.h"

#include "program_generated.h"

namespace highwater {
namespace {

namespace fb = ::executorch_flatbuffer;
using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

constexpr size_t kHeaderAt = 8, kPteHeaderSize = 24, kAlignment = 16;

fb::ScalarType scalar_type(DType dtype) {
  switch (dtype) {
    case DType::Int64:
      return fb::ScalarType::LONG;
    case DType::Int32:
      return fb::ScalarType::INT;
    default:
      return fb::ScalarType::FLOAT;
  }
}

Offset<fb::EValue> write_tensor(FlatBufferBuilder& b, const PteContent::Tensor& t) {
  std::vector<uint8_t> order;
  for (size_t i = 0; i < t.sizes.size(); ++i) order.push_back(static_cast<uint8_t>(i));
  const auto sizes = b.CreateVector(t.sizes);
  const auto dim_order = b.CreateVector(order);
  fb::TensorBuilder tensor(b);
  tensor.add_scalar_type(scalar_type(t.dtype));
  tensor.add_sizes(sizes);
  tensor.add_dim_order(dim_order);
  tensor.add_shape_dynamism(t.dynamic ? fb::TensorShapeDynamism::DYNAMIC_BOUND
                                      : fb::TensorShapeDynamism::STATIC);
  return fb::CreateEValue(b, fb::KernelTypes::Tensor, tensor.Finish().Union());
}

Offset<fb::ExecutionPlan> write_constant(FlatBufferBuilder& b, const PteContent::Constant& c) {
  Offset<fb::EValue> value;
  if (const auto* integer = std::get_if<int64_t>(&c.value)) {
    value = fb::CreateEValue(b, fb::KernelTypes::Int, fb::CreateInt(b, *integer).Union());
  } else {
    const auto text = b.CreateString(std::get<std::string>(c.value));
    value = fb::CreateEValue(b, fb::KernelTypes::String, fb::CreateString(b, text).Union());
  }
  const auto name = b.CreateString(c.name);
  const auto values = b.CreateVector(std::vector{value});
  const auto outputs = b.CreateVector(std::vector<int32_t>{0});
  fb::ExecutionPlanBuilder plan(b);
  plan.add_name(name);
  plan.add_values(values);
  plan.add_outputs(outputs);
  return plan.Finish();
}

Offset<fb::ExecutionPlan> write_method(FlatBufferBuilder& b, const PteContent& content) {
  std::vector<Offset<fb::EValue>> values;
  std::vector<int32_t> inputs, outputs, args;
  const auto add = [&](const PteContent::Tensor& t, std::vector<int32_t>& ids) {
    ids.push_back(static_cast<int32_t>(values.size()));
    args.push_back(ids.back());
    values.push_back(write_tensor(b, t));
  };
  for (const PteContent::Tensor& t : content.inputs) add(t, inputs);
  for (const PteContent::Tensor& t : content.outputs) add(t, outputs);
  const auto call = fb::CreateDelegateCall(b, 0, b.CreateVector(args));
  const auto instruction =
      fb::CreateInstruction(b, fb::InstructionArguments::DelegateCall, call.Union());
  const auto instructions = b.CreateVector(std::vector{instruction});
  fb::ChainBuilder chain_builder(b);
  chain_builder.add_instructions(instructions);
  const auto chain = chain_builder.Finish();
  const auto location = content.in_segment ? fb::DataLocation::SEGMENT : fb::DataLocation::INLINE;
  const auto delegate = fb::CreateBackendDelegate(
      b, b.CreateString("VulkanBackend"), fb::CreateBackendDelegateDataReference(b, location, 0));
  const auto name = b.CreateString(content.method);
  const auto all_values = b.CreateVector(values);
  const auto all_inputs = b.CreateVector(inputs);
  const auto all_outputs = b.CreateVector(outputs);
  const auto chains = b.CreateVector(std::vector{chain});
  const auto delegates = b.CreateVector(std::vector{delegate});
  fb::ExecutionPlanBuilder plan(b);
  plan.add_name(name);
  plan.add_values(all_values);
  plan.add_inputs(all_inputs);
  plan.add_outputs(all_outputs);
  plan.add_chains(chains);
  plan.add_delegates(delegates);
  return plan.Finish();
}

void write_program(FlatBufferBuilder& b, const PteContent& content) {
  std::vector<Offset<fb::ExecutionPlan>> plans{write_method(b, content)};
  for (const PteContent::Constant& c : content.constants) plans.push_back(write_constant(b, c));
  const auto all_plans = b.CreateVector(plans);
  const auto* bytes = reinterpret_cast<const uint8_t*>(content.blob.data());
  b.ForceVectorAlignment(content.blob.size(), 1, kAlignment);
  const auto data = fb::CreateBackendDelegateInlineData(
      b, b.CreateVector(bytes, content.in_segment ? 0 : content.blob.size()));
  const auto inlined = b.CreateVector(std::vector{data});
  const auto segment =
      fb::CreateDataSegment(b, 0, content.segment_size.value_or(content.blob.size()));
  const auto segments = b.CreateVector(std::vector{segment});
  fb::ProgramBuilder program(b);
  program.add_execution_plan(all_plans);
  program.add_backend_delegate_data(inlined);
  if (content.in_segment) program.add_segments(segments);
  fb::FinishProgramBuffer(b, program.Finish());
}

}  // namespace

Blob make_pte(const PteContent& content) {
  FlatBufferBuilder b;
  write_program(b, content);
  const auto* bytes = reinterpret_cast<const std::byte*>(b.GetBufferPointer());
  Blob file(bytes, bytes + b.GetSize());
  if (!content.in_segment) return file;
  // The header stands between the root's offset and the rest of the flatbuffer.
  constexpr size_t kShift = 32;
  file.insert(file.begin() + kHeaderAt, kShift, std::byte{0});
  put(file, 0, get<uint32_t>(file, 0) + static_cast<uint32_t>(kShift));
  const size_t program_size = file.size();
  file.resize((program_size + kAlignment - 1) / kAlignment * kAlignment);
  std::memcpy(file.data() + kHeaderAt, "eh00", 4);
  put(file, kHeaderAt + 4, static_cast<uint32_t>(kPteHeaderSize));
  put(file, kHeaderAt + 8, static_cast<uint64_t>(program_size));
  put(file, kHeaderAt + 16, content.segments_begin.value_or(file.size()));
  file.insert(file.end(), content.blob.begin(), content.blob.end());
  return file;
}

PteContent good_pte() {
  PteContent content;
  BlobContent program = good_content();
  program.outputs = {3};
  content.blob = make_blob(program);
  content.inputs = {{DType::Float32, {4, 8}}};
  content.outputs = {{DType::Float32, {4, 8}}};
  return content;
}

}  // namespace highwater
