// A program as its file would say it, so that it can be changed and written again.
#pragma once

#include "blob/program.h"
#include "support/blob_builder.h"

namespace highwater::fuzz {

BlobContent content_of(const Program& program);

}  // namespace highwater::fuzz
