/* A ring of windows between the thread that inflates and the thread that reads. */
#include "codec/window_ring.h"

#include "core/parallel.h"

#include <pthread.h>

#define WINDOW_SIZE ((size_t)128 * 1024)
#define WINDOWS     4

struct window_ring {
  const pprofc_allocator *mem;
  struct inflater *inflater;
  uint8_t *memory;      /* [WINDOWS * WINDOW_SIZE] */
  size_t size[WINDOWS]; /* of the windows that are filled */
  /* Windows since the beginning; window n is in place n % WINDOWS. */
  size_t filled;
  size_t free; /* the reader has given those before this one back */
  size_t next; /* the reader's own: the one that it asks for next */
  bool bad, over, stop;
  bool threaded;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
};

static uint8_t *window_ring_place(const struct window_ring *ring, size_t window) {
  return ring->memory + window % WINDOWS * WINDOW_SIZE;
}

/* Fills the next window; only the thread that fills calls it, without the lock. */
static bool window_ring_fill(struct window_ring *ring, size_t window) {
  return inflater_fill(ring->inflater, window_ring_place(ring, window), WINDOW_SIZE,
                       &ring->size[window % WINDOWS]);
}

static void *window_ring_run(void *argument) {
  struct window_ring *ring = argument;
  pthread_mutex_lock(&ring->lock);
  while (!ring->stop && !ring->bad && !ring->over) {
    if (ring->filled - ring->free == WINDOWS) {
      pthread_cond_wait(&ring->changed, &ring->lock);
      continue;
    }
    size_t window = ring->filled;
    pthread_mutex_unlock(&ring->lock);
    bool good = window_ring_fill(ring, window);
    pthread_mutex_lock(&ring->lock);
    ring->bad = !good;
    ring->over = good && !ring->size[window % WINDOWS];
    ring->filled++;
    pthread_cond_signal(&ring->changed);
  }
  pthread_mutex_unlock(&ring->lock);
  return NULL;
}

struct window_ring *window_ring_open(struct inflater *inflater, unsigned threads,
                                     const pprofc_allocator *mem) {
  struct window_ring *ring = mem_zero_array(mem, 1, sizeof *ring);
  if (!ring) return NULL;
  ring->mem = mem;
  ring->inflater = inflater;
  ring->memory = mem_array(mem, WINDOWS, WINDOW_SIZE);
  if (!ring->memory) {
    mem_free(mem, ring, 1, sizeof *ring);
    return NULL;
  }
  pthread_mutex_init(&ring->lock, NULL);
  pthread_cond_init(&ring->changed, NULL);
  ring->threaded = parallel_workers(threads, 2, 1) > 1 &&
                   pthread_create(&ring->thread, NULL, window_ring_run, ring) == 0;
  return ring;
}

void window_ring_close(struct window_ring *ring) {
  pthread_mutex_lock(&ring->lock);
  ring->stop = true;
  pthread_cond_signal(&ring->changed);
  pthread_mutex_unlock(&ring->lock);
  if (ring->threaded) pthread_join(ring->thread, NULL);
  pthread_cond_destroy(&ring->changed);
  pthread_mutex_destroy(&ring->lock);
  mem_free(ring->mem, ring->memory, WINDOWS, WINDOW_SIZE);
  mem_free(ring->mem, ring, 1, sizeof *ring);
}

/* The next window that is filled, when there is a thread that fills. */
static bool window_ring_wait(struct window_ring *ring, size_t window) {
  pthread_mutex_lock(&ring->lock);
  ring->free = window;
  pthread_cond_signal(&ring->changed);
  while (ring->filled == window) pthread_cond_wait(&ring->changed, &ring->lock);
  bool good = !ring->bad || ring->filled > window + 1;
  pthread_mutex_unlock(&ring->lock);
  return good;
}

bool window_ring_next(struct window_ring *ring, struct window *window) {
  size_t next = ring->next++;
  bool good = ring->threaded ? window_ring_wait(ring, next) : window_ring_fill(ring, next);
  *window = (struct window){window_ring_place(ring, next), ring->size[next % WINDOWS]};
  return good;
}
