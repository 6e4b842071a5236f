// The device as gpu/ sees it: its handles, what it makes, and whether something has come back.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>

#include "gpu/adapters.h"
#include "gpu/answers.h"
#include "gpu/faults.h"
#include "gpu/handle.h"
#include "gpu/timeout.h"
#include "highwater/accounts.h"
#include "platform/mutex.h"

namespace highwater::gpu {

struct Pipeline {
  ComputePipelineHandle pipeline;
  BindGroupLayoutHandle layout;
  // What the device has to say of it. Some make kernels beside other work; until all of it is there
  // the pipeline cannot run.
  OwnAnswers making;

  bool is_made() const { return making->are_all_there(); }
};

struct Image {
  TextureHandle texture;
  TextureViewHandle view;
};

// Used by one thread at a time: who holds its lock.
class WebGpuDevice {
 public:
  static Result<std::unique_ptr<WebGpuDevice>> create(std::string_view adapter);

  WGPUDevice device() const { return device_.get(); }
  WGPUQueue queue() const { return queue_.get(); }
  const AdapterDescription& adapter() const { return adapter_; }
  Faults& faults() { return *faults_; }
  LastHeard& heard() { return *heard_; }

  // The device for oneself, as long as the lock is held; see Turns.
  Result<std::unique_lock<Mutex>> lock();

  // Looks what has come back, unless another thread has the device for itself; never waits. An
  // error if the device is lost. It is given up as such if it has been silent for too long to
  // somebody who has waited for `what` since `began`.
  Status poll(Clock::time_point began, const Timeout& timeout, std::string_view what);
  // The same for who holds the lock.
  Status poll_in_turn(Clock::time_point began, const Timeout& timeout, std::string_view what);

  // Whether what is made is good is told by `answers`.
  Result<BufferHandle> make_buffer(uint64_t size, WGPUBufferUsage usage, bool mapped,
                                   std::string_view label, Answers& answers, Accounts& accounts);
  // Of kImageWidth by `rows` texels.
  Result<Image> make_image(WGPUTextureFormat format, uint32_t rows, Answers& answers,
                           Accounts& accounts);
  // One pipeline for each WGSL text, over the life of the device; a bad one is made anew.
  Result<std::shared_ptr<const Pipeline>> pipeline(
      const std::string& wgsl, std::string_view label,
      std::span<const WGPUBindGroupLayoutEntry> bindings, Accounts& accounts);
  bool has_pipeline(const std::string& wgsl) const {
    const auto found = pipelines_.find(wgsl);
    return found != pipelines_.end() && found->second;
  }
  // The next that wants it gets a new one.
  void forget_pipeline(const std::string& wgsl) { pipelines_.erase(wgsl); }

 private:
  WebGpuDevice() = default;
  Result<Pipeline> make_pipeline(const std::string& wgsl, std::string_view label,
                                 std::span<const WGPUBindGroupLayoutEntry> bindings,
                                 Accounts& accounts);
  Status check_silence(Clock::time_point began, const Timeout& timeout, std::string_view what);

  AdapterDescription adapter_;
  // Never freed: the implementation may call back when the device is gone.
  Faults* const faults_ = new Faults;
  LastHeard* const heard_ = new LastHeard;
  DeviceHandle device_;
  QueueHandle queue_;
  Mutex mutex_;
  std::map<std::string, std::shared_ptr<const Pipeline>> pipelines_;
};

}  // namespace highwater::gpu
