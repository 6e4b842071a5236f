#include "platform/environment.h"

#include <algorithm>
#include <cstdlib>

namespace highwater {

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  if (!value || !*value) return std::nullopt;
  return value;
}

Result<std::optional<size_t>> chosen_by(const char* name,
                                        std::span<const std::string_view> allowed) {
  const std::optional<std::string> value = variable(name);
  if (!value) return std::optional<size_t>();
  const auto found = std::find(allowed.begin(), allowed.end(), *value);
  if (found != allowed.end()) {
    return std::optional(static_cast<size_t>(found - allowed.begin()));
  }
  std::string words;
  for (std::string_view word : allowed) words += text(words.empty() ? "" : " or ", "'", word, "'");
  return fail("the variable ", name, " is '", *value, "'; it can be ", words);
}

}  // namespace highwater
