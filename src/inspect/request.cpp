#include "inspect/request.h"

#include <algorithm>
#include <charconv>

namespace highwater {
namespace {

bool is_called(const Symbol& symbol, std::string_view name) {
  if (symbol.name == name) return true;
  return std::any_of(symbol.places.begin(), symbol.places.end(), [&](const Place& place) {
    return text(place.input, ".", place.index) == name;
  });
}

std::string list_of(std::span<const Symbol> symbols) {
  std::string list;
  for (const Symbol& s : symbols) {
    append(list, text(list.empty() ? "" : ", ", s.name, " (", describe(s.places.front()), ")"));
  }
  return list.empty() ? "nothing: all its shapes are fixed" : list;
}

}  // namespace

std::string describe(const Place& place) {
  switch (place.kind) {
    case Place::Kind::Dim:
      return text("dim ", place.index, " of input ", place.input);
    case Place::Kind::Element:
      return text("element ", place.index, " of input ", place.input);
    case Place::Kind::Integer:
      break;
  }
  return text("input ", place.input);
}

Result<Point> read_point(std::string_view wanted, std::span<const Symbol> symbols) {
  Point point;
  for (const Symbol& s : symbols) point.push_back(s.usual);
  while (!wanted.empty()) {
    const size_t comma = std::min(wanted.find(','), wanted.size());
    const std::string_view setting = wanted.substr(0, comma);
    wanted.remove_prefix(std::min(comma + 1, wanted.size()));
    const size_t equals = std::min(setting.find('='), setting.size());
    const std::string_view name = setting.substr(0, equals);
    const std::string_view digits = setting.substr(std::min(equals + 1, setting.size()));
    int64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) {
      return fail("'", setting, "' is no shape; write it as in S=37");
    }
    const auto found = std::find_if(symbols.begin(), symbols.end(),
                                    [&](const Symbol& s) { return is_called(s, name); });
    if (found == symbols.end()) {
      return fail("nothing live is called '", name, "'; what is live is ", list_of(symbols));
    }
    point[static_cast<size_t>(found - symbols.begin())] = number;
  }
  return point;
}

}  // namespace highwater
