// aten.index.Tensor has a kernel for one index tensor, and one for several.
#pragma once

#include <memory>

#include "graph/op.h"

namespace highwater {

std::unique_ptr<Op> index_several(Args& a);

}  // namespace highwater
