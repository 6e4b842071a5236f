#include "runtime/constants.h"

#include <algorithm>
#include <cstring>

#include "runtime/host_io.h"

namespace highwater {
namespace {

Status use_constant(const ConstantDecl& constant, const ConstantSource& source, uint64_t wanted,
                    const UseBytes& use) {
  const auto checked = [&](std::span<const std::byte> bytes) -> Status {
    if (bytes.size() < wanted) {
      return fail("its data has ", bytes.size(), " bytes; ", wanted, " are needed");
    }
    return use(bytes);
  };
  return constant.key.empty() ? checked(constant.inline_bytes) : source(constant.key, checked);
}

// Rows of each part side by side.
Status fill_from_parts(const Program& program, const ConstantSource& source,
                       const ConstantDecl& constant, std::span<std::byte> memory) {
  const auto rows = static_cast<size_t>(constant.rows);
  const auto pitch = static_cast<size_t>(constant.size) / std::max<size_t>(rows, 1);
  size_t column = 0;
  for (const ConstantDecl::Part& part : constant.parts) {
    const auto row_bytes = static_cast<size_t>(part.row_bytes);
    const auto copy = [&](std::span<const std::byte> bytes) -> Status {
      for (size_t row = 0; row < rows; ++row) {
        std::memcpy(memory.data() + row * pitch + column, bytes.data() + row * row_bytes,
                    row_bytes);
      }
      return {};
    };
    HW_CHECK(use_constant(program.constants[part.constant], source, constant.rows * part.row_bytes,
                          copy));
    column += row_bytes;
  }
  return {};
}

// All in its new order, before it goes to the device.
Status fill_arranged(const Program& program, const ConstantSource& source, const ValueInfo& value,
                     std::span<std::byte> memory) {
  const ConstantDecl& constant = program.constants[*value.tensor.constant];
  const DType stored = value.tensor.dtype;
  const size_t width = byte_size(stored);
  const auto count = static_cast<size_t>(value.tensor.dims.numel());
  const auto wanted = static_cast<size_t>(value.arrangement->source.numel()) * width;
  const auto use = [&](std::span<const std::byte> bytes) -> Status {
    if (value.tensor.device_dtype() == stored) {
      arrange(*value.arrangement, bytes, width, memory.first(count * width));
      return {};
    }
    std::vector<std::byte> arranged(count * width);
    arrange(*value.arrangement, bytes, width, arranged);
    return to_device(stored, arranged, value.tensor.device_dtype(), memory, count);
  };
  if (constant.parts.empty()) return use_constant(constant, source, wanted, use);
  std::vector<std::byte> joined(wanted);
  HW_CHECK(fill_from_parts(program, source, constant, joined));
  return use(joined);
}

}  // namespace

Status fill_constant(const Program& program, const ConstantSource& source, const ValueInfo& value,
                     std::span<std::byte> memory) {
  if (value.arrangement) return fill_arranged(program, source, value, memory);
  const ConstantDecl& constant = program.constants[*value.tensor.constant];
  if (!constant.parts.empty()) return fill_from_parts(program, source, constant, memory);
  const auto count = static_cast<size_t>(value.tensor.dims.numel());
  const DType stored = value.tensor.dtype;
  return use_constant(constant, source, uint64_t{count} * byte_size(stored), [&](auto bytes) {
    return to_device(stored, bytes, value.tensor.device_dtype(), memory, count);
  });
}

bool is_as_in_file(const Program& program, const ValueInfo& value) {
  const ConstantDecl& constant = program.constants[*value.tensor.constant];
  const uint64_t bytes =
      static_cast<uint64_t>(value.tensor.dims.numel()) * byte_size(value.tensor.dtype);
  constexpr uint64_t kWord = 4;  // buffers are written by whole words
  return !value.arrangement && constant.parts.empty() && !constant.key.empty() &&
         value.tensor.dtype == value.tensor.device_dtype() && bytes % kWord == 0;
}

bool is_constant_here(const Program& program, const ConstantArrivals& arrivals,
                      const ConstantDecl& constant) {
  bool all = constant.key.empty() || arrivals.are_here(constant.key);
  for (const ConstantDecl::Part& part : constant.parts) {
    all = is_constant_here(program, arrivals, program.constants[part.constant]) && all;
  }
  return all;
}

ConstantArrivals arrivals_of(std::shared_ptr<const Pte> pte) {
  const auto find = [pte](const std::string& key) -> const FilePart* {
    const auto found = pte->named_data.find(key);
    return found == pte->named_data.end() ? nullptr : &found->second;
  };
  ConstantArrivals arrivals;
  // What is not in the file is an error where it is read.
  arrivals.are_here = [pte, find](const std::string& key) {
    const FilePart* part = find(key);
    return !part || pte->source->are_here(part->offset, part->size);
  };
  if (!pte->source->can_place()) return arrivals;
  arrivals.place = [pte, find](const std::string& key, uint64_t bytes, void* buffer) -> bool {
    const FilePart* part = find(key);
    if (!part || part->size < bytes) return false;
    pte->source->place(part->offset, bytes, buffer);
    return true;
  };
  return arrivals;
}

ConstantSource constants_of(std::shared_ptr<const Pte> pte) {
  return [pte = std::move(pte)](const std::string& key, const UseBytes& use) -> Status {
    const auto found = pte->named_data.find(key);
    if (found == pte->named_data.end()) {
      return fail("there is no data '", key,
                  "' in the file; if it is in a .ptd file, export without external data");
    }
    HW_TRY(const ByteBuffer data, pte->read(found->second));
    return use(data.bytes());
  };
}

}  // namespace highwater
