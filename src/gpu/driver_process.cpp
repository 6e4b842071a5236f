#include "gpu/driver_process.h"

#include <cstdio>
#include <cstdlib>

#include "base/home_process.h"

namespace highwater::gpu {
namespace {

const HomeProcess& driver_process() {
  static const HomeProcess process;
  return process;
}

}  // namespace

Status check_driver_process() {
  return driver_process().check();
}

void leave_driver_out_of_forked_exits() {
#ifdef __GLIBC__
  // Handlers run last first. So the driver's, which are older than this one, do not run any more;
  // Mesa's joins threads that no child has.
  static const int registered = on_exit(
      [](int status, void*) {
        if (driver_process().is_this()) return;
        std::fflush(nullptr);
        _exit(status);
      },
      nullptr);
  (void)registered;
#endif
}

}  // namespace highwater::gpu
