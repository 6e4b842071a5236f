// Sharing a device. For gpu/ only.
#pragma once

#include <string>

#include "gpu/webgpu_device.h"

namespace highwater::gpu {

// Catches validation and out-of-memory errors of what is done while it lives, for `answers`.
// wgpu-native reports the second kind as the first, Dawn as its own.
class ErrorScope {
 public:
  ErrorScope(WebGpuDevice& device, Answers& answers, std::string context = {});
  ~ErrorScope();
  ErrorScope(const ErrorScope&) = delete;

 private:
  WebGpuDevice& device_;
  Answers& answers_;
  std::string context_;
};

// One of those who share a device. Error scopes belong to the device: they are opened and closed in
// one turn, so that those of one user never hold the work of another. Only the answers are waited
// for, and that in no turn. Nothing that is not ours is called in a turn: whatever a callback waits
// for may be waiting for the device.
class Turns {
 public:
  explicit Turns(WebGpuDevice& device) : device_(device) {}

  WebGpuDevice& device() const { return device_; }

  // Has the device for itself while it works.
  template <class Work>
  Status take(const Work& work) const {
    HW_TRY(const auto lock, device_.lock());
    return work();
  }

  // The same. What goes wrong on the device is told by `answers`, and is this turn's error if it is
  // known by then.
  template <class Work>
  Status take_checked(Answers& answers, const Work& work) const {
    HW_CHECK(take([&]() -> Status {
      const ErrorScope scope(device_, answers);
      return work();
    }));
    return answers.so_far();
  }

 private:
  WebGpuDevice& device_;
};

}  // namespace highwater::gpu
