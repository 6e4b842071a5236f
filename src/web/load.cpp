// Loading, as JavaScript calls it.
#include "web/exports.h"
#include "web/model.h"
#include "web/page_file.h"

namespace highwater::web {
namespace {

// Served by the page.
extern "C" __attribute__((import_module("highwater"), import_name("progress"))) void
highwater_page_progress(const char* stage, size_t stage_size, size_t done, size_t total);

}  // namespace

// Null if something is wrong with the file, or if parts of it are wanted first: hw_file_wanted
// tells. It is then called again.
HIGHWATER_EXPORT(Model*, hw_model_start)
(const std::shared_ptr<PageFile>* bytes, const char* method, size_t method_size,
 double timeout_seconds, int half_cache, int wait_for_kernels) {
  const auto start = [&]() -> Result<std::unique_ptr<Model>> {
    HW_TRY(const File file, File::read(*bytes, "the file"));
    SessionOptions options;
    options.timeout_seconds = timeout_seconds;
    if (half_cache >= 0) options.half_cache = half_cache != 0;
    options.wait_for_kernels = wait_for_kernels != 0;
    options.progress = [](std::string_view stage, size_t done, size_t total) -> Status {
      highwater_page_progress(stage.data(), stage.size(), done, total);
      return {};
    };
    return Model::start_load(file, options, std::string_view(method, method_size));
  };
  auto started = start();
  if (!started) return hand_out(started.error().message()), nullptr;
  return std::move(*started).release();
}

// What is left, as Advance has it; -1 is an error.
HIGHWATER_EXPORT(int, hw_model_advance)
(Model* model) {
  const auto now = model->advance();
  if (!now) return hand_out(now.error().message()), -1;
  return static_cast<int>(*now);
}

// Also in the middle of a load or a run.
HIGHWATER_EXPORT(void, hw_model_close)
(Model* model) {
  delete model;
}

HIGHWATER_EXPORT(void, hw_model_describe)
(Model* model) {
  hand_out(describe(*model));
}
HIGHWATER_EXPORT(void, hw_model_accounts)
(Model* model) {
  hand_out(describe_accounts(*model));
}

}  // namespace highwater::web
