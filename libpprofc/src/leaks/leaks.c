/* Sorts the profiles of a kind ("heap" ...) by time, drops the first ones, and judges the rest. */
#include "leaks/leaks.h"

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
  leak_names_free(&leaks->names);
  arena_free(&leaks->arena);
}
