// Byte-pair encoding: a piece of text begins as single bytes, and the pair that was learned first
// is merged first, until no pair is left that was learned.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/json_value.h"
#include "highwater/result.h"
#include "text/vocabulary.h"

namespace highwater {

class Merges {
 public:
  // From the "model" of a tokenizer.json.
  static Result<Merges> read(const JsonValue& model, const Vocabulary& vocabulary);

  // Memory that a caller keeps between pieces.
  struct Work;

  // Appends the tokens of a piece, in a time of n log n.
  void encode(std::string_view piece, Work& work, std::vector<int64_t>& out) const;

 private:
  struct Merge {
    uint32_t rank;
    int32_t token;
  };
  static uint64_t pair(int32_t left, int32_t right) {
    return uint64_t{static_cast<uint32_t>(left)} << 32 | static_cast<uint32_t>(right);
  }
  Status add(const JsonValue& merge, size_t rank, const Vocabulary& vocabulary);
  void begin(std::string_view piece, Work& work) const;
  void push(Work& work, uint32_t left) const;

  std::unordered_map<uint64_t, Merge> merges_;
  std::array<std::optional<int32_t>, 256> byte_tokens_;
  std::optional<int32_t> unknown_;  // for bytes without a token, which are else left out
  bool fuses_unknown_ = false;
};

struct Merges::Work {
  // Neighbours are linked, so that a merge moves nothing.
  struct Symbol {
    int32_t token;
    uint32_t previous;
    uint32_t next;
  };
  struct Candidate {
    uint32_t rank;
    uint32_t left;  // the first symbol of the pair
    uint64_t pair;
    int32_t token;
  };
  std::vector<Symbol> symbols;
  std::vector<Candidate> candidates;  // a heap
};

}  // namespace highwater
