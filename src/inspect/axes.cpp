#include "inspect/axes.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

namespace highwater {
namespace {

// How many positions an axis may have if it is the first, the second, … of the program. All of them
// together are a grid, whose every point is planned.
constexpr size_t kPositions[] = {160, 24, 6, 3};

// A range of so many numbers is walked one by one; in a longer one borders are found by bisection
// between so many places.
constexpr int64_t kWalked = 512;

// The kernels that run at a point, or nothing where it is refused.
using Route = std::optional<std::vector<uint32_t>>;

class Scout {
 public:
  Scout(Probe& probe, std::span<const Symbol> symbols) : probe_(probe), symbols_(symbols) {}

  Axis axis(size_t symbol) {
    const Symbol& s = symbols_[symbol];
    std::set<int64_t> borders;
    for (const Point& others : surroundings(symbol)) find_borders(others, symbol, borders);
    Axis axis;
    axis.borders.assign(borders.begin(), borders.end());
    axis.positions = positions(s, axis.borders, symbol);
    std::erase_if(axis.positions, [&](int64_t at) { return !is_taken_somewhere(symbol, at); });
    return axis;
  }

 private:
  // Where the other symbols may stand while one moves: where they usually are, and each of them at
  // its ends.
  std::vector<Point> surroundings(size_t symbol) const {
    Point usual;
    for (const Symbol& s : symbols_) usual.push_back(s.usual);
    std::vector<Point> all{usual};
    for (size_t i = 0; i < symbols_.size(); ++i) {
      if (i == symbol) continue;
      for (const int64_t end : {symbols_[i].least, symbols_[i].most}) {
        if (end == symbols_[i].usual) continue;
        all.push_back(usual);
        all.back()[i] = end;
      }
    }
    return all;
  }

  // Some dims must be even, or a multiple of something.
  bool is_taken_somewhere(size_t symbol, int64_t position) {
    for (Point point : surroundings(symbol)) {
      if (route(point, symbol, position)) return true;
    }
    return false;
  }

  Route route(Point& point, size_t symbol, int64_t position) {
    point[symbol] = position;
    if (!probe_.plan_at(symbols_, point).ok()) return std::nullopt;
    std::vector<uint32_t> steps;
    for (size_t n = 0; n < probe_.graph().nodes.size(); ++n) {
      for (const Plan::Run& run : probe_.live().plan(n).runs()) steps.push_back(run.step);
    }
    return steps;
  }

  void find_borders(Point point, size_t symbol, std::set<int64_t>& borders) {
    const int64_t least = symbols_[symbol].least, most = symbols_[symbol].most;
    const int64_t stride = std::max<int64_t>((most - least) / kWalked, 1);
    Route here = route(point, symbol, least);
    for (int64_t at = least; at < most;) {
      const int64_t next = std::min(at + stride, most);
      Route there = route(point, symbol, next);
      // A limit of the program is no border between routes.
      if (here && there && *here != *there) borders.insert(bisect(point, symbol, at, next, *here));
      here = std::move(there);
      at = next;
    }
  }

  int64_t bisect(Point& point, size_t symbol, int64_t same, int64_t other,
                 const std::vector<uint32_t>& steps) {
    while (other - same > 1) {
      const int64_t middle = same + (other - same) / 2;
      (route(point, symbol, middle) == Route(steps) ? same : other) = middle;
    }
    return other;
  }

  static std::vector<int64_t> positions(const Symbol& s, const std::vector<int64_t>& borders,
                                        size_t symbol) {
    const int64_t range = s.most - s.least + 1;
    if (symbol >= std::size(kPositions)) return {s.usual};
    const auto limit = static_cast<int64_t>(kPositions[symbol]);
    std::set<int64_t> chosen{s.least, s.usual, s.most};
    const auto add = [&](int64_t at) {
      if (at < s.least || at > s.most) return;
      if (range <= limit || static_cast<int64_t>(chosen.size()) < limit) chosen.insert(at);
    };
    for (const int64_t border : borders) {
      add(border - 1);
      add(border);
    }
    if (range <= limit) {
      for (int64_t at = s.least; at <= s.most; ++at) add(at);
      return {chosen.begin(), chosen.end()};
    }
    for (int64_t power = 1; power <= s.most; power *= 2) add(power);
    // Halves, quarters, eighths, …: evenly spread wherever it ends.
    for (int64_t parts = 2; static_cast<int64_t>(chosen.size()) < limit && parts < range * 2;
         parts *= 2) {
      for (int64_t part = 1; part < parts; part += 2) add(s.least + (range - 1) * part / parts);
    }
    return {chosen.begin(), chosen.end()};
  }

  Probe& probe_;
  std::span<const Symbol> symbols_;
};

}  // namespace

std::vector<Axis> choose_axes(Probe& probe, std::span<const Symbol> symbols) {
  Scout scout(probe, symbols);
  std::vector<Axis> axes;
  for (size_t i = 0; i < symbols.size(); ++i) axes.push_back(scout.axis(i));
  return axes;
}

}  // namespace highwater
