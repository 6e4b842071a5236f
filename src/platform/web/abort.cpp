// What the C++ library says before it gives up would be printed, and nobody looks there: the page
// tells that the engine has ended. Saying it would take all of printf along.
#include <__verbose_abort>
#include <cstdlib>

void std::__libcpp_verbose_abort(const char*, ...) noexcept {
  std::abort();
}

extern "C" {
void __abort_message(const char*, ...);
void __abort_message(const char*, ...) {
  std::abort();
}
}
