/* Maps large files in order to read them without keeping them in memory.
 *
 * Every 10 ms, a second thread releases the pages that were already read. If it releases a page too
 * early, the next access gets the page from the page cache. */
#include "codec/input.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

#define LEAST_SIZE ((size_t)8 << 20)
/* Microseconds between two releases of pages. A shorter time causes more page faults. A longer time
 * takes more memory. */
#define DROP_EVERY_US 10000u

struct input_map {
  const pprofc_allocator *mem;
  void *data;
  size_t size;
  pthread_t thread;
  bool has_thread;
  atomic_bool done;
};

static void *input_map_drop(void *argument) {
  struct input_map *map = argument;
  while (!atomic_load(&map->done)) {
    usleep(DROP_EVERY_US);
    madvise(map->data, map->size, MADV_DONTNEED);
  }
  return NULL;
}

struct input_map *input_map_open(int fd, size_t size, const pprofc_allocator *mem,
                                 const uint8_t **data) {
  struct input_map *map = mem_zero_array(mem, 1, sizeof *map);
  if (!map) return NULL;
  map->mem = mem;
  map->size = size;
  map->data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (map->data == MAP_FAILED) {
    mem_free(mem, map, 1, sizeof *map);
    return NULL;
  }
  map->has_thread = pthread_create(&map->thread, NULL, input_map_drop, map) == 0;
  *data = map->data;
  return map;
}

void input_map_close(struct input_map *map) {
  atomic_store(&map->done, true);
  if (map->has_thread) pthread_join(map->thread, NULL);
  munmap(map->data, map->size);
  mem_free(map->mem, map, 1, sizeof *map);
}

/* Maps the file instead of reading it into memory, because libdeflate needs the whole input at
 * once. Returns false if the input is small in relation to the output. */
bool input_inflate_mapped(int fd, size_t size, struct input_sink *sink) {
  uint8_t trailer[4];
  const uint8_t *data;
  if (size < LEAST_SIZE || pread(fd, trailer, 4, (off_t)(size - 4)) != 4) return false;
  size_t claim = input_claimed_size(trailer, size, sink->limits);
  if (claim == 0 || size < claim / 5 * 2) return false;
  struct input_map *map = input_map_open(fd, size, &sink->region->mem, &data);
  bool done = map && input_inflate_whole(data, size, sink);
  if (map) input_map_close(map);
  return done;
}
