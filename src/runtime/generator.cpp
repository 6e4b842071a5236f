#include "highwater/generator.h"

#include <algorithm>
#include <utility>

#include "blob/pte.h"
#include "platform/complete.h"
#include "runtime/constants.h"
#include "runtime/sampler.h"

namespace highwater {
namespace {

constexpr size_t kTokens = 0, kPosition = 1, kOwnInputs = 2;  // inputs
constexpr size_t kDrawn = 1;                                  // output, after the logits

bool is_integer(DType type) {
  return type == DType::Int64 || type == DType::Int32;
}

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

namespace {

bool is_tensor_of(const Program& program, ValueId id, size_t rank) {
  const auto* tensor = std::get_if<TensorDecl>(&program.values[id]);
  return tensor && is_integer(tensor->dtype) && tensor->dims.rank() == rank &&
         (rank < 2 || tensor->dims[0] == 1);
}

// The program of a language model with a cache.
Result<Program> read_model(const Pte& pte) {
  HW_TRY(Program program, read_method(pte, "forward"));
  const auto refuse = [](const auto&... why) {
    return fail("this is not a language model with a cache: ", why...);
  };
  if (program.inputs.size() != kOwnInputs || program.outputs.size() != 1) {
    return refuse("it takes ", program.inputs.size(), " inputs and gives ", program.outputs.size(),
                  " outputs; tokens, a position, and logits are wanted");
  }
  if (!is_tensor_of(program, program.inputs[kTokens], 2) ||
      !is_tensor_of(program, program.inputs[kPosition], 1)) {
    return refuse("its inputs are not tokens [1, length] and a position [1]");
  }
  const auto* tokens = std::get_if<TensorDecl>(&program.values[program.inputs[kTokens]]);
  const auto* logits = std::get_if<TensorDecl>(&program.values[program.outputs[0]]);
  if (tokens->dims[1] < 1 || !logits || logits->dims.empty() || logits->dims.back() < 1) {
    return refuse("it takes no token, or tells of none: its tokens are at most ", tokens->dims,
                  logits ? text(", its logits ", logits->dims) : std::string());
  }
  const std::vector<int64_t> capacity = pte.metadata("get_max_context_len");
  if (capacity.empty() || capacity.front() < 1) {
    return refuse("its metadata does not say how long a text can be (get_max_context_len)");
  }
  return program;
}

}  // namespace

Generator::~Generator() = default;

Status Generator::check(const std::string& path) {
  HW_TRY(const Pte pte, open_pte(path));
  HW_CHECK(read_model(pte));
  return {};
}

Result<std::unique_ptr<Generator>> Generator::open(const std::string& path,
                                                   const SessionOptions& options) {
  HW_TRY(const auto loading, start_open(path, options));
  HW_CHECK(complete([&] { return loading->advance(); }));
  return loading->finish();
}

Result<std::unique_ptr<Generator::Loading>> Generator::start_open(const std::string& path,
                                                                  const SessionOptions& options) {
  HW_TRY(Pte opened, open_pte(path));
  const auto pte = std::make_shared<const Pte>(std::move(opened));
  HW_TRY(Program program, read_model(*pte));
  HW_CHECK(add_sampler(program));
  std::unique_ptr<Generator> g(new Generator);
  g->batch_ = std::make_unique<Batch>();
  g->end_tokens_ = pte->metadata("get_eos_ids");
  g->begin_token_ = first_of(pte->metadata("get_bos_id"));
  g->capacity_ = pte->metadata("get_max_context_len").front();
  std::unique_ptr<Loading> loading(new Loading);
  loading->generator_ = std::move(g);
  HW_TRY(loading->session_,
         SessionAccess::start_load(std::move(program), constants_of(pte), options));
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
  return session_->run_all({&call, 1});
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
  if (!drawing_ || drawing_->count == 0) return true;
  while (drawing_->so_far && session_->poll()) {
    if (is_last_feed()) return true;
    drawing_->so_far = finish_run();
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
  HW_CHECK(finish_run());
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

Status Generator::finish_run() {
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
