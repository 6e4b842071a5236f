#include "base/allocations.h"

// The shared library counts its own allocations by replacing operator new for itself alone: its
// link script keeps these symbols local. Sanitizers and the static build go without.
#ifdef HIGHWATER_COUNT_ALLOCATIONS

#include <cstdlib>
#include <new>

namespace {

thread_local uint64_t allocations = 0;

void* allocate(std::size_t size) {
  ++allocations;
  void* memory = std::malloc(size ? size : 1);
  // What a failed allocation does in code that is compiled without exceptions.
  if (!memory) std::abort();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) {
  return allocate(size);
}
void* operator new[](std::size_t size) {
  return allocate(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

uint64_t highwater::heap_allocations() {
  return allocations;
}

#else

uint64_t highwater::heap_allocations() {
  return 0;
}

#endif
