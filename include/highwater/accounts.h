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
  uint64_t waits = 0;       // for the device
  double seconds = 0;       // all of it
  double wait_seconds = 0;  // of those, spent waiting for the device

  Accounts& operator+=(const Accounts& other) {
    dispatches += other.dispatches;
    passes += other.passes;
    submits += other.submits;
    params_writes += other.params_writes;
    params_bytes += other.params_bytes;
    uploaded_bytes += other.uploaded_bytes;
    read_back_bytes += other.read_back_bytes;
    gpu_objects += other.gpu_objects;
    gpu_bytes += other.gpu_bytes;
    heap_allocations += other.heap_allocations;
    planned_nodes += other.planned_nodes;
    waits += other.waits;
    seconds += other.seconds;
    wait_seconds += other.wait_seconds;
    return *this;
  }
};

}  // namespace highwater
