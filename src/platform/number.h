// Numbers and their texts. Doing it right takes tables, which a page has already.
#pragma once

#include <optional>
#include <string_view>

namespace highwater {

// The number that all of the text is; none if it is not one, or is too large. For the other way
// there is append_number in highwater/text.h.
std::optional<double> read_number(std::string_view text);

}  // namespace highwater
