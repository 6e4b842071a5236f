#include "highwater/generator.h"

#include <algorithm>

#include "blob/pte.h"
#include "runtime/load.h"
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
  struct Step {
    int64_t position;
    std::array<Input, kOwnInputs + kSamplerInputs> inputs;
  };
  std::vector<Step> steps;
  std::vector<Call> calls;
  std::vector<int64_t> tokens;  // to feed
  size_t drawn_output[1] = {kDrawn};

  // Steps stay where they are: calls refer to them.
  void begin(size_t count) {
    steps.clear();
    steps.reserve(count);
    calls.clear();
  }

  void add(const Input& tokens_in, size_t position, const Sampling& sampling, size_t draw,
           bool reads) {
    Step& step = steps.emplace_back();
    step.position = static_cast<int64_t>(position);
    step.inputs[kTokens] = tokens_in;
    step.inputs[kPosition] = HostTensor{DType::Int64, {1}, &step.position};
    const auto settings = sampler_inputs(sampling, draw);
    std::copy(settings.begin(), settings.end(), step.inputs.begin() + kOwnInputs);
    calls.push_back({step.inputs, std::span(drawn_output, reads ? 1 : 0)});
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
  HW_TRY(const Pte pte, open_pte(path));
  HW_TRY(Program program, read_model(pte));
  HW_CHECK(add_sampler(program));
  std::unique_ptr<Generator> g(new Generator);
  g->batch_ = std::make_unique<Batch>();
  HW_TRY(g->session_, Session::load(std::move(program), constants_of(pte), options));
  g->end_tokens_ = pte.metadata("get_eos_ids");
  g->begin_token_ = first_of(pte.metadata("get_bos_id"));
  g->capacity_ = pte.metadata("get_max_context_len").front();
  g->longest_ = g->session_->input_bound(kTokens)[1];
  g->vocabulary_ = g->session_->output_bound(0).back();
  return g;
}

Status Generator::run(std::span<const Input> inputs) {
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
  HW_CHECK(check_text(text_.size(), tokens));
  text_.insert(text_.end(), tokens.begin(), tokens.end());
  return {};
}

Status Generator::rewind(size_t length) {
  if (length > text_.size()) {
    return fail("the text has ", text_.size(), " tokens; it cannot go back to ", length);
  }
  text_.resize(length);
  // The last token is fed again: what follows on it is not known any more.
  fed_ = std::min(fed_, length > 0 ? length - 1 : 0);
  return {};
}

Status Generator::set_text(std::span<const int64_t> tokens) {
  HW_CHECK(check_text(0, tokens));
  const auto [own, given] = std::mismatch(text_.begin(), text_.end(), tokens.begin(), tokens.end());
  const bool goes_on = own == text_.end();
  // Who goes on has nothing to take back.
  if (!goes_on) HW_CHECK(rewind(static_cast<size_t>(own - text_.begin())));
  text_.insert(text_.end(), given, tokens.end());
  return {};
}

Result<std::span<const int64_t>> Generator::draw(size_t count, const Sampling& sampling) {
  accounts_ = {};
  if (text_.empty()) return fail("there is no text to go on with: append at least one token");
  HW_CHECK(check_sampling(sampling));
  if (count > static_cast<size_t>(capacity_) - text_.size()) {
    return fail(count, " more tokens after ", text_.size(), " are more than the ", capacity_,
                " that the model was exported for");
  }
  if (count == 0) return std::span<const int64_t>();
  while (text_.size() - fed_ > static_cast<size_t>(longest_)) HW_CHECK(feed_chunk());
  return draw_batch(count, sampling);
}

// A part of the text that is too long to be fed at once.
Status Generator::feed_chunk() {
  Batch& batch = *batch_;
  batch.begin(1);
  const HostTensor tokens{DType::Int64, {1, longest_}, text_.data() + fed_};
  batch.add(tokens, fed_, {}, 0, false);
  HW_CHECK(session_->run_all(batch.calls));
  accounts_ += session_->run_accounts();
  fed_ += static_cast<size_t>(longest_);
  return {};
}

Result<std::span<const int64_t>> Generator::draw_batch(size_t count, const Sampling& sampling) {
  Batch& batch = *batch_;
  batch.begin(count);
  const auto length = static_cast<int64_t>(text_.size() - fed_);
  const HostTensor tokens{DType::Int64, {1, length}, text_.data() + fed_};
  batch.add(tokens, fed_, sampling, text_.size(), true);
  for (size_t i = 1; i < count; ++i) {
    batch.add(FromOutput{kDrawn}, text_.size() + i - 1, sampling, text_.size() + i, true);
  }
  HW_CHECK(session_->run_all(batch.calls));
  accounts_ += session_->run_accounts();
  const size_t begin = text_.size();
  for (size_t i = 0; i < count; ++i) {
    int64_t token = 0;
    HW_CHECK(session_->read_output(i, kDrawn, DType::Int64,
                                   std::as_writable_bytes(std::span(&token, 1))));
    text_.push_back(token);
  }
  fed_ = text_.size() - 1;
  return std::span<const int64_t>(text_).subspan(begin);
}

}  // namespace highwater
