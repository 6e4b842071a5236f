#include "highwater/generator.h"

#include <algorithm>
#include <utility>

#include "platform/complete.h"
#include "runtime/constants.h"
#include "runtime/language_model.h"
#include "runtime/sampler.h"

namespace highwater {
namespace {

constexpr size_t kTokens = kModelTokens, kPosition = kModelPosition, kOwnInputs = kModelInputs;
constexpr size_t kDrawn = 1;  // output, after the logits

std::optional<int64_t> first_of(const std::vector<int64_t>& integers) {
  return integers.empty() ? std::nullopt : std::optional(integers.front());
}

}  // namespace

// The calls of one submit.
struct Generator::Batch {
  struct Feed {
    int64_t position;
    std::array<Input, kOwnInputs + kSamplerInputs> inputs;
  };
  std::vector<Feed> feeds;
  std::vector<Call> calls;
  size_t drawn_output[1] = {kDrawn};

  // Feeds stay where they are: calls refer to them.
  void begin(size_t count) {
    feeds.clear();
    feeds.reserve(count);
    calls.clear();
  }

  void add(const Input& tokens_in, size_t position, const Sampling& sampling, size_t draw,
           bool reads) {
    Feed& feed = feeds.emplace_back();
    feed.position = static_cast<int64_t>(position);
    feed.inputs[kTokens] = tokens_in;
    feed.inputs[kPosition] = HostTensor{DType::Int64, {1}, &feed.position};
    const auto settings = sampler_inputs(sampling, draw);
    std::copy(settings.begin(), settings.end(), feed.inputs.begin() + kOwnInputs);
    calls.push_back({feed.inputs, std::span(drawn_output, reads ? 1 : 0)});
  }
};

Generator::~Generator() = default;

Status Generator::check(const File& file) {
  HW_CHECK(read_language_model(*file.pte()));
  return {};
}

Result<std::unique_ptr<Generator>> Generator::open(const std::string& path,
                                                   const SessionOptions& options) {
  HW_TRY(const File file, File::open(path));
  return open(file, options);
}

Result<std::unique_ptr<Generator>> Generator::open(const File& file,
                                                   const SessionOptions& options) {
  HW_TRY(const auto loading, start_open(file, options));
  HW_CHECK(complete([&] { return loading->advance(); }));
  return loading->finish();
}

Result<std::unique_ptr<Generator::Loading>> Generator::start_open(const std::string& path,
                                                                  const SessionOptions& options) {
  HW_TRY(const File file, File::open(path));
  return start_open(file, options);
}

Result<std::unique_ptr<Generator::Loading>> Generator::start_open(const File& file,
                                                                  const SessionOptions& options) {
  const std::shared_ptr<const Pte>& pte = file.pte();
  HW_TRY(Program program, read_language_model(*pte));
  HW_CHECK(add_sampler(program));
  std::unique_ptr<Generator> g(new Generator);
  g->batch_ = std::make_unique<Batch>();
  g->recovers_ = options.recover;
  g->end_tokens_ = pte->metadata("get_eos_ids");
  g->begin_token_ = first_of(pte->metadata("get_bos_id"));
  g->capacity_ = pte->metadata("get_max_context_len").front();
  std::unique_ptr<Loading> loading(new Loading);
  loading->generator_ = std::move(g);
  HW_TRY(loading->session_, SessionAccess::start_load(std::move(program), constants_of(pte),
                                                      options, arrivals_of(pte)));
  return loading;
}

Generator::Loading::~Loading() = default;

Result<Advance> Generator::Loading::advance() {
  return session_->advance();
}

Result<std::unique_ptr<Generator>> Generator::Loading::finish() {
  HW_TRY(auto session, session_->finish());
  generator_->longest_ = session->input_bound(kTokens)[1];
  generator_->vocabulary_ = session->output_bound(0).back();
  generator_->session_ = std::move(session);
  return std::move(generator_);
}

Status Generator::check_idle() const {
  if (!drawing_) return {};
  return fail("tokens are being drawn: finish that first");
}

Status Generator::run(std::span<const Input> inputs) {
  HW_CHECK(start_run(inputs));
  HW_CHECK(
      complete([&]() -> Result<Advance> { return poll() ? Advance::Done : Advance::Waiting; }));
  return finish_run();
}

Status Generator::start_run(std::span<const Input> inputs) {
  HW_CHECK(check_idle());
  fed_ = 0;
  std::vector<Input> all(inputs.begin(), inputs.end());
  if (all.size() != kOwnInputs) {
    return fail("the program takes ", kOwnInputs, " inputs; ", all.size(), " were given");
  }
  const auto settings = sampler_inputs({}, 0);
  all.insert(all.end(), settings.begin(), settings.end());
  const size_t logits[] = {0};
  const Call call{all, logits};
  return session_->start_all({&call, 1});
}

Status Generator::finish_run() {
  HW_CHECK(check_idle());
  return session_->finish();
}

// Whether `tokens` can follow on `begin` others.
Status Generator::check_text(size_t begin, std::span<const int64_t> tokens) const {
  if (tokens.size() > static_cast<size_t>(capacity_) - begin) {
    return fail("a text of ", begin + tokens.size(), " tokens is longer than the ", capacity_,
                " that the model was exported for");
  }
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] >= 0 && tokens[i] < vocabulary_) continue;
    return fail("token ", i, " is ", tokens[i], "; the vocabulary has ", vocabulary_);
  }
  return {};
}

