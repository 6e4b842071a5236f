// Work that is done in parts, so that nobody has to wait inside of it.
#pragma once

#include "highwater/advance.h"
#include "highwater/result.h"
#include "platform/pause.h"

namespace highwater {

// Goes on with advance() until all is done, and sleeps while the device is at work. For threads
// that can wait; a page cannot.
template <class DoPart>
Status complete(const DoPart& advance) {
  Pause pause;
  for (;;) {
    HW_TRY(const Advance now, advance());
    if (now == Advance::Done) return {};
    if (now == Advance::Waiting) {
      HW_CHECK(pause.take());
    } else {
      pause = {};
    }
  }
}

}  // namespace highwater
