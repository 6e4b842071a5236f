#include "web/model.h"

namespace highwater::web {

Result<std::unique_ptr<Model>> Model::start_load(const File& file, const SessionOptions& options,
                                                 std::string_view method) {
  std::unique_ptr<Model> model(new Model);
  switch (file.runner(method)) {
    case Runner::Generator: {
      HW_TRY(model->generator_loading_, Generator::start_open(file, options));
      return model;
    }
    default: {
      HW_TRY(model->session_loading_, Session::start_open(file, options, method));
      return model;
    }
  }
}

Result<Advance> Model::advance() {
  if (session_ || generator_) return Advance::Done;
  HW_TRY(const Advance now,
         generator_loading_ ? generator_loading_->advance() : session_loading_->advance());
  if (now != Advance::Done) return now;
  if (generator_loading_) {
    HW_TRY(generator_, generator_loading_->finish());
    generator_loading_.reset();
  } else {
    HW_TRY(session_, session_loading_->finish());
    session_loading_.reset();
  }
  return now;
}

Status Model::start_run(std::span<const size_t> reads) {
  if (generator_) return generator_->start_run(inputs_);
  const Call call{inputs_, reads};
  return session_->start_all({&call, 1});
}

}  // namespace highwater::web
