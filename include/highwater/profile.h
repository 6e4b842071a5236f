// Where the time of a run goes, dispatch by dispatch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "highwater/dims.h"

namespace highwater {

enum class ProfileClock : uint8_t {
  Device,  // the device notes when each dispatch begins and ends: the feature timestamp-query
  Host,    // each dispatch is submitted and waited for by itself, and that counts as its time
};

struct DispatchTime {
  std::string kernel;
  std::string op;     // the exporter's name, or "hw.…" where a pass merged several
  uint32_t node = 0;  // the exporter's number for it
  uint32_t x = 0;     // workgroups
  uint32_t y = 0;
  std::vector<Dims> reads;   // live dims of the tensors that the op reads, its constants included
  std::vector<Dims> writes;  // and of those that it makes
  uint64_t start_ns = 0;     // from the begin of the first dispatch
  uint64_t duration_ns = 0;
};

struct Profile {
  ProfileClock clock = ProfileClock::Device;
  uint64_t submitted_ns = 0;  // from the start of the call to the first submit, on the host's clock
  uint64_t empty_ns = 0;      // by the host's clock a submit of nothing takes so long; else 0
  std::vector<DispatchTime> dispatches;  // in order
};

}  // namespace highwater
