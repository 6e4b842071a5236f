// Highwater, as seen by a program that runs models through ExecuTorch. Of the library
// highwater::delegate.
//
// Linking the library (or loading it) registers the delegates "HighwaterBackend" and
// "VulkanBackend"; everything else goes through ExecuTorch's own API. The functions here tell what
// happened.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "highwater/accounts.h"
#include "highwater/export.h"
#include "highwater/profile.h"
#include "highwater/result.h"

namespace highwater {

// Registers the delegate, if loading the library has not done so already. Fails if another backend
// holds its name.
HIGHWATER_API Status register_delegate();

// The last error, load and run are those of the calling thread; a thread that has had none is told
// the latest of all threads.

// The message of the last error; empty if there was none. ExecuTorch reports only a code. An error
// of ExecuTorch's own has no message here: to tell the two apart, forget the last one before a
// call.
HIGHWATER_API std::string last_error();
HIGHWATER_API void forget_error();

// A method's load, or a run of it, over all its delegates.
struct MethodAccounts {
  Accounts sum;
  uint64_t delegates = 0;
  std::vector<std::string> kernels;  // of a run, in order
};
HIGHWATER_API MethodAccounts last_load();
HIGHWATER_API MethodAccounts last_run();

// From now on whatever this thread runs is profiled, until it says otherwise. Without a clock, the
// device's is used where it has one.
HIGHWATER_API void profile_runs(std::optional<ProfileClock> clock = {});
HIGHWATER_API void end_profiling();

// What one delegate did in a profiled run.
struct DelegateProfile {
  std::chrono::steady_clock::time_point begin;
  std::chrono::steady_clock::time_point end;
  Profile profile;
};
// Of each delegate of the last profiled run of this thread, in order.
HIGHWATER_API std::vector<DelegateProfile> last_profile();

}  // namespace highwater
