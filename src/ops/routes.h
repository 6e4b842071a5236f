// Which of several kernels suits the live number of rows.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace highwater {

// Routes in ascending order of `from_rows`, a member of each: from how many live rows on it is the
// best. The first serves any fewer. All are declared at load; a plan picks one.
template <class Route>
class Routes {
 public:
  Routes() = default;
  Routes(std::initializer_list<Route> routes) : routes_(routes) {}
  explicit Routes(std::span<const Route> routes) : routes_(routes.begin(), routes.end()) {}

  const Route& at(int64_t rows) const {
    size_t best = 0;
    while (best + 1 < routes_.size() && rows >= routes_[best + 1].from_rows) ++best;
    return routes_[best];
  }

  const Route& back() const { return routes_.back(); }

  auto begin() { return routes_.begin(); }
  auto end() { return routes_.end(); }
  auto begin() const { return routes_.begin(); }
  auto end() const { return routes_.end(); }

 private:
  std::vector<Route> routes_;
};

}  // namespace highwater
