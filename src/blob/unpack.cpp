#include "blob/unpack.h"

#include "base/utf8.h"

namespace highwater {
namespace {

bool is_control(char32_t character) {
  return character < 0x20 || (character >= 0x7f && character < 0xa0);
}

}  // namespace

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
  for (std::string_view rest = name; !rest.empty();) {
    const Utf8Step step = utf8_step(rest);
    if (step.kind != Utf8Step::Whole) return fail("a name in it is not UTF-8");
    if (is_control(step.character)) {
      return fail("a name in it has a control character (", static_cast<uint32_t>(step.character),
                  ")");
    }
    rest.remove_prefix(step.length);
  }
  return name;
}

}  // namespace highwater
