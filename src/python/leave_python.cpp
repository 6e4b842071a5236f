#include "python/leave_python.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace highwater::python {
namespace {

// Atomics alone: a fork may copy them at any moment.
std::atomic<int> out{0};
std::atomic<bool> ending{false};
std::atomic<std::thread::id> ender{};
// How often this thread is out: a callback of the engine may go out again.
thread_local int depth = 0;

// None of the parent's other threads is in the child.
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] { out = 0; });

[[noreturn]] void sleep_for_good() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

}  // namespace

LeavePython::LeavePython() {
  if (!PyGILState_Check()) return;
  const bool too_late = ending && depth == 0 && ender.load() != std::this_thread::get_id();
  if (!too_late) ++out, ++depth;
  state_ = PyEval_SaveThread();
  if (too_late) sleep_for_good();
}

LeavePython::~LeavePython() {
  if (!state_) return;
  PyEval_RestoreThread(state_);
  --out, --depth;
}

void wait_for_others() {
  ender = std::this_thread::get_id();
  ending = true;
  const LeavePython here;
  while (out > 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace highwater::python
