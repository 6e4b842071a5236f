/* Highwater, as seen by a program that runs models through ExecuTorch.
 *
 * Linking the library (or loading it) registers the delegate "VulkanBackend"; everything else goes
 * through ExecuTorch's own API. The functions here tell what happened. Each returns UTF-8 text that
 * stays valid until the same thread calls the same function again. */
#pragma once

#include "highwater/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Registers the delegate, if loading the library has not done so already. NULL on success, else
 * why not: another backend may hold its name. */
HIGHWATER_API const char* highwater_register(void);

/* The message of the last error; empty if there was none. ExecuTorch reports only a code. */
HIGHWATER_API const char* highwater_last_error(void);

/* JSON: the accounts of the last load and of the last run: dispatches, passes, submits, params
 * writes, bytes moved, GPU objects created, heap allocations, kernels. */
HIGHWATER_API const char* highwater_last_load(void);
HIGHWATER_API const char* highwater_last_run(void);

/* JSON: a list of adapters with features and limits, or an object with an "error". */
HIGHWATER_API const char* highwater_devices(void);

/* JSON: the names of all ops that can run. */
HIGHWATER_API const char* highwater_supported_ops(void);

/* JSON: what is in the .pte file at `path`, and what would be run of it at which live shapes; or an
 * object with an "error". Nothing is run. `options` may be NULL, or has a line for each of these:
 *   method=NAME       only this one
 *   at=S=37,P=12      a live shape to look at; there may be several
 *   wgsl=1            with the texts of all kernels */
HIGHWATER_API const char* highwater_inspect(const char* path, const char* options);

#ifdef __cplusplus
}
#endif
