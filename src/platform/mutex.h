// A mutex, or none where there is but one thread: the standard library has none there either.
#pragma once

#include <mutex>

namespace highwater {

#ifdef __wasm__
class Mutex {
 public:
  void lock() {}
  bool try_lock() { return true; }
  void unlock() {}
};
#else
using Mutex = std::mutex;
#endif

}  // namespace highwater
