#include "gpu/api.h"

#include "platform/webgpu.h"

namespace highwater::gpu {
namespace {

Result<Api>& loaded() {
  static Result<Api> table = open_webgpu();
  return table;
}

}  // namespace

Result<const Api*> load_api() {
  const Result<Api>& table = loaded();
  if (!table) return table.error();
  return &*table;
}

const Api& api() {
  return *loaded();
}

}  // namespace highwater::gpu
