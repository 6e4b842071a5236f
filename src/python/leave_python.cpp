#include "python/leave_python.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

namespace nb = nanobind;

namespace highwater::python {
namespace {

// Atomics alone: a fork may copy them at any moment.
std::atomic<int> out{0};
std::atomic<bool> ending{false};
std::atomic<std::thread::id> ender{};
// How often this thread is out: a callback of the engine may go out again.
thread_local int depth = 0;

// None of the parent's other threads is in the child. This one may be out: a callback can fork.
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] { out = depth; });

[[noreturn]] void sleep_for_good() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

// Has Python's handlers of signals run, which it does by itself only where its own code runs.
bool is_interrupted() {
  const nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() == 0) return false;
  if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
    PyErr_Clear();
    return true;
  }
  PyErr_WriteUnraisable(nullptr);
  return false;
}

// As a program ends that does not handle the signal. If Python ended by itself, it would stop the
// other threads in a way that C++ cannot stand.
[[noreturn]] void end_by_interrupt() {
  {
    const nb::gil_scoped_acquire gil;
    for (const char* name : {"stdout", "stderr"}) {
      PyObject* stream = PySys_GetObject(name);
      if (!stream || stream == Py_None) continue;
      Py_XDECREF(PyObject_CallMethod(stream, "flush", nullptr));
      PyErr_Clear();
    }
  }
  std::signal(SIGINT, SIG_DFL);
  std::raise(SIGINT);
  std::_Exit(128 + SIGINT);  // where the signal is blocked
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
  while (out > depth) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (is_interrupted()) end_by_interrupt();
  }
}

}  // namespace highwater::python
