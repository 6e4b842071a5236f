// What a load or a run cost. Counted where it happens, read by tests and by users.
#pragma once

#include <cstdint>

namespace highwater {

struct Accounts {
  uint64_t dispatches = 0;
  uint64_t passes = 0;
  uint64_t submits = 0;
  uint64_t params_writes = 0;
  uint64_t params_bytes = 0;
  uint64_t uploaded_bytes = 0;
  uint64_t read_back_bytes = 0;
  uint64_t gpu_objects = 0;  // buffers, pipelines, layouts, shader modules, bind groups
  uint64_t gpu_bytes = 0;    // buffers created
  uint64_t heap_allocations = 0;
  uint64_t planned_nodes = 0;
  double seconds = 0;
};

}  // namespace highwater
