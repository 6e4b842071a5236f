// The adapters of this machine.
#include "base/json.h"
#include "gpu/adapters.h"
#include "highwater/inspect.h"

namespace highwater {
namespace {

void write_adapter(Json& json, const gpu::AdapterDescription& a) {
  json.begin_object()
      .field("name", a.name)
      .field("driver", a.driver)
      .field("type", a.type)
      .field("backend", a.backend);
  json.key("features").begin_list();
  for (const std::string& feature : a.features) json.value(feature);
  json.end_list();
  json.key("limits")
      .begin_object()
      .field("max_buffer_size", a.limits.max_buffer_size)
      .field("max_storage_binding_size", a.limits.max_storage_binding_size)
      .field("max_storage_buffers", a.limits.max_storage_buffers)
      .field("max_invocations_per_workgroup", a.limits.max_invocations_per_workgroup)
      .field("max_workgroup_memory", a.limits.max_workgroup_memory)
      .end_object();
  json.end_object();
}

}  // namespace

Result<std::string> devices() {
  HW_TRY(const auto adapters, gpu::list_adapters());
  Json json;
  json.begin_list();
  for (const gpu::AdapterDescription& a : adapters) write_adapter(json, a);
  return json.end_list().text();
}

}  // namespace highwater
