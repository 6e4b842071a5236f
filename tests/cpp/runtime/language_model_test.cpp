// What passes for a language model with a cache. Nothing is loaded.
#include "support/language_model.h"

#include "highwater/generator.h"
#include "support/expect.h"

namespace highwater {
namespace {

Status check(const SmallModel& model) {
  const Blob bytes = make_pte(content_of(model));
  HW_TRY(const File file, File::in_memory(bytes));
  Status checked = Generator::check(file);
  EXPECT_EQ(file.runner(), checked ? Runner::Generator : Runner::Session);
  return checked;
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
