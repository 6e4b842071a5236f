// The device as gpu/ sees it: handles, error scopes, a bounded wait, the pipeline cache.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "gpu/adapters.h"
#include "gpu/handle.h"
#include "gpu/timeout.h"
#include "highwater/accounts.h"
#include "platform/mutex.h"

namespace highwater::gpu {

struct Pipeline {
  ComputePipelineHandle pipeline;
  BindGroupLayoutHandle layout;
};

struct Image {
  TextureHandle texture;
  TextureViewHandle view;
};

// What the implementation reports, when and on which thread it likes. Never freed, for it may do so
// after the device is gone.
class Faults {
 public:
  // What closing an error scope found. One at a time: scopes are used under the device's mutex.
  struct ScopeResult {
    std::atomic<bool> done{false};
    bool error = false;
    std::string message;
  };

  void lost(std::string message);
  void uncaptured(std::string message);

  // An error if the device is lost, or if something went wrong outside of any scope since the last
  // time it was asked.
  Status take();
  bool is_lost() const;
  ScopeResult& scope_result() { return scope_result_; }
  // Set when the work of the last wait for idleness is done. One at a time as well.
  std::atomic<bool>& idle() { return idle_; }

 private:
  mutable Mutex mutex_;
  ScopeResult scope_result_;
  std::atomic<bool> idle_{false};
  std::optional<std::string> lost_;
  std::optional<std::string> uncaptured_;
};

class DeviceImpl {
 public:
  static Result<std::unique_ptr<DeviceImpl>> create(std::string_view adapter);

  WGPUDevice device() const { return device_.get(); }
  WGPUQueue queue() const { return queue_.get(); }
  const AdapterDescription& adapter() const { return adapter_; }
  Faults& faults() { return *faults_; }

  // The device for oneself, as long as the lock is held; see Turns. Waits are limited by `timeout`.
  Result<std::unique_lock<Mutex>> lock(const Timeout& timeout);

  // Waits until `done`, giving the device up as lost after the time-out of whoever holds the lock.
  Status wait(const std::atomic<bool>& done, std::string_view what);
  // Waits for everything submitted so far.
  Status wait_idle();

  Result<BufferHandle> make_buffer(uint64_t size, WGPUBufferUsage usage, bool mapped,
                                   std::string_view label, Accounts& accounts);
  // Of kImageWidth by `rows` texels.
  Result<Image> make_image(WGPUTextureFormat format, uint32_t rows, Accounts& accounts);
  // One pipeline for each WGSL text, over the life of the device.
  Result<const Pipeline*> pipeline(const std::string& wgsl, std::string_view label,
                                   std::span<const WGPUBindGroupLayoutEntry> bindings,
                                   Accounts& accounts);

 private:
  DeviceImpl() = default;
  Result<Pipeline> make_pipeline(const std::string& wgsl, std::string_view label,
                                 std::span<const WGPUBindGroupLayoutEntry> bindings,
                                 Accounts& accounts);

  AdapterDescription adapter_;
  Faults* const faults_ = new Faults;
  DeviceHandle device_;
  QueueHandle queue_;
  Mutex mutex_;
  Timeout timeout_;  // of who holds the mutex
  std::unordered_map<std::string, Pipeline> pipelines_;
};

// Catches validation and out-of-memory errors of what is done while it lives. wgpu-native reports
// the second kind as the first, Dawn as its own.
class ErrorScope {
 public:
  explicit ErrorScope(DeviceImpl& device);
  ~ErrorScope();
  // Ends the scope and says what it caught.
  Status finish();

 private:
  Status pop();

  DeviceImpl& device_;
  bool open_ = true;
};

// One of those who share a device. Error scopes and waits belong to the device, so that one works
// with it at a time. Nothing that is not ours is called in a turn: whatever a callback waits for
// may be waiting for the device.
class Turns {
 public:
  Turns(DeviceImpl& device, const Timeout& timeout) : device_(device), timeout_(timeout) {}

  DeviceImpl& device() const { return device_; }

  // Has the device for itself while it works.
  template <class Work>
  Status take(const Work& work) const {
    HW_TRY(const auto lock, device_.lock(timeout_));
    return work();
  }

  // The same, and what goes wrong on the device is this turn's error.
  template <class Work>
  Status take_checked(const Work& work) const {
    return take([&]() -> Status {
      ErrorScope scope(device_);
      HW_CHECK(work());
      return scope.finish();
    });
  }

 private:
  DeviceImpl& device_;
  Timeout timeout_;
};

}  // namespace highwater::gpu
