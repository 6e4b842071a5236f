#include "inspect/symbols.h"

#include <algorithm>
#include <array>

namespace highwater {
namespace {

// Elements of an input that are tried one by one; a longer input is data, not a few sizes.
constexpr int64_t kMaxElements = 8;
// Where a search for the largest integer that the planner takes gives up.
constexpr int64_t kLargeInteger = int64_t{1} << 20;

using Places = std::vector<Place>;

void set_all(Probe& probe, const Places& places, int64_t number) {
  for (const Place& place : places) probe.set(place, number);
}

// Everything that the last plan decided.
std::vector<int64_t> decisions(const Probe& probe) {
  std::vector<int64_t> all;
  for (size_t n = 0; n < probe.graph().nodes.size(); ++n) {
    const Plan& plan = probe.live().plan(n);
    for (const auto& resize : plan.resizes()) {
      all.insert(all.end(), resize.dims.begin(), resize.dims.end());
    }
    for (const auto& scalar : plan.scalars()) all.push_back(scalar.number);
    for (const auto& run : plan.runs()) {
      all.insert(all.end(), {run.step, run.grid.x, run.grid.y});
      const auto params = plan.params(run);
      for (std::byte b : params) all.push_back(static_cast<int64_t>(b));
    }
  }
  return all;
}

class Finder {
 public:
  Finder(Probe& probe, std::span<const InputFacts> facts) : probe_(probe), facts_(facts) {}

  Result<std::vector<Symbol>> find() {
    list_candidates();
    HW_CHECK(settle_integers());
    find_dims();
    for (const Place& place : integers_) {
      if (!is_taken(place) && matters(place)) add_integer(place);
    }
    return std::move(symbols_);
  }

 private:
  void list_candidates() {
    const Graph& graph = probe_.graph();
    for (uint32_t i = 0; i < graph.inputs.size(); ++i) {
      const ValueInfo& value = graph.values[graph.inputs[i]];
      const InputFacts facts = i < facts_.size() ? facts_[i] : InputFacts{};
      if (value.kind != ValueInfo::Kind::Tensor) {
        const Place place{Place::Kind::Integer, i};
        if (facts.known) {
          probe_.set(place, *facts.known);
        } else {
          integers_.push_back(place);
        }
        continue;
      }
      const Dims& bound = value.tensor.dims;
      for (uint32_t d = 0; d < bound.rank(); ++d) {
        const Place place{Place::Kind::Dim, i, d};
        if (bound[d] > 1 && least(place) < bound[d]) dims_.push_back(place);
      }
      if (is_float(value.tensor.dtype) || bound.numel() > kMaxElements) continue;
      for (uint32_t e = 0; e < bound.numel(); ++e) {
        integers_.push_back({Place::Kind::Element, i, e});
      }
    }
  }

  // The smallest that a dim can be; what is empty tells little.
  int64_t least(const Place& place) const {
    const bool told = place.kind == Place::Kind::Dim && place.input < facts_.size() &&
                      place.index < facts_[place.input].least.size();
    return told ? std::max<int64_t>(facts_[place.input].least[place.index], 1) : 1;
  }

  // Most programs mean something at 0. Others are given the size of a tensor as an integer.
  Status settle_integers() {
    std::vector<int64_t> trials{0, 1};
    for (const Place& place : dims_) trials.push_back(probe_.get(place));
    Status first;
    for (size_t i = 0; i < trials.size(); ++i) {
      set_all(probe_, integers_, trials[i]);
      Status status = probe_.plan();
      if (status.ok()) return {};
      if (i == 0) first = std::move(status);
    }
    return first;
  }

  // Whether these can be smaller than they are, all by the same amount.
  bool can_shrink(const Places& places) {
    const int64_t from = probe_.get(places.front());
    bool can = false;
    // 1 would prove little: it broadcasts.
    for (const int64_t to : {from - 1, from - 2, from - 4, from - 8, from - 16, from / 2}) {
      if (to < std::min<int64_t>(2, from - 1)) continue;
      set_all(probe_, places, to);
      can = probe_.plan().ok();
      if (can) break;
    }
    set_all(probe_, places, from);
    return can;
  }

