// What characters are: letters, digits, spaces, …, as Unicode has it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace highwater {

// A bit for each general category.
using Categories = uint32_t;

Categories category_of(char32_t character);

// All categories whose names begin so: "L" for letters, "Lu" for capitals.
std::optional<Categories> categories_named(std::string_view name);

// Letters, marks, digits, and what connects such.
Categories word_categories();

bool is_space(char32_t character);

}  // namespace highwater
