#include <algorithm>

#include "passes/activation.h"
#include "passes/passes.h"
#include "passes/q8_conv.h"

namespace highwater {
namespace {

// The call that reads a value, if there is one and no other, and nothing writes into it.
std::optional<size_t> only_reader(const Rewriter& r, ValueId id) {
  const std::vector<size_t> readers = r.readers(id);
  if (r.uses(id) != 1 || readers.size() != 1 || r.is_mutated(id)) return {};
  return readers[0];
}

bool is_of(const Rewriter& r, ValueId id, const Dims& dims, DType dtype) {
  const TensorDecl& t = r.tensor(id);
  return r.is_tensor(id) && t.dims == dims && t.dtype == dtype;
}

// What a convolution's result goes through to become int8 again.
struct Return {
  size_t dequantize;
  size_t function;
  ActivationCall activation;
  FullCall quantize;
};

std::optional<Return> as_return(const Rewriter& r, const FullCall& conv) {
  const ValueId y = conv.out();
  const auto first = only_reader(r, y);
  const auto dequantize =
      first ? r.call(*first, "quantized_decomposed.dequantize_per_tensor.default") : std::nullopt;
  if (!dequantize || (*dequantize)["input"] != y) return {};
  // They are one number for the exporter; here the kernel has one.
  const auto scale = r.number(conv["output_scale"]), zero = r.number(conv["output_zero_point"]);
  if (!scale || !zero || r.number((*dequantize)["scale"]) != scale ||
      r.number((*dequantize)["zero_point"]) != zero) {
    return {};
  }
  const auto second = only_reader(r, dequantize->out());
  const auto activation = second ? as_activation(r, *second) : std::nullopt;
  if (!activation || activation->x != dequantize->out()) return {};
  const auto third = only_reader(r, activation->y);
  const auto quantize =
      third ? r.call(*third, "quantized_decomposed.quantize_per_tensor.default") : std::nullopt;
  if (!quantize || (*quantize)["input"] != activation->y) return {};
  const auto is = [&](std::string_view name, double wanted) {
    return r.number((*quantize)[name]) == std::optional(wanted);
  };
  if (!is("quant_min", -128) || !is("quant_max", 127)) return {};
  if (!r.number((*quantize)["scale"]) || !r.number((*quantize)["zero_point"])) return {};
  const Dims& dims = r.tensor(y).dims;
  // A float16 in between would round once more.
  const bool fits =
      is_of(r, y, dims, DType::Int8) && is_of(r, dequantize->out(), dims, DType::Float32) &&
      is_of(r, activation->y, dims, DType::Float32) && is_of(r, quantize->out(), dims, DType::Int8);
  if (!fits) return {};
  return Return{*first, *second, *activation, *quantize};
}

}  // namespace

void fuse_q8_conv_activation(Program& program) {
  Rewriter r(program);
  for (size_t i = 0; i < r.call_count(); ++i) {
    const auto conv = as_q8_conv(r, i);
    const auto back = conv ? as_return(r, conv->call) : std::nullopt;
    if (!back) continue;
    std::vector<Named> arguments = conv->arguments();
    // It goes to the place of the last call; nothing that it reads may change before.
    if (std::any_of(arguments.begin(), arguments.end(),
                    [&](const Named& given) { return r.is_mutated(given.id); })) {
      continue;
    }
    arguments.push_back({"then", r.add_value(std::string(back->activation.op))});
    arguments.insert(arguments.end(), back->activation.others.begin(),
                     back->activation.others.end());
    arguments.push_back({"then_scale", back->quantize["scale"]});
    arguments.push_back({"then_zero_point", back->quantize["zero_point"]});
    r.remove(i);
    r.remove(back->dequantize);
    r.remove(back->function);
    r.replace(back->quantize.index(), conv->ours, arguments, back->quantize.out());
  }
}

}  // namespace highwater
