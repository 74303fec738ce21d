/* The base of all other headers of libpprofc: version, statuses, errors, strings, allocators,
 * limits and output callbacks.
 *
 * Conventions of the whole library:
 *  - a function that can fail returns a pprofc_status and, when `error` is not NULL, fills it;
 *    out-parameters are untouched on failure;
 *  - objects are opaque and immutable once made, so they may be read from several threads at once;
 *  - the library holds no global state, never exits, and writes nothing but through the caller's
 *    callback. */
#ifndef PPROFC_BASE_H
#define PPROFC_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The one place the version is written; CMake, the programs and the man pages read it from here. */
#define PPROFC_VERSION_MAJOR 0
#define PPROFC_VERSION_MINOR 1
#define PPROFC_VERSION_PATCH 0
#define PPROFC_VERSION       "0.1.0"

#if defined(__GNUC__)
#define PPROFC_API              __attribute__((visibility("default")))
#define PPROFC_PRINTF(fmt, arg) __attribute__((format(printf, fmt, arg)))
#else
#define PPROFC_API
#define PPROFC_PRINTF(fmt, arg)
#endif

/* Returns PPROFC_VERSION of the library that is linked, which may be newer than the header. */
PPROFC_API const char *pprofc_version(void);

typedef enum pprofc_status {
  PPROFC_OK = 0,
  PPROFC_E_NOMEM,       /* an allocation failed */
  PPROFC_E_IO,          /* the operating system refused to read or write */
  PPROFC_E_FORMAT,      /* the input is not what it should be */
  PPROFC_E_LIMIT,       /* a limit of pprofc_limits was passed; the message names it */
  PPROFC_E_INVALID,     /* an argument or option has no meaning here */
  PPROFC_E_UNSUPPORTED, /* needs an optional part that this build or machine lacks */
  PPROFC_E_NO_MATCH,    /* a regular expression that must match something matched nothing */
  PPROFC_E_CANCELLED    /* the call was stopped from outside, or its time is over */
} pprofc_status;

/* Why a call failed. Owned by the caller, no cleanup needed. `message` is lower case, one line,
 * NUL-terminated. `offset` is the byte of the (inflated) input, or PPROFC_NO_OFFSET. */
#define PPROFC_NO_OFFSET UINT64_MAX
typedef struct pprofc_error {
  pprofc_status status;
  uint64_t offset;
  char message[1024];
} pprofc_error;

/* A run of bytes that carries its length; NUL is a byte like any other. Never owned by the view. */
typedef struct pprofc_str {
  const char *data;
  size_t size;
} pprofc_str;

/* Where memory comes from. All three functions must be thread-safe. `resize` and `release` are told
 * the size that was asked for. NULL in place of an allocator means malloc, realloc and free. */
typedef struct pprofc_allocator {
  void *(*alloc)(void *context, size_t size);
  void *(*resize)(void *context, void *block, size_t old_size, size_t new_size);
  void (*release)(void *context, void *block, size_t size);
  void *context;
} pprofc_allocator;

/* Where output goes: returns 0, or anything else to stop with PPROFC_E_IO. */
typedef int (*pprofc_write_fn)(void *context, const void *data, size_t size);

/* What one call may use. Zero in a field means its default. Passing a limit is PPROFC_E_LIMIT,
 * and the message names the field: "(raise the limit memory_bytes)". */
typedef struct pprofc_limits {
  size_t struct_size;      /* set by pprofc_limits_init */
  uint64_t input_bytes;    /* compressed input: 2 GiB */
  uint64_t inflated_bytes; /* after gzip: 8 GiB */
  uint32_t inflate_ratio;  /* inflated : source, checked past 32 MiB, and what reading takes in
                              memory : source, checked past 64 MiB: 400 */
  uint64_t memory_bytes;   /* allocated at a time for a profile and all that is made from it:
                              16 GiB */
  uint32_t stack_depth;    /* frames of one sample: 65,536 */
  uint32_t labels;         /* labels of one sample: 4,096 */
  uint32_t string_bytes;   /* one string: 64 MiB */
} pprofc_limits;

PPROFC_API void pprofc_limits_init(pprofc_limits *limits);

#ifdef __cplusplus
}
#endif
#endif
