// Drawing tokens in parts gives what drawing at once gives. Real models are drawn from in Python.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "highwater/generator.h"
#include "support/expect.h"
#include "support/language_model.h"

namespace highwater {
namespace {

constexpr Sampling kSampling{.temperature = 1.0f, .seed = 3};

class DrawnInParts : public testing::Test {
 protected:
  DrawnInParts() {
    const Blob file = make_pte(content_of({.longest = 8, .vocabulary = 40}));
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(file.data()),
               static_cast<std::streamsize>(file.size()));
  }
  ~DrawnInParts() override { std::filesystem::remove(path_); }

  std::unique_ptr<Generator> open() const {
    auto generator = Generator::open(path_);
    if (!generator) give_up(generator.error());
    return *std::move(generator);
  }

  static std::vector<int64_t> draw_in_parts(Generator& generator, size_t count) {
    const Status started = generator.start_draw(count, kSampling);
    if (!started) give_up(started.error());
    while (!generator.poll()) std::this_thread::yield();
    const auto drawn = generator.finish_draw();
    if (!drawn) give_up(drawn.error());
    return {drawn->begin(), drawn->end()};
  }

  const std::string path_ = testing::TempDir() + "/drawn-" + std::to_string(::getpid()) + ".pte";
};

// Long enough to be fed in several parts.
const std::vector<int64_t> kPrompt(29, 5);

TEST_F(DrawnInParts, IsTheTextThatIsDrawnAtOnce) {
  const auto at_once = open(), in_parts = open();
  ASSERT_TRUE(succeeds(at_once->append(kPrompt)));
  ASSERT_TRUE(succeeds(in_parts->append(kPrompt)));
  for (size_t count : {5, 1, 0, 7}) {
    const auto wanted = at_once->draw(count, kSampling);
    ASSERT_TRUE(succeeds(wanted));
    EXPECT_EQ(draw_in_parts(*in_parts, count),
              std::vector<int64_t>(wanted->begin(), wanted->end()));
    EXPECT_EQ(in_parts->accounts().submits, at_once->accounts().submits);
    EXPECT_EQ(in_parts->accounts().waits, at_once->accounts().waits);
  }
  EXPECT_GT(in_parts->text().size(), kPrompt.size() + 12);
}

TEST_F(DrawnInParts, TextStaysAsItIsUntilItIsFinished) {
  const auto generator = open();
  EXPECT_TRUE(fails_saying(generator->finish_draw(), {"no tokens"}));
  ASSERT_TRUE(succeeds(generator->append(kPrompt)));
  ASSERT_TRUE(succeeds(generator->start_draw(3, kSampling)));
  EXPECT_TRUE(fails_saying(generator->start_draw(3, kSampling), {"being drawn"}));
  EXPECT_TRUE(fails_saying(generator->draw(3, kSampling), {"being drawn"}));
  EXPECT_TRUE(fails_saying(generator->append(kPrompt), {"being drawn"}));
  EXPECT_TRUE(fails_saying(generator->rewind(0), {"being drawn"}));
  EXPECT_TRUE(fails_saying(generator->set_text(kPrompt), {"being drawn"}));
  EXPECT_TRUE(fails_saying(generator->run({}), {"being drawn"}));
  while (!generator->poll()) std::this_thread::yield();
  EXPECT_TRUE(succeeds(generator->finish_draw()));
  EXPECT_EQ(generator->text().size(), kPrompt.size() + 3);
  EXPECT_TRUE(succeeds(generator->rewind(1)));
}

TEST_F(DrawnInParts, ThatIsRefusedLeavesNothingToFinish) {
  const auto generator = open();
  EXPECT_TRUE(fails_saying(generator->start_draw(1, kSampling), {"no text"}));
  ASSERT_TRUE(succeeds(generator->append(kPrompt)));
  EXPECT_TRUE(fails_saying(generator->start_draw(72, kSampling), {"72", "100"}));
  EXPECT_TRUE(fails_saying(generator->finish_draw(), {"no tokens"}));
  EXPECT_EQ(draw_in_parts(*generator, 71).size(), 71u);
}

TEST_F(DrawnInParts, MayBeLeftBehindAtAnyTime) {
  for (int polls = 0; polls < 5; ++polls) {
    const auto generator = open();
    ASSERT_TRUE(succeeds(generator->append(kPrompt)));
    ASSERT_TRUE(succeeds(generator->start_draw(3, kSampling)));
    for (int i = 0; i < polls; ++i) (void)generator->poll();
  }
  const auto generator = open();
  ASSERT_TRUE(succeeds(generator->append(kPrompt)));
  EXPECT_EQ(draw_in_parts(*generator, 2).size(), 2u);
}

TEST_F(DrawnInParts, LoadsInParts) {
  auto loading = Generator::start_open(path_);
  ASSERT_TRUE(succeeds(loading));
  for (;;) {
    const auto now = (*loading)->advance();
    ASSERT_TRUE(succeeds(now));
    if (*now == Advance::Done) break;
  }
  const auto generator = (*loading)->finish();
  ASSERT_TRUE(succeeds(generator));
  ASSERT_TRUE(succeeds((*generator)->append(kPrompt)));
  EXPECT_EQ(draw_in_parts(**generator, 2).size(), 2u);
}

TEST_F(DrawnInParts, LogitsInPartsAreThoseOfARun) {
  const auto generator = open();
  const int64_t position = 0;
  const Input inputs[] = {HostTensor{DType::Int64, {1, 8}, kPrompt.data()},
                          HostTensor{DType::Int64, {1}, &position}};
  const auto logits = [&] {
    std::vector<float> read(static_cast<size_t>(generator->session().output_dims(0).numel()));
    EXPECT_TRUE(succeeds(generator->session().read_output(
        0, DType::Float32, std::as_writable_bytes(std::span(read)))));
    return read;
  };
  ASSERT_TRUE(succeeds(generator->run(inputs)));
  const std::vector<float> at_once = logits();
  ASSERT_TRUE(succeeds(generator->start_run(inputs)));
  while (!generator->poll()) std::this_thread::yield();
  ASSERT_TRUE(succeeds(generator->finish_run()));
  EXPECT_EQ(logits(), at_once);
  EXPECT_TRUE(fails_saying(generator->finish_run(), {"no run is under way"}));
}

}  // namespace
}  // namespace highwater
