/* Divides work among several threads. Formats output in blocks on several threads, and writes the
 * blocks in order. */
#include "core/parallel.h"
#include "core/base.h"

#include <pthread.h>

/* ---- threads ---------------------------------------- */

#define MAX_WORKERS 16u

unsigned parallel_workers(unsigned wanted, size_t items, size_t grain) {
  size_t useful = grain ? items / grain : items;
  if (useful <= 1) return 1; /* Return early, because counting the processors reads a file. */
  if (wanted == 0) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    wanted = processors > 0 ? (unsigned)processors : 1;
  }
  if (wanted > MAX_WORKERS) wanted = MAX_WORKERS;
  return useful < wanted ? (unsigned)useful : wanted;
}

struct parallel_job {
  void (*fn)(void *context, unsigned worker);
  void *context;
  unsigned worker;
};

static void *run_job(void *argument) {
  struct parallel_job *job = argument;
  job->fn(job->context, job->worker);
  return NULL;
}

void parallel_run(unsigned workers, void (*fn)(void *context, unsigned worker), void *context) {
  pthread_t threads[MAX_WORKERS];
  struct parallel_job jobs[MAX_WORKERS];
  unsigned started = 1;
  if (workers > MAX_WORKERS) workers = MAX_WORKERS;
  while (started < workers) {
    jobs[started] = (struct parallel_job){fn, context, started};
    if (pthread_create(&threads[started], NULL, run_job, &jobs[started]) != 0) break;
    started++;
  }
  fn(context, 0);
  for (unsigned w = started; w < workers; w++) fn(context, w);
  for (unsigned w = 1; w < started; w++) pthread_join(threads[w], NULL);
}

struct parallel_deep_job {
  void (*fn)(void *context);
  void *context;
};

static void *run_deep_job(void *argument) {
  struct parallel_deep_job *job = argument;
  job->fn(job->context);
  return NULL;
}

bool parallel_run_deep(size_t stack, void (*fn)(void *context), void *context) {
  struct parallel_deep_job job = {fn, context};
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes) != 0) return false;
  bool started = pthread_attr_setstacksize(&attributes, stack) == 0 &&
                 pthread_create(&thread, &attributes, run_deep_job, &job) == 0;
  pthread_attr_destroy(&attributes);
  return started && pthread_join(thread, NULL) == 0;
}

/* Limits of a block: BLOCK_ITEMS items, and BLOCK_BYTES bytes of text. If long items would make a
 * block of fewer than BLOCK_FEW items, a block has up to BLOCK_FEW items and BLOCK_MAX bytes. */
#define BLOCK_ITEMS ((size_t)8192)
#define BLOCK_FEW   ((size_t)256)
#define BLOCK_BYTES ((size_t)8 << 20)
#define BLOCK_MAX   ((size_t)64 << 20)

/* State of a thread that formats items, with the text of its current block. */
struct renderer {
  struct buffer text;
  void *room;
  struct output out;
};

struct round {
  const struct blocks *blocks;
  struct renderer *renderers;
  size_t block; /* number of items in a block */
  size_t from;  /* index of the first item in the current blocks */
};

static void render_block(void *context, unsigned worker) {
  const struct round *round = context;
  struct renderer *renderer = &round->renderers[worker];
  size_t from = round->from + worker * round->block;
  if (from >= round->blocks->items) return;
  size_t left = round->blocks->items - from;
  buffer_clear(&renderer->text);
  output_init(&renderer->out, buffer_write, &renderer->text);
  round->blocks->render(round->blocks->context, renderer->room, &renderer->out, from,
                        from + (left < round->block ? left : round->block));
  (void)output_flush(&renderer->out, NULL);
}

static bool write_rounds(struct output *out, struct round *round, unsigned workers) {
  for (; round->from < round->blocks->items && !out->failed;
       round->from += workers * round->block) {
    parallel_run(workers, render_block, round);
    for (unsigned w = 0; w < workers; w++) {
      if (round->from + w * round->block >= round->blocks->items) break;
      if (round->renderers[w].out.failed) return false;
      output_add_str(out, buffer_str(&round->renderers[w].text));
    }
  }
  return true;
}

static size_t blocks_size(size_t item_bytes) {
  size_t fitting = BLOCK_BYTES / item_bytes, most = BLOCK_MAX / item_bytes;
  if (fitting < BLOCK_FEW) fitting = most < BLOCK_FEW ? most : BLOCK_FEW;
  return fitting < BLOCK_ITEMS ? fitting : BLOCK_ITEMS;
}

/* Allocates the memory of the threads. Returns false when out of memory. */
static bool blocks_begin(struct renderer *renderers, unsigned workers, size_t room,
                         const pprofc_allocator *mem) {
  bool ok = true;
  for (unsigned w = 0; w < workers; w++) {
    buffer_init(&renderers[w].text, mem, SIZE_MAX);
    renderers[w].room = mem_zero_array(mem, room, 1);
    ok = ok && renderers[w].room;
  }
  return ok;
}

bool blocks_write(struct output *out, const pprofc_allocator *mem, unsigned threads,
                  const struct blocks *blocks) {
  size_t block = blocks_size(blocks->item_bytes ? blocks->item_bytes : 1);
  unsigned workers = block < 64 ? 1 : parallel_workers(threads, blocks->items, block / 4);
  struct renderer *renderers = mem_array(mem, workers, sizeof *renderers);
  if (!renderers) return false;
  size_t share = blocks->items / workers + 1; /* number of items (units of work) for each thread */
  struct round round = {blocks, renderers, block < share ? block : share, 0};
  bool ok = blocks_begin(renderers, workers, blocks->room, mem);
  if (ok && workers == 1)
    blocks->render(blocks->context, renderers->room, out, 0, blocks->items);
  else
    ok = ok && write_rounds(out, &round, workers);
  for (unsigned w = 0; w < workers; w++) {
    buffer_free(&renderers[w].text);
    mem_free(mem, renderers[w].room, blocks->room, 1);
  }
  mem_free(mem, renderers, workers, sizeof *renderers);
  return ok;
}
