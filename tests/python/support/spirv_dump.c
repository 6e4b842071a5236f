// A libvulkan.so.1 that is the real one, but writes every SPIR-V module to $SPIRV_DUMP/<number>.spv.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*Function)(void);
typedef Function (*Lookup)(void* of, const char* name);

// VkShaderModuleCreateInfo; there are no headers of Vulkan here.
struct ModuleInfo {
  int type;
  const void* next;
  unsigned flags;
  size_t size;
  const void* code;
};
typedef int (*CreateModule)(void* device, const struct ModuleInfo*, const void* allocator, void* out);

static Lookup real_of_instance, real_of_device;
static CreateModule real_create_module;

static int create_module(void* device, const struct ModuleInfo* info, const void* allocator,
                         void* out) {
  static int count = 0;
  char path[4096];
  snprintf(path, sizeof path, "%s/%04d.spv", getenv("SPIRV_DUMP"), count++);
  FILE* file = fopen(path, "wb");
  if (!file || fwrite(info->code, 1, info->size, file) != info->size || fclose(file)) abort();
  return real_create_module(device, info, allocator, out);
}

Function vkGetInstanceProcAddr(void* instance, const char* name);
Function vkGetDeviceProcAddr(void* device, const char* name);

static Function replaced(const char* name, Function real) {
  if (!real) return real;
  if (!strcmp(name, "vkCreateShaderModule")) {
    real_create_module = (CreateModule)real;
    return (Function)create_module;
  }
  if (!strcmp(name, "vkGetInstanceProcAddr")) return (Function)vkGetInstanceProcAddr;
  if (!strcmp(name, "vkGetDeviceProcAddr")) {
    real_of_device = (Lookup)real;
    return (Function)vkGetDeviceProcAddr;
  }
  return real;
}

Function vkGetInstanceProcAddr(void* instance, const char* name) {
  if (!real_of_instance) {
    void* library = dlopen(getenv("REAL_VULKAN"), RTLD_NOW);
    if (!library) abort();
    real_of_instance = (Lookup)dlsym(library, "vkGetInstanceProcAddr");
  }
  return replaced(name, real_of_instance(instance, name));
}

Function vkGetDeviceProcAddr(void* device, const char* name) {
  return replaced(name, real_of_device(device, name));
}
