#include "runtime/constants.h"

#include <algorithm>
#include <cstring>

#include "base/checked.h"
#include "runtime/host_io.h"

namespace highwater {
namespace {

Status use_constant(const ConstantDecl& constant, const ConstantSource& source, Stretch wanted,
                    const UseBytes& use) {
  if (!constant.key.empty()) return source(constant.key, wanted, use);
  return use_stretch(constant.inline_bytes, wanted, use);
}

// Rows of each part side by side, from row `first` on.
Status join_parts(const Program& program, const ConstantSource& source,
                  const ConstantDecl& constant, uint64_t first, std::span<std::byte> memory) {
  const auto pitch = static_cast<size_t>(constant.size / std::max<uint64_t>(constant.rows, 1));
  const size_t rows = memory.size() / std::max<size_t>(pitch, 1);
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
    HW_CHECK(use_constant(program.constants[part.constant], source,
                          {first * row_bytes, uint64_t{rows} * row_bytes}, copy));
    column += row_bytes;
  }
  return {};
}

// Bytes of a constant as the program has it, whether it is in one piece or made of parts.
Status use_as_stored(const Program& program, const ConstantSource& source,
                     const ConstantDecl& constant, Stretch wanted, const UseBytes& use) {
  if (constant.parts.empty()) return use_constant(constant, source, wanted, use);
  const uint64_t pitch =
      std::max<uint64_t>(constant.size / std::max<uint64_t>(constant.rows, 1), 1);
  const uint64_t first = wanted.at / pitch, end = ceil_div(wanted.at + wanted.count, pitch);
  HW_TRY(ByteBuffer joined, ByteBuffer::make((end - first) * pitch));
  HW_CHECK(join_parts(program, source, constant, first, joined.bytes()));
  return use_stretch(joined.bytes(), {wanted.at - first * pitch, wanted.count}, use);
}

// Whole slabs of an arrangement, in the device's dtype.
Status fill_slabs(const Program& program, const ConstantSource& source, const ValueInfo& value,
                  int64_t first, int64_t end, std::span<std::byte> memory) {
  const Slabs slabs = slabs_of(*value.arrangement, first, end);
  const DType stored = value.tensor.dtype, wanted = value.tensor.device_dtype();
  const size_t width = byte_size(stored);
  const auto count = static_cast<size_t>(slabs.arrangement.numel());
  const auto use = [&](std::span<const std::byte> bytes) -> Status {
    if (wanted == stored) {
      arrange(slabs.arrangement, bytes, width, memory.first(count * width));
      return {};
    }
    HW_TRY(ByteBuffer arranged, ByteBuffer::make(uint64_t{count} * width));
    arrange(slabs.arrangement, bytes, width, arranged.bytes());
    return to_device(stored, arranged.bytes(), wanted, memory, count);
  };
  const auto at = static_cast<uint64_t>(slabs.begin) * width;
  const auto size = static_cast<uint64_t>(slabs.end - slabs.begin) * width;
  if (size == 0) return use({});  // all of them lie past its end
  return use_as_stored(program, source, program.constants[*value.tensor.constant], {at, size}, use);
}

Status fill_arranged(const Program& program, const ConstantSource& source, const ValueInfo& value,
                     uint64_t at, std::span<std::byte> memory) {
  const int64_t count = std::max<int64_t>(value.arrangement->slabs(), 1);
  const auto bytes =
      static_cast<uint64_t>(value.arrangement->numel()) * byte_size(value.tensor.device_dtype());
  if (at >= bytes) return {};
  const uint64_t slab = bytes / static_cast<uint64_t>(count);
  const uint64_t first = at / slab, wanted_end = std::min(at + memory.size(), bytes);
  const uint64_t end = ceil_div(wanted_end, slab);
  const auto fill = [&](std::span<std::byte> whole) {
    return fill_slabs(program, source, value, static_cast<int64_t>(first),
                      static_cast<int64_t>(end), whole);
  };
  if (first * slab == at && end * slab == wanted_end) return fill(memory);
  HW_TRY(ByteBuffer whole, ByteBuffer::make((end - first) * slab));
  HW_CHECK(fill(whole.bytes()));
  const auto part = whole.bytes().subspan(static_cast<size_t>(at - first * slab));
  std::memcpy(memory.data(), part.data(), static_cast<size_t>(wanted_end - at));
  return {};
}

}  // namespace

Status fill_constant(const Program& program, const ConstantSource& source, const ValueInfo& value,
                     uint64_t at, std::span<std::byte> memory) {
  if (value.arrangement) return fill_arranged(program, source, value, at, memory);
  const DType stored = value.tensor.dtype, wanted = value.tensor.device_dtype();
  const auto numel = static_cast<uint64_t>(value.tensor.dims.numel());
  const uint64_t first = std::min(at / byte_size(wanted), numel);
  const uint64_t count = std::min<uint64_t>(memory.size() / byte_size(wanted), numel - first);
  return use_as_stored(program, source, program.constants[*value.tensor.constant],
                       {first * byte_size(stored), count * byte_size(stored)}, [&](auto bytes) {
                         return to_device(stored, bytes, wanted, memory,
                                          static_cast<size_t>(count));
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
  return [pte = std::move(pte)](const std::string& key, Stretch wanted,
                                const UseBytes& use) -> Status {
    const auto found = pte->named_data.find(key);
    if (found == pte->named_data.end()) {
      return fail("there is no data '", key,
                  "' in the file; if it is in a .ptd file, export without external data");
    }
    const FilePart& part = found->second;
    if (wanted.at > part.size || wanted.count > part.size - wanted.at) {
      return fail("its data has ", part.size, " bytes; ", wanted.at + wanted.count, " are needed");
    }
    HW_TRY(const ByteBuffer data, pte->read({part.offset + wanted.at, wanted.count}));
    return use(data.bytes());
  };
}

}  // namespace highwater
