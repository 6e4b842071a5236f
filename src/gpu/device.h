// A WebGPU device, shared by all sessions of the process that chose the same adapter.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "gpu/adapters.h"
#include "highwater/advance.h"
#include "highwater/result.h"

namespace highwater::gpu {

class SubgroupProbe;
class WebGpuDevice;

class Device {
 public:
  // The shared device of an adapter, which choose_adapter finds; empty means HIGHWATER_ADAPTER,
  // else the best. A lost one is replaced. Waits until it is known; see DeviceOpening.
  static Result<std::shared_ptr<Device>> open(std::string adapter = {});

  explicit Device(std::unique_ptr<WebGpuDevice> webgpu);
  ~Device();

  const AdapterDescription& adapter() const;
  // Whether nothing will run on it any more.
  bool is_lost() const;
  // Of a software adapter, where it is the same for every kernel; 1 if there are none.
  uint32_t subgroup_size() const { return subgroup_size_; }

  // For the other files of gpu/.
  WebGpuDevice& webgpu() { return *webgpu_; }

 private:
  friend class DeviceOpening;

  std::unique_ptr<WebGpuDevice> webgpu_;
  std::atomic<uint32_t> subgroup_size_{1};
  std::atomic<bool> is_measured_{false};
};

// The same in parts, none of which waits: what an adapter does not tell is measured on its device.
class DeviceOpening {
 public:
  static Result<DeviceOpening> start(std::string adapter);
  DeviceOpening(DeviceOpening&&) noexcept;
  ~DeviceOpening();

  Advance advance();
  // Once all is done.
  const std::shared_ptr<Device>& device() const { return device_; }

 private:
  explicit DeviceOpening(std::shared_ptr<Device> device);

  std::shared_ptr<Device> device_;
  std::unique_ptr<SubgroupProbe> probe_;  // if there is something to measure
};

}  // namespace highwater::gpu
