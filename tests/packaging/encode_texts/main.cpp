// What the tokenizer in C++ makes of texts, for a test to compare.
//
//   encode_texts tokenizer.json <texts, each with a NUL after it
//
// Says of each text its tokens, what they decode to, and the same from a stream of single tokens;
// with a NUL after each.
#include <highwater/tokenizer.h>

#include <cstdio>
#include <iostream>
#include <string>

int main(int, char** argv) {
  const auto tokenizer = highwater::Tokenizer::open(argv[1]);
  if (!tokenizer) {
    std::fprintf(stderr, "%s\n", tokenizer.error().message().c_str());
    return 1;
  }
  for (std::string text; std::getline(std::cin, text, '\0');) {
    const auto encoded = tokenizer->encode(text);
    if (!encoded) {
      std::fprintf(stderr, "%s\n", encoded.error().message().c_str());
      return 1;
    }
    const std::vector<int64_t>& tokens = *encoded;
    highwater::TextStream stream(*tokenizer);
    std::string streamed;
    for (const int64_t& token : tokens) {
      std::cout << token << ' ';
      streamed += stream.add({&token, 1});
    }
    streamed += stream.end();
    std::cout << '\0' << tokenizer->decode(tokens) << '\0' << streamed << '\0';
  }
}
