#include "blob/unpack.h"

#include "base/utf8.h"

namespace highwater {
Status Unpacker::take(uint64_t bytes) {
  if (bytes > left_) {
    return fail("its lists and names would take far more memory than the file has bytes");
  }
  left_ -= bytes;
  return {};
}

Result<std::string> Unpacker::text(const flatbuffers::String* string) {
  if (!string) return std::string();
  HW_CHECK(take(string->size()));
  return std::string(string->c_str(), string->size());
}

Result<std::string> Unpacker::name(const flatbuffers::String* string) {
  HW_TRY(std::string name, text(string));
  if (!is_plain_text(name)) {
    return fail("a name in it is not UTF-8, or has a control character: '", escaped(name), "'");
  }
  return name;
}

}  // namespace highwater
