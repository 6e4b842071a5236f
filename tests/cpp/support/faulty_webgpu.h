// The real WebGPU, one of whose calls fails.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gpu/api.h"

namespace highwater::gpu {

// What a call comes to. Each is what an implementation may do, and none of them ends the process.
enum class Failure {
  Invalid,      // a validation error, told to the error scope
  OutOfMemory,  // the same of the other kind
  Null,         // the same, and no buffer at all, as one may get that is too large to be mapped
  Lost,         // the device is lost in the middle of it
  Silent,       // its answer never comes
};

// When answers come that the implementation could give at once.
enum class Answering { AtOnce, Later };

struct Fault {
  size_t call;  // counted from here on
  Failure failure;
};

// Stands between the engine and the implementation while it lives: it counts what there is, and
// fails what it is told to. What it makes is always real, so that nothing depends on how an
// implementation takes what is invalid; but whoever uses what should not be there is told so.
class FaultyWebGpu {
 public:
  explicit FaultyWebGpu(Answering answering);
  ~FaultyWebGpu();
  FaultyWebGpu(const FaultyWebGpu&) = delete;

  void arm(const Fault& fault);
  // Whether the fault has come about: not every call can fail in every way.
  bool disarm();
  // Calls since it was armed that could have failed.
  size_t calls() const { return calls_; }

  // Devices that were asked for and did not come (Failure::Silent) come now. Says how many.
  size_t give_belated_devices();

  // All devices that were made so far are lost.
  void lose_devices();

  // Objects that were made and not given back.
  size_t objects() const { return objects_; }

  // What it says of everything that it makes fail.
  static constexpr const char* kMessage = "made to fail by a test";

 private:
  friend struct Hooks;
  struct Scope {
    WGPUErrorFilter filter;
    std::optional<WGPUErrorType> error = {};
  };
  struct Listener {
    WGPUDeviceLostCallbackInfo lost;
    WGPUUncapturedErrorCallbackInfo uncaptured;
  };

  bool fails_now();
  bool is(Failure failure) const { return fault_ && fault_->failure == failure; }
  // The failure is one that this call can have, and it comes about.
  bool fails_by(bool now, std::initializer_list<Failure> failures);
  void raise(WGPUErrorType type);
  void raise_fault();
  void check(const void* object);
  void answer(std::function<void()> tell);
  void tell_late_answers();

  const Api real_;
  Api& table_;
  const Answering answering_;
  std::optional<Fault> fault_;
  bool has_failed_ = false;
  size_t calls_ = 0;
  size_t objects_ = 0;
  bool is_lost_ = false;
  std::vector<Scope> scopes_;
  std::vector<Listener> listeners_;
  std::set<const void*> bad_;  // what an implementation would call invalid
  std::vector<std::function<void()>> late_;
  std::vector<std::function<void()>> belated_;
};

}  // namespace highwater::gpu
