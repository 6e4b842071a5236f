// A warm run makes no heap allocation. The library's own operator new counts, here for the whole
// program; the sanitized build has to do without, and without this file.
#include <memory>

#include "base/allocations.h"
#include "support/expect.h"
#include "support/residual.h"

namespace highwater {
namespace {

TEST(Heap, AllocationsAreCounted) {
  const uint64_t before = heap_allocations();
  const auto memory = std::make_unique<int[]>(100);
  const std::vector<float> more(100, 1.0f);
  EXPECT_EQ(heap_allocations(), before + 2) << more[0];
}

TEST(Heap, WarmRunsAllocateNothing) {
  const Residual residual(0.5f);
  const auto session = residual.load();
  EXPECT_GT(session->load_accounts().heap_allocations, 0u);
  for (int64_t n : {128, 100, 37, 64, 1, 0, 128}) residual.run_and_compare(*session, n, 1.0f);
  for (int64_t n : {128, 100, 37, 64, 1, 0, 128, 99}) {
    residual.run_and_compare(*session, n, 2.0f);
    EXPECT_EQ(session->run_accounts().heap_allocations, 0u) << "at length " << n;
  }
}

}  // namespace
}  // namespace highwater
