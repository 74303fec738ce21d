/* Builds and judges a series for each stack and for each site (a line at which several stacks
 * allocate). Selects and sorts the rows. */
#include "leaks/leaks.h"

/* The series to judge: one for each stack, then one for each site (allocating line). */
struct leak_table {
  struct leaks *leaks;
  struct leak_kind *kind;
  struct leak_series *series;
  struct leak_fit *fits;
  struct leak_row *rows; /* row of each series */
  /* Index in `series` of each stack's site (allocating line); MAP_NONE for a site's only stack. */
  uint32_t *site_of;
  size_t stacks, count;
};

/* ---- sites ------------------------------------------- */

static uint32_t leak_site_place(const struct leak_stack *stack) {
  return stack->depth ? stack->places[stack->where] : MAP_NONE;
}

/* Counts the stacks that allocate at each location. Skips ignored stacks. */
static void leak_count_sites(const struct leak_table *t, uint32_t *seen) {
  for (size_t i = 0; i < t->stacks; i++) {
    const struct leak_stack *stack = &t->kind->stacks.stacks[i];
    uint32_t place = leak_site_place(stack);
    if (place != MAP_NONE && !stack->ignored) seen[place]++;
  }
}

static void leak_take_sites(struct leak_table *t, const uint32_t *seen, uint32_t *number) {
  for (size_t i = 0; i < t->stacks; i++) {
    const struct leak_stack *stack = &t->kind->stacks.stacks[i];
    uint32_t place = leak_site_place(stack);
    t->site_of[i] = MAP_NONE;
    if (place == MAP_NONE || stack->ignored || seen[place] < 2) continue;
    if (number[place] == MAP_NONE) number[place] = (uint32_t)t->count++;
    t->site_of[i] = number[place];
  }
}

/* Makes a series for each location at which several stacks allocate. These series follow the series
 * of the stacks. */
static bool leak_number_sites(struct leak_table *t) {
  size_t places = t->kind->stacks.place_keys.count;
  uint32_t *seen = mem_zero_array(t->leaks->mem, places, sizeof *seen);
  uint32_t *number = mem_array(t->leaks->mem, places, sizeof *number);
  t->site_of = arena_array(&t->leaks->arena, t->stacks, sizeof *t->site_of);
  bool done = seen && number && t->site_of;
  if (done) {
    memset(number, 0xff, places * sizeof *number); /* sets every number to MAP_NONE */
    leak_count_sites(t, seen);
    leak_take_sites(t, seen, number);
  }
  mem_free(t->leaks->mem, seen, places, sizeof *seen);
  mem_free(t->leaks->mem, number, places, sizeof *number);
  return done;
}

/* ---- series ------------------------------------------ */

static bool leak_series_begin(struct leak_table *t, size_t index) {
  double *values = arena_zero_array(&t->leaks->arena, t->kind->judged, sizeof *values);
  struct leak_series *s = &t->series[index];
  if (!values) return false;
  *s = (struct leak_series){.t = t->kind->t, .x = values, .count = t->kind->judged};
  s->allocated = t->kind->stacks.source.allocated == SIZE_MAX ? (double)NAN : 0;
  t->rows[index] = (struct leak_row){.values = values, .is_site = index >= t->stacks};
  return true;
}

/* Adds the values of a stack to the series `index`: the series of the stack or of its site. */
static void leak_series_add(struct leak_table *t, size_t index, const struct leak_stack *stack) {
  size_t judged = t->kind->judged, from = t->kind->left_out;
  struct leak_series *s = &t->series[index];
  struct leak_row *row = &t->rows[index];
  double *values = (double *)s->x;
  const struct leak_cell *first = &stack->cells[from], *last = &stack->cells[from + judged - 1];
  double largest_variance = 0;
  for (size_t i = 0; i < judged; i++) {
    values[i] += stack->cells[from + i].value;
    largest_variance = fmax(largest_variance, stack->cells[from + i].sampling);
  }
  s->largest_variance += largest_variance;
  s->sampling[0] += first->sampling;
  s->sampling[1] += last->sampling;
  s->chance[0] += first->chance;
  s->chance[1] += last->chance;
  s->allocated += last->allocated - first->allocated;
  s->late += last->allocated - stack->cells[from + leak_late(judged)].allocated;
  s->ignored = stack->ignored;
  row->stacks++;
  double grew = last->value - first->value;
  const struct leak_cell *best = row->stack ? row->stack->cells + from : NULL;
  if (!best || grew > best[judged - 1].value - best[0].value) row->stack = stack;
}

