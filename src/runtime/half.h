// IEEE half precision on a host that may not have it.
#pragma once

#include <cstdint>

namespace highwater {

float half_to_float(uint16_t half);
uint16_t float_to_half(float value);  // rounds to nearest, ties to even

}  // namespace highwater
