/* Finds how certain the change of each box in a flame graph is. */
#include "flame/verdicts.h"

const struct flame_verdict *flame_verdict_of(const struct flame_verdicts *verdicts,
                                             const struct flame_tree *tree, uint32_t node) {
  if (node == NONE || tree->frame[node] == NONE) return NULL;
  return verdicts->of[tree->frame[node]];
}

/* Returns the certainty of the estimate for a box whose value grew or fell. Returns FLAME_QUIET if
 * the estimated change has the opposite direction. */
static enum flame_certainty verdicts_agreed(const struct flame_estimate *estimate, bool grew) {
  return (estimate->delta > 0) == grew ? estimate->certainty : FLAME_QUIET;
}

enum flame_certainty flame_verdict_certainty(const struct flame_verdicts *verdicts,
                                             const struct flame_tree *tree, uint32_t node,
                                             int64_t head, int64_t base) {
  if (node == NONE || head == base) return FLAME_QUIET;
  if (node == 0) return verdicts_agreed(&verdicts->total, head > base);
  const struct flame_verdict *caller = verdicts->nearest[node];
  enum flame_certainty self = caller ? verdicts_agreed(&caller->self, head > base) : FLAME_QUIET;
  const struct flame_verdict *own = flame_verdict_of(verdicts, tree, node);
  enum flame_certainty total = own ? verdicts_agreed(&own->total, head > base) : FLAME_QUIET;
  return total > self ? total : self;
}

const char *flame_verdict_q(double q, char text[32]) {
  *text = '\0';
  if (q < 1e-4)
    snprintf(text, 32, "q < 0.0001");
  else if (!isnan(q))
    snprintf(text, 32, q < 0.0995 ? "q = %.4f" : "q = %.2f", q);
  return text;
}

/* ---- scaling ----------------------------------------- */

static int64_t verdicts_scaled(int64_t value, double scale) {
  double product = round((double)value * scale);
  if (product >= 9.2e18) return INT64_MAX;
  if (product <= -9.2e18) return INT64_MIN;
  return (int64_t)product;
}

/* Scales and rounds the self values. Then computes totals from the rounded values, so that a total
 * is exactly the self value plus the totals of the children. */
bool flame_verdict_scale(const struct flame_verdicts *verdicts, const struct flame_tree *tree,
                         struct flame_tree *scaled) {
  const size_t columns = tree->columns, type = verdicts->type;
  struct arena *arena = &scaled->arena;
  *scaled = *tree;
  arena_init(arena, tree->arena.mem);
  scaled->self = arena_array(arena, tree->count * columns, sizeof *scaled->self);
  scaled->total = arena_array(arena, tree->count * columns, sizeof *scaled->total);
  if (!scaled->self || !scaled->total) return false;
  memcpy(scaled->self, tree->self, tree->count * columns * sizeof *scaled->self);
  memcpy(scaled->total, tree->total, tree->count * columns * sizeof *scaled->total);
  for (size_t i = 0; i < tree->count; i++) {
    int64_t *self = &scaled->self[i * columns + type];
    *self = verdicts_scaled(*self, verdicts->head_scale);
    scaled->total[i * columns + type] = *self;
  }
  for (size_t i = tree->count; i-- > 1;) {
    int64_t *above = &scaled->total[tree->parent[i] * columns + type];
    *above = sum_add(*above, scaled->total[i * columns + type]);
  }
  return true;
}

void flame_verdict_scale_free(struct flame_tree *scaled) {
  arena_free(&scaled->arena);
}
