// The language of a tokenizer's patterns. Files are written for Oniguruma, which Hugging Face's
// package matches with, and PCRE2 reads some of it otherwise: \s, \w, \p{Han}, {,3}, [a[b]], …
//
//   a|b   ab   a?  a*  a+  a{2,3}  {2,}  {,3}   a?? a*? a+?, the least   a?+ a*+ a++, which give
//   nothing back   [a-z\s\p{L}]  [^…]   . ^ $   \s \d \w \p{Lu} \p{Han} \S …   \r \n \t \f \v \x41
//   \x{41} \u0041   (…)  (?:…)  (?i:…)  (?-i:…)  (?>…)  (?=…)  (?!…)  (?<=…)  (?<!…)
#pragma once

#include <string>
#include <string_view>

#include "highwater/result.h"

namespace highwater {

// The same pattern for PCRE2. An error names what is not in the list above.
Result<std::string> to_pcre2(std::string_view pattern);

}  // namespace highwater
