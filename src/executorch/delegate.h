#pragma once

#include "base/result.h"

namespace highwater {

// Registers the delegate with ExecuTorch's runtime; again is harmless.
Status register_delegate();

}  // namespace highwater
