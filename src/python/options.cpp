#include "python/options.h"

#include "python/numbers.h"
#include "python/texts.h"

namespace nb = nanobind;

namespace highwater::python {
namespace {

// Python's lock may have to be waited for, so that not every portion of a load asks for it.
constexpr auto kSignalsEvery = std::chrono::milliseconds(50);

}  // namespace

Options::Options(nb::handle adapter, std::optional<bool> half_cache, nb::handle without_passes,
                 nb::handle timeout_seconds, bool recover, std::optional<PythonProgress> progress)
    : progress_(std::move(progress)) {
  options_.adapter = to_text(adapter, "adapter");
  options_.half_cache = half_cache;
  options_.recover = recover;
  options_.without_passes = to_text(without_passes, "without_passes");
  if (!timeout_seconds.is_none()) {
    options_.timeout_seconds = to_double(timeout_seconds, "timeout_seconds");
  }
  options_.progress = [this](std::string_view stage, size_t done, size_t total) {
    return told(stage, done, total);
  };
}

Status Options::told(std::string_view stage, size_t done, size_t total) {
  const auto now = std::chrono::steady_clock::now();
  if (!progress_ && now - looked_at_signals_ < kSignalsEvery) return {};
  looked_at_signals_ = now;
  const nb::gil_scoped_acquire gil;
  try {
    if (progress_) (*progress_)(std::string(stage), done, total);
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  } catch (...) {
    raised_ = std::current_exception();
    return fail("stopped by the caller");
  }
  return {};
}

}  // namespace highwater::python
