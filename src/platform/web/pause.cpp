#include "platform/pause.h"

namespace highwater {

Status Pause::take() {
  return fail("a page cannot wait for its device: start, poll until it is done, then finish");
}

}  // namespace highwater
