// Tokens that stand in a text literally, such as <|end_of_text|>, and are no result of merges.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/json_value.h"
#include "highwater/result.h"

namespace highwater {

struct AddedToken {
  int64_t id = 0;
  std::string text;
  bool special = false;       // left out of what is decoded
  bool single_word = false;   // only where no word goes on
  bool strips_left = false;   // takes the spaces before it along
  bool strips_right = false;  // and those after it
};

class AddedTokens {
 public:
  AddedTokens() = default;
  AddedTokens(AddedTokens&&) = default;  // a copy would point into the original
  AddedTokens& operator=(AddedTokens&&) = default;

  // From the "added_tokens" of a tokenizer.json.
  static Result<AddedTokens> read(const JsonValue& list);

  const AddedToken* find(int64_t id) const;

  // A part of a text: a token, or what is between two.
  struct Part {
    std::string_view text;
    const AddedToken* token = nullptr;
  };
  std::vector<Part> split(std::string_view text) const;

 private:
  // The tokens that begin with a byte, the longest first.
  using ByFirst = std::array<std::vector<const AddedToken*>, 256>;
  static void split_by(const ByFirst& tokens, std::string_view text, std::vector<Part>& out);

  std::unordered_map<int64_t, AddedToken> tokens_;
  // Tokens that are looked for first, and those that are looked for in what is left.
  std::array<ByFirst, 2> turns_;
};

}  // namespace highwater
