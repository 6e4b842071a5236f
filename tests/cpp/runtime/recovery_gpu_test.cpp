// A device that is lost at any moment: what goes on is what would have been.
#include <optional>

#include "highwater/generator.h"
#include "support/expect.h"
#include "support/faulty_webgpu.h"
#include "support/program_builder.h"
#include "support/residual.h"

namespace highwater {
namespace {

using gpu::Answering;
using gpu::Failure;
using gpu::FaultyWebGpu;

using Tokens = std::vector<int64_t>;

SessionOptions recovering() {
  SessionOptions options;
  options.recover = true;
  return options;
}

// The model that ships with Highwater, whose cache matters.
class LostGenerator : public testing::Test {
 protected:
  static constexpr size_t kDraws[] = {1, 3, 3};
  static constexpr Sampling kSampling{.temperature = 0.8f, .seed = 5};

  static std::unique_ptr<Generator> open(const SessionOptions& options = recovering()) {
    auto generator = Generator::open(HIGHWATER_MODELS "/kjv/model.pte", options);
    if (!generator) give_up(generator.error());
    return *std::move(generator);
  }

  // Calls before(draw) before each.
  template <class Before>
  static Tokens write(Generator& generator, const Before& before) {
    const Tokens prompt{40, 7, 300, 12, 99, 5, 61};
    EXPECT_TRUE(succeeds(generator.rewind(0)));
    EXPECT_TRUE(succeeds(generator.append(prompt)));
    for (size_t draw = 0; draw < std::size(kDraws); ++draw) {
      before(draw);
      const auto drawn = generator.draw(kDraws[draw], kSampling);
      EXPECT_TRUE(succeeds(drawn));
      if (!drawn) break;
    }
    return {generator.text().begin(), generator.text().end()};
  }
  static Tokens write(Generator& generator) {
    return write(generator, [](size_t) {});
  }

  FaultyWebGpu webgpu_{Answering::AtOnce};
};

TEST_F(LostGenerator, GoesOnAfterALossBeforeAnyDraw) {
  const auto generator = open();
  const Tokens wanted = write(*generator);
  ASSERT_EQ(wanted.size(), 14u);
  for (size_t lost = 0; lost < std::size(kDraws); ++lost) {
    const Tokens text = write(*generator, [&](size_t draw) {
      if (draw == lost) webgpu_.lose_devices();
    });
    EXPECT_EQ(text, wanted) << "lost before draw " << lost;
  }
}

TEST_F(LostGenerator, GoesOnAfterALossInTheMiddleOfADraw) {
  const auto generator = open();
  const Tokens wanted = write(*generator);
  // Some of its calls, for each loads the model again: while it is put together, and after.
  for (size_t call : {2, 60}) {
    const Tokens text = write(*generator, [&](size_t draw) {
      if (draw == 1) webgpu_.arm({call, Failure::Lost});
    });
    EXPECT_EQ(text, wanted) << "lost in call " << call;
    EXPECT_TRUE(webgpu_.disarm()) << call;
  }
}

TEST_F(LostGenerator, SaysHowToGoOnWhereItWasNotAskedTo) {
  const auto generator = open({});
  write(*generator);
  webgpu_.lose_devices();
  EXPECT_TRUE(fails_saying(generator->draw(1), {"device is lost", FaultyWebGpu::kMessage,
                                                "load the model again", "`recover`"}));
}

TEST(LostSession, RunsAgainWhereNothingIsKeptBetweenRuns) {
  FaultyWebGpu webgpu(Answering::AtOnce);
  const Residual residual(0.5f);
  auto loaded = residual.load(recovering());
  ASSERT_TRUE(succeeds(loaded));
  Session& session = **loaded;
  for (int64_t rows : {37, 128, 5}) {
    residual.run_and_compare(session, rows, 1.0f);
    webgpu.lose_devices();
    EXPECT_TRUE(session.is_lost());
    residual.run_and_compare(session, rows, 2.0f);
    EXPECT_FALSE(session.is_lost());
  }
}

TEST(LostSession, LeavesToTheCallerWhatAProgramKeeps) {
  FaultyWebGpu webgpu(Answering::AtOnce);
  ProgramBuilder b;
  const Dims row{1, 1, 1, 4};
  const ValueId x = b.input(row);
  const ValueId cache = b.constant(row, "cache");
  b.output(b.apply("update_cache.default", {x, cache, b.integer(0)}, {1}));
  const auto zeros = [](const std::string&, Stretch wanted, const UseBytes& use) -> Status {
    const std::byte bytes[16] = {};
    return use_stretch(bytes, wanted, use);
  };
  auto loaded = SessionAccess::load(b.program(), zeros, recovering());
  ASSERT_TRUE(succeeds(loaded));
  Session& session = **loaded;
  const float given[] = {1, 2, 3, 4};
  const Input input = HostTensor{DType::Float32, {1, 1, 1, 4}, given};
  ASSERT_TRUE(succeeds(session.run({&input, 1})));
  webgpu.lose_devices();
  EXPECT_TRUE(fails_saying(session.run({&input, 1}), {"lost", "recover()", "feed it again"}));
  ASSERT_TRUE(succeeds(session.recover()));
  EXPECT_TRUE(succeeds(session.run({&input, 1})));
}

TEST(LostSession, DoesNotRecoverUnasked) {
  FaultyWebGpu webgpu(Answering::AtOnce);
  const Residual residual(0.5f);
  const auto session = residual.load();
  EXPECT_TRUE(fails_saying(session->recover(), {"`recover`"}));
  webgpu.lose_devices();
  const std::vector<float> x = residual.input(3, 1.0f);
  const Input given = HostTensor{DType::Float32, {3, Residual::kWidth}, x.data()};
  EXPECT_TRUE(fails_saying(session->run({&given, 1}), {"device is lost", "load the model again"}));
}

}  // namespace
}  // namespace highwater
