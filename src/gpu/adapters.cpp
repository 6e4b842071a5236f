#include "gpu/adapters.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "gpu/adapter_choice.h"
#include "gpu/driver_process.h"
#include "gpu/request.h"

namespace highwater::gpu {
namespace {

std::string_view type_name(WGPUAdapterType type) {
  switch (type) {
    case WGPUAdapterType_DiscreteGPU:
      return "discrete GPU";
    case WGPUAdapterType_IntegratedGPU:
      return "integrated GPU";
    case WGPUAdapterType_CPU:
      return "CPU";
    default:
      return "unknown";
  }
}

std::string_view backend_name(WGPUBackendType type) {
  switch (type) {
    case WGPUBackendType_Vulkan:
      return "Vulkan";
    case WGPUBackendType_Metal:
      return "Metal";
    case WGPUBackendType_D3D12:
      return "D3D12";
    case WGPUBackendType_OpenGL:
    case WGPUBackendType_OpenGLES:
      return "OpenGL";
    case WGPUBackendType_WebGPU:
      return "WebGPU";
    default:
      return "unknown";
  }
}

AdapterDescription describe(WGPUAdapter adapter) {
  AdapterDescription d;
  WGPUAdapterInfo info = WGPU_ADAPTER_INFO_INIT;
  if (api().AdapterGetInfo(adapter, &info) == WGPUStatus_Success) {
    d.name = to_string(info.device);
    d.driver = to_string(info.description);
    d.type = type_name(info.adapterType);
    d.backend = backend_name(info.backendType);
    api().AdapterInfoFreeMembers(info);
  }
  for (const KnownFeature& f : kKnownFeatures) {
    if (!api().AdapterHasFeature(adapter, f.feature)) continue;
    d.features.emplace_back(f.name);
    if (f.feature == WGPUFeatureName_Subgroups) d.subgroups_must_be_enabled = true;
  }
  WGPULimits limits = WGPU_LIMITS_INIT;
  if (api().AdapterGetLimits(adapter, &limits) == WGPUStatus_Success) {
    d.limits = {limits.maxBufferSize, limits.maxStorageBufferBindingSize,
                limits.maxStorageBuffersPerShaderStage, limits.maxComputeInvocationsPerWorkgroup,
                limits.maxComputeWorkgroupStorageSize};
  }
  return d;
}

std::vector<AdapterHandle> request_adapters(WGPUInstance instance) {
  std::vector<AdapterHandle> adapters;
  if (api().InstanceEnumerateAdapters) {
    std::vector<WGPUAdapter> raw(api().InstanceEnumerateAdapters(instance, nullptr, nullptr));
    if (!raw.empty()) api().InstanceEnumerateAdapters(instance, nullptr, raw.data());
    for (WGPUAdapter adapter : raw) adapters.emplace_back(adapter);
    return adapters;
  }
  // The standard can only be asked for its favourite, and for its fallback.
  for (WGPUBool fallback : {WGPU_FALSE, WGPU_TRUE}) {
    WGPURequestAdapterOptions options = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
    options.powerPreference = WGPUPowerPreference_HighPerformance;
    options.forceFallbackAdapter = fallback;
    Request<AdapterHandle> request;
    WGPURequestAdapterCallbackInfo callback = WGPU_REQUEST_ADAPTER_CALLBACK_INFO_INIT;
    callback.mode = WGPUCallbackMode_AllowProcessEvents;
    callback.userdata1 = request.userdata();
    callback.callback = [](WGPURequestAdapterStatus, WGPUAdapter adapter, WGPUStringView, void* out,
                           void*) { Request<AdapterHandle>::answer(out, AdapterHandle(adapter)); };
    api().InstanceRequestAdapter(instance, &options, callback);
    api().InstanceProcessEvents(instance);
    std::optional<AdapterHandle> found = request.take();
    if (!found || !*found) continue;
    adapters.push_back(*std::move(found));
    break;
  }
  return adapters;
}

int preference(const AdapterDescription& d) {
  if (d.type == "discrete GPU") return 0;
  if (d.type == "integrated GPU") return 1;
  return d.type == "CPU" ? 2 : 3;
}

std::string lower(std::string_view s) {
  std::string out(s);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool matches(const AdapterDescription& d, size_t index, std::string_view wanted) {
  size_t number = 0;
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
  if (error == std::errc() && end == wanted.data() + wanted.size()) return number == index;
  const std::string needle = lower(wanted);
  return lower(d.name).find(needle) != std::string::npos ||
         lower(d.driver).find(needle) != std::string::npos;
}

Result<std::vector<Adapter>> all_adapters() {
  HW_TRY(WGPUInstance the_instance, instance());
  std::vector<Adapter> adapters;
  for (AdapterHandle& handle : request_adapters(the_instance)) {
    AdapterDescription description = describe(handle.get());
    adapters.push_back({std::move(handle), std::move(description)});
  }
  return adapters;
}

}  // namespace

Result<WGPUInstance> instance() {
  HW_CHECK(check_driver_process());
  HW_TRY(const Api* table, load_api());
  static const WGPUInstance the_instance = table->CreateInstance(nullptr);
  if (!the_instance) return fail(table->library, " could not make a WebGPU instance");
  return the_instance;
}

Result<std::vector<AdapterDescription>> list_adapters() {
  HW_TRY(const std::vector<Adapter> adapters, all_adapters());
  std::vector<AdapterDescription> result;
  for (const Adapter& a : adapters) result.push_back(a.description);
  return result;
}

Result<Adapter> choose_adapter(std::string_view wanted) {
  HW_TRY(std::vector<Adapter> adapters, all_adapters());
  if (adapters.empty()) {
    return fail(
        "this machine has no WebGPU adapter; on one without a GPU, install a software "
        "Vulkan driver (Debian: mesa-vulkan-drivers)");
  }
  Adapter* best = nullptr;
  std::string names;
  for (size_t i = 0; i < adapters.size(); ++i) {
    Adapter& a = adapters[i];
    names += text("\n  ", i, ": ", a.description.name);
    if (!wanted.empty() && !matches(a.description, i, wanted)) continue;
    if (!best || preference(a.description) < preference(best->description)) best = &a;
  }
  if (!best) return fail("no adapter matches '", wanted, "'; there are:", names);
  return std::move(*best);
}

}  // namespace highwater::gpu
