// What goes wrong with a device outside of any error scope. For gpu/ only.
#pragma once

#include <optional>
#include <string>

#include "highwater/result.h"
#include "platform/mutex.h"

namespace highwater::gpu {

// What the implementation reports, when and on which thread it likes. Never freed, for it may do so
// after the device is gone.
class Faults {
 public:
  void lost(std::string message);
  void uncaptured(std::string message);

  // An error if the device is lost, or if something went wrong outside of any scope since the last
  // time it was asked.
  Status take();
  bool is_lost() const;

 private:
  mutable Mutex mutex_;
  std::optional<std::string> lost_;
  std::optional<std::string> uncaptured_;
};

}  // namespace highwater::gpu
