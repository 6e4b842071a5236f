// Options and variables that mean nothing are errors, and the next good load works.
#include <cmath>
#include <cstdlib>
#include <limits>

#include "runtime/session_access.h"
#include "support/expect.h"
#include "support/residual.h"

namespace highwater {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

auto load_with_timeout(double seconds) {
  SessionOptions options;
  options.timeout_seconds = seconds;
  return Residual(1.0f).load(options);
}

TEST(Options, TimeoutsThatAreNoTime) {
  for (double seconds : {std::nan(""), -1.0, -kInfinity, 0.0}) {
    EXPECT_TRUE(fails_saying(load_with_timeout(seconds), {text(seconds), "more than 0"}));
  }
}

TEST(Options, TimeoutsOfAnyLength) {
  const Residual residual(1.0f);
  for (double seconds : {kInfinity, std::numeric_limits<double>::max(), 1e18, 60.0}) {
    const auto session = load_with_timeout(seconds);
    ASSERT_TRUE(succeeds(session)) << seconds;
    residual.run_and_compare(**session, 37, 1.0f);
  }
}

// The device was opened by a session with more patience.
TEST(Options, TimeoutIsThatOfTheSessionThatWaits) {
  const Residual residual(1.0f);
  const auto patient = residual.load();
  EXPECT_TRUE(fails_saying(load_with_timeout(1e-9), {"lost", "took longer than 1e-09 s"}));
  EXPECT_TRUE(residual.load()) << "on a device of its own";
}

class Variable : public testing::TestWithParam<std::pair<const char*, const char*>> {
 protected:
  void TearDown() override { unsetenv(GetParam().first); }
};

TEST_P(Variable, MisspeltIsAnErrorAndEmptyIsUnset) {
  const auto [name, allowed] = GetParam();
  const Residual residual(1.0f);
  setenv(name, "softwear", 1);
  EXPECT_TRUE(fails_saying(residual.load({}), {name, "'softwear'", allowed}));
  setenv(name, "", 1);
  const auto session = residual.load({});
  ASSERT_TRUE(succeeds(session));
  residual.run_and_compare(**session, 37, 1.0f);
}

INSTANTIATE_TEST_SUITE_P(All, Variable,
                         testing::Values(std::pair("HIGHWATER_KERNELS", "'gpu' or 'software'"),
                                         std::pair("HIGHWATER_HALF_CACHE", "'0' or '1'"),
                                         std::pair("HIGHWATER_WITHOUT_PASSES", "swiglu")));

TEST(Options, AdapterOfTheEnvironmentMayBeEmpty) {
  setenv("HIGHWATER_ADAPTER", "", 1);
  EXPECT_TRUE(succeeds(Residual(1.0f).load({})));
  unsetenv("HIGHWATER_ADAPTER");
}

// An empty variable means the kind that the adapter is.
TEST(Options, EmptyVariableLeavesTheKernelsAsTheyAre) {
  const auto plain = Residual(1.0f).load();
  setenv("HIGHWATER_KERNELS", "", 1);
  const auto empty = Residual(1.0f).load();
  unsetenv("HIGHWATER_KERNELS");
  EXPECT_EQ(SessionAccess::graph(*plain).traits.software,
            SessionAccess::graph(*empty).traits.software);
}

TEST(Options, PassesToLeaveOut) {
  SessionOptions options;
  options.without_passes = "swiglu,add_rms_norm";
  EXPECT_TRUE(succeeds(Residual(1.0f).load(options)));
  options.without_passes = "all";
  EXPECT_TRUE(succeeds(Residual(1.0f).load(options)));
  options.without_passes = "swiglu,swigloo";
  EXPECT_TRUE(fails_saying(Residual(1.0f).load(options), {"'swigloo'", "swiglu", "add_rms_norm"}));
}

}  // namespace
}  // namespace highwater
