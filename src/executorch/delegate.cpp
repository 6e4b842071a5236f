// The ExecuTorch delegate, under the names of HighwaterPartitioner and of VulkanPartitioner.
#include "highwater/delegate.h"

#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/platform/log.h>

#include <mutex>
#include <new>

#include "base/allocations.h"
#include "blob/program.h"
#include "blob/pte.h"
#include "executorch/place.h"
#include "executorch/profiles.h"
#include "executorch/reports.h"
#include "executorch/tracing.h"
#include "gpu/executable.h"
#include "runtime/session_access.h"

namespace highwater {
namespace {

namespace et = ::executorch::runtime;
using EtTensor = ::executorch::aten::Tensor;
using ScalarType = ::executorch::aten::ScalarType;

// ExecuTorch passes error codes only; the words go to its log and to last_error().
et::Error report(et::Error code, const Error& error) {
  ET_LOG(Error, "highwater: %s", error.message().c_str());
  set_last_error(error.message());
  return code;
}

Result<DType> dtype_of(ScalarType type) {
  switch (type) {
    case ScalarType::Bool:
      return DType::Bool;
    case ScalarType::Byte:
      return DType::UInt8;
    case ScalarType::Char:
      return DType::Int8;
    case ScalarType::Int:
      return DType::Int32;
    case ScalarType::Long:
      return DType::Int64;
    case ScalarType::Half:
      return DType::Float16;
    case ScalarType::Float:
      return DType::Float32;
    case ScalarType::Double:
      return DType::Float64;
    default:
      return fail("scalar type ", static_cast<int>(type), " is not supported");
  }
}

Result<HostTensor> host_tensor(const EtTensor& tensor) {
  HostTensor host;
  HW_TRY(host.dtype, dtype_of(tensor.scalar_type()));
  if (static_cast<size_t>(tensor.dim()) > Dims::kMaxRank) {
    return fail("a tensor of rank ", tensor.dim());
  }
  for (const auto size : tensor.sizes()) host.dims.push_back(size);
  host.data = tensor.const_data_ptr();
  return host;
}

// A handle's session, and the memory that its calls reuse.
struct Handle {
  std::unique_ptr<Session> session;
  std::shared_ptr<LoadedMethod> method;
  DelegatePlace place;
  std::vector<Input> inputs;
  std::vector<std::string_view> step_names;
};

// A large constant is asked for by stretches, and may be read from a file each time: the last one
// is kept.
struct LastData {
  std::string key;
  std::optional<et::FreeableBuffer> data;
};

ConstantSource constants_from(const et::NamedDataMap* map) {
  return [map, last = std::make_shared<LastData>()](const std::string& key, Stretch wanted,
                                                    const UseBytes& use) -> Status {
    if (!map) return fail("the program has no named data, but needs '", key, "'");
    if (!last->data || last->key != key) {
      last->data.reset();
      auto data = map->get_data(key);
      if (!data.ok()) {
        return fail("named data '", key, "' is missing (error ", static_cast<int>(data.error()),
                    "); if it is in a .ptd file, load the program with that file");
      }
      last->key = key;
      last->data.emplace(std::move(*data));
    }
    const auto* bytes = static_cast<const std::byte*>(last->data->data());
    return use_stretch({bytes, static_cast<size_t>(last->data->size())}, wanted, use);
  };
}

Result<std::unique_ptr<Handle>> load(std::span<const std::byte> blob,
                                     et::BackendInitContext& context) {
  HW_TRY(Program program, read_program(blob));
  auto handle = std::make_unique<Handle>();
  HW_TRY(handle->session,
         SessionAccess::load(std::move(program), constants_from(context.get_named_data_map())));
  handle->method =
      LoadedMethod::being_loaded(context.get_runtime_allocator(), context.get_method_name());
  handle->place = handle->method->add_delegate();
  handle->inputs.reserve(handle->session->input_count());
  handle->step_names = lasting_step_names(SessionAccess::graph(*handle->session));
  add_to_last_load(handle->place, handle->session->load_accounts());
  return handle;
}

// Inputs come first, outputs last; in between may stand arguments that the exporter found to be
// unused.
Status gather_inputs(Handle& handle, et::Span<et::EValue*> args) {
  const size_t count = handle.session->input_count();
  if (args.size() < count || args.size() < handle.session->output_count()) {
    return fail("the call has ", args.size(), " arguments; the program takes ", count,
                " inputs and gives ", handle.session->output_count(), " outputs");
  }
  handle.inputs.clear();
  for (size_t i = 0; i < count; ++i) {
    const et::EValue& arg = *args[i];
    if (arg.isTensor()) {
      auto tensor = host_tensor(arg.toTensor());
      if (!tensor) return tensor.take_error().within(text("input ", i));
      handle.inputs.emplace_back(*std::move(tensor));
    } else if (arg.isInt()) {
      handle.inputs.emplace_back(arg.toInt());
    } else {
      return fail("input ", i, " is neither a tensor nor an integer");
    }
  }
  return {};
}

Status write_output(const Session& session, size_t i, et::EValue& arg) {
  if (session.output_is_scalar(i)) {
    if (!arg.isInt()) return fail("output ", i, " is an integer; its place is not");
    arg = et::EValue(session.output_scalar(i));
    return {};
  }
  if (!arg.isTensor()) return fail("output ", i, " is a tensor; its place is not");
  EtTensor& tensor = arg.toTensor();
  const Dims& dims = session.output_dims(i);
  std::array<::executorch::aten::SizesType, Dims::kMaxRank> sizes{};
  for (size_t d = 0; d < dims.rank(); ++d) {
    sizes[d] = static_cast<::executorch::aten::SizesType>(dims[d]);
  }
  if (et::resize_tensor(tensor, {sizes.data(), dims.rank()}) != et::Error::Ok) {
    return fail("output ", i, " cannot be resized to ", dims);
  }
  HW_TRY(const DType dtype, dtype_of(tensor.scalar_type()));
  return session.read_output(i, dtype,
                             {static_cast<std::byte*>(tensor.mutable_data_ptr()), tensor.nbytes()});
}

Status execute_on(Handle& handle, et::Span<et::EValue*> args, et::EventTracer* tracer) {
  Session& session = *handle.session;
  const uint64_t allocations = heap_allocations();
  handle.method->runs();
  HW_CHECK(gather_inputs(handle, args));
  if (wants_dispatches(tracer)) {
    HW_CHECK(run_traced(session, handle.inputs, *tracer));
  } else if (wants_profile()) {
    HW_CHECK(run_profiled(session, handle.inputs, handle.place));
  } else {
    HW_CHECK(session.run(handle.inputs));
  }
  const size_t first = args.size() - session.output_count();
  for (size_t i = 0; i < session.output_count(); ++i) {
    HW_CHECK(write_output(session, i, *args[first + i]));
  }
  add_to_last_run(handle.place, session.run_accounts(), SessionAccess::dispatches(session),
                  handle.step_names);
  // The session counts those of the engine, and this library its own.
  add_allocations_to_last_run(heap_allocations() - allocations);
  return {};
}

class Backend final : public et::BackendInterface {
 public:
  bool is_available() const override { return true; }

