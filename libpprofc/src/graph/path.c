/* Follows stacks as a path of nodes. */
#include "graph/path.h"

bool path_init(struct graph_path *p, const struct graph *g, size_t first) {
  const struct samples *samples = &g->profile->samples;
  *p = (struct graph_path){.graph = g, .capacity = samples->max_depth + 1};
  p->values = profile_values(g->profile, g->options.value_index);
  p->divisors = profile_values(g->profile, 0);
  p->steps = mem_array(g->mem, p->capacity, sizeof *p->steps);
  if (p->steps && delta_init(&p->delta, g->mem, samples, first)) return true;
  p->delta.fresh = NULL;
  return false;
}

void path_free(struct graph_path *p) {
  if (p->delta.fresh) delta_free(&p->delta, p->graph->mem);
  if (p->steps) mem_free(p->graph->mem, p->steps, p->capacity, sizeof *p->steps);
}

static void path_pop_to(struct graph_path *p, uint32_t shared) {
  while (p->depth && p->steps[p->depth - 1].offset > shared) {
    struct path_step step = p->steps[--p->depth];
    if (p->depth) path_sum_add(&p->steps[p->depth - 1].pending, step.pending);
    p->pop(p->context, &step);
  }
  if (p->depth && p->steps[p->depth - 1].skipped > shared) p->steps[p->depth - 1].skipped = 0;
}

static bool path_reserve(struct graph_path *p, size_t more) {
  return ARRAY_RESERVE(p->graph->mem, p->steps, p->capacity, p->depth + more);
}

/* Appends the frames of a location. `following` more locations follow. */
static bool path_push(struct graph_path *p, struct fresh_frame frame, size_t following) {
  const struct frames *f = &p->graph->frames;
  uint32_t info = f->of_location[frame.location];
  if (!(info & FRAME_LIST)) return p->push(p->context, info, frame.offset, false);
  const uint32_t *list = frame_list(f, info);
  if (!path_reserve(p, list[0] + following)) return false;
  for (uint32_t k = list[0]; k; k--)
    if (!p->push(p->context, list[k], frame.offset, k != list[0])) return false;
  return true;
}

bool path_add(struct graph_path *p, size_t sample, struct path_sum *added) {
  *added = (struct path_sum){p->values.values[sample * p->values.step], 0};
  if (p->graph->options.mean) added->divisor = p->divisors.values[sample * p->divisors.step];
  if (budget_poll(p->graph->mem, sample)) return false;
  if (added->value == 0 && added->divisor == 0) return true;
  delta_move(&p->delta, sample);
  path_pop_to(p, p->delta.shared);
  delta_read(&p->delta);
  if (!path_reserve(p, p->delta.count)) return false;
  for (size_t k = p->delta.count; k-- > 0;)
    if (!path_push(p, p->delta.fresh[k], k)) return false;
  if (p->depth) path_sum_add(&p->steps[p->depth - 1].pending, *added);
  return true;
}

void path_end(struct graph_path *p) {
  path_pop_to(p, 0);
}
