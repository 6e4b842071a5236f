// Which delegates belong to one loaded method. ExecuTorch does not tell a delegate, but it loads
// all of a method's in a row, in the order in which the method calls them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace highwater {

// Where a delegate stands among all that were ever loaded.
struct DelegatePlace {
  uint64_t method = 0;  // each loaded method has a number of its own, from 1
  size_t index = 0;     // among the delegates of the method

  // Whether this delegate can be the next one in the same call of the same method.
  bool may_follow(const DelegatePlace& before) const {
    return method == before.method && index > before.index;
  }
};

// What the delegates of a method have in common: each holds it.
class LoadedMethod {
 public:
  // The method that this thread is loading. `allocator` is what ExecuTorch loads it with.
  static std::shared_ptr<LoadedMethod> being_loaded(const void* allocator, const char* name);

  LoadedMethod(const void* allocator, const char* name);

  DelegatePlace add_delegate() { return {number_, delegates_++}; }
  // What is loaded after the first run belongs to another method.
  void runs() { has_run_ = true; }

 private:
  uint64_t number_;
  const void* allocator_;
  std::string name_;
  size_t delegates_ = 0;
  std::atomic<bool> has_run_ = false;
};

}  // namespace highwater
