#include "platform/process.h"

namespace highwater {

void skip_older_exit_handlers_outside(const HomeProcess&) {}

}  // namespace highwater
