#include "text/vocabulary.h"

#include <limits>
#include <vector>

#include "base/utf8.h"

namespace highwater {
namespace {

constexpr bool is_visible(char32_t c) {
  return (c >= 0x21 && c <= 0x7e) || (c >= 0xa1 && c <= 0xff && c != 0xad);
}

// The bytes that are not visible, in order.
std::string hidden_bytes() {
  std::string bytes;
  for (char32_t c = 0; c < 0x100; ++c) {
    if (!is_visible(c)) bytes += static_cast<char>(c);
  }
  return bytes;
}

}  // namespace

std::optional<std::string> spelled_bytes(std::string_view spelling) {
  static const std::string kHidden = hidden_bytes();
  std::string bytes;
  while (!spelling.empty()) {
    const Utf8Step step = utf8_step(spelling);
    if (is_visible(step.character)) {
      bytes += static_cast<char>(step.character);
    } else if (step.character >= 0x100 && step.character - 0x100 < kHidden.size()) {
      bytes += kHidden[step.character - 0x100];
    } else {
      return std::nullopt;
    }
    spelling.remove_prefix(step.length);
  }
  return bytes;
}

Result<int32_t> read_token_id(const JsonValue& value, std::string_view token) {
  const auto id = value.integer();
  if (!id || *id < 0 || *id > std::numeric_limits<int32_t>::max()) {
    return fail("the id of the token '", token, "' is not a whole number from 0 to 2^31 - 1");
  }
  return static_cast<int32_t>(*id);
}

Result<Vocabulary> Vocabulary::read(const JsonValue& vocab) {
  const JsonValue::Object* tokens = vocab.object();
  if (!tokens || tokens->empty()) return fail("it has no vocabulary");
  Vocabulary vocabulary;
  vocabulary.ids_.reserve(tokens->size());
  vocabulary.bytes_.reserve(tokens->size());
  for (const auto& [spelling, value] : *tokens) {
    HW_TRY(const int32_t id, read_token_id(value, spelling));
    const auto bytes = spelled_bytes(spelling);
    // What is not spelled in bytes is said as it stands, and never found in a text.
    const auto [entry, fresh] = vocabulary.bytes_.emplace(id, bytes ? *bytes : spelling);
    if (!fresh) return fail("two tokens have the id ", id, "; one is '", spelling, "'");
    if (bytes && !vocabulary.ids_.emplace(*bytes, id).second) {
      return fail("the token '", spelling, "' is in the vocabulary twice");
    }
  }
  return vocabulary;
}

std::optional<int32_t> Vocabulary::find(std::string_view bytes) const {
  const auto found = ids_.find(bytes);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

const std::string* Vocabulary::bytes_of(int64_t id) const {
  const auto found = bytes_.find(id);
  return found == bytes_.end() ? nullptr : &found->second;
}

}  // namespace highwater
