#include "platform/webgpu.h"

#include <dlfcn.h>

#include <cstdlib>
#include <vector>

#include "platform/environment.h"

namespace highwater::gpu {
namespace {

constexpr const char* kLibraryName = "libwgpu_native.so";

// The folder that holds the library this code was linked into.
std::string own_folder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void*>(&own_folder), &info) || !info.dli_fname) return {};
  const std::string path = info.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

std::vector<std::string> candidates() {
  if (const auto chosen = variable("HIGHWATER_WEBGPU")) return {*chosen};
  return {own_folder() + kLibraryName, kLibraryName};
}

// wgpu-native exports every function; Dawn's builds may offer only the standard look-up.
class Symbols {
 public:
  using GetProc = WGPUProc (*)(WGPUStringView);

  explicit Symbols(void* library)
      : library_(library),
        get_proc_(reinterpret_cast<GetProc>(dlsym(library, "wgpuGetProcAddress"))) {}
  explicit Symbols(GetProc get_proc) : get_proc_(get_proc) {}

  void* find(const char* name) const {
    if (void* symbol = library_ ? dlsym(library_, name) : nullptr) return symbol;
    return get_proc_ ? reinterpret_cast<void*>(get_proc_(view(name))) : nullptr;
  }

 private:
  void* library_ = nullptr;
  GetProc get_proc_ = nullptr;
};

// An implementation that is already in the process, and exports nothing, is given as
// "proc:" and the address of its wgpuGetProcAddress.
constexpr std::string_view kInProcess = "proc:";

Result<Symbols> symbols_of(const std::string& path) {
  if (path.starts_with(kInProcess)) {
    char* end = nullptr;
    const auto address = std::strtoull(path.c_str() + kInProcess.size(), &end, 0);
    if (!address || *end) return fail("'", path, "' is not an address");
    return Symbols(reinterpret_cast<Symbols::GetProc>(address));
  }
  // Never closed: the implementation keeps threads of its own.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return fail(dlerror());
  return Symbols(library);
}

Result<Api> open(const std::string& path) {
  HW_TRY(const Symbols symbols, symbols_of(path));
  Api table;
  table.library = path;
  const char* missing = nullptr;
  const auto load = [&](auto& proc, const char* name) {
    proc = reinterpret_cast<std::decay_t<decltype(proc)>>(symbols.find(name));
    if (!proc && !missing) missing = name;
  };
#define HIGHWATER_LOAD_PROC(name) load(table.name, "wgpu" #name);
  HIGHWATER_WGPU_PROCS(HIGHWATER_LOAD_PROC)
#undef HIGHWATER_LOAD_PROC
  if (missing) return fail(path, " is not a WebGPU implementation: it has no ", missing);
  table.InstanceEnumerateAdapters = reinterpret_cast<decltype(table.InstanceEnumerateAdapters)>(
      symbols.find("wgpuInstanceEnumerateAdapters"));
  table.QueueGetTimestampPeriod = reinterpret_cast<decltype(table.QueueGetTimestampPeriod)>(
      symbols.find("wgpuQueueGetTimestampPeriod"));
  return table;
}

}  // namespace

Result<Api> open_webgpu() {
  std::string reasons;
  for (const std::string& path : candidates()) {
    auto table = open(path);
    if (table) return table;
    reasons += text("\n  ", table.error().message());
  }
  return fail("no WebGPU implementation could be loaded (HIGHWATER_WEBGPU names one by path):",
              reasons);
}

}  // namespace highwater::gpu
