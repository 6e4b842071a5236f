#include "text/merges.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace highwater {
namespace {

constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

// "a b", or ["a", "b"] in newer files.
std::optional<std::pair<std::string_view, std::string_view>> parts_of(const JsonValue& merge) {
  if (const std::string* line = merge.string()) {
    const std::string_view all = *line;
    const size_t space = all.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    return std::pair(all.substr(0, space), all.substr(space + 1));
  }
  const JsonValue::List* list = merge.list();
  if (!list || list->size() != 2) return std::nullopt;
  const std::string *left = list->front().string(), *right = list->back().string();
  if (!left || !right) return std::nullopt;
  return std::pair<std::string_view, std::string_view>(*left, *right);
}

}  // namespace

Result<Merges> Merges::read(const JsonValue& model, const Vocabulary& vocabulary) {
  const JsonValue::List* list = model["merges"].list();
  if (!list) return fail("it has no list of merges");
  Merges merges;
  for (size_t byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    merges.byte_tokens_[byte] = vocabulary.find({&c, 1});
  }
  merges.merges_.reserve(list->size());
  for (size_t rank = 0; rank < list->size(); ++rank) {
    if (Status status = merges.add((*list)[rank], rank, vocabulary); !status) {
      return status.take_error().within(text("merge ", rank));
    }
  }
  if (const std::string* unknown = model["unk_token"].string()) {
    const auto bytes = spelled_bytes(*unknown);
    merges.unknown_ = bytes ? vocabulary.find(*bytes) : std::nullopt;
    const auto& tokens = merges.byte_tokens_;
    if (!merges.unknown_ && std::find(tokens.begin(), tokens.end(), std::nullopt) != tokens.end()) {
      return fail("it lacks some bytes, and the unknown token '", *unknown, "' as well");
    }
  }
  merges.fuses_unknown_ = model["fuse_unk"].flag() && *model["fuse_unk"].flag();
  return merges;
}

Status Merges::add(const JsonValue& merge, size_t rank, const Vocabulary& vocabulary) {
  const auto parts = parts_of(merge);
  if (!parts) return fail("it is not a pair of tokens");
  const auto find = [&](std::string_view spelling, const auto& bytes) -> Result<int32_t> {
    const auto id = bytes ? vocabulary.find(*bytes) : std::nullopt;
    if (!id) return fail("the token '", spelling, "' is not in the vocabulary");
    return *id;
  };
  const auto left = spelled_bytes(parts->first), right = spelled_bytes(parts->second);
  HW_TRY(const int32_t left_id, find(parts->first, left));
  HW_TRY(const int32_t right_id, find(parts->second, right));
  HW_TRY(const int32_t merged,
         find(text(parts->first, parts->second), std::optional(*left + *right)));
  merges_.insert_or_assign(pair(left_id, right_id), Merge{static_cast<uint32_t>(rank), merged});
  return {};
}

void Merges::begin(std::string_view piece, Work& work) const {
  work.symbols.clear();
  work.candidates.clear();
  bool after_unknown = false;
  for (const char c : piece) {
    const auto& token = byte_tokens_[static_cast<unsigned char>(c)];
    const bool add = token || (unknown_ && !(after_unknown && fuses_unknown_));
    after_unknown = !token;
    if (!add) continue;
    const auto index = static_cast<uint32_t>(work.symbols.size());
    work.symbols.push_back({token ? *token : *unknown_, index - 1, index + 1});
  }
  if (work.symbols.empty()) return;
  work.symbols.front().previous = kNone;
  work.symbols.back().next = kNone;
}

// Notes that a symbol and its neighbour can be merged, if they can.
void Merges::push(Work& work, uint32_t left) const {
  if (left == kNone || work.symbols[left].next == kNone) return;
  const uint64_t both = pair(work.symbols[left].token, work.symbols[work.symbols[left].next].token);
  const auto merge = merges_.find(both);
  if (merge == merges_.end()) return;
  work.candidates.push_back({merge->second.rank, left, both, merge->second.token});
}

void Merges::encode(std::string_view piece, Work& work, std::vector<int64_t>& out) const {
  begin(piece, work);
  auto& [symbols, heap] = work;
  if (symbols.empty()) return;
  // The first learned comes first, and among equals the leftmost.
  const auto later = [](const Work::Candidate& a, const Work::Candidate& b) {
    return std::pair(a.rank, a.left) > std::pair(b.rank, b.left);
  };
  const auto push_heap = [&](uint32_t left) {
    const size_t size = heap.size();
    push(work, left);
    if (heap.size() > size) std::push_heap(heap.begin(), heap.end(), later);
  };
  for (uint32_t i = 0; i < symbols.size(); ++i) push(work, i);
  std::make_heap(heap.begin(), heap.end(), later);
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end(), later);
    const Work::Candidate best = heap.back();
    heap.pop_back();
    Work::Symbol& left = symbols[best.left];
    // The pair may be gone: one of the two was merged with its other neighbour.
    if (left.next == kNone || pair(left.token, symbols[left.next].token) != best.pair) continue;
    Work::Symbol& right = symbols[left.next];
    left.token = best.token;
    left.next = right.next;
    right = {-1, kNone, kNone};
    if (left.next != kNone) symbols[left.next].previous = best.left;
    push_heap(left.previous);
    push_heap(best.left);
  }
  for (uint32_t i = 0; i != kNone; i = symbols[i].next) out.push_back(symbols[i].token);
}

}  // namespace highwater
