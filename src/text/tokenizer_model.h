// What a tokenizer.json holds, read and checked.
#pragma once

#include <cstdint>
#include <vector>

#include "highwater/result.h"
#include "text/added_tokens.h"
#include "text/cutter.h"
#include "text/merges.h"
#include "text/vocabulary.h"

namespace highwater {

struct TokenizerModel {
  static Result<TokenizerModel> read(const JsonValue& file);

  AddedTokens added;
  Cutter cutter;
  Vocabulary vocabulary;
  Merges merges;
  bool takes_whole_pieces = false;  // that are tokens, whatever merges would make of them
  // Around a whole text.
  std::vector<int64_t> before;
  std::vector<int64_t> after;
};

}  // namespace highwater
