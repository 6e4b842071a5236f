// A program called at any live shapes with no device and no data: only planned. All that is said
// of shapes here comes from Live::update, which is what plans a run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "graph/live.h"
#include "inspect/fit.h"

namespace highwater {

// Something about the inputs that may differ from call to call.
struct Place {
  enum class Kind : uint8_t { Dim, Element, Integer };
  Kind kind;
  uint32_t input;
  uint32_t index = 0;  // of the dim, or of the element

  bool operator==(const Place&) const = default;
};

// A name for it. Dims that only ever change together have one name.
struct Symbol {
  std::string name;
  std::vector<Place> places;
  int64_t least = 0;
  int64_t most = 0;
  int64_t usual = 0;  // a dim's bound; for others a number that every shape goes with
};

class Probe {
 public:
  // At the bounds, with zeros for what integers there are.
  explicit Probe(const Graph& graph);

  void set(const Place& place, int64_t number);
  int64_t get(const Place& place) const;
  Status plan() { return live_.update(inputs_); }

  // Sets all places of the symbols, and plans.
  Status plan_at(std::span<const Symbol> symbols, const Point& point);

  const Graph& graph() const { return graph_; }
  const Live& live() const { return live_; }

 private:
  const Graph& graph_;
  Live live_;
  std::vector<Input> inputs_;
  std::vector<std::vector<int64_t>> elements_;  // of inputs that hold integers
};

}  // namespace highwater
