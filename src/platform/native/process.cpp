#include "platform/process.h"

#include <cstdio>
#include <cstdlib>

namespace highwater {

void skip_older_exit_handlers_outside([[maybe_unused]] const HomeProcess& home) {
#ifdef __GLIBC__
  // Handlers run last first.
  on_exit(
      [](int status, void* given) {
        if (static_cast<const HomeProcess*>(given)->is_this()) return;
        std::fflush(nullptr);
        _exit(status);
      },
      const_cast<HomeProcess*>(&home));
#endif
}

}  // namespace highwater
