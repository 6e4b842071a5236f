#include "gpu/staging.h"

#include <algorithm>

namespace highwater::gpu {

void Staging::clear() {
  bytes_.clear();
  deliveries_.clear();
  buffer_.begin();
}

void Staging::add(WGPUBuffer to, uint64_t at, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  deliveries_.push_back({to, at, bytes_.size(), bytes.size()});
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

Status Staging::send(Answers& answers, Accounts& accounts) {
  if (bytes_.empty()) return {};
  if (!buffer_.holds(bytes_.size())) {
    // Larger than asked for, so that a longer position or a longer batch seldom makes a new one.
    const uint64_t size = std::max<uint64_t>(2 * bytes_.size(), 4096);
    HW_CHECK(buffer_.reserve(size, answers, accounts));
  }
  api().QueueWriteBuffer(device_.queue(), buffer_.get(), 0, bytes_.data(), bytes_.size());
  return {};
}

void Staging::encode(WGPUCommandEncoder encoder, size_t begin, size_t end) const {
  for (size_t i = begin; i < end; ++i) {
    const Delivery& d = deliveries_[i];
    api().CommandEncoderCopyBufferToBuffer(encoder, buffer_.get(), d.from, d.to, d.at, d.size);
  }
}

}  // namespace highwater::gpu
