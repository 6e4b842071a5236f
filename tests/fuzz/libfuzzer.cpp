// libFuzzer's way into a target, which the build names.
#include <cstdio>
#include <cstdlib>

#include "fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace highwater::fuzz;
  const auto status = HIGHWATER_FUZZ_TARGET(std::as_bytes(std::span(data, size)));
  if (status.ok()) return 0;
  std::fprintf(stderr, "broken promise: %s\n", status.error().message().c_str());
  std::abort();
}