Status Generator::append(std::span<const int64_t> tokens) {
  HW_CHECK(check_idle());
  HW_CHECK(check_text(text_.size(), tokens));
  text_.insert(text_.end(), tokens.begin(), tokens.end());
  return {};
}

Status Generator::rewind(size_t length) {
  HW_CHECK(check_idle());
  if (length > text_.size()) {
    return fail("the text has ", text_.size(), " tokens; it cannot go back to ", length);
  }
  text_.resize(length);
  // The last token is fed again: what follows on it is not known any more.
  fed_ = std::min(fed_, length > 0 ? length - 1 : 0);
  return {};
}

Status Generator::set_text(std::span<const int64_t> tokens) {
  HW_CHECK(check_idle());
  HW_CHECK(check_text(0, tokens));
  const auto [own, given] = std::mismatch(text_.begin(), text_.end(), tokens.begin(), tokens.end());
  const bool goes_on = own == text_.end();
  // Who goes on has nothing to take back.
  if (!goes_on) HW_CHECK(rewind(static_cast<size_t>(own - text_.begin())));
  text_.insert(text_.end(), given, tokens.end());
  return {};
}

Result<std::span<const int64_t>> Generator::draw(size_t count, const Sampling& sampling) {
  auto drawn = draw_once(count, sampling);
  if (drawn || !session_->is_lost()) return drawn;
  if (!recovers_) return SessionAccess::with_advice(*session_, drawn.take_error());
  HW_CHECK(session_->recover());
  fed_ = 0;  // the cache is empty
  return draw_once(count, sampling);
}

Result<std::span<const int64_t>> Generator::draw_once(size_t count, const Sampling& sampling) {
  HW_CHECK(start_draw(count, sampling));
  HW_CHECK(
      complete([&]() -> Result<Advance> { return poll() ? Advance::Done : Advance::Waiting; }));
  return finish_draw();
}

Status Generator::start_draw(size_t count, const Sampling& sampling) {
  HW_CHECK(check_idle());
  accounts_ = {};
  if (text_.empty()) return fail("there is no text to go on with: append at least one token");
  HW_CHECK(check_sampling(sampling));
  if (count > static_cast<size_t>(capacity_) - text_.size()) {
    return fail(count, " more tokens after ", text_.size(), " are more than the ", capacity_,
                " that the model was exported for");
  }
  drawing_ = {count, sampling, {}};
  Status started = count == 0 ? Status() : start_feed();
  if (!started) drawing_.reset();
  return started;
}

bool Generator::poll() {
  if (!drawing_) return session_->poll();
  if (drawing_->count == 0) return true;
  while (drawing_->so_far && session_->poll()) {
    if (is_last_feed()) return true;
    drawing_->so_far = finish_feed();
    if (!drawing_->so_far) break;
    fed_ += static_cast<size_t>(longest_);
    drawing_->so_far = start_feed();
  }
  return !drawing_->so_far.ok();
}

Result<std::span<const int64_t>> Generator::finish_draw() {
  if (!drawing_) return fail("no tokens are being drawn that could be finished");
  if (!poll()) return fail("the tokens are not drawn yet: poll() tells when they are");
  const Drawing drawn = *std::exchange(drawing_, std::nullopt);
  if (!drawn.so_far) return drawn.so_far.error();
  if (drawn.count == 0) return std::span<const int64_t>();
  HW_CHECK(finish_feed());
  const size_t begin = text_.size();
  for (size_t i = 0; i < drawn.count; ++i) {
    int64_t token = 0;
    HW_CHECK(session_->read_output(i, kDrawn, DType::Int64,
                                   std::as_writable_bytes(std::span(&token, 1))));
    text_.push_back(token);
  }
  fed_ = text_.size() - 1;
  return std::span<const int64_t>(text_).subspan(begin);
}

bool Generator::is_last_feed() const {
  return text_.size() - fed_ <= static_cast<size_t>(longest_);
}

Status Generator::start_feed() {
  return is_last_feed() ? start_batch() : start_chunk();
}

Status Generator::finish_feed() {
  HW_CHECK(session_->finish());
  accounts_ += session_->run_accounts();
  return {};
}

// A part of the text that is too long to be fed at once.
Status Generator::start_chunk() {
  Batch& batch = *batch_;
  batch.begin(1);
  const HostTensor tokens{DType::Int64, {1, longest_}, text_.data() + fed_};
  batch.add(tokens, fed_, {}, 0, false);
  return session_->start_all(batch.calls);
}

// The rest of it, and all that is drawn.
Status Generator::start_batch() {
  Batch& batch = *batch_;
  const Sampling& sampling = drawing_->sampling;
  batch.begin(drawing_->count);
  const auto length = static_cast<int64_t>(text_.size() - fed_);
  const HostTensor tokens{DType::Int64, {1, length}, text_.data() + fed_};
  batch.add(tokens, fed_, sampling, text_.size(), true);
  for (size_t i = 1; i < drawing_->count; ++i) {
    batch.add(FromOutput{kDrawn}, text_.size() + i - 1, sampling, text_.size() + i, true);
  }
  return session_->start_all(batch.calls);
}

}  // namespace highwater
