#include "platform/webgpu.h"

namespace highwater::gpu {

Result<Api> open_webgpu() {
  Api table;
#define HIGHWATER_TAKE_PROC(name) table.name = &::wgpu##name;
  HIGHWATER_WGPU_PROCS(HIGHWATER_TAKE_PROC)
#undef HIGHWATER_TAKE_PROC
  table.library = "the browser";
  return table;
}

}  // namespace highwater::gpu
