// Which kernel suits how many live rows.
#include "ops/routes.h"

#include <gtest/gtest.h>

namespace highwater {
namespace {

struct Route {
  int64_t from_rows;
  char name;
};

TEST(Routes, EachServesFromItsRowsOn) {
  const Routes<Route> routes{{1, 'a'}, {2, 'b'}, {9, 'c'}};
  const std::pair<int64_t, char> wanted[] = {{1, 'a'}, {2, 'b'}, {3, 'b'},
                                             {8, 'b'}, {9, 'c'}, {1'000'000, 'c'}};
  for (const auto& [rows, name] : wanted) EXPECT_EQ(routes.at(rows).name, name) << rows;
}

TEST(Routes, TheFirstServesAnyFewer) {
  const Routes<Route> routes{{4, 'a'}, {8, 'b'}};
  EXPECT_EQ(routes.at(0).name, 'a');
  EXPECT_EQ(routes.at(3).name, 'a');
}

TEST(Routes, OfTwoFromTheSameRowsOnTheLaterIsTaken) {
  const Routes<Route> routes{{1, 'a'}, {5, 'b'}, {5, 'c'}};
  EXPECT_EQ(routes.at(4).name, 'a');
  EXPECT_EQ(routes.at(5).name, 'c');
}

TEST(Routes, AreDeclaredOneByOne) {
  constexpr Route table[] = {{1, 'a'}, {2, 'b'}};
  Routes<Route> routes{std::span<const Route>(table)};
  for (Route& route : routes) route.name = static_cast<char>(route.name + 1);
  EXPECT_EQ(routes.at(1).name, 'b');
  EXPECT_EQ(routes.at(2).name, 'c');
}

}  // namespace
}  // namespace highwater
