#include "executorch/place.h"

namespace highwater {
namespace {

std::atomic<uint64_t> methods_so_far = 0;

}  // namespace

LoadedMethod::LoadedMethod(const void* allocator, const char* name)
    : number_(++methods_so_far), allocator_(allocator), name_(name) {}

std::shared_ptr<LoadedMethod> LoadedMethod::being_loaded(const void* allocator, const char* name) {
  // Gone with its last delegate, so that a method whose allocator has the same address is another.
  thread_local std::weak_ptr<LoadedMethod> last;
  if (!name) name = "";
  auto method = last.lock();
  if (!method || method->has_run_ || method->allocator_ != allocator || method->name_ != name) {
    method = std::make_shared<LoadedMethod>(allocator, name);
    last = method;
  }
  return method;
}

}  // namespace highwater
