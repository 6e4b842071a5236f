// The tokens that merges make, as the bytes that they stand for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/json_value.h"
#include "highwater/result.h"

namespace highwater {

// Files spell each byte as a visible character: itself if it is one in Latin-1, else one from
// U+0100 on, in order. Gives the bytes that are spelled so; none if a character is not one of
// those.
std::optional<std::string> spelled_bytes(std::string_view spelling);

// The id of a token; an error if it is not a whole number from 0 to 2^31 - 1.
Result<int32_t> read_token_id(const JsonValue& value, std::string_view token);

class Vocabulary {
 public:
  // From the "vocab" of a tokenizer.json.
  static Result<Vocabulary> read(const JsonValue& vocab);

  std::optional<int32_t> find(std::string_view bytes) const;
  const std::string* bytes_of(int64_t id) const;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view bytes) const { return std::hash<std::string_view>()(bytes); }
  };
  std::unordered_map<std::string, int32_t, Hash, std::equal_to<>> ids_;
  std::unordered_map<int64_t, std::string> bytes_;  // ids may have holes
};

}  // namespace highwater
