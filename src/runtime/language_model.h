// Which files are language models with a cache. For runtime/ only.
#pragma once

#include <cstddef>
#include <string_view>

#include "blob/pte.h"

namespace highwater {

// The method that a Generator runs, and its inputs; its only output are logits.
inline constexpr std::string_view kModelMethod = "forward";
inline constexpr size_t kModelTokens = 0, kModelPosition = 1, kModelInputs = 2;

// Whether that method takes and gives what such a model does, or why not. Only the method is looked
// at, and no delegate's program is read.
Status check_language_model(const Pte& pte);

// The program of such a model, of which the same holds.
Result<Program> read_language_model(const Pte& pte);

}  // namespace highwater
