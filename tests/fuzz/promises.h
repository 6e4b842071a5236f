// What holds of every program that can be read, whoever wrote it.
#pragma once

#include "blob/program.h"
#include "fuzz/script.h"
#include "highwater/result.h"
#include "runtime/session_access.h"

namespace highwater::fuzz {

// Rewrites the program, builds its graph, fills its constants and calls it at some live shapes; the
// script says which. All of this may be refused, in words. An error is a promise that was broken.
Status check_promises(Program program, const ConstantSource& constants, Script& script);

}  // namespace highwater::fuzz
