// What an op may know of the device when it declares its kernels.
#pragma once

#include "graph/kernel.h"

namespace highwater {

struct DeviceTraits {
  // The adapter computes on the CPU: barriers are dear there, and one invocation that walks a whole
  // row is cheap. A GPU wants the opposite.
  bool software = true;

  // Lavapipe compiles a shader anew for the values of uniforms that steer its loops: a new length
  // would stop to compile. It leaves storage buffers alone. On a GPU uniforms are faster.
  ParamsSpace params_space() const {
    return software ? ParamsSpace::Storage : ParamsSpace::Uniform;
  }
};

}  // namespace highwater
