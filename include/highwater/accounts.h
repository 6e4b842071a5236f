// What a load or a run cost. Counted where it happens, read by tests and by users.
#pragma once

#include <cstdint>
#include <tuple>
#include <utility>

namespace highwater {

struct Accounts {
  uint64_t dispatches = 0;
  uint64_t rounds = 0;  // of the loops of all workgroups: the work, whatever a clock says
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

  Accounts& operator+=(const Accounts& other);
};

// Every field with its name, for what adds accounts up and what tells of them.
inline constexpr std::tuple kAccountFields{
    std::pair{"dispatches", &Accounts::dispatches},
    std::pair{"rounds", &Accounts::rounds},
    std::pair{"passes", &Accounts::passes},
    std::pair{"submits", &Accounts::submits},
    std::pair{"params_writes", &Accounts::params_writes},
    std::pair{"params_bytes", &Accounts::params_bytes},
    std::pair{"uploaded_bytes", &Accounts::uploaded_bytes},
    std::pair{"read_back_bytes", &Accounts::read_back_bytes},
    std::pair{"gpu_objects", &Accounts::gpu_objects},
    std::pair{"gpu_bytes", &Accounts::gpu_bytes},
    std::pair{"heap_allocations", &Accounts::heap_allocations},
    std::pair{"planned_nodes", &Accounts::planned_nodes},
    std::pair{"waits", &Accounts::waits},
    std::pair{"seconds", &Accounts::seconds},
    std::pair{"wait_seconds", &Accounts::wait_seconds},
};

template <class Use>
void for_each_account(const Use& use) {
  std::apply([&](const auto&... field) { (use(field.first, field.second), ...); }, kAccountFields);
}

inline Accounts& Accounts::operator+=(const Accounts& other) {
  for_each_account([&](const char*, auto member) { this->*member += other.*member; });
  return *this;
}

}  // namespace highwater
