#include "blob/pte.h"

#include <cstring>

#include "blob/flatbuffer_bytes.h"
#include "program_generated.h"

namespace highwater {
namespace {

namespace fb = ::executorch_flatbuffer;
using Bytes = std::span<const std::byte>;

// Behind the flatbuffer's own first eight bytes; says where the data segments begin.
constexpr size_t kHeaderAt = 8;
constexpr std::string_view kHeaderMagic = "eh00";
constexpr size_t kHeaderSize = 24;

uint64_t segments_begin(Bytes file) {
  if (file.size() < kHeaderAt + kHeaderSize) return 0;
  const std::byte* header = file.data() + kHeaderAt;
  if (std::memcmp(header, kHeaderMagic.data(), kHeaderMagic.size()) != 0) return 0;
  uint64_t begin;
  std::memcpy(&begin, header + 16, sizeof begin);
  return begin;
}

std::optional<DType> dtype_of(fb::ScalarType type) {
  switch (type) {
    case fb::ScalarType::BOOL:
      return DType::Bool;
    case fb::ScalarType::BYTE:
      return DType::UInt8;
    case fb::ScalarType::CHAR:
      return DType::Int8;
    case fb::ScalarType::INT:
      return DType::Int32;
    case fb::ScalarType::LONG:
      return DType::Int64;
    case fb::ScalarType::HALF:
      return DType::Float16;
    case fb::ScalarType::FLOAT:
      return DType::Float32;
    case fb::ScalarType::DOUBLE:
      return DType::Float64;
    default:
      return std::nullopt;
  }
}

std::string string_of(const flatbuffers::String* string) {
  return string ? string->str() : std::string();
}

// Absent vectors are empty ones.
template <class Vector, class Use>
Status for_each(const Vector* vector, const Use& use) {
  for (uint32_t i = 0; vector && i < vector->size(); ++i) HW_CHECK(use(i, vector->Get(i)));
  return {};
}

class Reader {
 public:
  Reader(const fb::Program& program, Bytes file)
      : program_(program), file_(file), segments_begin_(segments_begin(file)) {}

  Result<Pte> read() {
    HW_CHECK(for_each(program_.execution_plan(), [&](uint32_t, const fb::ExecutionPlan* plan) {
      Status status = read_method(*plan);
      if (!status) return Status(status.take_error().within("method " + string_of(plan->name())));
      return status;
    }));
    HW_CHECK(for_each(program_.named_data(), [&](uint32_t, const fb::NamedData* data) -> Status {
      HW_TRY(const Bytes bytes, segment(data->segment_index()));
      pte_.named_data.emplace(string_of(data->key()), bytes);
      return {};
    }));
    return std::move(pte_);
  }

 private:
  Result<Bytes> segment(uint32_t index) const {
    const auto* segments = program_.segments();
    if (!segments || index >= segments->size()) {
      return fail("data segment ", index, " is wanted, but there are ",
                  segments ? segments->size() : 0);
    }
    const fb::DataSegment* s = segments->Get(index);
    const uint64_t room = segments_begin_ <= file_.size() ? file_.size() - segments_begin_ : 0;
    if (s->offset() > room || s->size() > room - s->offset()) {
      return fail("data segment ", index, " (offset ", s->offset(), ", ", s->size(),
                  " bytes) lies outside the file, which has ", room,
                  " bytes of data: it may have been cut short");
    }
    return file_.subspan(segments_begin_ + s->offset(), s->size());
  }

  Status read_method(const fb::ExecutionPlan& plan) {
    PteMethod method;
    method.name = string_of(plan.name());
    HW_CHECK(for_each(plan.values(), [&](uint32_t, const fb::EValue* value) -> Status {
      method.values.push_back(read_value(*value));
      return {};
    }));
    HW_TRY(method.inputs, read_ids(plan.inputs(), method));
    HW_TRY(method.outputs, read_ids(plan.outputs(), method));
    HW_CHECK(for_each(plan.delegates(), [&](uint32_t i, const fb::BackendDelegate* d) -> Status {
      PteMethod::Delegate delegate{string_of(d->id()), {}};
      auto blob = read_blob(d->processed());
      if (!blob) return blob.take_error().within(text("delegate ", i));
      delegate.blob = *blob;
      method.delegates.push_back(std::move(delegate));
      return {};
    }));
    HW_CHECK(for_each(plan.chains(), [&](uint32_t, const fb::Chain* chain) {
      return for_each(chain->instructions(), [&](uint32_t, const fb::Instruction* instruction) {
        return read_instruction(plan, *instruction, method);
      });
    }));
    pte_.methods.push_back(std::move(method));
    return {};
  }

