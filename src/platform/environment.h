// Variables of the environment that choose something. A page has none of its own, but may give some
// to the module that it starts.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "highwater/result.h"

namespace highwater {

// None if the variable is not set, or is empty.
std::optional<std::string> variable(const char* name);

// Which of `allowed` a variable names; an error that lists them if it is another word.
Result<std::optional<size_t>> chosen_by(const char* name,
                                        std::span<const std::string_view> allowed);

}  // namespace highwater