  bool is_taken(const Place& place) const {
    return std::any_of(symbols_.begin(), symbols_.end(), [&](const Symbol& s) {
      return std::find(s.places.begin(), s.places.end(), place) != s.places.end();
    });
  }

  // In the order of the inputs, so that S is the first live dim of the first input.
  void find_dims() {
    Places stuck;
    for (const Place& place : dims_) {
      if (!can_shrink({place})) stuck.push_back(place);
    }
    for (const Place& place : dims_) {
      if (is_taken(place)) continue;
      if (std::find(stuck.begin(), stuck.end(), place) == stuck.end()) {
        add_dim({place});
        continue;
      }
      for (const Places& company : companies(place, stuck)) {
        if (!can_shrink(company)) continue;
        add_dim(company);
        break;
      }
    }
  }

  // Sets of dims, and of integers that stand for dims, that may have to change together: the
  // smaller ones first.
  std::vector<Places> companies(const Place& place, const Places& stuck) {
    Places equal;
    for (const Places& some : {stuck, integers_}) {
      for (const Place& other : some) {
        if (other == place || is_taken(other)) continue;
        if (probe_.get(other) == probe_.get(place)) equal.push_back(other);
      }
    }
    std::vector<Places> sets;
    for (const Place& other : equal) sets.push_back({place, other});
    Places same_dim{place};
    for (const Place& other : equal) {
      if (other.kind == Place::Kind::Dim && other.index == place.index) same_dim.push_back(other);
    }
    sets.push_back(same_dim);
    equal.insert(equal.begin(), place);
    sets.push_back(equal);
    return sets;
  }

  bool matters(const Place& place) {
    const int64_t from = probe_.get(place);
    const auto decided = [&](int64_t number) {
      probe_.set(place, number);
      return probe_.plan().ok() ? decisions(probe_) : std::vector<int64_t>();
    };
    const auto other = decided(from + 1);
    return other != decided(from);
  }

  void add_dim(const Places& places) {
    constexpr std::array kNames = {"S", "T", "U", "V", "W", "X", "Y", "Z"};
    const int64_t bound = probe_.get(places.front());
    const size_t n = dim_names_++;
    std::string name = n < kNames.size() ? kNames[n] : text("S", n);
    int64_t smallest = 1;
    for (const Place& place : places) smallest = std::max(smallest, least(place));
    symbols_.push_back({std::move(name), places, smallest, bound, bound});
  }

  void add_integer(const Place& place) {
    constexpr std::array kNames = {"P", "Q", "R"};
    const int64_t usual = probe_.get(place);
    const size_t n = integer_names_++;
    std::string name = n < kNames.size() ? kNames[n] : text("P", n);
    symbols_.push_back({std::move(name), {place}, std::min<int64_t>(usual, 0), most(place), usual});
  }

  // The largest that the planner takes when all dims are as small as can be.
  int64_t most(const Place& place) {
    for (const Symbol& s : symbols_) {
      const bool is_dim = s.places.front().kind == Place::Kind::Dim;
      set_all(probe_, s.places, is_dim ? s.least : s.usual);
    }
    const int64_t from = probe_.get(place);
    const auto takes = [&](int64_t number) {
      probe_.set(place, number);
      return probe_.plan().ok();
    };
    int64_t good = from, bad = from + 1;
    while (bad < kLargeInteger && takes(bad)) {
      good = bad;
      bad = bad * 2 + 1;
    }
    while (bad < kLargeInteger && bad - good > 1) {
      const int64_t middle = good + (bad - good) / 2;
      (takes(middle) ? good : bad) = middle;
    }
    probe_.set(place, from);
    for (const Symbol& s : symbols_) set_all(probe_, s.places, s.usual);
    return good;
  }

  Probe& probe_;
  std::span<const InputFacts> facts_;
  Places dims_;
  Places integers_;  // and elements of tensors
  std::vector<Symbol> symbols_;
  size_t dim_names_ = 0;
  size_t integer_names_ = 0;
};

}  // namespace

Result<std::vector<Symbol>> find_symbols(Probe& probe, std::span<const InputFacts> facts) {
  return Finder(probe, facts).find();
}

}  // namespace highwater
