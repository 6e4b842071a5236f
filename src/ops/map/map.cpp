#include "ops/map/map.h"

namespace highwater {
namespace {

using Numbers = std::array<uint32_t, Mapped::kMostNumbers>;

Numbers bits_of(const std::vector<LiveNumber>& numbers, const Shapes& s, bool on_float) {
  Numbers bits{};
  for (size_t k = 0; k < numbers.size(); ++k) {
    bits[k] = narrow_to_bits(numbers[k].at(s), on_float);
  }
  return bits;
}

// The lines that give operands and numbers the names that the expression has for them.
template <class Load>
std::string named(const Mapped& mapped, const Load& load) {
  std::string lines;
  for (size_t n = 0; n < mapped.operands.size(); ++n) {
    append(lines, text("let ", "abc"[n], " = ", load(n), ";\n"));
  }
  for (size_t n = 0; n < mapped.numbers.size(); ++n) {
    append(lines, text("let ", "pqrstuvw"[n], " = vec4<T>(bitcast<T>(params.numbers[", n / 4, "][",
                       n % 4, "]));\n"));
  }
  return lines;
}

std::vector<Substitution> substitutions(const Args& a, const Mapped& mapped, std::string load) {
  // Any number but zero is true; y_t(x) would cut 0.5 down to false.
  const bool to_bool = a.dtype(mapped.y) == DType::Bool;
  const std::string result =
      to_bool ? text("vec4<bool>(", mapped.expression, ")") : std::string(mapped.expression);
  return {{"OPERANDS", std::to_string(mapped.operands.size())},
          {"T", mapped.on_float ? "f32" : "i32"},
          {"LOAD", std::move(load)},
          {"RESULT", text("vec4<y_t>(", result, ")")}};
}

std::vector<Tensor> bindings(const Mapped& mapped) {
  std::vector<Tensor> result{mapped.y};
  result.insert(result.end(), mapped.operands.begin(), mapped.operands.end());
  return result;
}

// Whether x may have to be stretched along some dim. Only what is 1 at its bound is.
bool may_stretch(const Dims& x, const Dims& y) {
  if (x.rank() > y.rank()) return false;
  const size_t lead = y.rank() - x.rank();
  for (size_t i = 0; i < y.rank(); ++i) {
    const int64_t size = i < lead ? 1 : x[i - lead];
    if (size != y[i]) return true;
  }
  return false;
}

}  // namespace

Mapped Mapped::copy(Args& a, Tensor y, Tensor x, std::string_view variant) {
  return {.y = y,
          .operands = {x},
          .on_float = is_float(a.dtype(x)) || is_float(a.dtype(y)),
          .expression = "a",
          .variant = variant};
}

StridedMap::StridedMap(Args& a, const Mapped& mapped)
    : y_(mapped.y),
      operands_(mapped.operands.size()),
      on_float_(mapped.on_float),
      numbers_(mapped.numbers) {
  const std::string load = named(mapped, [](size_t n) { return text("v", n); });
  step_ = a.step<wgsl::map::map_strided>(bindings(mapped), substitutions(a, mapped, load),
                                         mapped.variant);
}

Status StridedMap::plan(const Shapes& s, const Dims& y, const StridedLoop& loop, int64_t offset,
                        Plan& plan) const {
  plan.resize(y_, y);
  if (!loop.fits()) return fail("dims ", y, " are too many to copy at once");
  bool by_quad = loop.by_quad(0, offset);
  for (size_t k = 1; k < operands_; ++k) by_quad = by_quad && loop.by_quad(k);
  plan.run(step_,
           {.quads = quads_of(y.numel()),
            .rank = loop.rank(),
            .by_quad = by_quad,
            .numbers = bits_of(numbers_, s, on_float_),
            .start = {u32(offset)},
            .dims = loop.dims()},
           Grid::quads(y.numel()));
  return {};
}

Map::Map(Args& a, const Mapped& mapped)
    : y_(mapped.y),
      operands_(mapped.operands),
      on_float_(mapped.on_float),
      numbers_(mapped.numbers) {
  const Dims& y = a.bound(y_);
  bool stretches = false;
  for (Tensor x : operands_) {
    is_single_.push_back(a.bound(x).numel() == 1);
    stretches = stretches || (!is_single_.back() && may_stretch(a.bound(x), y));
  }
  const std::string load = named(mapped, [&](size_t n) {
    return is_single_[n] ? text("vec4<T>(T(x", n, "_at(0u)))") : text("vec4<T>(x", n, "_quad(at))");
  });
  flat_ = a.step<wgsl::map::map>(bindings(mapped), substitutions(a, mapped, load), mapped.variant);
  if (stretches) strided_ = StridedMap(a, mapped);
}

bool Map::is_flat(const Shapes& s, const Dims& y) const {
  for (size_t n = 0; n < operands_.size(); ++n) {
    if (!is_single_[n] && s[operands_[n]].numel() != y.numel()) return false;
  }
  return true;
}

Status Map::plan(const Shapes& s, Plan& plan) const {
  HW_TRY(const Dims y, s.broadcast(operands_));
  if (is_flat(s, y)) {
    this->plan(s, y, plan);
    return {};
  }
  if (!strided_) return fail("dims ", y, " where there is room for ", s.bound(y_));
  StridedLoop loop;
  for (size_t i = 0; i < y.rank(); ++i) {
    std::array<int64_t, StridedLoop::kOperands> strides{};
    for (size_t n = 0; n < operands_.size(); ++n) {
      strides[n] = broadcast_stride(s[operands_[n]], y, i);
    }
    loop.add_dim(y[i], strides);
  }
  return strided_->plan(s, y, loop, 0, plan);
}

void Map::plan(const Shapes& s, const Dims& y, Plan& plan) const {
  plan.resize(y_, y);
  plan.run(flat_, {.quads = quads_of(y.numel()), .numbers = bits_of(numbers_, s, on_float_)},
           Grid::quads(y.numel()));
}

}  // namespace highwater
