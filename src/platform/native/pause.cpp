#include "platform/pause.h"

#include <algorithm>
#include <thread>

namespace highwater {

Status Pause::take() {
  constexpr std::chrono::microseconds kLongest{200};
  std::this_thread::sleep_for(length_);
  length_ = std::min(length_ * 3 / 2, kLongest);
  return {};
}

}  // namespace highwater
