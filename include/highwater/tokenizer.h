// Text to tokens and back, with the tokenizer.json that a language model comes with.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "highwater/export.h"
#include "highwater/result.h"

namespace highwater {

struct TokenizerModel;  // the library's own

// A tokenizer of Hugging Face's byte-level BPE kind, as those of GPT-2, Llama 3, Qwen and SmolLM
// are. Another kind does not open, and the error names it. Where a tokenizer asks for Unicode's
// form NFC, text is expected to be in it already. Copies are cheap: they share all.
class HIGHWATER_API Tokenizer {
 public:
  static Result<Tokenizer> open(const std::string& path);
  // The same from what such a file holds.
  static Result<Tokenizer> parse(std::string_view json);

  // The tokens of a text, special ones that stand in it included. A text that is the beginning of
  // all has around it what the tokenizer puts there, such as a begin token; one that goes on with
  // another has not. An error if the tokenizer's patterns take unreasonably long with the text.
  Result<std::vector<int64_t>> encode(std::string_view text, bool goes_on = false) const;

  // The text of tokens, without special ones. Bytes that are not UTF-8, as in a character of which
  // only a part was drawn, become U+FFFD.
  std::string decode(std::span<const int64_t> tokens) const;

  // The bytes of one token, which may be a part of a character. None for a special one.
  std::string_view bytes(int64_t token) const;

 private:
  explicit Tokenizer(std::shared_ptr<const TokenizerModel> model) : model_(std::move(model)) {}

  std::shared_ptr<const TokenizerModel> model_;
};

// Tokens in, text out, as they are drawn: a character that is spread over several tokens comes out
// whole, with the last of them.
class HIGHWATER_API TextStream {
 public:
  explicit TextStream(Tokenizer tokenizer) : tokenizer_(std::move(tokenizer)) {}

  // The text that these tokens complete.
  std::string add(std::span<const int64_t> tokens);
  // What is left when no token will follow: U+FFFD if it is a part of a character.
  std::string end();

 private:
  Tokenizer tokenizer_;
  std::string held_;  // the beginning of a character
};

}  // namespace highwater
