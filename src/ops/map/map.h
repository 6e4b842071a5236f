// The map family: one WGSL expression over whole tensors, element by element.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/op.h"
#include "graph/strided.h"
#include "ops/map/live_number.h"
#include "wgsl/map/map.h"
#include "wgsl/map/map_strided.h"

namespace highwater {

// What is computed, and from what. In the expression, the operands are vectors a, b and c, the
// numbers p to w, and i are the places of the elements in y; all of type vec4<T>, where T is
// f32 or i32. It gives a vec4 of any type, which becomes one of y's.
struct Mapped {
  Tensor y = {};
  std::vector<Tensor> operands = {};
  std::vector<LiveNumber> numbers = {};
  bool on_float = true;
  std::string_view expression = {};
  std::string_view variant = {};  // its name in reports

  // Of operands that are copied, and not computed with.
  static Mapped copy(Args& a, Tensor y, Tensor x, std::string_view variant);

  static constexpr size_t kMostOperands = StridedLoop::kOperands;
  static constexpr size_t kMostNumbers = 8;
};

// The function by strides: any walk over the operands that gives y's elements in order.
class StridedMap {
 public:
  StridedMap(Args& a, const Mapped& mapped);

  // y has these dims. The first operand begins at `offset`.
  Status plan(const Shapes& s, const Dims& y, const StridedLoop& loop, int64_t offset,
              Plan& plan) const;

 private:
  Tensor y_;
  size_t operands_ = 0;
  bool on_float_ = true;
  std::vector<LiveNumber> numbers_;
  Step<wgsl::map::map_strided> step_;
};

// The function of operands that broadcast to y. Where nothing is stretched, it is the fastest that
// there is.
class Map {
 public:
  Map() = default;
  Map(Args& a, const Mapped& mapped);

  Status plan(const Shapes& s, Plan& plan) const;
  // The same where y is as the caller says: there are no operands, or they have as many elements.
  void plan(const Shapes& s, const Dims& y, Plan& plan) const;

 private:
  // Whether each operand is all of y or a single element, at these live dims.
  bool is_flat(const Shapes& s, const Dims& y) const;

  Tensor y_;
  std::vector<Tensor> operands_;
  std::vector<bool> is_single_;
  bool on_float_ = true;
  std::vector<LiveNumber> numbers_;
  Step<wgsl::map::map> flat_;
  std::optional<StridedMap> strided_;  // where something may be stretched
};

}  // namespace highwater
