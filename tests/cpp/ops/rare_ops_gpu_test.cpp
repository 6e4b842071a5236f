// Ops that a blob may hold, but that today's exporter folds away or leaves to the CPU, so that no
// test in Python can reach them.
#include <algorithm>
#include <functional>

#include "runtime/session_access.h"
#include "support/expect.h"
#include "support/program_builder.h"

namespace highwater {
namespace {

constexpr int64_t kMostRows = 128, kWidth = 6;
constexpr int64_t kLengths[] = {128, 100, 37, 64, 1, 0, 3, 128};
const Dims kBound{kMostRows, kWidth};

// x [n, 6], a row [6], and the live n.
struct Given {
  ProgramBuilder b;
  ValueId x = b.input(kBound), row = b.input({kWidth});
  ValueId n = b.apply_scalar("sym_size.int", {x, b.integer(0)});
  ValueId dims = b.list({n, b.integer(kWidth)});
};

struct Case {
  const char* name;
  std::function<ValueId(Given&)> make;  // of x's dims
  std::function<float(float x, float row, int64_t n)> element;
};

// Scalars are added to x, so that each of these has [n, 6] elements.
const Case kCases[] = {
    {"zeros", [](Given& g) { return g.b.apply("aten.zeros.default", {g.dims}, kBound); },
     [](float, float, int64_t) { return 0.0f; }},
    {"zeros_like", [](Given& g) { return g.b.apply("aten.zeros_like.default", {g.x}, kBound); },
     [](float, float, int64_t) { return 0.0f; }},
    {"ones", [](Given& g) { return g.b.apply("aten.ones.default", {g.dims}, kBound); },
     [](float, float, int64_t) { return 1.0f; }},
    {"ones_like", [](Given& g) { return g.b.apply("aten.ones_like.default", {g.x}, kBound); },
     [](float, float, int64_t) { return 1.0f; }},
    {"scalar_tensor of a literal",
     [](Given& g) {
       const ValueId s = g.b.apply("aten.scalar_tensor.default", {g.b.number(2.5)}, {});
       return g.b.apply("aten.add.Tensor", {g.x, s, g.b.integer(1)}, kBound);
     },
     [](float x, float, int64_t) { return x + 2.5f; }},
    {"scalar_tensor of a live number",
     [](Given& g) {
       const ValueId s = g.b.apply("aten.scalar_tensor.default", {g.n}, {});
       return g.b.apply("aten.add.Tensor", {g.x, s, g.b.integer(1)}, kBound);
     },
     [](float x, float, int64_t n) { return x + static_cast<float>(n); }},
    {"copy",
     [](Given& g) {
       const ValueId old = g.b.apply("aten.zeros_like.default", {g.x}, kBound);
       return g.b.apply("aten.copy.default", {old, g.x, g.b.flag(false)}, kBound);
     },
     [](float x, float, int64_t) { return x; }},
    {"copy of a row to all",
     [](Given& g) { return g.b.apply("aten.copy.default", {g.x, g.row, g.b.flag(false)}, kBound); },
     [](float, float row, int64_t) { return row; }},
};

class RareOps : public testing::TestWithParam<Case> {};

TEST_P(RareOps, AreRightAtEveryLengthInTurn) {
  Given g;
  const Program program = g.b.output(GetParam().make(g)).program();
  auto session =
      SessionAccess::load(program, [](const std::string& key, Stretch, const UseBytes&) -> Status {
        return fail("no constant '", key, "'");
      });
  ASSERT_TRUE(succeeds(session));
  for (const int64_t n : kLengths) {
    std::vector<float> x(static_cast<size_t>(n * kWidth)), row(kWidth);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 89) - 0.25f;
    for (size_t i = 0; i < row.size(); ++i) row[i] = static_cast<float>(n) - static_cast<float>(i);
    const Input inputs[] = {HostTensor{DType::Float32, {n, kWidth}, x.data()},
                            HostTensor{DType::Float32, {kWidth}, row.data()}};
    ASSERT_TRUE(succeeds((*session)->run(inputs)));
    ASSERT_EQ((*session)->output_dims(0), (Dims{n, kWidth}));
    std::vector<float> y(x.size(), -1.0f);
    ASSERT_TRUE(
        succeeds((*session)->read_output(0, DType::Float32, std::as_writable_bytes(std::span(y)))));
    for (size_t i = 0; i < y.size(); ++i) {
      ASSERT_EQ(y[i], GetParam().element(x[i], row[i % kWidth], n)) << i << " at length " << n;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, RareOps, testing::ValuesIn(kCases), [](const auto& test) {
  std::string name = test.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

}  // namespace
}  // namespace highwater
