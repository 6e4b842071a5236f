#include "python/options.h"

#include "python/numbers.h"

namespace nb = nanobind;

namespace highwater::python {

Options::Options(std::string adapter, bool half_cache, std::string without_passes,
                 nb::handle timeout_seconds, std::optional<PythonProgress> progress)
    : progress_(std::move(progress)) {
  options_.adapter = std::move(adapter);
  options_.half_cache = half_cache;
  options_.without_passes = std::move(without_passes);
  if (!timeout_seconds.is_none()) {
    options_.timeout_seconds = to_double(timeout_seconds, "timeout_seconds");
  }
  if (!progress_) return;
  options_.progress = [this](std::string_view stage, size_t done, size_t total) {
    if (raised_) return;
    const nb::gil_scoped_acquire gil;
    try {
      (*progress_)(std::string(stage), done, total);
    } catch (const nb::python_error&) {
      raised_ = std::current_exception();
    }
  };
}

}  // namespace highwater::python
