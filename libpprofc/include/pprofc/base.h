/* Declarations that all headers of libpprofc share: version, statuses, errors, strings, allocators,
 * limits, output.
 *
 * Conventions of the library:
 *  - A function that can fail returns a pprofc_status and fills `error` unless it is NULL. On
 *    failure it leaves its out-parameters unchanged. "Errors:" in a comment lists the statuses.
 *  - The function that frees an object accepts NULL. The object must not be in use by another
 *    thread.
 *  - The first parameter is the object that the function reads or changes. Two parameters such as
 *    `base` and `base_count`, or `data` and `size`, are an array and its length. The parameter
 *    after a callback is `context`, which the library passes to the callback as first argument.
 *  - An index is in [0, count). An index out of range is a programming error unless a comment names
 *    the result.
 *  - Objects are opaque and immutable, so several threads may read one object at once. Any thread
 *    may call a function without an object, such as an _init function.
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

/* Returns the version of the linked library, which may be newer than this header. */
PPROFC_API const char *pprofc_version(void);

/* Result of a call. Later versions may add statuses. Handle an unknown status as an error. */
typedef enum pprofc_status {
  PPROFC_OK = 0,        /* success */
  PPROFC_E_NOMEM,       /* an allocation failed */
  PPROFC_E_IO,          /* the operating system reported an error while reading or writing */
  PPROFC_E_FORMAT,      /* the input is invalid */
  PPROFC_E_LIMIT,       /* a limit of pprofc_limits was exceeded; the message names the limit */
  PPROFC_E_INVALID,     /* an argument or option is invalid */
  PPROFC_E_UNSUPPORTED, /* this build of pprofc or this machine lacks an optional feature */
  PPROFC_E_NO_MATCH,    /* a required regular expression has no match */
  PPROFC_E_CANCELLED    /* the caller cancelled the call, or its time limit has passed */
} pprofc_status;

/* Returns the name of a status, for example "PPROFC_E_LIMIT". Returns "unknown status" for an
 * unknown number. */
PPROFC_API const char *pprofc_status_name(pprofc_status status);

/* Value of `offset` for an error without a position in the input. */
#define PPROFC_NO_OFFSET UINT64_MAX

/* Reason why a call failed. The caller owns the struct, which needs no cleanup. */
typedef struct pprofc_error {
  pprofc_status status; /* status that the call returned */
  uint64_t offset;      /* offset of the error in the decompressed input, in bytes, or
                           PPROFC_NO_OFFSET */
  char message[1024];   /* error message: one line in lower case, NUL-terminated */
} pprofc_error;

/* Bytes that another object owns. A NUL is an ordinary byte. */
typedef struct pprofc_str {
  const char *data; /* array of `size` bytes without a NUL at its end */
  size_t size;      /* length in bytes */
} pprofc_str;

/* Memory functions of the caller. The library calls them from several threads at once. `alloc` and
 * `resize` return NULL on failure. Sizes are in bytes. `resize` and `release` get the size that was
 * requested for the block. A NULL allocator means malloc, realloc and free. */
typedef struct pprofc_allocator {
  void *(*alloc)(void *context, size_t size); /* returns a new block */
  /* returns the block with its new size, at the same or another address */
  void *(*resize)(void *context, void *block, size_t old_size, size_t new_size);
  void (*release)(void *context, void *block, size_t size); /* frees a block */
  void *context;                                            /* first argument of each function */
} pprofc_allocator;

/* Receives `size` bytes of output. Returns 0 to continue. Any other value ends the call with
 * PPROFC_E_IO. */
typedef int (*pprofc_write_fn)(void *context, const void *data, size_t size);

/* Receives the progress of a library call. Returns true to continue. If the function returns false,
 * the call ends with PPROFC_E_CANCELLED, or with PPROFC_OK if it has already read all that it
 * needs. A call has one or more steps. `done` is the finished part of the current step, and `total`
 * is the size of the step. Their unit depends on the step. Both are 0 if the size is unknown. The
 * library calls the function often and from several threads at once, so the function must be quick.
 * The function must not call the library. */
typedef bool (*pprofc_progress_fn)(void *context, uint64_t done, uint64_t total);

/* Limits of one call. A field with the value 0 means its default. A call that exceeds a limit
 * returns PPROFC_E_LIMIT. The error message names the field: "(raise the limit memory_bytes)". */
typedef struct pprofc_limits {
  size_t struct_size;      /* set by pprofc_limits_init */
  uint64_t input_bytes;    /* maximum size of the compressed input in bytes, default 2 GiB */
  uint64_t inflated_bytes; /* maximum size of the decompressed input in bytes, default 8 GiB */
  /* Maximum ratio of decompressed to compressed size, default 400. The library checks the ratio if
   * the decompressed data is larger than 32 MiB. The same number is the maximum ratio of used
   * memory to input size. The library checks this second ratio if more than 64 MiB of memory are
   * used. It does not check the second ratio for plain text from a pipe, because the size of such
   * input is unknown. */
  uint32_t inflate_ratio;
  uint64_t memory_bytes; /* maximum memory in bytes at any time for a profile and everything made
                            from it, default 16 GiB */
  uint32_t stack_depth;  /* maximum number of frames of one sample, default 65,536 */
  uint32_t labels;       /* maximum number of labels of one sample, default 4,096 */
  uint32_t string_bytes; /* maximum size of one string in bytes, default 64 MiB */
} pprofc_limits;

/* Sets all fields to their defaults. */
PPROFC_API void pprofc_limits_init(pprofc_limits *limits);

#ifdef __cplusplus
}
#endif
#endif