static bool leak_fill_series(struct leak_table *t) {
  const struct leak_collection *c = &t->kind->stacks;
  for (size_t i = 0; i < t->count; i++)
    if (!leak_series_begin(t, i)) return false;
  for (size_t i = 0; i < t->stacks; i++) {
    leak_series_add(t, i, &c->stacks[i]);
    if (t->site_of[i] != MAP_NONE) leak_series_add(t, t->site_of[i], &c->stacks[i]);
  }
  /* Without recorded allocations, growth as a share of the allocations is not known. */
  for (size_t i = 0; i < t->count; i++)
    if (t->series[i].allocated <= 0) t->series[i].allocated = (double)NAN;
  return true;
}

/* ---- rows -------------------------------------------- */

/* Finds the first frame of a row, from the leaf, that is not an allocator, and the caller of that
 * frame. */
static void leak_row_place(const struct leak_collection *c, struct leak_row *row) {
  const struct leak_stack *stack = row->stack;
  static const struct leak_frame none = {{"(no stack)", 10}, {"", 0}, 0};
  row->where = &none;
  if (!stack->depth) return;
  const struct leak_place *place = &c->places[stack->places[stack->where]];
  size_t i = 0;
  while (i + 1 < place->count && leak_names_has(c->names, LEAK_LIST_WAY, place->frames[i].function))
    i++;
  row->where = &place->frames[i];
  if (i + 1 < place->count)
    row->caller = &place->frames[i + 1];
  else if (stack->where + 1 < stack->depth)
    row->caller = &c->places[stack->places[stack->where + 1]].frames[0];
}

static void leak_row_fill(const struct leak_table *t, size_t index) {
  struct leak_row *row = &t->rows[index];
  const struct leak_kind *kind = t->kind;
  double hours = kind->t[kind->judged - 1] / 3600;
  row->fit = t->fits[index];
  row->first = row->values[0];
  row->last = row->values[kind->judged - 1];
  row->per_interval = (row->last - row->first) / (double)(kind->judged - 1);
  row->per_hour = kind->timed ? (row->last - row->first) / hours : (double)NAN;
  leak_row_place(&kind->stacks, row);
}

static int leak_by_growth(const void *a, const void *b) {
  const struct leak_row *x = a, *y = b;
  if (x->fit.verdict != y->fit.verdict) return x->fit.verdict > y->fit.verdict ? -1 : 1;
  double gx = x->last - x->first, gy = y->last - y->first;
  if (gx != gy) return gx > gy ? -1 : 1;
  if (x->last != y->last) return x->last > y->last ? -1 : 1;
  int order = str_compare(x->where->function, y->where->function);
  return order ? order : (x->where->line > y->where->line) - (x->where->line < y->where->line);
}

/* Keeps the row of every stack. Keeps the row of a site (a line that allocates) only if the site
 * grows and no single stack of it grows. Sorts the rows. */
