#include "gpu/faults.h"

namespace highwater::gpu {

void Faults::lost(std::string message) {
  const std::lock_guard lock(mutex_);
  if (!lost_) lost_ = std::move(message);
}

void Faults::uncaptured(std::string message) {
  const std::lock_guard lock(mutex_);
  if (!uncaptured_) uncaptured_ = std::move(message);
}

Status Faults::take() {
  const std::lock_guard lock(mutex_);
  if (lost_) return fail("the WebGPU device is lost: ", *lost_);
  if (!uncaptured_) return {};
  const std::string message = *std::exchange(uncaptured_, std::nullopt);
  return fail("WebGPU: ", message);
}

bool Faults::is_lost() const {
  const std::lock_guard lock(mutex_);
  return lost_.has_value();
}

}  // namespace highwater::gpu
