#include "gpu/timestamps.h"

#include <algorithm>
#include <cstring>

namespace highwater::gpu {
namespace {

constexpr uint32_t kMostQueries = 4096;  // of a set, by the standard
constexpr uint32_t kPassesPerSet = kMostQueries / 2;
constexpr uint64_t kPassBytes = 2 * sizeof(uint64_t);

uint64_t nanoseconds(uint64_t ticks, double period) {
  return period == 1.0 ? ticks : static_cast<uint64_t>(static_cast<double>(ticks) * period);
}

}  // namespace

Status Timestamps::begin(size_t passes, Answers& answers, Accounts& accounts) {
  read_back_.begin();
  resolved_.begin();
  sets_.resize(proven_sets_);
  passes_ = 0;
  if (!device_.adapter().has(kTimestampQuery)) {
    return fail("adapter ", device_.adapter().name, " has no clock that can be read (",
                kTimestampQuery, "); ask for the host's");
  }
  return reserve(passes, answers, accounts);
}

Status Timestamps::reserve(size_t passes, Answers& answers, Accounts& accounts) {
  while (sets_.size() * kPassesPerSet < passes) {
    WGPUQuerySetDescriptor d = WGPU_QUERY_SET_DESCRIPTOR_INIT;
    d.type = WGPUQueryType_Timestamp;
    d.count = kMostQueries;
    QuerySetHandle set;
    {
      const ErrorScope scope(device_, answers, "timestamps");
      set = QuerySetHandle(api().DeviceCreateQuerySet(device_.device(), &d));
    }
    HW_CHECK(answers.so_far());
    sets_.push_back(std::move(set));
    accounts.gpu_objects += 1;
  }
  const uint64_t size = passes * kPassBytes;
  HW_CHECK(resolved_.reserve(size, answers, accounts));
  return read_back_.reserve(size, answers, accounts);
}

void Timestamps::keep() {
  proven_sets_ = sets_.size();
  resolved_.keep();
  read_back_.keep();
}

WGPUPassTimestampWrites Timestamps::next() {
  const size_t pass = passes_++;
  WGPUPassTimestampWrites writes = WGPU_PASS_TIMESTAMP_WRITES_INIT;
  writes.querySet = sets_[pass / kPassesPerSet].get();
  writes.beginningOfPassWriteIndex = static_cast<uint32_t>(pass % kPassesPerSet * 2);
  writes.endOfPassWriteIndex = writes.beginningOfPassWriteIndex + 1;
  return writes;
}

void Timestamps::resolve(WGPUCommandEncoder encoder, Accounts& accounts) {
  for (size_t first = 0; first < passes_; first += kPassesPerSet) {
    const size_t count = std::min<size_t>(passes_ - first, kPassesPerSet);
    api().CommandEncoderResolveQuerySet(encoder, sets_[first / kPassesPerSet].get(), 0,
                                        static_cast<uint32_t>(2 * count), resolved_.get(),
                                        first * kPassBytes);
  }
  read_back_.copy(encoder, resolved_.get(), passes_ * kPassBytes, accounts);
}

Status Timestamps::finish(std::vector<Interval>& intervals) {
  HW_CHECK(read_back_.finish_mapping());
  if (read_back_.empty()) return {};
  const double period =
      api().QueueGetTimestampPeriod ? api().QueueGetTimestampPeriod(device_.queue()) : 1.0;
  const std::span<const std::byte> bytes = read_back_.result(0);
  for (size_t at = 0; at < bytes.size(); at += kPassBytes) {
    uint64_t ticks[2];
    std::memcpy(ticks, bytes.data() + at, sizeof ticks);
    intervals.push_back({nanoseconds(ticks[0], period), nanoseconds(ticks[1], period)});
  }
  return {};
}

}  // namespace highwater::gpu
