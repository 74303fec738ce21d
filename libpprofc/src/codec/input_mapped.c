/* Inflates a large file with a low compression ratio without holding it in memory.
 *
 * libdeflate needs the whole input at once. If the input is more than a fraction of the output,
 * the file is mapped, and a second thread releases the pages already read every 2 ms. Releasing
 * a page too early is harmless: the next read gets it from the page cache. Peak memory is
 * slightly more than the inflated size. */
#include "codec/input.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#define LEAST_SIZE    ((size_t)8 << 20)
#define DROP_EVERY_US 2000u

struct dropper {
  void *map;
  size_t size;
  atomic_bool done;
};

static void *drop_pages(void *argument) {
  struct dropper *dropper = argument;
  while (!atomic_load(&dropper->done)) {
    usleep(DROP_EVERY_US);
    madvise(dropper->map, dropper->size, MADV_DONTNEED);
  }
  return NULL;
}

bool input_inflate_mapped(int fd, size_t size, struct input_sink *sink) {
  uint8_t trailer[4];
  if (size < LEAST_SIZE || pread(fd, trailer, 4, (off_t)(size - 4)) != 4) return false;
  size_t claim = input_claimed_size(trailer, size, sink->limits);
  if (claim == 0 || size < claim / 5 * 2) return false;
  struct dropper dropper = {.size = size};
  dropper.map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (dropper.map == MAP_FAILED) return false;
  pthread_t thread;
  bool threaded = pthread_create(&thread, NULL, drop_pages, &dropper) == 0;
  bool done = input_inflate_whole(dropper.map, size, sink);
  atomic_store(&dropper.done, true);
  if (threaded) pthread_join(thread, NULL);
  munmap(dropper.map, size);
  return done;
}
