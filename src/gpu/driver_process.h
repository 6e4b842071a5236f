// The process that uses the driver, and those that were forked from it. For gpu/ only.
#pragma once

#include "highwater/result.h"

namespace highwater::gpu {

// An error in a process that was forked from one that uses the driver. The first that asks does.
Status check_driver_process();

// After the driver has made its threads: has a forked process that ends do so without the driver,
// which would wait for those threads, or worse.
void leave_driver_out_of_forked_exits();

}  // namespace highwater::gpu
