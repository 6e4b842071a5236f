// What passes for a language model with a cache. Nothing is loaded.
#include "support/language_model.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "highwater/generator.h"
#include "support/expect.h"

namespace highwater {
namespace {

Status check(const SmallModel& model) {
  const std::string path = testing::TempDir() + "/model-" + std::to_string(::getpid()) + ".pte";
  const Blob file = make_pte(content_of(model));
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  Status status = Generator::check(path);
  std::filesystem::remove(path);
  return status;
}

TEST(LanguageModel, IsRecognized) {
  EXPECT_TRUE(succeeds(check({})));
}

TEST(LanguageModel, ThatCannotBeFedOrTellsNothingIsNone) {
  EXPECT_TRUE(fails_saying(check({.longest = 0}), {"takes no token", "[1, 0]"}));
  EXPECT_TRUE(fails_saying(check({.vocabulary = 0}), {"tells of none", "[1, 0]"}));
  EXPECT_TRUE(fails_saying(check({.capacity = {}}), {"get_max_context_len"}));
  EXPECT_TRUE(fails_saying(check({.capacity = 0}), {"get_max_context_len"}));
  EXPECT_TRUE(fails_saying(check({.capacity = -5}), {"get_max_context_len"}));
}

}  // namespace
}  // namespace highwater
