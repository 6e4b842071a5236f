#include "support/residual.h"

#include <algorithm>
#include <thread>

#include "support/expect.h"
#include "support/program_builder.h"

namespace highwater {

Residual::Residual(float weight) {
  for (int64_t i = 0; i < kWidth; ++i) weights_.push_back(weight + static_cast<float>(i));
  ProgramBuilder b;
  const Dims bound{kMostRows, kWidth};
  const ValueId x = b.input(bound);
  const ValueId w = b.apply("et_vk.prepack.default", {b.constant({kWidth}, "w")}, {kWidth});
  const ValueId one = b.integer(1);
  const ValueId n = b.apply_scalar("sym_size.int", {x, b.integer(0)});
  const ValueId h = b.apply("aten.add.Tensor", {x, w, one}, bound);
  const ValueId twice = b.apply_scalar("mul", {n, b.integer(2)});
  const ValueId narrow = b.list({twice, b.integer(12)});
  const ValueId v = b.apply("aten.view_copy.default", {h, narrow}, {2 * kMostRows, 12});
  const ValueId s = b.apply("aten.mul.Tensor", {v, v}, {2 * kMostRows, 12});
  const ValueId wide = b.list({n, b.integer(kWidth)});
  const ValueId back = b.apply("aten.view_copy.default", {s, wide}, bound);
  const ValueId y = b.apply("aten.add.Tensor", {back, x, one}, bound);
  program_ = b.output(y).output(n).program();
}

std::unique_ptr<Session> Residual::load() const {
  auto session = load({});
  if (!session) give_up(session.error());
  return *std::move(session);
}

Result<std::unique_ptr<Session>> Residual::load(const SessionOptions& options) const {
  return SessionAccess::load(program_, source(), options);
}

std::unique_ptr<Session::Loading> Residual::start_load(const SessionOptions& options,
                                                       ConstantArrivals arrivals) const {
  auto loading = SessionAccess::start_load(program_, source(), options, std::move(arrivals));
  if (!loading) give_up(loading.error());
  return *std::move(loading);
}

ConstantSource Residual::source() const {
  return [this](const std::string& key, Stretch wanted, const UseBytes& use) -> Status {
    if (key != "w") return fail("no constant '", key, "'");
    return use_stretch(std::as_bytes(std::span(weights_)), wanted, use);
  };
}

std::vector<float> Residual::input(int64_t rows, float seed) const {
  std::vector<float> x(static_cast<size_t>(rows * kWidth));
  for (size_t i = 0; i < x.size(); ++i) x[i] = seed + static_cast<float>(i % 97) * 0.25f;
  return x;
}

std::vector<float> Residual::expected(const std::vector<float>& x) const {
  std::vector<float> y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const float h = x[i] + weights_[i % kWidth];
    y[i] = h * h + x[i];
  }
  return y;
}

void Residual::run_and_compare(Session& session, int64_t rows, float seed) const {
  const std::vector<float> x = input(rows, seed);
  const Input given = HostTensor{DType::Float32, {rows, kWidth}, x.data()};
  ASSERT_TRUE(succeeds(session.run({&given, 1})));
  compare(session, rows, seed);
}

void Residual::start(Session& session, int64_t rows, float seed) const {
  std::vector<float> x = input(rows, seed);
  const Input given = HostTensor{DType::Float32, {rows, kWidth}, x.data()};
  ASSERT_TRUE(succeeds(session.start_run({&given, 1})));
  std::fill(x.begin(), x.end(), -7.0f);
}

void Residual::finish_and_compare(Session& session, int64_t rows, float seed) const {
  while (!session.poll()) std::this_thread::yield();
  ASSERT_TRUE(succeeds(session.finish()));
  compare(session, rows, seed);
}

void Residual::compare(Session& session, int64_t rows, float seed) const {
  const std::vector<float> x = input(rows, seed);
  ASSERT_EQ(session.output_dims(0), (Dims{rows, kWidth}));
  EXPECT_EQ(session.output_scalar(1), rows);
  std::vector<float> y(x.size(), -1.0f);
  ASSERT_TRUE(
      succeeds(session.read_output(0, DType::Float32, std::as_writable_bytes(std::span(y)))));
  const std::vector<float> wanted = expected(x);
  for (size_t i = 0; i < y.size(); ++i) {
    ASSERT_NEAR(y[i], wanted[i], 1e-5f * std::abs(wanted[i])) << "element " << i << " of " << rows;
  }
}

}  // namespace highwater
