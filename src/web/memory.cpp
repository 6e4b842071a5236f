// Memory and texts that cross over to JavaScript.
#include <cstdlib>

#include "web/exports.h"

namespace highwater::web {
namespace {

std::string& text_handed_out() {
  static std::string text;
  return text;
}

}  // namespace

void hand_out(std::string text) {
  text_handed_out() = std::move(text);
}

int told(const Status& status) {
  if (status) return 0;
  hand_out(status.error().message());
  return 1;
}

HIGHWATER_EXPORT(void*, hw_allocate)
(size_t size) {
  return std::malloc(size);
}
HIGHWATER_EXPORT(void, hw_release)
(void* memory) {
  std::free(memory);
}
HIGHWATER_EXPORT(const char*, hw_text)
() {
  return text_handed_out().data();
}
HIGHWATER_EXPORT(size_t, hw_text_size)
() {
  return text_handed_out().size();
}

}  // namespace highwater::web
