/* Passes windows (blocks of a stream) from the thread that inflates to the thread that reads. The
 * windows form a ring. */
#include "codec/window_ring.h"

#include "core/parallel.h"

#include <pthread.h>

#define WINDOW_SIZE ((size_t)64 * 1024)
#define WINDOWS     8

/* A waiting thread wakes when half of the ring is ready for it. Waking a thread for each window
 * would cost more than the work on the window. */
#define ENOUGH (WINDOWS / 2)

struct window_ring {
  const pprofc_allocator *mem;
  struct inflater *inflater;
  uint8_t *memory;      /* memory for all windows: WINDOWS * WINDOW_SIZE bytes */
  size_t size[WINDOWS]; /* for each filled window, its size in bytes */
  /* number of windows that were filled so far; window n is in slot n % WINDOWS */
  size_t filled;
  size_t free; /* number of the first window that the reader has not released */
  size_t next; /* number of the window to read next; only the reader uses this field */
  bool bad, over, stop;
  bool filler_waits, reader_waits;
  bool threaded;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
};

static uint8_t *window_ring_place(const struct window_ring *ring, size_t window) {
  return ring->memory + window % WINDOWS * WINDOW_SIZE;
}

/* Fills the next window without the lock. Only the filling thread calls this function. */
static bool window_ring_fill(struct window_ring *ring, size_t window) {
  return inflater_fill(ring->inflater, window_ring_place(ring, window), WINDOW_SIZE,
                       &ring->size[window % WINDOWS]);
}

static bool window_ring_has_ended(const struct window_ring *ring) {
  return ring->bad || ring->over;
}

/* Waits for a free window. Returns at once if a window is free. Otherwise waits for ENOUGH free
 * windows, so that the thread wakes up less often. The caller holds the lock. */
static void window_ring_await_room(struct window_ring *ring) {
  if (ring->filled - ring->free < WINDOWS) return;
  ring->filler_waits = true;
  while (!ring->stop && ring->filled - ring->free > WINDOWS - ENOUGH)
    pthread_cond_wait(&ring->changed, &ring->lock);
  ring->filler_waits = false;
}

static void *window_ring_run(void *argument) {
  struct window_ring *ring = argument;
  pthread_mutex_lock(&ring->lock);
  for (;;) {
    window_ring_await_room(ring);
    if (ring->stop || window_ring_has_ended(ring)) break;
    size_t window = ring->filled;
    pthread_mutex_unlock(&ring->lock);
    bool good = window_ring_fill(ring, window);
    pthread_mutex_lock(&ring->lock);
    ring->bad = !good;
    ring->over = good && !ring->size[window % WINDOWS];
    ring->filled++;
    bool enough = ring->filled - ring->free >= ENOUGH || window_ring_has_ended(ring);
    if (ring->reader_waits && enough) pthread_cond_signal(&ring->changed);
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

/* Returns at once if the next window is filled; otherwise waits until ENOUGH windows are filled.
 * The caller holds the lock. */
static void window_ring_await_windows(struct window_ring *ring, size_t window) {
  if (ring->filled > window) return;
  ring->reader_waits = true;
  while (ring->filled - window < ENOUGH && !window_ring_has_ended(ring))
    pthread_cond_wait(&ring->changed, &ring->lock);
  ring->reader_waits = false;
}

/* Releases the previous windows and waits until the next window is filled. */
static bool window_ring_wait(struct window_ring *ring, size_t window) {
  pthread_mutex_lock(&ring->lock);
  ring->free = window;
  bool has_room = ring->filled - ring->free <= WINDOWS - ENOUGH;
  if (ring->filler_waits && has_room) pthread_cond_signal(&ring->changed);
  window_ring_await_windows(ring, window);
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