static void leak_keep_rows(struct leak_table *t) {
  struct leak_kind *kind = t->kind;
  for (size_t i = 0; i < t->count; i++) {
    enum leak_verdict verdict = t->fits[i].verdict;
    kind->tested += t->fits[i].counted;
    if (i < t->stacks) {
      kind->counts[verdict]++;
      /* The row of this stack is enough, so hide the row of its site. */
      if (verdict >= LEAK_GROWS && t->site_of[i] != MAP_NONE)
        t->fits[t->site_of[i]].verdict = LEAK_IGNORED;
    } else if (verdict < LEAK_GROWS) {
      continue;
    }
    leak_row_fill(t, i);
    t->rows[kind->row_count] = t->rows[i];
    t->leaks->leaks += t->rows[kind->row_count++].fit.verdict == LEAK_LEAK;
  }
  kind->rows = t->rows;
  if (kind->row_count) qsort(kind->rows, kind->row_count, sizeof *kind->rows, leak_by_growth);
}

/* Computes the smallest growth of a stack that would be reported as a leak, from the mean variance
 * of all stacks. */
static void leak_find_visible(const struct leak_table *t, const struct leak_rules *rules) {
  const struct leak_kind *kind = t->kind;
  double variance = 0, value = 0;
  for (size_t i = 0; i < t->stacks; i++) {
    const struct leak_series *s = &t->series[i];
    variance += s->sampling[1] + s->chance[1];
    value += s->x[s->count - 1];
  }
  t->kind->visible = leak_visible(rules, kind->tested, value > 0 ? variance / value : 0);
}

pprofc_status leak_rows_judge(struct leaks *leaks, struct leak_kind *kind, pprofc_error *error) {
  struct leak_table t = {.leaks = leaks, .kind = kind, .stacks = kind->stacks.stack_count};
  const struct leak_options *o = &leaks->options;
  struct leak_rules rules = {o->alpha, o->count_floor, o->kept};
  if (kind->stacks.source.is_heap) rules.floor = o->heap_floor;
  t.count = t.stacks;
  if (!leak_number_sites(&t)) return error_nomem(error);
  t.series = arena_array(&leaks->arena, t.count, sizeof *t.series);
  t.fits = arena_array(&leaks->arena, t.count, sizeof *t.fits);
  t.rows = arena_array(&leaks->arena, t.count, sizeof *t.rows);
  bool done = t.series && t.fits && t.rows && leak_fill_series(&t) &&
              leak_judge(t.series, t.count, &rules, leaks->mem, t.fits);
  if (!done) return error_nomem(error);
  leak_keep_rows(&t);
  leak_find_visible(&t, &rules);
  return PPROFC_OK;
}

/* ---- leaks that the garbage collector proved --------- */

pprofc_status leak_rows_prove(struct leaks *leaks, struct leak_kind *kind, pprofc_error *error) {
  const struct leak_collection *c = &kind->stacks;
  leaks->judged++;
  kind->left_out = 0;
  kind->judged = kind->profiles;
  kind->rows = arena_array(&leaks->arena, c->stack_count, sizeof *kind->rows);
  if (!kind->rows) return error_nomem(error);
  for (size_t i = 0; i < c->stack_count; i++) {
    const struct leak_stack *stack = &c->stacks[i];
    double *values = arena_array(&leaks->arena, kind->profiles, sizeof *values);
    if (!values) return error_nomem(error);
    /* Use the largest value, because the values begin at 0 again after a restart. */
    double last = 0;
    for (size_t k = 0; k < kind->profiles; k++) {
      values[k] = stack->cells[k].value;
      last = fmax(last, values[k]);
    }
    struct leak_row row = {.values = values, .first = values[0], .last = last, .proved = true};
    row.fit = (struct leak_fit){.verdict = LEAK_LEAK, .kept = (double)NAN};
    row.fit.p_trend = (double)NAN;
    row.per_interval = row.per_hour = (double)NAN;
    row.stack = stack;
    row.stacks = 1;
    leak_row_place(c, &row);
    if (!(last > 0)) continue;
    kind->rows[kind->row_count++] = row;
    kind->counts[LEAK_LEAK]++;
    leaks->leaks++;
  }
  if (kind->row_count) qsort(kind->rows, kind->row_count, sizeof *kind->rows, leak_by_growth);
  return PPROFC_OK;
}
