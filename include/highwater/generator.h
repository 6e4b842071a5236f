// Text from a language model: tokens in, tokens out, and everything between stays on the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "highwater/export.h"
#include "highwater/file.h"
#include "highwater/result.h"
#include "highwater/session.h"

namespace highwater {

// How the next token is chosen. The same seed gives the same text.
struct Sampling {
  float temperature = 0.0f;  // 0 takes the likeliest token
  int64_t top_k = 0;         // draws among so many of the likeliest; 0 means all
  float top_p = 1.0f;        // and among those that together have this probability
  uint64_t seed = 0;
};

// A text that grows: tokens are appended, or drawn by the model. What was fed to the model stays in
// its cache, so that only new tokens cost anything.
class HIGHWATER_API Generator {
 public:
  // A model as export_llama makes it, with a cache: it takes tokens [1, length] and the position of
  // the first, and gives logits.
  static Result<std::unique_ptr<Generator>> open(const std::string& path,
                                                 const SessionOptions& options = {});
  static Result<std::unique_ptr<Generator>> open(const File& file,
                                                 const SessionOptions& options = {});
  // The same in parts; see Session::Loading.
  class Loading;
  static Result<std::unique_ptr<Loading>> start_open(const std::string& path,
                                                     const SessionOptions& options = {});
  static Result<std::unique_ptr<Loading>> start_open(const File& file,
                                                     const SessionOptions& options = {});
  // Whether it is such a model, or why not. Loads nothing.
  static Status check(const File& file);
  ~Generator();

  // All tokens so far.
  std::span<const int64_t> text() const { return text_; }

  // Adds tokens to the text. Nothing runs yet.
  Status append(std::span<const int64_t> tokens);

  // Makes `tokens` the text. What it begins with in common with the text so far is not fed again.
  Status set_text(std::span<const int64_t> tokens);

  // Draws `count` tokens, each fed into the next step on the device: one submit, and one wait, for
  // all of them. They are the same as if drawn one by one. What was appended is fed before. With
  // the option `recover`, a device that is lost meanwhile is opened again, the model loaded and the
  // text fed again; the tokens are the same.
  Result<std::span<const int64_t>> draw(size_t count, const Sampling& sampling = {});

  // The same in three parts, none of which waits for the device; see Session::start_run. A text
  // that is too long to be fed at once is fed part by part, as poll() is called. Until it is
  // finished the text cannot be changed.
  Status start_draw(size_t count, const Sampling& sampling = {});
  bool poll();
  Result<std::span<const int64_t>> finish_draw();

  // Goes back to the first `length` tokens of the text. 0 starts anew.
  Status rewind(size_t length);

  // Runs the model itself, as a Session would, for its logits. The text stays as it is, and is fed
  // anew when the next token is drawn.
  Status run(std::span<const Input> inputs);
  // The same in three parts, with poll() between them.
  Status start_run(std::span<const Input> inputs);
  Status finish_run();

  int64_t capacity() const { return capacity_; }     // the most tokens of a text
  int64_t longest_step() const { return longest_; }  // the most tokens fed at once
  int64_t vocabulary() const { return vocabulary_; }
  // From the file's metadata, where it has such.
  std::span<const int64_t> end_tokens() const { return end_tokens_; }
  std::optional<int64_t> begin_token() const { return begin_token_; }

  // Accounts of all that the last draw did.
  const Accounts& accounts() const { return accounts_; }
  const Session& session() const { return *session_; }

 private:
  Generator() = default;
  Result<std::span<const int64_t>> draw_once(size_t count, const Sampling& sampling);
  Status check_idle() const;
  Status check_text(size_t begin, std::span<const int64_t> tokens) const;
  bool is_last_feed() const;
  Status start_feed();
  Status start_chunk();
  Status start_batch();
  Status finish_feed();

  std::unique_ptr<Session> session_;
  std::vector<int64_t> text_;
  bool recovers_ = false;
  size_t fed_ = 0;  // so many tokens of the text are in the cache
  int64_t capacity_ = 0;
  int64_t longest_ = 0;
  int64_t vocabulary_ = 0;
  std::vector<int64_t> end_tokens_;
  std::optional<int64_t> begin_token_;
  Accounts accounts_;

  struct Drawing {
    size_t count;
    Sampling sampling;
    Status so_far;  // of what was fed
  };
  std::optional<Drawing> drawing_;  // what is under way

  // Kept between draws, so that warm ones allocate nothing.
  struct Batch;
  std::unique_ptr<Batch> batch_;
};

// A load that is under way. To destroy it is to give it up.
class HIGHWATER_API Generator::Loading {
 public:
  ~Loading();

  Result<Advance> advance();
  Result<std::unique_ptr<Generator>> finish();

 private:
  friend class Generator;
  Loading() = default;

  std::unique_ptr<Session::Loading> session_;
  std::unique_ptr<Generator> generator_;
};

}  // namespace highwater
