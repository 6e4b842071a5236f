// What fuzzing has kept, once more: every input of tests/fuzz/corpus, under the sanitizers.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz/targets.h"
#include "support/expect.h"

namespace highwater::fuzz {
namespace {

class Corpus : public testing::TestWithParam<Target> {};

TEST_P(Corpus, HarmsNobody) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(HIGHWATER_FUZZ_CORPUS) / GetParam().name)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    EXPECT_TRUE(succeeds(GetParam().run(std::as_bytes(std::span(bytes))))) << entry.path();
    ++count;
  }
  EXPECT_GT(count, 0u) << "or this test would prove nothing";
}

INSTANTIATE_TEST_SUITE_P(Targets, Corpus, testing::ValuesIn(kTargets),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace highwater::fuzz
