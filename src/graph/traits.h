// What an op may know of the device when it declares its kernels.
#pragma once

#include <cstdint>
#include <limits>

namespace highwater {

// What kind of buffer params are read from.
enum class ParamsSpace { Uniform, Storage };

struct DeviceTraits {
  // The adapter computes on the CPU: barriers are dear there, and one invocation that walks a whole
  // row is cheap. A GPU wants the opposite.
  bool software = true;

  // How many invocations of a subgroup can hand each other what they loaded; 1 where they cannot,
  // or where their number is not known beforehand.
  uint32_t lanes = 1;

  // Dawn wants to be told that a shader uses subgroups; naga does not know the word.
  bool enable_subgroups = false;

  // Kernels may bind float16 as it is, and not as words with two of them. Those for software
  // adapters do not: they read constants from images, which have no such texels.
  bool half = false;

  // After how many rounds the adapter ends the loops of an invocation, without a word. Mesa's
  // software adapter counts to 65,535 for all of its loops together; this leaves room for those of
  // a few rounds that plans do not count.
  static constexpr int64_t kMostRoundsOnMesa = 60'000;
  static constexpr int64_t kAnyRounds = std::numeric_limits<int64_t>::max();
  int64_t most_rounds = kMostRoundsOnMesa;

  // The most that one binding may show of a buffer, in units of kBindingAlignment. A larger tensor
  // is bound in parts.
  static constexpr uint64_t kBindingAlignment =
      256;  // of where a part begins, by WebGPU's defaults
  static constexpr uint64_t kAnyBytes = std::numeric_limits<uint64_t>::max();
  uint64_t binding_bytes = kAnyBytes;
  // Of how many buffers a kernel may be bound to.
  uint32_t most_buffers = std::numeric_limits<uint32_t>::max();

  // Lavapipe compiles a shader anew for the values of uniforms that steer its loops: a new length
  // would stop to compile. It leaves storage buffers alone. On a GPU uniforms are faster.
  ParamsSpace params_space() const {
    return software ? ParamsSpace::Storage : ParamsSpace::Uniform;
  }
};

}  // namespace highwater
