// The targets that read a file of any bytes.
#include <cstring>
#include <memory>

#include "base/json_value.h"
#include "blob/pte.h"
#include "fuzz/promises.h"
#include "fuzz/targets.h"
#include "highwater/file.h"
#include "highwater/tokenizer.h"
#include "runtime/constants.h"
#include "runtime/language_model.h"
#include "runtime/sampler.h"

namespace highwater::fuzz {
namespace {

// On the heap at its exact size, so that a read past the end is noticed.
class Copy {
 public:
  explicit Copy(Bytes bytes) : size_(bytes.size()), memory_(new std::byte[bytes.size()]) {
    if (size_ > 0) std::memcpy(memory_.get(), bytes.data(), size_);
  }
  Bytes bytes() const { return {memory_.get(), size_}; }
  std::string_view text() const { return {reinterpret_cast<const char*>(memory_.get()), size_}; }

 private:
  size_t size_;
  std::unique_ptr<std::byte[]> memory_;
};

// What is done with a file should depend on all of it.
uint64_t hash_of(Bytes bytes) {
  uint64_t hash = 14695981039346656037ull;
  for (std::byte b : bytes) hash = (hash ^ static_cast<uint64_t>(b)) * 1099511628211ull;
  return hash;
}

// A script of its own for a file that has none.
class ScriptOf {
 public:
  explicit ScriptOf(Bytes bytes) {
    uint64_t state = hash_of(bytes) | 1;
    for (uint64_t& word : words_) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      word = state;
    }
  }
  Script script() const { return Script(std::as_bytes(std::span(words_))); }

 private:
  uint64_t words_[32];
};

template <class Outcome>
Status in_words(const Outcome& outcome) {
  if (outcome.ok() || !outcome.error().message().empty()) return {};
  return fail("it was refused without a word");
}

Status no_constants(const std::string& key, Stretch, const UseBytes&) {
  return fail("there is no ", key);
}

size_t count_nodes(const JsonValue& value) {
  size_t count = 1;
  if (value.list()) {
    for (const JsonValue& item : *value.list()) count += count_nodes(item);
  }
  if (value.object()) {
    for (const auto& [name, item] : *value.object()) count += count_nodes(item);
  }
  (void)value.integer();
  return count;
}

}  // namespace

Status pte(Bytes bytes) {
  const Copy copy(bytes);
  const auto file = File::in_memory(copy.bytes());
  if (!file) return in_words(file);
  (void)file->methods();
  HW_CHECK(in_words(check_language_model(*file->pte())));
  ScriptOf decisions(bytes);
  Script script = decisions.script();
  for (const PteMethod& method : file->pte()->methods) {
    (void)file->runner(method.name);
    HW_CHECK(in_words(CallCheck::open(*file, method.name)));
    auto program = read_method(*file->pte(), method.name);
    if (!program) {
      HW_CHECK(in_words(program));
      continue;
    }
    if (script.one_in(4)) HW_CHECK(in_words(add_sampler(*program)));
    HW_CHECK(check_promises(*std::move(program), constants_of(file->pte()), script));
  }
  return {};
}

Status blob(Bytes bytes) {
  const Copy copy(bytes);
  auto program = read_program(copy.bytes());
  if (!program) return in_words(program);
  ScriptOf decisions(bytes);
  Script script = decisions.script();
  return check_promises(*std::move(program), no_constants, script);
}

Status tokenizer(Bytes bytes) {
  const Copy copy(bytes);
  const std::string_view all = copy.text();
  const size_t end = std::min(all.find('\0'), all.size());
  const auto parsed = Tokenizer::parse(all.substr(0, end));
  if (!parsed) return in_words(parsed);
  std::string text(all.substr(std::min(end + 1, all.size())).substr(0, 300));
  text += "And God said, Let there be light  \n\n 123 caf\xc3\xa9 it's <|x|>\xff";
  const auto tokens = parsed->encode(text);
  HW_CHECK(in_words(parsed->encode(text, true)));
  if (!tokens) return in_words(tokens);
  TextStream stream(*parsed);
  std::string streamed;
  for (int64_t token : *tokens) streamed += stream.add({&token, 1});
  streamed += stream.end();
  if (streamed != parsed->decode(*tokens)) {
    return fail("'", streamed, "' token by token is '", parsed->decode(*tokens), "' at once");
  }
  const int64_t nobodys[] = {-1, INT64_MAX, INT64_MIN, 1 << 30};
  (void)parsed->decode(nobodys);
  return {};
}

Status json(Bytes bytes) {
  const Copy copy(bytes);
  const auto value = read_json(copy.text());
  if (!value) return in_words(value);
  (void)count_nodes(*value);
  return in_words(read_signature(copy.text()));
}

}  // namespace highwater::fuzz
