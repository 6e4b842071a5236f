// What a page has loaded: any program, or a language model, which can do the same and draw tokens.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "highwater/generator.h"
#include "highwater/session.h"

namespace highwater::web {

class Model {
 public:
  static Result<std::unique_ptr<Model>> start_load(const File& file, const SessionOptions& options,
                                                   std::string_view method);
  Result<Advance> advance();

  // A call is put together by adding its inputs in order.
  void begin_call() { inputs_.clear(); }
  void add_input(Input input) { inputs_.push_back(std::move(input)); }
  // Reads the outputs `reads` back; a language model always reads its logits.
  Status start_run(std::span<const size_t> reads);
  bool poll() { return generator_ ? generator_->poll() : session_->poll(); }
  Status finish_run() { return generator_ ? generator_->finish_run() : session_->finish(); }

  // None for a program that is not a language model's.
  Generator* generator() { return generator_.get(); }
  const Session& session() const { return generator_ ? generator_->session() : *session_; }
  // The program's own. A language model has more of both, for drawing.
  size_t input_count() const { return generator_ ? 2 : session_->input_count(); }
  size_t output_count() const { return generator_ ? 1 : session_->output_count(); }

 private:
  Model() = default;

  std::unique_ptr<Session::Loading> session_loading_;
  std::unique_ptr<Generator::Loading> generator_loading_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<Generator> generator_;
  std::vector<Input> inputs_;
};

// All that a page wants to know of it once, as JSON.
std::string describe(Model& model);
// What the load cost, and the last run.
std::string describe_accounts(Model& model);

}  // namespace highwater::web
