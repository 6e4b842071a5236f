// What an op may know of the device when it declares its kernels.
#pragma once

namespace highwater {

struct DeviceTraits {
  // The adapter computes on the CPU: barriers are dear there, and one invocation that walks a whole
  // row is cheap. A GPU wants the opposite.
  bool software = true;
};

}  // namespace highwater
