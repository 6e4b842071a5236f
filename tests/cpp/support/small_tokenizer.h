// A tokenizer by hand, small enough to follow what it does.
#pragma once

#include <string>
#include <string_view>

namespace highwater {

// Words with the space before them, and spaces; "Ġ" is a space, "Ã©" is é in two bytes. The merges
// are spelled in both ways.
inline constexpr std::string_view kSmallTokenizer = R"json({
  "version": "1.0",
  "added_tokens": [
    {"id": 20, "content": "<end>", "special": true, "normalized": false},
    {"id": 21, "content": "<end>!", "special": false, "normalized": false},
    {"id": 22, "content": "<say>", "special": false, "lstrip": true, "rstrip": true}
  ],
  "normalizer": null,
  "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
    {"type": "Split", "pattern": {"Regex": " ?[a-z]+|\\s+"}, "behavior": "Isolated", "invert": false},
    {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}
  ]},
  "post_processor": {"type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "<end>", "type_id": 0}}, {"Sequence": {"id": "A"}}],
    "special_tokens": {"<end>": {"id": "<end>", "ids": [20], "tokens": ["<end>"]}}},
  "decoder": {"type": "ByteLevel"},
  "model": {
    "type": "BPE",
    "dropout": null,
    "byte_fallback": false,
    "ignore_merges": false,
    "vocab": {"a": 0, "b": 1, "c": 2, "\u0120": 3, "Ã": 4, "©": 5, "ab": 6, "bc": 7, "\u0120a": 8,
              "abc": 9, "\u0120ab": 10, "Ã©": 11, "\u0120\u0120": 12, "<end>": 20},
    "merges": ["b c", ["a", "b"], ["\u0120", "a"], "a bc", "\u0120a b", "Ã ©", "\u0120 \u0120"]
  }
})json";

// The same with the first `old` in it replaced.
inline std::string small_tokenizer_with(std::string_view old, std::string_view now) {
  std::string json(kSmallTokenizer);
  return json.replace(json.find(old), old.size(), now);
}

}  // namespace highwater
