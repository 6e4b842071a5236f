#include "inspect/fit.h"

#include <algorithm>
#include <bit>

#include "highwater/text.h"

namespace highwater {
namespace {

// Sums of products of dims.
__extension__ using Wide = __int128;

// Of how many symbols products are tried.
constexpr size_t kMaxFactors = 4;

struct Fraction {
  Wide above = 0;
  Wide below = 1;

  static Fraction of(Wide above, Wide below) {
    Wide a = above < 0 ? -above : above;
    for (Wide b = below < 0 ? -below : below; b != 0;) {
      const Wide rest = a % b;
      a = b;
      b = rest;
    }
    if (a == 0) return {0, 1};
    if (below < 0) a = -a;
    return {above / a, below / a};
  }
  bool is_zero() const { return above == 0; }
  Fraction minus_product(const Fraction& x, const Fraction& y) const {
    const Fraction p = of(x.above * y.above, x.below * y.below);
    return of(above * p.below - p.above * below, below * p.below);
  }
  Fraction over(const Fraction& x) const { return of(above * x.below, below * x.above); }
};

// The numbers that a formula adds up, each times a coefficient: 1, the symbols, and their products.
class Basis {
 public:
  Basis(size_t symbols, bool products) : symbols_(symbols) {
    terms_.push_back(0);
    for (size_t i = 0; i < symbols; ++i) terms_.push_back(1u << i);
    for (unsigned term = 1; products && term < 1u << symbols; ++term) {
      if (!std::has_single_bit(term)) terms_.push_back(term);
    }
  }

  size_t size() const { return terms_.size(); }

  // An equation: the terms at a point, and what they should add up to.
  std::vector<Fraction> row(const Point& point, int64_t value) const {
    std::vector<Fraction> row;
    for (const unsigned term : terms_) {
      Wide product = 1;
      for (size_t i = 0; i < symbols_; ++i) product *= term >> i & 1 ? point[i] : 1;
      row.push_back({product, 1});
    }
    row.push_back({value, 1});
    return row;
  }

  std::vector<std::string> names(std::span<const std::string> symbols) const {
    std::vector<std::string> names;
    for (const unsigned term : terms_) {
      std::string& name = names.emplace_back();
      for (size_t i = 0; i < symbols_; ++i) {
        if (term >> i & 1) append(name, text(name.empty() ? "" : "*", symbols[i]));
      }
    }
    return names;
  }

 private:
  size_t symbols_;
  std::vector<unsigned> terms_;  // a bit for each symbol that is a factor
};

// Linear equations, taken one after the other into echelon form. Coefficients are exact, so that
// one equation that does not agree is enough to say no.
class Equations {
 public:
  explicit Equations(size_t unknowns) : unknowns_(unknowns), rows_(unknowns) {}

  // False if it contradicts those before it.
  bool take(std::vector<Fraction> row) {
    for (size_t i = 0; i < unknowns_; ++i) {
      if (row[i].is_zero()) continue;
      if (rows_[i].empty()) {
        const Fraction lead = row[i];
        for (Fraction& f : row) f = f.over(lead);
        rows_[i] = std::move(row);
        return true;
      }
      const Fraction lead = row[i];
      for (size_t k = i; k <= unknowns_; ++k) row[k] = row[k].minus_product(lead, rows_[i][k]);
    }
    return row[unknowns_].is_zero();
  }

  // What was left open is 0.
  std::vector<Fraction> solve() const {
    std::vector<Fraction> x(unknowns_);
    for (size_t i = unknowns_; i-- > 0;) {
      if (rows_[i].empty()) continue;
      x[i] = rows_[i][unknowns_];
      for (size_t k = i + 1; k < unknowns_; ++k) x[i] = x[i].minus_product(rows_[i][k], x[k]);
    }
    return x;
  }

 private:
  size_t unknowns_;
  std::vector<std::vector<Fraction>> rows_;  // row i begins with a 1 at i
};

struct Samples {
  std::span<const std::string> symbols;
  std::span<const Point> points;
  std::span<const int64_t> values;
};

// A sum of terms over one divisor; the constant comes last, as people write it.
struct Formula {
  std::vector<Wide> factors;
  Wide divisor = 1;

  explicit Formula(const std::vector<Fraction>& coefficients) {
    for (const Fraction& f : coefficients) divisor = divisor / gcd(divisor, f.below) * f.below;
    for (const Fraction& f : coefficients) factors.push_back(f.above * (divisor / f.below));
  }

