// A Llama with 4-bit weights, call by call as exporters write it. Nothing here has any weights: it
// is for looking at plans.
#pragma once

#include "blob/program.h"

namespace highwater {

// Those of Llama 3.2 1B, but for the layers.
struct LlamaSizes {
  int64_t layers = 2;
  int64_t dim = 2048, hidden = 8192;
  int64_t heads = 32, kv_heads = 8, head_dim = 64;
  int64_t vocabulary = 128256;
  int64_t longest = 512;     // prompt
  int64_t capacity = 16384;  // of the caches
};

// Its inputs are tokens, the position of the first, and what a sampler takes; passes have run.
Program llama_program(const LlamaSizes& sizes);

}  // namespace highwater
