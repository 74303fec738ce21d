/* Implements the allocator of pprofci, which ends the program when memory runs out. */
#include "commands.h"

/* Size in bytes of the memory that the cleanup may need, for example for the buffer of opendir. */
#define RESERVE ((size_t)1 << 18)

static struct {
  void (*clean)(void *context);
  void *context;
  void *reserve; /* memory for the cleanup, or NULL */
  bool ended;
} at_end;

static void free_reserve(void) {
  if (at_end.reserve) mem_default.release(mem_default.context, at_end.reserve, RESERVE);
  at_end.reserve = NULL;
}

void memory_clean(void) {
  free_reserve();
  if (at_end.clean) at_end.clean(at_end.context);
}

/* Returns the block, or ends the program if it is NULL. Prints the message without message_error,
 * which needs memory. The cleanup may run out of memory again; then the program ends immediately.
 */
static void *memory_need(void *block) {
  if (block) return block;
  if (!at_end.ended) {
    static const char message[] = "pprofci: out of memory\n";
    int fd = STDERR_FILENO;
    at_end.ended = true;
    (void)fd_write(&fd, message, sizeof message - 1);
    memory_clean();
  }
  _exit(EXIT_FAILED);
}

void memory_set_cleanup(void (*clean)(void *context), void *context) {
  at_end.clean = clean;
  at_end.context = context;
  free_reserve();
  if (clean) at_end.reserve = memory_need(mem_default.alloc(mem_default.context, RESERVE));
}

static void *need_alloc(void *context, size_t size) {
  (void)context;
  return memory_need(mem_default.alloc(mem_default.context, size));
}

static void *need_resize(void *context, void *block, size_t old_size, size_t new_size) {
  (void)context;
  return memory_need(mem_default.resize(mem_default.context, block, old_size, new_size));
}

static void need_release(void *context, void *block, size_t size) {
  (void)context;
  mem_default.release(mem_default.context, block, size);
}

const pprofc_allocator ci_mem = {need_alloc, need_resize, need_release, NULL};

struct buffer ci_buffer(void) {
  struct buffer buffer = buffer_make(&ci_mem, SIZE_MAX / 2);
  return buffer;
}

struct arena ci_arena(void) {
  struct arena arena = arena_make(&ci_mem);
  return arena;
}
