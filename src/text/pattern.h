// The patterns by which tokenizers cut text: regular expressions, matched by PCRE2.
//
// They come with files, and so neither a pattern nor a text may take all time or memory: what
// takes too much is an error.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "highwater/result.h"

struct pcre2_real_code_8;
struct pcre2_real_match_data_8;

namespace highwater {

class Pattern {
 public:
  // Of a pattern as tokenizer.json files have it; see pattern_syntax.h.
  static Result<Pattern> parse(std::string_view text);

 private:
  friend class Matcher;
  struct Free {
    void operator()(pcre2_real_code_8* code) const;
  };
  std::unique_ptr<pcre2_real_code_8, Free> code_;
  std::string shown_;  // in messages
};

// Matches a pattern, at one place after another. It holds the memory for that, and so each thread
// has its own.
class Matcher {
 public:
  // A text of `size` bytes, or all pieces of it together, must be done in a time that follows from
  // its size.
  Matcher(const Pattern& pattern, size_t size);

  // Where the match ends that begins at `at`; none if there is no such match. `text` is UTF-8.
  Result<std::optional<size_t>> match(std::string_view text, size_t at);

 private:
  struct Free {
    void operator()(pcre2_real_match_data_8* data) const;
  };
  Status check_time(std::string_view text);

  const Pattern& pattern_;
  std::unique_ptr<pcre2_real_match_data_8, Free> data_;
  size_t places_ = 0;
  std::chrono::steady_clock::time_point latest_;
};

}  // namespace highwater
