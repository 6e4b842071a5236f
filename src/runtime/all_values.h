// Programs that give more than their outputs.
#pragma once

#include "blob/program.h"

namespace highwater {

// Has a program give, after its own outputs, all that it computes and all that it writes into: for
// who compares it with a reference op by op. What merely is a constant under another name is left
// out.
void give_all_values(Program& program);

}  // namespace highwater
