// Files, where there are any.
#pragma once

#include <memory>
#include <string>

#include "base/byte_source.h"
#include "highwater/result.h"

namespace highwater {

// Not mapped: somebody who cuts a file short while it is being read would end the process.
Result<std::shared_ptr<const ByteSource>> open_file(const std::string& path);

}  // namespace highwater
