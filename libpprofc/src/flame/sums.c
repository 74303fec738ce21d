/* The cost of each function of a tree. */
#include "flame/pack.h"

/* Frames are sorted by name, so the frames of a function follow each other. */
static size_t sums_number_functions(const struct stack_frames *frames, uint32_t *function) {
  size_t count = 0;
  for (size_t i = 0; i < frames->count; i++) {
    if (i && !str_equal(frames->items[i].name, frames->items[i - 1].name)) count++;
    function[i] = (uint32_t)count;
  }
  return frames->count ? count + 1 : 0;
}

static void sums_add(int64_t *to, const int64_t *from, size_t columns) {
  for (size_t c = 0; c < columns; c++) to[c] = sum_add(to[c], from[c]);
}

/* Walks the nodes in preorder. `open` counts the calls of a function above the node: only the
 * outermost one adds its total. */
static void sums_walk(const struct flame_tree *t, struct flame_sums *sums, uint32_t *open,
                      uint32_t *path) {
  uint32_t depth = 0;
  for (size_t i = 1; i < t->count; i++) {
    uint32_t function = sums->function[t->frame[i]];
    for (; depth >= t->depth[i]; depth--) open[path[depth]]--;
    depth = t->depth[i];
    path[depth] = function;
    sums_add(&sums->self[function * t->columns], &t->self[i * t->columns], t->columns);
    if (!open[function]++)
      sums_add(&sums->total[function * t->columns], &t->total[i * t->columns], t->columns);
  }
}

bool flame_sums_make(const struct flame_tree *t, struct flame_sums *sums) {
  const pprofc_allocator *mem = t->arena.mem;
  *sums = (struct flame_sums){.mem = mem, .frames = t->frames->count, .columns = t->columns};
  sums->function = mem_array(mem, sums->frames, sizeof *sums->function);
  if (!sums->function) return false;
  sums->count = sums_number_functions(t->frames, sums->function);
  uint32_t *open = mem_zero_array(mem, sums->count, sizeof *open);
  uint32_t *path = mem_zero_array(mem, t->max_depth + 1, sizeof *path);
  sums->self = mem_zero_array(mem, sums->count * sums->columns, sizeof *sums->self);
  sums->total = mem_zero_array(mem, sums->count * sums->columns, sizeof *sums->total);
  bool good = open && path && sums->self && sums->total;
  if (good) sums_walk(t, sums, open, path);
  mem_free(mem, open, sums->count, sizeof *open);
  mem_free(mem, path, t->max_depth + 1, sizeof *path);
  return good;
}

void flame_sums_free(struct flame_sums *sums) {
  if (!sums->mem) return;
  mem_free(sums->mem, sums->function, sums->frames, sizeof *sums->function);
  mem_free(sums->mem, sums->self, sums->count * sums->columns, sizeof *sums->self);
  mem_free(sums->mem, sums->total, sums->count * sums->columns, sizeof *sums->total);
}
