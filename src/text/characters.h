// What a character is for those who look at single ones.
#pragma once

#include <string_view>

namespace highwater {

// Of one character in UTF-8.
bool is_space(std::string_view character);
// A letter, a mark, a digit, or what connects such.
bool is_of_word(std::string_view character);

}  // namespace highwater
