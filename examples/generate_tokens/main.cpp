// Lets a language model go on with a text, always with its most likely token.
//
//   generate_tokens model.pte COUNT TOKEN...
//
// The model is one of export_llama's with a cache: it takes tokens [1, length] and the position of
// the first of them. The first call reads all of the prompt and each further one a single token,
// from the same loaded program. The new tokens are printed as numbers; a tokenizer makes them text.
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <highwater/delegate.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::Tensor;
using executorch::extension::from_blob;
using executorch::extension::Module;
using executorch::runtime::Error;
using executorch::runtime::Result;

namespace {

// Logits are [1, vocabulary], or [1, length, vocabulary]: those of the last token come last.
int64_t most_likely(const Tensor& logits) {
  const float* end = logits.const_data_ptr<float>() + logits.numel();
  const float* begin = end - logits.size(logits.dim() - 1);
  return std::max_element(begin, end) - begin;
}

// What follows on `tokens`, the first of which is the text's `position`-th.
Result<int64_t> next_token(Module& module, std::vector<int64_t>& tokens, int64_t position) {
  const auto length = static_cast<SizesType>(tokens.size());
  const auto outputs = module.forward({from_blob(tokens.data(), {1, length}, ScalarType::Long),
                                       from_blob(&position, {1}, ScalarType::Long)});
  if (!outputs.ok()) return outputs.error();
  return most_likely(outputs->at(0).toTensor());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s model.pte COUNT TOKEN...\n", argv[0]);
    return 2;
  }
  Module module(argv[1]);
  if (module.load_forward() != Error::Ok) {
    std::fprintf(stderr, "%s does not load: %s\n", argv[1], highwater::last_error().c_str());
    return 1;
  }
  std::vector<int64_t> tokens;
  for (int i = 3; i < argc; ++i) tokens.push_back(std::atoll(argv[i]));
  int64_t position = 0;
  for (int count = std::atoi(argv[2]); count > 0; --count) {
    const auto next = next_token(module, tokens, position);
    if (!next.ok()) {
      // ExecuTorch itself refuses what is over the bound of the export, with a code alone.
      std::fprintf(stderr, "%zu tokens at position %lld: error 0x%x %s\n", tokens.size(),
                   static_cast<long long>(position), static_cast<unsigned>(next.error()),
                   highwater::last_error().c_str());
      return 1;
    }
    std::printf("%lld\n", static_cast<long long>(*next));
    position += static_cast<int64_t>(tokens.size());
    tokens = {*next};
  }
}
