// A WebGPU device, shared by all sessions of the process that chose the same adapter.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "gpu/adapters.h"
#include "highwater/result.h"

namespace highwater::gpu {

class DeviceImpl;

class Device {
 public:
  // The shared device of an adapter, which choose_adapter finds; empty means HIGHWATER_ADAPTER,
  // else the best. A lost one is replaced.
  static Result<std::shared_ptr<Device>> open(std::string adapter = {});

  explicit Device(std::unique_ptr<DeviceImpl> impl);
  ~Device();

  const AdapterDescription& adapter() const;
  // Of a software adapter, where it is the same for every kernel; 1 if there are none.
  uint32_t subgroup_size() const { return subgroup_size_; }

  // For the other files of gpu/.
  DeviceImpl& impl() { return *impl_; }

 private:
  std::unique_ptr<DeviceImpl> impl_;
  uint32_t subgroup_size_ = 1;
};

}  // namespace highwater::gpu
