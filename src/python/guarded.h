// What threads of Python share: an engine's object, used by one of them at a time.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "platform/process.h"
#include "python/convert.h"
#include "python/leave_python.h"

namespace highwater::python {

// The rule of all locks: none is waited for with Python's own lock held, and nothing of Python is
// called while one is held. Thus work() must not touch Python; what it needs is converted before,
// and what it gives after.
template <class T>
class Guarded {
 public:
  Guarded(std::unique_ptr<T> object, std::string name)
      : object_(std::move(object)), name_(std::move(name)) {}
  Guarded(const Guarded&) = delete;
  ~Guarded() { free(); }

  // work(object), while no other thread uses it. It gives a value, a Status or a Result.
  template <class Work>
  auto use(const Work& work) {
    check_or_raise(home_.check());
    std::optional<decltype(work(*object_))> answer;
    {
      const LeavePython out;
      const std::lock_guard lock(mutex_);
      if (object_) answer.emplace(work(*object_));
    }
    if (!answer) raise(fail(name_, " is closed"));
    return *std::move(answer);
  }

  // Waits for a use that is under way.
  void close() {
    if (home_.is_this()) free();
  }

 private:
  void free() {
    const LeavePython out;
    // What a fork has copied belongs to the parent's driver, and its mutex may be held for ever.
    if (!home_.is_this()) {
      (void)object_.release();
      return;
    }
    const std::lock_guard lock(mutex_);
    object_.reset();
  }

  const HomeProcess home_;
  std::mutex mutex_;
  std::unique_ptr<T> object_;
  const std::string name_;
};

}  // namespace highwater::python
