// The process in which something was made.
#pragma once

#include <unistd.h>

#include "highwater/result.h"

namespace highwater {

// A fork copies memory, but neither a driver's threads nor the owners of locks: whoever then waits
// for one of them waits for ever. What must not be touched in a child is asked for this first.
class HomeProcess {
 public:
  bool is_this() const { return getpid() == pid_; }

  Status check() const {
    if (is_this()) return {};
    return fail(
        "process ", getpid(), " was forked from process ", pid_,
        ", which has used the WebGPU driver, and a driver does not survive that; start "
        "processes that run models afresh (multiprocessing.get_context(\"spawn\")) and load "
        "there, or fork before the first model is loaded");
  }

 private:
  pid_t pid_ = getpid();
};

}  // namespace highwater
