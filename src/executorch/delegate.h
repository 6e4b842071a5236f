#pragma once

#include "highwater/result.h"

namespace highwater {

// Registers the delegate with ExecuTorch's runtime; again is harmless.
Status register_delegate();

}  // namespace highwater
