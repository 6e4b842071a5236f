// The smallest language models with a cache: their logits depend on nothing.
#pragma once

#include <optional>

#include "support/pte_builder.h"

namespace highwater {

struct SmallModel {
  uint32_t longest = 8;     // tokens in a call
  uint32_t vocabulary = 4;  // logits
  std::optional<int64_t> capacity = 100;
};

PteContent content_of(const SmallModel& model);

}  // namespace highwater
