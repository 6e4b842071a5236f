// Element types, as declared by a program and as they lie in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "highwater/text.h"

namespace highwater {

enum class DType : uint8_t { Bool, UInt8, Int8, Int32, Float16, Float32, Float64, Int64 };

constexpr size_t byte_size(DType t) {
  switch (t) {
    case DType::Bool:
    case DType::UInt8:
    case DType::Int8:
      return 1;
    case DType::Float16:
      return 2;
    case DType::Int32:
    case DType::Float32:
      return 4;
    case DType::Float64:
    case DType::Int64:
      return 8;
  }
  return 0;
}

constexpr bool is_float(DType t) {
  return t == DType::Float16 || t == DType::Float32 || t == DType::Float64;
}

constexpr std::string_view name(DType t) {
  switch (t) {
    case DType::Bool:
      return "bool";
    case DType::UInt8:
      return "uint8";
    case DType::Int8:
      return "int8";
    case DType::Int32:
      return "int32";
    case DType::Float16:
      return "float16";
    case DType::Float32:
      return "float32";
    case DType::Float64:
      return "float64";
    case DType::Int64:
      return "int64";
  }
  return "?";
}

inline void append(std::string& out, DType t) {
  out += name(t);
}

// WebGPU has no 64-bit types: such tensors live on the device at half their width, and the host's
// values are checked as they are narrowed.
constexpr DType device_dtype(DType t) {
  if (t == DType::Int64) return DType::Int32;
  if (t == DType::Float64) return DType::Float32;
  return t;
}

}  // namespace highwater
