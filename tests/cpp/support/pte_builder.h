// .pte files around a delegate's blob, with room for what one must not say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "highwater/dtype.h"
#include "support/blob_builder.h"

namespace highwater {

struct PteContent {
  struct Tensor {
    DType dtype = DType::Float32;
    std::vector<int32_t> sizes;
    bool dynamic = true;
  };
  // A method that computes nothing: metadata.
  struct Constant {
    std::string name;
    std::variant<int64_t, std::string> value;
  };

  std::string method = "forward";
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  std::vector<Constant> constants;
  Blob blob;
  // Where the blob is: in the program itself, or in a segment after it.
  bool in_segment = false;
  std::optional<uint64_t> segments_begin;  // what the header says instead of the truth
  std::optional<uint64_t> segment_size;
};

Blob make_pte(const PteContent& content);

// y = x + w of `good_content`, as a file.
PteContent good_pte();

}  // namespace highwater