  et::Result<et::DelegateHandle*> init(et::BackendInitContext& context,
                                       et::FreeableBuffer* processed,
                                       et::ArrayRef<et::CompileSpec>) const override {
    try {
      auto handle =
          load({static_cast<const std::byte*>(processed->data()), processed->size()}, context);
      processed->Free();
      if (!handle) return report(et::Error::DelegateInvalidCompatibility, handle.error());
      return static_cast<et::DelegateHandle*>(handle->release());
    } catch (const std::bad_alloc&) {
      return report(et::Error::MemoryAllocationFailed, fail("out of memory while loading"));
    }
  }

  et::Error execute(et::BackendExecutionContext& context, et::DelegateHandle* handle,
                    et::Span<et::EValue*> args) const override {
    try {
      const Status status = execute_on(*static_cast<Handle*>(handle), args, context.event_tracer());
      if (!status) return report(et::Error::InvalidArgument, status.error());
      return et::Error::Ok;
    } catch (const std::bad_alloc&) {
      return report(et::Error::MemoryAllocationFailed, fail("out of memory while running"));
    }
  }

  void destroy(et::DelegateHandle* handle) const override { delete static_cast<Handle*>(handle); }
};

Backend backend;

Status register_as(const char* name) {
  if (auto* present = et::get_backend_class(name)) {
    if (present == &backend) return {};
    return fail("another backend already holds the name ", name,
                ": programs would go to it. Load Highwater into a process without ExecuTorch's "
                "own Vulkan or WebGPU backend");
  }
  const et::Error error = et::register_backend({name, &backend});
  if (error != et::Error::Ok) {
    return fail("ExecuTorch refused the backend (error ", static_cast<int>(error), ")");
  }
  return {};
}

}  // namespace

Status register_delegate() {
  for (const char* name : kDelegateNames) HW_CHECK(register_as(name));
  return {};
}

namespace {

// A C++ program only has to link the library. Python asks register_delegate() for the answer.
const bool registered = [] {
  const Status status = register_delegate();
  if (!status) set_last_error(status.error().message());
  return status.ok();
}();

}  // namespace
}  // namespace highwater
