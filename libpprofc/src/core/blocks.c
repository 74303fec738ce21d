/* Output that is rendered in blocks on several threads and written in order. */
#include "core/blocks.h"

#include "core/buffer.h"
#include "core/parallel.h"

/* Number of items in a block, and the target size of its text in bytes. A block of BLOCK_FEW
 * items may exceed the target, up to BLOCK_MAX bytes. */
#define BLOCK_ITEMS ((size_t)8192)
#define BLOCK_FEW   ((size_t)256)
#define BLOCK_BYTES ((size_t)1 << 20)
#define BLOCK_MAX   ((size_t)64 << 20)

/* A thread and the text of its current block. */
struct renderer {
  struct buffer text;
  struct output out;
};

struct round {
  block_fn render;
  const void *context;
  struct renderer *renderers;
  size_t items, block;
  size_t from; /* first item of this round */
};

static int blocks_to_buffer(void *context, const void *data, size_t size) {
  struct buffer *text = context;
  buffer_add(text, data, size);
  return text->failed;
}

static void render_block(void *context, unsigned worker) {
  const struct round *round = context;
  struct renderer *renderer = &round->renderers[worker];
  size_t from = round->from + worker * round->block;
  if (from >= round->items) return;
  size_t left = round->items - from;
  buffer_clear(&renderer->text);
  output_init(&renderer->out, blocks_to_buffer, &renderer->text);
  round->render(round->context, &renderer->out, from,
                from + (left < round->block ? left : round->block));
  (void)output_flush(&renderer->out, NULL);
}

static bool write_rounds(struct output *out, struct round *round, unsigned workers) {
  for (; round->from < round->items && !out->failed; round->from += workers * round->block) {
    parallel_run(workers, render_block, round);
    for (unsigned w = 0; w < workers; w++) {
      if (round->from + w * round->block >= round->items) break;
      if (round->renderers[w].out.failed) return false;
      output_add_str(out, buffer_str(&round->renderers[w].text));
    }
  }
  return true;
}

/* Returns the number of items in a block. */
static size_t blocks_size(size_t item_bytes) {
  size_t fitting = BLOCK_BYTES / item_bytes, most = BLOCK_MAX / item_bytes;
  if (fitting < BLOCK_FEW) fitting = most < BLOCK_FEW ? most : BLOCK_FEW;
  return fitting < BLOCK_ITEMS ? fitting : BLOCK_ITEMS;
}

bool blocks_write(struct output *out, const pprofc_allocator *mem, unsigned threads, size_t items,
                  size_t item_bytes, block_fn render, const void *context) {
  size_t block = blocks_size(item_bytes ? item_bytes : 1);
  unsigned workers = block < 64 ? 1 : parallel_workers(threads, items, block / 4);
  if (workers == 1) {
    render(context, out, 0, items);
    return true;
  }
  struct renderer *renderers = mem_array(mem, workers, sizeof *renderers);
  if (!renderers) return false;
  for (unsigned w = 0; w < workers; w++) buffer_init(&renderers[w].text, mem, SIZE_MAX);
  struct round round = {render, context, renderers, items, block, 0};
  bool ok = write_rounds(out, &round, workers);
  for (unsigned w = 0; w < workers; w++) buffer_free(&renderers[w].text);
  mem_free(mem, renderers, workers, sizeof *renderers);
  return ok;
}
