// Shapes that a user asks for, and how places are called.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "inspect/probe.h"

namespace highwater {

// "dim 1 of input 0"
std::string describe(const Place& place);

// "S=37,P=12" or "0.1=37"; what is not mentioned is as usual.
Result<Point> read_point(std::string_view wanted, std::span<const Symbol> symbols);

}  // namespace highwater
