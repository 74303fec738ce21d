/* Base of all headers of libpprofc: version, statuses, errors, strings, allocators, limits, output.
 *
 * Conventions of the library:
 *  - A function that can fail returns a pprofc_status and fills `error` unless it is NULL. On
 *    failure it leaves its out-parameters unchanged.
 *  - Objects are opaque and immutable, so several threads may read one object at once.
 *  - The library has no global state, never exits, and writes only through the caller's callback.
 *  - Every declaration exists since version 0.1 unless its comment names a later version. */
#ifndef PPROFC_BASE_H
#define PPROFC_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library. CMake, the programs and the manual pages read it from here. */
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

/* Returns PPROFC_VERSION of the linked library, which may be newer than the header. */
PPROFC_API const char *pprofc_version(void);

typedef enum pprofc_status {
  PPROFC_OK = 0,
  PPROFC_E_NOMEM,       /* an allocation failed */
  PPROFC_E_IO,          /* the operating system refused to read or write */
  PPROFC_E_FORMAT,      /* the input is invalid */
  PPROFC_E_LIMIT,       /* a limit of pprofc_limits was exceeded; the message names it */
  PPROFC_E_INVALID,     /* an argument or option is invalid */
  PPROFC_E_UNSUPPORTED, /* this build or machine lacks an optional part */
  PPROFC_E_NO_MATCH,    /* a regular expression that must match matched nothing */
  PPROFC_E_CANCELLED    /* the caller cancelled the call, or its time is over */
} pprofc_status;

/* The reason for a failed call. The caller owns it; it needs no cleanup. `message` is one line
 * in lower case, ended by a NUL. `offset` is a byte offset in the inflated input, or
 * PPROFC_NO_OFFSET. */
#define PPROFC_NO_OFFSET UINT64_MAX
typedef struct pprofc_error {
  pprofc_status status;
  uint64_t offset;
  char message[1024];
} pprofc_error;

/* A view of bytes with their length. A NUL is an ordinary byte. The view owns nothing. */
typedef struct pprofc_str {
  const char *data;
  size_t size;
} pprofc_str;

/* Memory functions of the caller, all thread-safe. `resize` and `release` get the requested
 * size of the block. NULL in place of an allocator means malloc, realloc and free. */
typedef struct pprofc_allocator {
  void *(*alloc)(void *context, size_t size);
  void *(*resize)(void *context, void *block, size_t old_size, size_t new_size);
  void (*release)(void *context, void *block, size_t size);
  void *context;
} pprofc_allocator;

/* Receives output. Returns 0, or another value to stop with PPROFC_E_IO. */
typedef int (*pprofc_write_fn)(void *context, const void *data, size_t size);

/* Limits of one call. 0 in a field means its default. Exceeding a limit gives PPROFC_E_LIMIT
 * with the name of the field: "(raise the limit memory_bytes)". */
typedef struct pprofc_limits {
  size_t struct_size;      /* set by pprofc_limits_init */
  uint64_t input_bytes;    /* bytes of compressed input, default 2 GiB */
  uint64_t inflated_bytes; /* bytes of inflated input, default 8 GiB */
  uint32_t inflate_ratio;  /* ratio of inflated to compressed size, checked past 32 MiB, and of
                              memory for reading to source, checked past 64 MiB; default 400 */
  uint64_t memory_bytes;   /* bytes allocated at a time for a profile and everything made from
                              it, default 16 GiB */
  uint32_t stack_depth;    /* frames of one sample, default 65,536 */
  uint32_t labels;         /* labels of one sample, default 4,096 */
  uint32_t string_bytes;   /* bytes of one string, default 64 MiB */
} pprofc_limits;

PPROFC_API void pprofc_limits_init(pprofc_limits *limits);

#ifdef __cplusplus
}
#endif
#endif
