// Functions of two or three tensors, or of a tensor and a number.
#include "ops/map/map_rows.h"

namespace highwater {
namespace {

constexpr MapRow kBinaries[] = {
    {"aten.add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", "a + p * b", kSame},
    {"aten.add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", "a + q * p", kSame},
    {"aten.sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", "a - p * b", kSame},
    {"aten.sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", "a - q * p", kSame},
    {"aten.rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", "b - p * a",
     kSame},
    {"aten.rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", "p - q * a", kSame},
    {"aten.mul.Tensor(Tensor self, Tensor other) -> Tensor", "a * b", kSame},
    {"aten.mul.Scalar(Tensor self, Scalar other) -> Tensor", "a * p", kSame},
    {"aten.div.Tensor(Tensor self, Tensor other) -> Tensor", "a / b", kSame},
    {"aten.div.Scalar(Tensor self, Scalar other) -> Tensor", "a / p", kSame},
    {"aten.div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor", "a / b",
     kSame},
    {.op = "aten.div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor",
     .on_float = "floor_divide(a, b)",
     .on_int = "floor_divide_int(a, b)",
     .when = "floor"},
    {.op = "aten.div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor",
     .on_float = "trunc(a / b)",
     .on_int = "a / b",
     .when = "trunc"},
    {"aten.floor_divide.default(Tensor self, Tensor other) -> Tensor", "floor_divide(a, b)",
     "floor_divide_int(a, b)"},
    {"aten.pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor", "power(a, b)",
     "power_int(a, b)"},
    {"aten.pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor", "power(a, p)",
     "power_int(a, p)"},
    {"aten.minimum.default(Tensor self, Tensor other) -> Tensor", "min(a, b)", kSame},
    {"aten.maximum.default(Tensor self, Tensor other) -> Tensor", "max(a, b)", kSame},
    {"aten.eq.Tensor(Tensor self, Tensor other) -> Tensor", "a == b", kSame},
    {"aten.eq.Scalar(Tensor self, Scalar other) -> Tensor", "a == p", kSame},
    {"aten.ne.Tensor(Tensor self, Tensor other) -> Tensor", "a != b", kSame},
    {"aten.ne.Scalar(Tensor self, Scalar other) -> Tensor", "a != p", kSame},
    {"aten.lt.Tensor(Tensor self, Tensor other) -> Tensor", "a < b", kSame},
    {"aten.lt.Scalar(Tensor self, Scalar other) -> Tensor", "a < p", kSame},
    {"aten.le.Tensor(Tensor self, Tensor other) -> Tensor", "a <= b", kSame},
    {"aten.le.Scalar(Tensor self, Scalar other) -> Tensor", "a <= p", kSame},
    {"aten.gt.Tensor(Tensor self, Tensor other) -> Tensor", "a > b", kSame},
    {"aten.gt.Scalar(Tensor self, Scalar other) -> Tensor", "a > p", kSame},
    {"aten.ge.Tensor(Tensor self, Tensor other) -> Tensor", "a >= b", kSame},
    {"aten.ge.Scalar(Tensor self, Scalar other) -> Tensor", "a >= p", kSame},
    {"aten.logical_and.default(Tensor self, Tensor other) -> Tensor",
     "vec4<bool>(a) & vec4<bool>(b)", kSame},
    {"aten.logical_or.default(Tensor self, Tensor other) -> Tensor",
     "vec4<bool>(a) | vec4<bool>(b)", kSame},
    {"aten.logical_xor.default(Tensor self, Tensor other) -> Tensor",
     "vec4<bool>(a) != vec4<bool>(b)", kSame},
    {"aten.bitwise_and.Tensor(IntTensor self, IntTensor other) -> Tensor", {}, "a & b"},
    {"aten.bitwise_and.Scalar(IntTensor self, Scalar other) -> Tensor", {}, "a & p"},
    {"aten.bitwise_or.Tensor(IntTensor self, IntTensor other) -> Tensor", {}, "a | b"},
    {"aten.bitwise_or.Scalar(IntTensor self, Scalar other) -> Tensor", {}, "a | p"},
    {"aten.bitwise_xor.Tensor(IntTensor self, IntTensor other) -> Tensor", {}, "a ^ b"},
    {"aten.bitwise_xor.Scalar(IntTensor self, Scalar other) -> Tensor", {}, "a ^ p"},
    {"aten.where.self(IntTensor condition, Tensor self, Tensor other) -> Tensor",
     "select(c, b, vec4<bool>(a))", kSame},
    {"hw.swiglu(FloatTensor gate, FloatTensor u) -> Tensor", "a / (1.0 + exp(-a)) * b"},
};

HIGHWATER_MAPS(Binary, kBinaries);

}  // namespace
}  // namespace highwater
