#include "blob/pte.h"

#include <algorithm>
#include <cstring>

#include "blob/flatbuffer_bytes.h"
#include "blob/unpack.h"
#include "platform/file.h"
#include "program_generated.h"

namespace highwater {
namespace {

namespace fb = ::executorch_flatbuffer;

// Behind the flatbuffer's own first eight bytes: a magic word, the header's size, the program's,
// and where the data segments begin.
constexpr size_t kHeaderAt = 8;
constexpr std::string_view kHeaderMagic = "eh00";
constexpr size_t kPteHeaderSize = 24;

// Where in the file things are. One without a header is all program.
struct Layout {
  uint64_t program_size;
  uint64_t segments_begin = 0;
};

Result<Layout> read_layout(const ByteSource& source) {
  constexpr uint64_t kBegin = kHeaderAt + kPteHeaderSize;
  HW_TRY(const ByteBuffer begin, source.read(0, std::min(source.size(), kBegin)));
  const std::byte* bytes = begin.bytes().data();
  // Before any more of it is read: any file may be given, of any size.
  if (source.size() < kHeaderAt ||
      !fb::ProgramBufferHasIdentifier(reinterpret_cast<const uint8_t*>(bytes))) {
    return fail("this is not a .pte file of ExecuTorch (it has no ET12 mark)");
  }
  const std::byte* header = bytes + kHeaderAt;
  if (source.size() < kBegin ||
      std::memcmp(header, kHeaderMagic.data(), kHeaderMagic.size()) != 0) {
    return Layout{source.size()};
  }
  Layout layout{};
  std::memcpy(&layout.program_size, header + 8, sizeof layout.program_size);
  std::memcpy(&layout.segments_begin, header + 16, sizeof layout.segments_begin);
  return layout;
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

class PteReader {
 public:
  PteReader(const fb::Program& program, const FlatbufferBytes& bytes, uint64_t file_size,
            uint64_t segments_begin)
      : program_(program),
        bytes_(bytes),
        file_size_(file_size),
        segments_begin_(segments_begin),
        unpack_(bytes.size()) {}

  Result<Pte> read() {
    HW_CHECK(unpack_.each(program_.execution_plan(),
                          [&](uint32_t, const fb::ExecutionPlan& plan) -> Status {
                            HW_TRY(const std::string name, unpack_.name(plan.name()));
                            Status status = read_method(plan, name);
                            if (!status) return status.take_error().within(text("method ", name));
                            return {};
                          }));
    HW_CHECK(unpack_.each(program_.named_data(), [&](uint32_t, const fb::NamedData& d) -> Status {
      HW_TRY(const FilePart part, segment(d.segment_index()));
      HW_TRY(std::string key, unpack_.name(d.key()));
      pte_.named_data.emplace(std::move(key), part);
      return {};
    }));
    return std::move(pte_);
  }

 private:
  Result<FilePart> segment(uint32_t index) const {
    const auto* segments = program_.segments();
    if (!segments || index >= segments->size()) {
      return fail("data segment ", index, " is wanted, but there are ",
                  segments ? segments->size() : 0);
    }
    const fb::DataSegment* s = segments->Get(index);
    const uint64_t room = segments_begin_ <= file_size_ ? file_size_ - segments_begin_ : 0;
    if (segments_begin_ > file_size_ || s->offset() > room || s->size() > room - s->offset()) {
      return fail("data segment ", index, " (offset ", s->offset(), ", ", s->size(),
                  " bytes) lies outside the file, which has ", room,
                  " bytes of data: it may have been cut short");
    }
    return FilePart{segments_begin_ + s->offset(), s->size()};
  }

  Status read_method(const fb::ExecutionPlan& plan, const std::string& name) {
    PteMethod method;
    method.name = name;
    HW_CHECK(unpack_.each(plan.values(), [&](uint32_t, const fb::EValue& entry) -> Status {
      HW_TRY(PteMethod::Value value, read_value(entry));
      method.values.push_back(std::move(value));
      return {};
    }));
    HW_TRY(method.inputs, read_ids(plan.inputs(), method));
    HW_TRY(method.outputs, read_ids(plan.outputs(), method));
    HW_CHECK(
        unpack_.each(plan.delegates(), [&](uint32_t i, const fb::BackendDelegate& d) -> Status {
          PteMethod::Delegate delegate;
          HW_TRY(delegate.name, unpack_.name(d.id()));
          auto blob = find_blob(d.processed());
          if (!blob) return blob.take_error().within(text("delegate ", i));
          delegate.blob = *blob;
          method.delegates.push_back(std::move(delegate));
          return {};
        }));
    HW_TRY(const std::vector<std::string> operators, read_operators(plan));
    HW_CHECK(unpack_.each(plan.chains(), [&](uint32_t, const fb::Chain& chain) {
      return unpack_.each(chain.instructions(), [&](uint32_t, const fb::Instruction& instruction) {
        return read_instruction(instruction, operators, method);
      });
    }));
    pte_.by_name.emplace(method.name, pte_.methods.size());
    pte_.methods.push_back(std::move(method));
    return {};
  }

  Result<PteMethod::Value> read_value(const fb::EValue& value) {
    if (const auto* integer = value.val_as_Int()) return PteMethod::Value(integer->int_val());
    if (const auto* flag = value.val_as_Bool()) return PteMethod::Value(int64_t{flag->bool_val()});
    if (const auto* string = value.val_as_String()) {
      HW_TRY(std::string content, unpack_.text(string->string_val()));
      return PteMethod::Value(std::move(content));
    }
    const auto* tensor = value.val_as_Tensor();
    if (!tensor) return PteMethod::Value();
    PteMethod::TensorValue read;
    read.dtype = dtype_of(tensor->scalar_type());
    read.dynamic = tensor->shape_dynamism() != fb::TensorShapeDynamism::STATIC;
    HW_TRY(read.dims, unpack_.list<int64_t>(tensor->sizes()));
    return PteMethod::Value(std::move(read));
  }

  Result<std::vector<uint32_t>> read_ids(const flatbuffers::Vector<int32_t>* ids,
                                         const PteMethod& method) {
    HW_TRY(const std::vector<int64_t> wanted, unpack_.list<int64_t>(ids));
    std::vector<uint32_t> read;
    for (const int64_t id : wanted) {
      if (id < 0 || static_cast<uint64_t>(id) >= method.values.size()) {
        return fail("value ", id, " is wanted, but there are ", method.values.size());
      }
      read.push_back(static_cast<uint32_t>(id));
    }
    return read;
  }

  Result<FilePart> find_blob(const fb::BackendDelegateDataReference* reference) const {
    if (!reference) return fail("it has no data");
    if (reference->location() == fb::DataLocation::SEGMENT) return segment(reference->index());
    const auto* all = program_.backend_delegate_data();
    if (!all || reference->index() >= all->size() || !all->Get(reference->index())->data()) {
      return fail("its data is missing from the file");
    }
    // The program is the beginning of the file.
    const auto* data = all->Get(reference->index())->data();
    return FilePart{static_cast<uint64_t>(data->data() - bytes_.data()), data->size()};
  }

  Result<std::vector<std::string>> read_operators(const fb::ExecutionPlan& plan) {
    std::vector<std::string> names;
    HW_CHECK(unpack_.each(plan.operators(), [&](uint32_t, const fb::Operator& op) -> Status {
      HW_TRY(const std::string name, unpack_.name(op.name()));
      HW_TRY(const std::string overload, unpack_.name(op.overload()));
      names.push_back(text(name, ".", overload));
      return {};
    }));
    return names;
  }

  Status read_instruction(const fb::Instruction& instruction,
                          const std::vector<std::string>& operators, PteMethod& method) {
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
      const auto index = static_cast<uint32_t>(kernel->op_index());
      if (index >= operators.size()) {
        return fail("it calls op ", kernel->op_index(), ", which it does not name");
      }
      HW_CHECK(unpack_.take(operators[index].size()));
      method.cpu_ops.push_back(operators[index]);
    } else if (!instruction.instr_args_as_FreeCall()) {
      method.cpu_ops.emplace_back(instruction.instr_args_as_MoveCall() ? "(move)" : "(jump)");
    }
    return {};
  }

  const fb::Program& program_;
  const FlatbufferBytes& bytes_;
  uint64_t file_size_;
  uint64_t segments_begin_;
  Unpacker unpack_;
  Pte pte_;
};

}  // namespace

Result<Pte> read_pte(std::shared_ptr<const ByteSource> source) {
  HW_TRY(const Layout layout, read_layout(*source));
  const auto damaged = [] { return fail("the .pte file is damaged, or was cut short"); };
  // No flatbuffer is larger.
  constexpr uint64_t kMostProgram = FLATBUFFERS_MAX_BUFFER_SIZE;
  if (layout.program_size > std::min(source->size(), kMostProgram)) return damaged();
  HW_TRY(const ByteBuffer program, source->read(0, layout.program_size));
  const FlatbufferBytes bytes(program.bytes());
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!fb::VerifyProgramBuffer(verifier)) return damaged();
  HW_TRY(Pte pte,
         PteReader(*fb::GetProgram(bytes.data()), bytes, source->size(), layout.segments_begin)
             .read());
  pte.source = std::move(source);
  return pte;
}

Result<Pte> open_pte(const std::string& path) {
  HW_TRY(auto file, open_file(path));
  auto pte = read_pte(std::move(file));
  if (!pte) return pte.take_error().within(path);
  return pte;
}

}  // namespace highwater