  static PteMethod::Value read_value(const fb::EValue& value) {
    if (const auto* integer = value.val_as_Int()) return integer->int_val();
    if (const auto* flag = value.val_as_Bool()) return int64_t{flag->bool_val()};
    const auto* tensor = value.val_as_Tensor();
    if (!tensor) return {};
    PteMethod::TensorValue read;
    read.dtype = dtype_of(tensor->scalar_type());
    read.dynamic = tensor->shape_dynamism() != fb::TensorShapeDynamism::STATIC;
    if (tensor->sizes()) read.dims.assign(tensor->sizes()->begin(), tensor->sizes()->end());
    return read;
  }

  static Result<std::vector<uint32_t>> read_ids(const flatbuffers::Vector<int32_t>* ids,
                                                const PteMethod& method) {
    std::vector<uint32_t> read;
    HW_CHECK(for_each(ids, [&](uint32_t, int32_t id) -> Status {
      if (id < 0 || static_cast<size_t>(id) >= method.values.size()) {
        return fail("value ", id, " is wanted, but there are ", method.values.size());
      }
      read.push_back(static_cast<uint32_t>(id));
      return {};
    }));
    return read;
  }

  Result<Bytes> read_blob(const fb::BackendDelegateDataReference* reference) const {
    if (!reference) return fail("it has no data");
    if (reference->location() == fb::DataLocation::SEGMENT) return segment(reference->index());
    const auto* all = program_.backend_delegate_data();
    if (!all || reference->index() >= all->size() || !all->Get(reference->index())->data()) {
      return fail("its data is missing from the file");
    }
    const auto* data = all->Get(reference->index())->data();
    return Bytes(reinterpret_cast<const std::byte*>(data->data()), data->size());
  }

  Status read_instruction(const fb::ExecutionPlan& plan, const fb::Instruction& instruction,
                          PteMethod& method) const {
    if (const auto* call = instruction.instr_args_as_DelegateCall()) {
      if (call->delegate_index() < 0 ||
          static_cast<size_t>(call->delegate_index()) >= method.delegates.size()) {
        return fail("it calls delegate ", call->delegate_index(), ", but there are ",
                    method.delegates.size());
      }
      PteMethod::DelegateCall read{static_cast<uint32_t>(call->delegate_index()), {}};
      HW_TRY(read.args, read_ids(call->args(), method));
      method.calls.push_back(std::move(read));
    } else if (const auto* kernel = instruction.instr_args_as_KernelCall()) {
      const auto* operators = plan.operators();
      const auto index = static_cast<uint32_t>(kernel->op_index());
      if (!operators || index >= operators->size()) {
        return fail("it calls op ", kernel->op_index(), ", which it does not name");
      }
      const fb::Operator* op = operators->Get(index);
      method.cpu_ops.push_back(string_of(op->name()) + "." + string_of(op->overload()));
    } else if (!instruction.instr_args_as_FreeCall()) {
      method.cpu_ops.emplace_back(instruction.instr_args_as_MoveCall() ? "(move)" : "(jump)");
    }
    return {};
  }

  const fb::Program& program_;
  Bytes file_;
  uint64_t segments_begin_;
  Pte pte_;
};

}  // namespace

Result<Pte> read_pte(Bytes file) {
  const FlatbufferBytes bytes(file);
  if (!bytes.can_hold_identifier() || !fb::ProgramBufferHasIdentifier(bytes.data())) {
    return fail("this is not a .pte file of ExecuTorch (it has no ET12 mark)");
  }
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!fb::VerifyProgramBuffer(verifier)) {
    return fail("the .pte file is damaged, or was cut short");
  }
  return Reader(*fb::GetProgram(bytes.data()), file).read();
}

}  // namespace highwater
