// What an exporter says of a program's inputs: which sizes are fixed, which are live, and between
// what they lie.
//
// `highwater export` writes it into the file, as the text that the constant method
// `highwater_inputs_of_forward` gives:
//
//   {"lengths": {"s0": [1, 128]},
//    "inputs": [{"name": "x", "dtype": "float32", "dims": [1, {"of": "s0"}, 64]},
//               {"name": "mask", "dtype": "bool", "dims": [{"of": "s0", "times": 2, "plus": 1}]},
//               {"name": "factor", "dtype": "int", "number": 3}]}
//
// A length may have `null` for an upper end; a size or number of `null` can be anything.
//
// Of the files of others it is known which tensors never change their dims.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "highwater/result.h"

namespace highwater {

struct Signature {
  // A number that may differ from call to call, and is one number within a call.
  struct Length {
    std::string name;
    int64_t least = 0;
    int64_t most = 0;
  };
  // `times` a length, plus `plus`; or, without a length, just `plus`.
  struct Size {
    static constexpr size_t kFixed = SIZE_MAX, kUnknown = SIZE_MAX - 1;
    size_t length = kUnknown;
    int64_t times = 1;
    int64_t plus = 0;

    static Size fixed(int64_t size) { return {kFixed, 0, size}; }
    bool is_fixed() const { return length == kFixed; }
    bool is_live() const { return length < kUnknown; }
  };
  struct Input {
    std::string name;         // empty if it is not known
    std::vector<Size> sizes;  // of each dim of a tensor; or of the integer itself
    bool is_integer = false;
  };

  std::vector<Length> lengths;
  std::vector<Input> inputs;

  // The smallest that a size can be; of one that is not known, 0.
  int64_t least(const Size& size) const;
  // "input 0", or "input 0 (tokens)" where its name is known.
  std::string describe(size_t input) const;
};

Result<Signature> read_signature(std::string_view json);

}  // namespace highwater
