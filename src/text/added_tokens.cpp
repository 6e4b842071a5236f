#include "text/added_tokens.h"

#include <algorithm>

#include "base/utf8.h"
#include "text/characters.h"
#include "text/vocabulary.h"

namespace highwater {
namespace {

// The last character of a text that is not empty; a byte, if it is not UTF-8.
std::string_view last_character(std::string_view text) {
  for (size_t length = 1; length <= 4 && length <= text.size(); ++length) {
    const std::string_view end = text.substr(text.size() - length);
    const Utf8Step step = utf8_step(end);
    if (step.kind == Utf8Step::Whole && step.length == length) return end;
  }
  return text.substr(text.size() - 1);
}

std::string_view first_character(std::string_view text) {
  return text.substr(0, utf8_step(text).length);
}

bool is_whole(std::string_view character) {
  return utf8_step(character).kind == Utf8Step::Whole;
}

size_t spaces_before(std::string_view text) {
  size_t size = text.size();
  while (size > 0) {
    const std::string_view last = last_character(text.substr(0, size));
    if (!is_whole(last) || !is_space(last)) break;
    size -= last.size();
  }
  return text.size() - size;
}

size_t spaces_after(std::string_view text) {
  size_t count = 0;
  while (count < text.size()) {
    const std::string_view first = first_character(text.substr(count));
    if (!is_whole(first) || !is_space(first)) break;
    count += first.size();
  }
  return count;
}

bool is_between_words(std::string_view before, std::string_view after) {
  const auto goes_on = [](std::string_view c) { return is_whole(c) && is_of_word(c); };
  return (before.empty() || !goes_on(last_character(before))) &&
         (after.empty() || !goes_on(first_character(after)));
}

}  // namespace

Result<AddedTokens> AddedTokens::read(const JsonValue& list) {
  AddedTokens added;
  if (list.is_null()) return added;
  if (!list.list()) return fail("its added tokens are not a list");
  for (const JsonValue& item : *list.list()) {
    const std::string* text = item["content"].string();
    if (!text || text->empty()) return fail("one of its added tokens has no content");
    const auto is_set = [&](std::string_view name) {
      const bool* flag = item[name].flag();
      return flag && *flag;
    };
    HW_TRY(const int32_t id, read_token_id(item["id"], *text));
    const auto [entry, fresh] =
        added.tokens_.emplace(id, AddedToken{id, *text, is_set("special"), is_set("single_word"),
                                             is_set("lstrip"), is_set("rstrip")});
    if (!fresh) return fail("two added tokens have the id ", id, "; one is '", *text, "'");
    const auto first = static_cast<unsigned char>(text->front());
    added.turns_[is_set("normalized")][first].push_back(&entry->second);
  }
  for (ByFirst& turn : added.turns_) {
    for (auto& tokens : turn) {
      std::stable_sort(tokens.begin(), tokens.end(), [](const auto* a, const auto* b) {
        return a->text.size() > b->text.size();
      });
    }
  }
  return added;
}

const AddedToken* AddedTokens::find(int64_t id) const {
  const auto found = tokens_.find(id);
  return found == tokens_.end() ? nullptr : &found->second;
}

std::vector<AddedTokens::Part> AddedTokens::split(std::string_view text) const {
  std::vector<Part> parts{{text}}, finer;
  for (const ByFirst& turn : turns_) {
    finer.clear();
    for (const Part& part : parts) {
      if (part.token) {
        finer.push_back(part);
      } else {
        split_by(turn, part.text, finer);
      }
    }
    parts.swap(finer);
  }
  return parts;
}

void AddedTokens::split_by(const ByFirst& tokens, std::string_view text, std::vector<Part>& out) {
  size_t begin = 0;  // of what is in no part yet
  for (size_t at = 0; at < text.size();) {
    const AddedToken* found = nullptr;
    for (const AddedToken* token : tokens[static_cast<unsigned char>(text[at])]) {
      if (!text.substr(at).starts_with(token->text)) continue;
      found = token;
      break;
    }
    if (!found) {
      ++at;
      continue;
    }
    const std::string_view before = text.substr(begin, at - begin);
    const std::string_view after = text.substr(at + found->text.size());
    const std::string_view all_before = text.substr(0, at);
    at += found->text.size();
    if (found->single_word && !is_between_words(all_before, after)) continue;
    const size_t left = found->strips_left ? spaces_before(before) : 0;
    const size_t right = found->strips_right ? spaces_after(after) : 0;
    if (left < before.size()) out.push_back({before.substr(0, before.size() - left)});
    out.push_back({found->text, found});
    begin = at += right;
  }
  if (begin < text.size()) out.push_back({text.substr(begin)});
}

}  // namespace highwater
