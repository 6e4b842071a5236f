/* Marks what leaves the library. */
#pragma once

#if defined(__GNUC__)
#define HIGHWATER_API __attribute__((visibility("default")))
#else
#define HIGHWATER_API
#endif
