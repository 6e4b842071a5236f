// Holds a call to what its program was exported for.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "blob/signature.h"
#include "highwater/dims.h"
#include "highwater/host_tensor.h"

namespace highwater {

class SignatureCheck {
 public:
  explicit SignatureCheck(const Signature& signature)
      : signature_(signature), told_(signature.lengths.size()) {}

  // Forgets the call before.
  void begin();
  // Both name the input, and the dim of a tensor, that is not as it was exported.
  Status check_tensor(size_t input, const Dims& dims);
  Status check_integer(size_t input, int64_t number);

 private:
  // What a length is in this call, and which input told so first.
  struct Told {
    int64_t number = 0;
    size_t input = 0;
    bool is_told = false;
  };

  Status check(size_t input, const Signature::Size& size, int64_t number);
  Status check_length(size_t input, const Signature::Size& size, int64_t number);
  std::string what(const Signature::Size& size) const;

  const Signature& signature_;
  std::vector<Told> told_;
};

}  // namespace highwater
