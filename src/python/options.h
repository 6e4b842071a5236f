// How Python loads a model.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <chrono>
#include <exception>
#include <functional>

#include "highwater/session.h"
#include "python/guarded.h"

namespace highwater::python {

using PythonProgress = std::function<void(std::string, size_t, size_t)>;

// Options as Python gives them. An exception in the progress callback, or in a signal's handler,
// must not pass through the engine, which is compiled without them: it ends the load, and waits
// until the engine has returned.
class Options {
 public:
  Options(nanobind::handle adapter, std::optional<bool> half_cache, nanobind::handle without_passes,
          nanobind::handle timeout_seconds, bool recover, std::optional<PythonProgress> progress);
  Options(const Options&) = delete;

  template <class T, class Open>
  std::unique_ptr<Guarded<T>> open_with(const File& file, const Open& open) {
    std::optional<Result<std::unique_ptr<T>>> opened;
    {
      const LeavePython out;
      opened.emplace(open(options_));
    }
    // What was opened all the same is closed without Python's lock, as any other.
    std::unique_ptr<Guarded<T>> guarded;
    if (opened->ok()) guarded = std::make_unique<Guarded<T>>(**std::move(opened), file.name());
    if (raised_) std::rethrow_exception(raised_);
    if (!guarded) raise(opened->error());
    return guarded;
  }

 private:
  Status told(std::string_view stage, size_t done, size_t total);

  SessionOptions options_;
  std::optional<PythonProgress> progress_;
  std::exception_ptr raised_;
  std::chrono::steady_clock::time_point looked_at_signals_ = std::chrono::steady_clock::now();
};

}  // namespace highwater::python
