// A language model goes on with a text, and what it says is printed as it comes.
//
//   generate_text FOLDER "In the beginning" [COUNT] [TEMPERATURE] [SEED]
//
// The folder holds a model.pte of `highwater export` and the model's tokenizer.json.
#include <highwater/generator.h>
#include <highwater/tokenizer.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>

using namespace highwater;

static Status generate(const std::string& folder, const char* prompt, size_t count,
                       const Sampling& sampling) {
  HW_TRY(const auto model, Generator::open(folder + "/model.pte"));
  HW_TRY(const Tokenizer tokenizer, Tokenizer::open(folder + "/tokenizer.json"));

  HW_TRY(const std::vector<int64_t> tokens, tokenizer.encode(prompt));
  HW_CHECK(model->append(tokens));

  std::cout << prompt << std::flush;
  TextStream stream(tokenizer);
  const auto ends = model->end_tokens();
  const size_t most = std::min<size_t>(tokens.size() + count, model->capacity());
  double seconds = 1e-9;
  for (bool ended = false; !ended && model->text().size() < most;) {
    // Eight tokens at a time: the device draws them by itself, and is waited for once.
    const size_t size = model->text().size();
    HW_TRY(const auto drawn, model->draw(std::min<size_t>(8, most - size), sampling));
    seconds += model->accounts().seconds;
    const auto end = std::find_first_of(drawn.begin(), drawn.end(), ends.begin(), ends.end());
    const auto said = drawn.first(end - drawn.begin());
    ended = end != drawn.end();
    std::cout << stream.add(said) << std::flush;
    HW_CHECK(model->rewind(size + said.size()));  // as if what follows had never been drawn
  }
  std::cout << stream.end() << std::endl;
  const size_t new_tokens = model->text().size() - tokens.size();
  std::fprintf(stderr, "%zu tokens, %.1f a second\n", new_tokens, new_tokens / seconds);
  return {};
}

int main(int argc, char** argv) {
  const auto option = [&](int i, const char* standard) { return i < argc ? argv[i] : standard; };
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s FOLDER PROMPT [COUNT] [TEMPERATURE] [SEED]\n", argv[0]);
    return 2;
  }
  const Sampling sampling{.temperature = std::strtof(option(4, "0"), nullptr),
                          .seed = std::strtoull(option(5, "0"), nullptr, 10)};
  const Status status = generate(argv[1], argv[2], std::atoi(option(3, "128")), sampling);
  if (!status) std::fprintf(stderr, "generate_text: %s\n", status.error().message().c_str());
  return status ? 0 : 1;
}
