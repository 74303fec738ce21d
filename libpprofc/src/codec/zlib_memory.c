/* Makes zlib use the allocator of the library. */
#include "codec/zlib_memory.h"

#include <stdalign.h>

/* zlib frees a block without passing its size, so the size is stored before the block. */
#define HEADER alignof(max_align_t)

static voidpf zlib_memory_take(voidpf context, uInt count, uInt size) {
  size_t bytes = (size_t)count * size + HEADER;
  char *block = mem_array(context, bytes, 1);
  if (!block) return NULL;
  *(size_t *)(void *)block = bytes;
  return block + HEADER;
}

static void zlib_memory_give_back(voidpf context, voidpf block) {
  char *start = (char *)block - HEADER;
  mem_free(context, start, *(size_t *)(void *)start, 1);
}

void zlib_use_memory(z_stream *stream, const pprofc_allocator *mem) {
  stream->zalloc = zlib_memory_take;
  stream->zfree = zlib_memory_give_back;
  stream->opaque = (voidpf)(uintptr_t)mem;
}
