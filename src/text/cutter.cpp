#include "text/cutter.h"

#include <string>

#include "base/utf8.h"

namespace highwater {
namespace {

// What "use_regex" means: the pattern of GPT-2.
constexpr std::string_view kWords =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

bool is_set(const JsonValue& flag, bool otherwise) {
  return flag.flag() ? *flag.flag() : otherwise;
}

std::string literally(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    if (std::string_view(R"(\|()[]{}?*+.^$)").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

}  // namespace

std::string type_of(const JsonValue& part) {
  const std::string* type = part["type"].string();
  return type ? *type : "";
}

Result<Cutter> Cutter::read(const JsonValue& description) {
  Cutter cutter;
  if (type_of(description) == "Sequence") {
    const JsonValue::List* steps = description["pretokenizers"].list();
    if (!steps) return fail("its pre-tokenizer is a sequence of nothing");
    for (const JsonValue& step : *steps) HW_CHECK(cutter.add_step(step));
  } else if (!description.is_null()) {
    HW_CHECK(cutter.add_step(description));
  }
  if (!cutter.ends_in_bytes_) {
    return fail("its pre-tokenizer does not end with ByteLevel: only byte-level ones are read");
  }
  return cutter;
}

Status Cutter::add_step(const JsonValue& step) {
  const std::string type = type_of(step);
  if (ends_in_bytes_) return fail("its pre-tokenizer has a step after ByteLevel: '", type, "'");
  if (type == "Split") return add_split(step);
  if (type == "Digits") {
    return add_pattern(is_set(step["individual_digits"], false) ? R"(\p{N})" : R"(\p{N}+)");
  }
  if (type != "ByteLevel") {
    return fail("its pre-tokenizer is of the kind '", type, "': only byte-level ones are read");
  }
  ends_in_bytes_ = true;
  adds_space_ = is_set(step["add_prefix_space"], true);
  if (adds_space_ && !splits_.empty()) {
    return fail("its pre-tokenizer puts a space before every piece, which is not supported");
  }
  return is_set(step["use_regex"], true) ? add_pattern(kWords) : Status();
}

Status Cutter::add_split(const JsonValue& step) {
  const JsonValue& pattern = step["pattern"];
  const std::string* behavior = step["behavior"].string();
  if (const std::string* regex = pattern["Regex"].string()) {
    HW_CHECK(add_pattern(*regex));
  } else if (const std::string* string = pattern["String"].string(); string && !string->empty()) {
    HW_CHECK(add_pattern(literally(*string)));
  } else {
    return fail("its pre-tokenizer splits by no pattern");
  }
  if (behavior && *behavior == "Removed") {
    const bool inverted = is_set(step["invert"], false);
    splits_.back().keeps_matches = inverted;
    splits_.back().keeps_gaps = !inverted;
  } else if (!behavior || *behavior != "Isolated") {
    return fail("its pre-tokenizer splits with the behavior '", behavior ? *behavior : "",
                "': only Isolated and Removed are supported");
  }
  return {};
}

Status Cutter::add_pattern(std::string_view pattern) {
  HW_TRY(Pattern parsed, Pattern::parse(pattern));
  splits_.push_back({std::move(parsed)});
  return {};
}

// Empty matches cut as well, but not where another match has ended.
Status Cutter::split(const Split& by, std::string_view text, Matcher& matcher, Pieces& out) {
  size_t begin = 0;  // of what is in no piece yet
  std::optional<size_t> last_end;
  for (size_t at = 0; at <= text.size();) {
    HW_TRY(const std::optional<size_t> end, matcher.match(text, at));
    if (!end || (*end == at && last_end == at)) {
      at += at < text.size() ? utf8_step(text.substr(at)).length : 1;
      continue;
    }
    if (by.keeps_gaps && begin < at) out.push_back(text.substr(begin, at - begin));
    if (by.keeps_matches && at < *end) out.push_back(text.substr(at, *end - at));
    last_end = begin = at = *end;
  }
  if (by.keeps_gaps && begin < text.size()) out.push_back(text.substr(begin));
  return {};
}

Status Cutter::cut_characters(std::string_view text, Pieces& out) const {
  Pieces pieces{text}, finer;
  for (const Split& by : splits_) {
    finer.clear();
    Matcher matcher(by.pattern, text.size());
    // A piece is a text of its own: nothing looks past its ends.
    for (const std::string_view piece : pieces) HW_CHECK(split(by, piece, matcher, finer));
    pieces.swap(finer);
  }
  out.insert(out.end(), pieces.begin(), pieces.end());
  return {};
}

Result<Cutter::Pieces> Cutter::cut(std::string_view text) const {
  Pieces pieces;
  while (!text.empty()) {
    const size_t characters = utf8_whole(text);
    if (characters > 0) HW_CHECK(cut_characters(text.substr(0, characters), pieces));
    text.remove_prefix(characters);
    if (text.empty()) break;
    const size_t bad = utf8_step(text).length;
    pieces.push_back(text.substr(0, bad));
    text.remove_prefix(bad);
  }
  return pieces;
}

}  // namespace highwater
