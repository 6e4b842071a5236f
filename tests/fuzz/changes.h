// Changes to a program such as a bad exporter, or a bad person, would make.
#pragma once

#include "fuzz/script.h"
#include "support/blob_builder.h"

namespace highwater::fuzz {

// As many as the script wants, a few at most.
void change(BlobContent& content, Script& script);

}  // namespace highwater::fuzz
