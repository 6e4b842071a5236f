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

std::string type_of(const JsonValue& step) {
  const std::string* type = step["type"].string();
  return type ? *type : "";
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
  } else if (const std::string* string = pattern["String"].string()) {
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

void Cutter::split(const Split& by, std::u32string_view text, Range range,
                   std::vector<Range>& out) {
  // A piece is a text of its own: nothing looks past its end.
  const std::u32string_view piece = text.substr(0, range.end);
  size_t begin = range.begin;
  const auto end_gap = [&](size_t end) {
    if (by.keeps_gaps && begin < end) out.push_back({begin, end});
  };
  for (size_t at = begin; at < range.end;) {
    const size_t length = by.pattern.match(piece.substr(at)).value_or(0);
    if (length == 0) {
      ++at;
      continue;
    }
    end_gap(at);
    if (by.keeps_matches) out.push_back({at, at + length});
    begin = at += length;
  }
  end_gap(range.end);
}

std::vector<std::string_view> Cutter::cut(std::string_view text) const {
  std::u32string characters;
  std::vector<size_t> offsets;
  characters.reserve(text.size());
  offsets.reserve(text.size() + 1);
  for (size_t at = 0; at < text.size();) {
    const Utf8Step step = utf8_step(text.substr(at));
    characters += step.character;
    offsets.push_back(at);
    at += step.length;
  }
  offsets.push_back(text.size());

  std::vector<Range> ranges{{0, characters.size()}}, finer;
  for (const Split& by : splits_) {
    finer.clear();
    for (const Range range : ranges) split(by, characters, range, finer);
    ranges.swap(finer);
  }
  std::vector<std::string_view> pieces;
  pieces.reserve(ranges.size());
  for (const auto [begin, end] : ranges) {
    if (begin < end) pieces.push_back(text.substr(offsets[begin], offsets[end] - offsets[begin]));
  }
  return pieces;
}

}  // namespace highwater
