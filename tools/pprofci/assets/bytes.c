/* Makes the sizes of allocations visible to callgrind, which counts calls. `pprofci run
 * -simulate-bytes` compiles this file and loads it with LD_PRELOAD. After each successful
 * allocation, it calls one function for each bit that is set in the requested size. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

/* Defines the function for a bit. The number of the bit is octal. The comment in the function makes
 * each function differ, so that the compiler keeps all of them. */
#define DEFINE(bit)                                                                                \
  __attribute__((noinline)) static void pprofc_bytes_##bit(void) {                                 \
    __asm__ volatile("/* " #bit " */");                                                            \
  }
#define NAME(bit) pprofc_bytes_##bit,
#define EIGHT(X, digit)                                                                            \
  X(digit##0) X(digit##1) X(digit##2) X(digit##3) X(digit##4) X(digit##5) X(digit##6) X(digit##7)
#define ALL(X)                                                                                     \
  EIGHT(X, 0) EIGHT(X, 1) EIGHT(X, 2) EIGHT(X, 3) EIGHT(X, 4) EIGHT(X, 5) EIGHT(X, 6) EIGHT(X, 7)

ALL(DEFINE)
static void (*const functions[])(void) = {ALL(NAME)};

/* The functions of the program's allocator. They are NULL until dlsym has found them. */
static struct {
  void *(*malloc)(size_t);
  void *(*calloc)(size_t, size_t);
  void *(*realloc)(void *, size_t);
  void *(*aligned_alloc)(size_t, size_t);
  void *(*memalign)(size_t, size_t);
  int (*posix_memalign)(void **, size_t, size_t);
} next;

/* Depth of nested calls of allocators in this thread. An allocator or dlsym may call an allocator,
 * and only the outermost call counts. With the TLS model "initial-exec", the first use of the
 * variable allocates nothing. */
static __thread int depth __attribute__((tls_model("initial-exec")));

static __attribute__((constructor)) void find(void) {
  *(void **)&next.calloc = dlsym(RTLD_NEXT, "calloc");
  *(void **)&next.realloc = dlsym(RTLD_NEXT, "realloc");
  *(void **)&next.aligned_alloc = dlsym(RTLD_NEXT, "aligned_alloc");
  *(void **)&next.memalign = dlsym(RTLD_NEXT, "memalign");
  *(void **)&next.posix_memalign = dlsym(RTLD_NEXT, "posix_memalign");
  *(void **)&next.malloc = dlsym(RTLD_NEXT, "malloc");
}

static void bytes_enter(void) {
  if (!depth++ && !next.malloc) find();
}

/* Ends an allocation. Counts its size if it succeeded and the program itself called the allocator.
 */
static void *bytes_leave(void *block, size_t size) {
  if (!--depth && block)
    for (; size; size &= size - 1) functions[__builtin_ctzll(size)]();
  return block;
}

/* Calls the allocator of the program. Fails while dlsym looks for it. */
#define CALL(name, ...) (bytes_enter(), next.name ? next.name(__VA_ARGS__) : 0)

void *malloc(size_t size) {
  return bytes_leave(CALL(malloc, size), size);
}

void *calloc(size_t count, size_t size) {
  return bytes_leave(CALL(calloc, count, size), count * size);
}

void *realloc(void *block, size_t size) {
  return bytes_leave(CALL(realloc, block, size), size);
}

void *aligned_alloc(size_t align, size_t size) {
  return bytes_leave(CALL(aligned_alloc, align, size), size);
}

void *memalign(size_t align, size_t size) {
  return bytes_leave(CALL(memalign, align, size), size);
}

int posix_memalign(void **block, size_t align, size_t size) {
  int error = CALL(posix_memalign, block, align, size);
  bytes_leave(error ? NULL : block, size);
  return error;
}
