#include "ops/linear/q4_input.h"

#include "wgsl/fold/rms_norm_of_x.h"
#include "wgsl/linear/int8_range.h"
#include "wgsl/linear/q4_look_int8.h"
#include "wgsl/linear/q4_see_int8.h"
#include "wgsl/linear/q4_see_int8_of_norm.h"
#include "wgsl/linear/q4_see_norm.h"

namespace highwater {

Q4Input::Q4Input(Args& a, const Operands& operands, int64_t rows, int64_t width)
    : o_(operands), rows_(rows), width_(width) {
  if (o_.norm_weight) {
    const Dims& w = a.bound(*o_.norm_weight);
    a.require(w.numel() == width && width > 0, "a norm's weight of dims ", w, " for rows of ",
              width);
  }
}

Tensor Q4Input::declare_made(Args& a) {
  Tensor seen = o_.x;
  if (o_.norm_weight) {
    normed_ = a.scratch(a.dtype(o_.x), rows_ * width_);
    norm_.emplace(a, normed_, NormRows::Inputs{wgsl::fold::rms_norm_of_x::kSource.text, {seen}},
                  *o_.norm_weight, o_.norm_eps, width_);
    seen = normed_;
  }
  if (o_.int8) {
    shown_ = a.scratch(DType::Float32, rows_ * width_);
    int8_.emplace(a, shown_, seen, *o_.int8, width_);
    seen = shown_;
  }
  return seen;
}

void Q4Input::plan_made(int64_t rows, Plan& plan) const {
  if (norm_) {
    plan.resize(normed_, {rows * width_});
    norm_->plan(rows, width_, plan);
  }
  if (int8_) {
    plan.resize(shown_, {rows * width_});
    int8_->plan(rows, width_, plan);
  }
}

void Q4Input::fill(std::vector<Substitution>& substitutions, int64_t rows) const {
  const bool norms = rows == 1 && o_.norm_weight, shows = rows == 1 && o_.int8;
  const bool norms_sums = norms && !shows;
  const auto fill_with = [&](std::string_view name, std::string_view text) {
    substitutions.push_back({name, std::string(text)});
  };
  fill_with("PARTS", std::to_string(rows + (norms_sums ? 1 : 0)));
  fill_with("LOOK", shows ? wgsl::linear::q4_look_int8::kSource.text : "");
  fill_with("INT8", shows ? wgsl::linear::int8_range::kSource.text : "");
  fill_with("WEIGHED", norms ? "x * norm_weight_quad(i)" : "x");
  fill_with("NORM",
            norms ? "inverseSqrt(looked.z * params.inverse_depth + params.norm_eps)" : "1.0");
  fill_with("ROW_SCALE", norms_sums
                             ? "inverseSqrt(found[WG].x * params.inverse_depth + params.norm_eps)"
                             : "1.0");
  if (norms_sums) {
    fill_with("SEE", wgsl::linear::q4_see_norm::kSource.text);
  } else if (!shows) {
    fill_with("SEE", "");
  } else {
    fill_with("SEE", norms ? wgsl::linear::q4_see_int8_of_norm::kSource.text
                           : wgsl::linear::q4_see_int8::kSource.text);
  }
}

std::string Q4Input::variant() const {
  return text(o_.norm_weight ? "_norm" : "", o_.int8 ? "_int8" : "");
}

}  // namespace highwater
