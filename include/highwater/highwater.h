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

/* The last error, load and run are those of the calling thread; a thread that has had none is told
 * the latest of all threads. */

/* The message of the last error; empty if there was none. ExecuTorch reports only a code. An error
 * of ExecuTorch's own has no message here: to tell the two apart, forget the last one before a
 * call. */
HIGHWATER_API const char* highwater_last_error(void);
HIGHWATER_API void highwater_forget_error(void);

/* JSON: the accounts of the last load and of the last run of a method, over all its delegates:
 * dispatches, passes, submits, params writes, bytes moved, GPU objects created, heap allocations,
 * kernels in order, and how many delegates there were. */
HIGHWATER_API const char* highwater_last_load(void);
HIGHWATER_API const char* highwater_last_run(void);

/* From now on, or no longer, whatever this thread runs is profiled. `clock` is "device" or "host",
 * or
 * "" for the device's if it has one; NULL ends it. NULL on success, else why not. */
HIGHWATER_API const char* highwater_profile_runs(const char* clock);

/* JSON: for each delegate of the last profiled run of this thread, when it began and was done, by
 * the host's steady clock, and its dispatches with their times. */
HIGHWATER_API const char* highwater_last_profile(void);

/* JSON: a list of adapters with features and limits, or an object with an "error". */
HIGHWATER_API const char* highwater_devices(void);

/* JSON: all ops that can run, each with its name, schema, arguments and limits. */
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
