// The process in which something was made.
#pragma once

#ifndef __wasm__
#include <unistd.h>
#endif

#include "highwater/result.h"

namespace highwater {

#ifdef __wasm__
inline int this_process() {
  return 1;  // a page has one
}
#else
inline int this_process() {
  return getpid();
}
#endif

// A fork copies memory, but neither a driver's threads nor the owners of locks: whoever then waits
// for one of them waits for ever. What must not be touched in a child is asked for this first.
class HomeProcess {
 public:
  bool is_this() const { return this_process() == id_; }

  Status check() const {
    if (is_this()) return {};
    return fail(
        "process ", this_process(), " was forked from process ", id_,
        ", which has used the WebGPU driver, and a driver does not survive that; start "
        "processes that run models afresh (multiprocessing.get_context(\"spawn\")) and load "
        "there, or fork before the first model is loaded");
  }

 private:
  int id_ = this_process();
};

// Has a process that is not `home`, but was forked from it, end without the exit handlers that are
// older than this call. `home` must last.
void skip_older_exit_handlers_outside(const HomeProcess& home);

}  // namespace highwater
