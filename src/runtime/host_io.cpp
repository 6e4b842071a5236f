#include "runtime/host_io.h"

#include <cstdint>
#include <cstring>
#include <limits>

#include "runtime/half.h"

namespace highwater {
namespace {

struct Half {
  uint16_t bits;
};

// The conversions that occur: wide integers, and floats of different widths.
struct Convert {
  static bool run(int64_t from, int32_t& to) {
    to = static_cast<int32_t>(from);
    return to == from;
  }
  static bool run(int32_t from, int64_t& to) {
    to = from;
    return true;
  }
  static bool run(double from, float& to) {
    to = static_cast<float>(from);
    return true;
  }
  static bool run(float from, double& to) {
    to = from;
    return true;
  }
  static bool run(float from, Half& to) {
    to.bits = float_to_half(from);
    return true;
  }
  static bool run(Half from, float& to) {
    to = half_to_float(from.bits);
    return true;
  }
};

// The index of the first element that does not fit, or `count`.
template <class From, class To>
size_t convert(std::span<const std::byte> from, std::span<std::byte> to, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    From a;
    To b;
    std::memcpy(&a, from.data() + i * sizeof a, sizeof a);
    if (!Convert::run(a, b)) return i;
    std::memcpy(to.data() + i * sizeof b, &b, sizeof b);
  }
  return count;
}

struct Conversion {
  DType from;
  DType to;
  size_t (*run)(std::span<const std::byte>, std::span<std::byte>, size_t);
};

constexpr Conversion kConversions[] = {
    {DType::Int64, DType::Int32, &convert<int64_t, int32_t>},
    {DType::Int32, DType::Int64, &convert<int32_t, int64_t>},
    {DType::Float64, DType::Float32, &convert<double, float>},
    {DType::Float32, DType::Float64, &convert<float, double>},
    {DType::Float32, DType::Float16, &convert<float, Half>},
    {DType::Float16, DType::Float32, &convert<Half, float>},
};

const Conversion* find(DType from, DType to) {
  for (const Conversion& c : kConversions) {
    if (c.from == from && c.to == to) return &c;
  }
  return nullptr;
}

}  // namespace

bool convertible(DType host, DType device) {
  return host == device || find(host, device) != nullptr;
}

Status to_device(DType host, std::span<const std::byte> from, DType device, std::span<std::byte> to,
                 size_t count) {
  if (host == device) {
    if (count) std::memcpy(to.data(), from.data(), count * byte_size(host));
    return {};
  }
  const Conversion* conversion = find(host, device);
  if (!conversion) return fail(host, " values were given; ", device, " is wanted");
  const size_t converted = conversion->run(from, to, count);
  if (converted == count) return {};
  int64_t value;
  std::memcpy(&value, from.data() + converted * sizeof value, sizeof value);
  return fail("element ", converted, " is ", value, ", which does not fit the 32 bits that ", host,
              " has on the device");
}

void from_device(DType device, std::span<const std::byte> from, DType host, std::span<std::byte> to,
                 size_t count) {
  if (host == device) {
    if (count) std::memcpy(to.data(), from.data(), count * byte_size(host));
  } else if (const Conversion* conversion = find(device, host)) {
    (void)conversion->run(from, to, count);
  }
}

}  // namespace highwater
