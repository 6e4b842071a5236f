#include "gpu/device.h"

#include <map>

#include "gpu/adapter_choice.h"
#include "gpu/driver_process.h"
#include "gpu/subgroups.h"
#include "gpu/webgpu_device.h"
#include "platform/complete.h"
#include "platform/environment.h"

namespace highwater::gpu {
namespace {

Result<std::shared_ptr<Device>> shared_device(const std::string& wanted) {
  HW_CHECK(check_driver_process());
  // Kept until the process ends: implementations do not all survive being torn down at exit.
  static auto& mutex = *new Mutex;
  static auto& devices = *new std::map<std::string, std::shared_ptr<Device>>;
  // Held while a device is made, which calls nothing but the driver.
  const std::lock_guard lock(mutex);
  std::shared_ptr<Device>& device = devices[wanted];
  if (!device || device->is_lost()) {
    HW_TRY(auto webgpu, WebGpuDevice::create(wanted));
    device = std::make_shared<Device>(std::move(webgpu));
    leave_driver_out_of_forked_exits();
  }
  return device;
}

}  // namespace

Device::Device(std::unique_ptr<WebGpuDevice> webgpu) : webgpu_(std::move(webgpu)) {}
Device::~Device() = default;

const AdapterDescription& Device::adapter() const {
  return webgpu_->adapter();
}

bool Device::is_lost() const {
  return webgpu_->faults().is_lost();
}

Result<std::shared_ptr<Device>> Device::open(std::string adapter) {
  HW_TRY(DeviceOpening opening, DeviceOpening::start(std::move(adapter)));
  HW_CHECK(complete([&]() -> Result<Advance> { return opening.advance(); }));
  return opening.device();
}

DeviceOpening::DeviceOpening(std::shared_ptr<Device> device) : device_(std::move(device)) {}
DeviceOpening::DeviceOpening(DeviceOpening&&) noexcept = default;
DeviceOpening::~DeviceOpening() = default;

Result<DeviceOpening> DeviceOpening::start(std::string adapter) {
  if (adapter.empty()) adapter = variable("HIGHWATER_ADAPTER").value_or("");
  HW_TRY(auto device, shared_device(adapter));
  const AdapterDescription& description = device->adapter();
  DeviceOpening opening(device);
  const bool is_unknown = description.has(kSubgroups) && description.type == "CPU";
  if (is_unknown && !device->is_measured_) {
    opening.probe_ = std::make_unique<SubgroupProbe>(std::move(device));
  }
  return opening;
}

Advance DeviceOpening::advance() {
  if (!probe_) return Advance::Done;
  const Advance now = probe_->advance();
  if (now != Advance::Done) return now;
  // Whoever opens the device at the same time measures the same.
  device_->subgroup_size_ = probe_->size();
  device_->is_measured_ = probe_->has_measured();
  probe_.reset();
  return Advance::Done;
}

}  // namespace highwater::gpu
