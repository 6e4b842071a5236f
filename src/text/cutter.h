// Cutting a text into the pieces that merges stay within: what a tokenizer.json calls its
// pre-tokenizer.
//
// It cannot be left out. Merges are learned within pieces, but they also match across the cuts of
// other texts: after two spaces the second would join the word, which a pattern with the spaces as
// a piece of their own forbids.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json_value.h"
#include "highwater/result.h"
#include "text/pattern.h"

namespace highwater {

// What a part of a tokenizer.json says it is; empty if it does not say.
std::string type_of(const JsonValue& part);

class Cutter {
 public:
  // From the "pre_tokenizer" of a tokenizer.json, which must be of the byte-level kind.
  static Result<Cutter> read(const JsonValue& description);

  // Whether a text that does not begin with a space is given one.
  bool adds_space() const { return adds_space_; }

  // The pieces of `text`, in their order. Bytes that are not UTF-8 are pieces of their own. An
  // error if a pattern takes too long, or too much memory.
  using Pieces = std::vector<std::string_view>;
  Result<Pieces> cut(std::string_view text) const;

 private:
  struct Split {
    Pattern pattern;
    bool keeps_matches = true;
    bool keeps_gaps = true;
  };
  Status add_step(const JsonValue& step);
  Status add_split(const JsonValue& step);
  Status add_pattern(std::string_view pattern);
  static Status split(const Split& by, std::string_view text, Matcher& matcher, Pieces& out);
  Status cut_characters(std::string_view text, Pieces& out) const;

  std::vector<Split> splits_;
  bool adds_space_ = false;
  bool ends_in_bytes_ = false;
};

}  // namespace highwater
