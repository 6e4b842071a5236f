#include "gpu/driver_process.h"

#include "platform/process.h"

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
  // The driver's handlers are older. Mesa's joins threads that no child has.
  static const bool registered = (skip_older_exit_handlers_outside(driver_process()), true);
  (void)registered;
}

}  // namespace highwater::gpu
