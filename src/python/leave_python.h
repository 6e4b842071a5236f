// Working without Python's lock, also while Python ends.
#pragma once

#include <nanobind/nanobind.h>

namespace highwater::python {

// Gives Python's lock back while it lives, so that other threads go on. Does nothing on a thread
// that does not hold it.
//
// A thread that asks for the lock when Python has ended is stopped by it in a way that C++ cannot
// stand. So wait_for_others() keeps Python alive until those who are out have come back.
class LeavePython {
 public:
  LeavePython();
  ~LeavePython();
  LeavePython(const LeavePython&) = delete;

 private:
  PyThreadState* state_ = nullptr;
};

// For Python's atexit: waits until no other thread is out. Who wants to go out from then on, on
// another thread than this one, sleeps until the process ends, as Python has threads do at its end.
// Ctrl-C ends the wait, and the process.
void wait_for_others();

}  // namespace highwater::python
