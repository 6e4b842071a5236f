// The device as gpu/ sees it: handles, error scopes, a bounded wait, the pipeline cache.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "gpu/adapters.h"
#include "gpu/handle.h"
#include "highwater/accounts.h"

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
  mutable std::mutex mutex_;
  ScopeResult scope_result_;
  std::atomic<bool> idle_{false};
  std::optional<std::string> lost_;
  std::optional<std::string> uncaptured_;
};

class DeviceImpl {
 public:
  static Result<std::unique_ptr<DeviceImpl>> create(std::string_view adapter,
                                                    double timeout_seconds);

  WGPUDevice device() const { return device_.get(); }
  WGPUQueue queue() const { return queue_.get(); }
  const AdapterDescription& adapter() const { return adapter_; }
  Faults& faults() { return *faults_; }

  // Held for the whole of a load or a run: error scopes and waits belong to the device.
  std::mutex& mutex() { return mutex_; }

  // Waits until `done`, giving the device up as lost after its time-out.
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
  std::chrono::duration<double> timeout_{};
  Faults* const faults_ = new Faults;
  DeviceHandle device_;
  QueueHandle queue_;
  std::mutex mutex_;
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

}  // namespace highwater::gpu
