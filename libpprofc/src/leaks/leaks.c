/* Sorts the profiles of a kind ("heap" ...) by time, and drops the first ones. Judges the rest as
 * series: one for each stack, and one for each site (a line at which several stacks allocate). */
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

/* Adds the values of a stack to the series `index`: the series of the stack or of its allocating
 * line. */
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

/* Judges each stack, and each site (a line at which several stacks allocate). Skips the first
 * kind->left_out profiles. kind->judged is the number of the remaining profiles. */
static pprofc_status leak_rows_judge(struct leaks *leaks, struct leak_kind *kind,
                                     pprofc_error *error) {
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

/* Makes a row for each stack with the verdict LEAK_LEAK, for profiles in which each sample is a
 * proved leak. */
static pprofc_status leak_rows_prove(struct leaks *leaks, struct leak_kind *kind,
                                     pprofc_error *error) {
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

/* ---- options ---------------------------------------- */

void leak_options_init(struct leak_options *options) {
  *options = (struct leak_options){.alpha = 0.05,
                                   .heap_floor = 512 * 1024,
                                   .count_floor = 10,
                                   .kept = 0.8,
                                   .warmup = LEAK_WARMUP_AUTO};
}

static const struct {
  const char *name, *code;
} leak_words[LEAK_VERDICTS] = {
    [LEAK_IGNORED] = {"ignored", "ignored"},
    [LEAK_BELOW] = {"below floor", "below_floor"},
    [LEAK_SAWTOOTH] = {"sawtooth", "sawtooth"},
    [LEAK_STOPPED] = {"cache that stopped", "stopped"},
    [LEAK_STEADY] = {"steady", "steady"},
    [LEAK_GROWS] = {"grows, frees most", "grows"},
    [LEAK_LEAK] = {"leak", "leak"},
};

const char *leak_verdict_name(enum leak_verdict verdict) {
  return leak_words[verdict].name;
}

const char *leak_verdict_code(enum leak_verdict verdict) {
  return leak_words[verdict].code;
}

/* ---- order ------------------------------------------- */

struct leak_item {
  const char *name;
  const pprofc_profile *profile;
  struct leak_source source;
  int64_t time;
  size_t given; /* index of the profile in the caller's array of profiles */
};

static int leak_by_time(const void *a, const void *b) {
  const struct leak_item *x = a, *y = b;
  if (x->time != y->time) return x->time < y->time ? -1 : 1;
  return (x->given > y->given) - (x->given < y->given);
}

/* Sorts profiles by time. Returns false if a profile has no time or if two times are equal. */
static bool leak_order(struct leak_item *items, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (items[i].time <= 0) return false;
  qsort(items, count, sizeof *items, leak_by_time);
  for (size_t i = 1; i < count; i++)
    if (items[i].time == items[i - 1].time) return false;
  return true;
}

static int leak_by_given(const void *a, const void *b) {
  const struct leak_item *x = a, *y = b;
  return (x->given > y->given) - (x->given < y->given);
}

/* ---- selection --------------------------------------- */

/* Returns how many profiles to drop at the beginning: the profiles before a restart of the program,
 * then the warm-up. The allocated total of a process never falls, so a fall marks a new process. */
static size_t leak_first(const struct leaks *leaks, struct leak_kind *kind) {
  const struct leak_collection *c = &kind->stacks;
  size_t from = 0;
  for (size_t i = 1; i < kind->profiles && c->source.allocated != SIZE_MAX; i++)
    if (c->totals[i] < c->totals[i - 1]) from = i;
  kind->restarted = from > 0;
  size_t rest = kind->profiles - from, warmup = (size_t)leaks->options.warmup;
  if (leaks->options.warmup == LEAK_WARMUP_AUTO) warmup = rest >= LEAK_FEW + 1;
  return from + (warmup < rest ? warmup : rest);
}

static bool leak_set_times(struct leaks *leaks, struct leak_kind *kind,
                           const struct leak_item *items) {
  size_t first = kind->left_out;
  kind->t = arena_array(&leaks->arena, kind->judged, sizeof *kind->t);
  if (!kind->t) return false;
  for (size_t i = 0; i < kind->judged; i++)
    kind->t[i] =
        kind->timed ? (double)(items[first + i].time - items[first].time) / 1e9 : (double)i;
  kind->interval =
      kind->timed ? kind->t[kind->judged - 1] / (double)(kind->judged - 1) : (double)NAN;
  return true;
}

static pprofc_status leak_add_all(struct leak_kind *kind, const struct leak_item *items,
                                  pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < kind->profiles && status == PPROFC_OK; i++) {
    status = leak_collection_add(&kind->stacks, items[i].profile, &items[i].source, i, error);
    if (status == PPROFC_E_INVALID) error_prefix(error, "cannot judge '%s': ", items[i].name);
  }
  return status;
}

static pprofc_status leak_judge_kind(struct leaks *leaks, struct leak_item *items, size_t count,
                                     pprofc_error *error) {
  struct leak_kind *kind = &leaks->kinds[leaks->kind_count];
  *kind = (struct leak_kind){.profiles = count, .interval = (double)NAN};
  pprofc_status status =
      leak_collection_init(&kind->stacks, leaks->mem, &leaks->names, &items->source, count, error);
  leaks->kind_count++;
  if (status != PPROFC_OK) return status;
  if (count > LEAK_PROFILES)
    return error_set(error, PPROFC_E_LIMIT, "more than %d profiles of kind %.*s", LEAK_PROFILES,
                     STR_ARG(kind->stacks.source.kind));
  kind->timed = leak_order(items, count);
  if (!kind->timed) qsort(items, count, sizeof *items, leak_by_given);
  kind->names = arena_array(&leaks->arena, count, sizeof *kind->names);
  if (!kind->names) return error_nomem(error);
  for (size_t i = 0; i < count; i++) kind->names[i] = items[i].name;
  status = leak_add_all(kind, items, error);
  if (status != PPROFC_OK) return status;
  kind->left_out = leak_first(leaks, kind);
  kind->judged = count - kind->left_out;
  if (items->source.proves) return leak_rows_prove(leaks, kind, error);
  if (kind->judged < LEAK_MIN) {
    kind->judged = 0;
    return PPROFC_OK;
  }
  leaks->judged++;
  return leak_set_times(leaks, kind, items) ? leak_rows_judge(leaks, kind, error)
                                            : error_nomem(error);
}

/* ---- all kinds --------------------------------------- */

static pprofc_status leak_read_items(const struct leak_input *inputs, size_t count,
                                     struct leak_item *items, pprofc_error *error) {
  for (size_t i = 0; i < count; i++) {
    pprofc_header header;
    pprofc_profile_header(inputs[i].profile, &header);
    items[i] = (struct leak_item){inputs[i].name, inputs[i].profile, .given = i};
    items[i].time = header.time_nanos;
    if (!leak_source_of(inputs[i].profile, &items[i].source))
      return error_set(error, PPROFC_E_INVALID,
                       "'%s' is neither a heap profile nor a profile of counts", inputs[i].name);
  }
  return PPROFC_OK;
}

/* Moves all profiles that have the kind of some[0], such as "heap", to the front of `some`. Returns
 * their number. */
static size_t leak_same_kind(struct leak_item *some, size_t count) {
  size_t same = 1;
  for (size_t i = 1; i < count; i++) {
    if (!str_equal(some[i].source.kind, some[0].source.kind)) continue;
    struct leak_item item = some[i];
    memmove(&some[same + 1], &some[same], (i - same) * sizeof *some);
    some[same++] = item;
  }
  return same;
}

pprofc_status leaks_judge(struct leaks *leaks, const pprofc_allocator *mem,
                          const struct leak_options *options, const struct leak_input *inputs,
                          size_t count, pprofc_error *error) {
  *leaks = (struct leaks){.mem = mem, .options = *options};
  arena_init(&leaks->arena, mem);
  pprofc_status status =
      leak_names_init(&leaks->names, mem, options->ignore, options->ignore_count, error);
  struct leak_item *items = mem_array(mem, count, sizeof *items);
  if (!items && status == PPROFC_OK) status = error_nomem(error);
  if (status == PPROFC_OK) status = leak_read_items(inputs, count, items, error);
  for (size_t i = 0; i < count && status == PPROFC_OK;) {
    size_t same = leak_same_kind(items + i, count - i);
    if (!ARRAY_RESERVE(mem, leaks->kinds, leaks->kind_capacity, leaks->kind_count + 1))
      status = error_nomem(error);
    else
      status = leak_judge_kind(leaks, items + i, same, error);
    i += same;
  }
  mem_free(mem, items, count, sizeof *items);
  return status;
}

void leaks_free(struct leaks *leaks) {
  for (size_t i = 0; i < leaks->kind_count; i++) leak_collection_free(&leaks->kinds[i].stacks);
  ARRAY_FREE(leaks->mem, leaks->kinds, leaks->kind_capacity);
  regex_set_free(&leaks->names, leaks->mem);
  arena_free(&leaks->arena);
}
