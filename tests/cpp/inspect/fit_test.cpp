// Formulas are found exactly, or not at all.
#include "inspect/fit.h"

#include <gtest/gtest.h>

#include <functional>

namespace highwater {
namespace {

using Function = std::function<int64_t(int64_t, int64_t)>;

const std::vector<std::string> kNames{"S", "P"};

std::vector<Point> grid() {
  std::vector<Point> points;
  for (int64_t s = 1; s <= 40; ++s) {
    for (int64_t p = 0; p <= 60; p += 7) points.push_back({s, p});
  }
  return points;
}

std::string formula(const Function& f, const std::vector<Point>& points = grid()) {
  std::vector<int64_t> values;
  for (const Point& p : points) values.push_back(f(p[0], p[1]));
  return fit(kNames, points, values).value_or("?");
}

TEST(Fit, Constants) {
  EXPECT_EQ(formula([](int64_t, int64_t) { return 256; }), "256");
  EXPECT_EQ(formula([](int64_t, int64_t) { return 0; }), "0");
}

TEST(Fit, AffineForms) {
  EXPECT_EQ(formula([](int64_t s, int64_t) { return s; }), "S");
  EXPECT_EQ(formula([](int64_t s, int64_t p) { return s + p; }), "S + P");
  EXPECT_EQ(formula([](int64_t s, int64_t p) { return 3 * s - 2 * p + 7; }), "3*S - 2*P + 7");
  EXPECT_EQ(formula([](int64_t s, int64_t) { return s - 1; }), "S - 1");
  EXPECT_EQ(formula([](int64_t s, int64_t) { return 64 - s; }), "-S + 64");
}

TEST(Fit, QuotientsThatAreAlwaysWhole) {
  std::vector<Point> even;
  for (int64_t s = 2; s <= 40; s += 2) even.push_back({s, s % 5});
  EXPECT_EQ(formula([](int64_t s, int64_t) { return s / 2; }, even), "S/2");
  EXPECT_EQ(formula([](int64_t s, int64_t) { return (3 * s + 2) / 2; }, even), "(3*S + 2)/2");
}

TEST(Fit, Products) {
  EXPECT_EQ(formula([](int64_t s, int64_t p) { return s * p; }), "S*P");
  EXPECT_EQ(formula([](int64_t s, int64_t p) { return 2 * s * p + s + 4; }), "S + 2*S*P + 4");
}

TEST(Fit, Limits) {
  EXPECT_EQ(formula([](int64_t s, int64_t) { return std::min<int64_t>(s, 16); }), "min(S, 16)");
  EXPECT_EQ(formula([](int64_t s, int64_t p) { return std::min<int64_t>(s + p, 64); }),
            "min(S + P, 64)");
  EXPECT_EQ(formula([](int64_t s, int64_t) { return std::max<int64_t>(s - 2, 0); }),
            "max(S - 2, 0)");
}

TEST(Fit, RoundedQuotients) {
  EXPECT_EQ(formula([](int64_t s, int64_t) { return s / 2; }), "floor(S/2)");
  EXPECT_EQ(formula([](int64_t s, int64_t) { return (s + 3) / 4; }), "ceil(S/4)");
  EXPECT_EQ(formula([](int64_t s, int64_t) { return (s + 1) / 3; }), "floor((S + 1)/3)");
}

TEST(Fit, WhatFollowsNoFormulaHasNone) {
  EXPECT_EQ(formula([](int64_t s, int64_t) { return s * s; }), "?");
  EXPECT_EQ(formula([](int64_t s, int64_t) { return s ^ 5; }), "?");
  // Right everywhere but at one point.
  EXPECT_EQ(formula([](int64_t s, int64_t p) { return s + (s == 17 && p == 7 ? 1 : 0); }), "?");
}

TEST(Fit, TooFewPointsProveNothing) {
  EXPECT_EQ(formula([](int64_t s, int64_t) { return s; }, {{1, 0}, {2, 0}}), "?");
  EXPECT_FALSE(fit(kNames, {}, {}).has_value());
}

TEST(Fit, OneSymbol) {
  const std::vector<std::string> name{"S"};
  const std::vector<Point> points{{1}, {2}, {5}, {9}};
  EXPECT_EQ(fit(name, points, std::vector<int64_t>{2, 4, 10, 18}), "2*S");
}

TEST(Fit, LargeNumbersDoNotOverflow) {
  std::vector<Point> points;
  for (int64_t s = 1; s <= 30; ++s) points.push_back({s << 30, s * s});
  EXPECT_EQ(formula([](int64_t s, int64_t p) { return 4 * s + p; }, points), "4*S + P");
}

}  // namespace
}  // namespace highwater