  Wide above(const std::vector<Fraction>& row) const {
    Wide sum = 0;
    for (size_t i = 0; i < factors.size(); ++i) sum += factors[i] * row[i].above;
    return sum;
  }

  std::string text_of(const std::vector<std::string>& names) const {
    std::string sum;
    size_t terms = 0;
    for (size_t k = 1; k <= factors.size(); ++k) {
      const size_t i = k % factors.size();
      const auto factor = static_cast<int64_t>(factors[i]);
      if (factor == 0) continue;
      const int64_t size = factor < 0 ? -factor : factor;
      append(sum, terms++ == 0 ? (factor < 0 ? "-" : "") : (factor < 0 ? " - " : " + "));
      if (names[i].empty()) {
        append(sum, size);
      } else {
        append(sum, size == 1 ? names[i] : text(size, "*", names[i]));
      }
    }
    if (terms == 0) return "0";
    if (divisor == 1) return sum;
    return text(terms == 1 ? sum : text("(", sum, ")"), "/", static_cast<int64_t>(divisor));
  }

 private:
  static Wide gcd(Wide a, Wide b) { return b == 0 ? a : gcd(b, a % b); }
};

std::optional<Formula> solve(const Samples& s, const Basis& basis, const auto& is_used) {
  Equations equations(basis.size());
  size_t used = 0;
  for (size_t i = 0; i < s.points.size(); ++i) {
    if (!is_used(s.values[i])) continue;
    if (!equations.take(basis.row(s.points[i], s.values[i]))) return std::nullopt;
    ++used;
  }
  // As many points as unknowns have some formula whatever they are.
  if (used <= basis.size()) return std::nullopt;
  return Formula(equations.solve());
}

std::optional<std::string> fit_sum(const Samples& s, bool products) {
  if (products && s.symbols.size() > kMaxFactors) return std::nullopt;
  const Basis basis(s.symbols.size(), products);
  const auto formula = solve(s, basis, [](int64_t) { return true; });
  if (!formula) return std::nullopt;
  return formula->text_of(basis.names(s.symbols));
}

// What does not reach the limit follows the formula; the formula must not stay below it elsewhere.
std::optional<std::string> fit_limited(const Samples& s, std::string_view word, int64_t limit) {
  const Basis basis(s.symbols.size(), false);
  const auto formula = solve(s, basis, [&](int64_t value) { return value != limit; });
  if (!formula) return std::nullopt;
  for (size_t i = 0; i < s.points.size(); ++i) {
    const Wide above = formula->above(basis.row(s.points[i], 0));
    const Wide bar = Wide{limit} * formula->divisor;
    if (s.values[i] == limit && (word == "min" ? above < bar : above > bar)) return std::nullopt;
  }
  return text(word, "(", formula->text_of(basis.names(s.symbols)), ", ", limit, ")");
}

// floor((symbol + shift) / divisor), which is ceil where the shift is divisor - 1.
std::optional<std::string> fit_rounded(const Samples& s) {
  constexpr int64_t kMaxDivisor = 64;
  const auto fits = [&](size_t symbol, int64_t shift, int64_t divisor) {
    for (size_t i = 0; i < s.points.size(); ++i) {
      if (s.points[i][symbol] + shift < 0) return false;
      if ((s.points[i][symbol] + shift) / divisor != s.values[i]) return false;
    }
    return s.points.size() > static_cast<size_t>(divisor);
  };
  for (size_t symbol = 0; symbol < s.symbols.size(); ++symbol) {
    for (int64_t divisor = 2; divisor <= kMaxDivisor; ++divisor) {
      for (int64_t shift = 0; shift < divisor; ++shift) {
        if (!fits(symbol, shift, divisor)) continue;
        const std::string& name = s.symbols[symbol];
        if (shift == 0) return text("floor(", name, "/", divisor, ")");
        if (shift == divisor - 1) return text("ceil(", name, "/", divisor, ")");
        return text("floor((", name, " + ", shift, ")/", divisor, ")");
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> fit(std::span<const std::string> symbols, std::span<const Point> points,
                               std::span<const int64_t> values) {
  if (values.empty()) return std::nullopt;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (*least == *most) return text(*least);
  const Samples samples{symbols, points, values};
  auto found = fit_sum(samples, false);
  if (!found && symbols.size() > 1) found = fit_sum(samples, true);
  if (!found) found = fit_limited(samples, "min", *most);
  if (!found) found = fit_limited(samples, "max", *least);
  if (!found) found = fit_rounded(samples);
  return found;
}

}  // namespace highwater
