// What a 4-bit product sees of its input: x, the norm of it, or what int8 shows of either.
#pragma once

#include <optional>

#include "ops/fold/norm_rows.h"
#include "ops/linear/int8_rows.h"

namespace highwater {

class Q4Input {
 public:
  struct Operands {
    Tensor x;
    std::optional<Tensor> norm_weight = std::nullopt;  // of as many elements as a row of x
    float norm_eps = 0;
    std::optional<Int8Range> int8 = std::nullopt;  // of all of int8
  };

  // Rows are `width` wide, and there are at most `rows`.
  Q4Input(Args& a, const Operands& operands, int64_t rows, int64_t width);

  // Whether it is anything but x.
  bool is_made() const { return o_.norm_weight || o_.int8; }

  // What is seen, for kernels that read it from memory: plan_made() has it written there first.
  // Declared once.
  Tensor declare_made(Args& a);
  void plan_made(int64_t rows, Plan& plan) const;

  // What fills the holes of q4_slices.wgsl for so many rows. A single row it makes of x as it goes;
  // the norm's weight, if there is one, is then a binding of it.
  void fill(std::vector<Substitution>& substitutions, int64_t rows) const;
  std::string variant() const;

  const Operands& operands() const { return o_; }

 private:
  Operands o_;
  int64_t rows_;
  int64_t width_;
  Tensor normed_, shown_;
  std::optional<NormRows> norm_;
  std::optional<Int8Rows> int8_;
};

}  // namespace highwater
