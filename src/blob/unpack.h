// What is taken out of a flatbuffer, and how much of it there may be.
//
// Names and lists can be shared within a flatbuffer, so that a few kilobytes could describe any
// number of gigabytes. Everything that is copied out of one goes through an Unpacker, which stops
// where that would be far more than the file holds.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "highwater/result.h"

namespace highwater {

class Unpacker {
 public:
  explicit Unpacker(uint64_t packed_bytes) : left_(kMost * packed_bytes + kAlways) {}

  // A name, or another text for people. Whatever prints it may do so as it is: it must be UTF-8
  // without control characters, of which terminals obey some. An absent one is empty.
  Result<std::string> name(const flatbuffers::String* string);

  // Content, of which nothing is demanded.
  Result<std::string> text(const flatbuffers::String* string);

  // An absent list is empty. A list's elements need not be aligned; the verifier does not look.
  template <class T, class Stored>
  Result<std::vector<T>> list(const flatbuffers::Vector<Stored>* stored) {
    static_assert(std::is_arithmetic_v<Stored>);
    std::vector<T> items;
    if (!stored) return items;
    HW_CHECK(take(uint64_t{stored->size()} * sizeof(Stored)));
    items.reserve(stored->size());
    for (uint32_t i = 0; i < stored->size(); ++i) {
      Stored item;
      std::memcpy(&item, stored->Data() + uint64_t{i} * sizeof(Stored), sizeof item);
      items.push_back(static_cast<T>(item));
    }
    return items;
  }

  // Calls use(index, item) for each table of a list, which may be absent, until one fails.
  template <class Table, class Use>
  Status each(const flatbuffers::Vector<flatbuffers::Offset<Table>>* tables, const Use& use) {
    if (!tables) return {};
    HW_CHECK(take(uint64_t{tables->size()} * sizeof(flatbuffers::uoffset_t)));
    for (uint32_t i = 0; i < tables->size(); ++i) HW_CHECK(use(i, *tables->Get(i)));
    return {};
  }

  // What is copied in another way is counted by itself.
  Status take(uint64_t bytes);

 private:
  // Exporters share little. What they write is never as many times as large as its file.
  static constexpr uint64_t kMost = 8, kAlways = uint64_t{1} << 20;

  uint64_t left_;
};

}  // namespace highwater
