/* Makes the label sets of a merge's result, each once, in the order of use. */
#include "transform/merge/merge.h"

/* ---- equal label sets ------------------------------- */

/* Hashes and compares label sets (docs/spec/pprof.md, 6.3). Two sets are equal if they differ only
 * in the order of keys; the order of the values of one key matters. */

/* A label and its position in canonical order: sorted by is_number and key; values of one key keep
 * their order. */
struct merge_sorted_label {
  uint32_t is_number, key, index;
};

static int sorted_label_compare(const void *a, const void *b) {
  const struct merge_sorted_label *x = a, *y = b;
  if (x->is_number != y->is_number) return x->is_number < y->is_number ? -1 : 1;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

/* Sorts labels into canonical order; `strings` maps strings of the source to strings of the
 * result. */
static void merge_sort_labels(const struct label *labels, size_t count, const uint32_t *strings,
                              struct merge_sorted_label *sorted) {
  bool in_order = true;
  for (uint32_t i = 0; i < count; i++) {
    sorted[i] = (struct merge_sorted_label){labels[i].is_number, strings[labels[i].key], i};
    in_order = in_order && (!i || sorted_label_compare(&sorted[i - 1], &sorted[i]) < 0);
  }
  if (!in_order) qsort(sorted, count, sizeof *sorted, sorted_label_compare);
}

static uint64_t hash_label_set(const struct label *labels, size_t count, const uint32_t *strings,
                               struct merge_sorted_label *sorted) {
  uint64_t hash = count;
  merge_sort_labels(labels, count, strings, sorted);
  for (size_t i = 0; i < count; i++) {
    const struct label *l = &labels[sorted[i].index];
    uint64_t value = l->is_number ? (uint64_t)l->number : strings[l->string];
    uint64_t unit = l->is_number ? strings[l->unit] + (uint64_t)1 : 0;
    hash = hash_mix(hash_mix(hash, (uint64_t)strings[l->key] << 33 | unit), value);
  }
  return hash;
}

static size_t largest_set(const struct merge *m) {
  size_t largest = 0;
  for (size_t i = 0; i < m->source_count; i++) {
    const struct samples *s = &m->sources[i].profile->samples;
    for (size_t set = 0; set < s->label_set_count; set++)
      if (s->label_sets[set].count > largest) largest = s->label_sets[set].count;
  }
  return largest;
}

static bool hash_source(struct merge *m, struct merge_source *source,
                        struct merge_sorted_label *sorted) {
  const struct samples *s = &source->profile->samples;
  if (!s->label_set) return true;
  source->label_hashes = arena_array(&m->arena, s->label_set_count, sizeof *source->label_hashes);
  if (!source->label_hashes) return false;
  for (size_t set = 0; set < s->label_set_count; set++)
    source->label_hashes[set] = hash_label_set(s->labels + s->label_sets[set].first,
                                               s->label_sets[set].count, source->strings, sorted);
  return true;
}

bool merge_hash_labels(struct merge *m) {
  size_t largest = largest_set(m);
  struct merge_sorted_label *sorted = mem_array(&m->out->mem, largest, sizeof *sorted);
  bool ok = sorted != NULL;
  for (size_t i = 0; ok && i < m->source_count; i++) ok = hash_source(m, &m->sources[i], sorted);
  mem_free(&m->out->mem, sorted, largest, sizeof *sorted);
  return ok;
}

/* ---- equality ---------------------------------------- */

/* The labels of a sample, with the string table needed to read them. */
struct view {
  const struct label *labels;
  size_t label_count;
  const uint32_t *strings;
};

static struct view view_of(const struct merge *m, uint32_t source, uint32_t sample) {
  const struct samples *s = merge_samples_of(m, source);
  size_t local = sample - m->sources[source].first_sample;
  return (struct view){sample_labels(s, local), label_count(s, local), m->sources[source].strings};
}

static bool same_label(const struct view *a, size_t i, const struct view *b, size_t j) {
  const struct label *x = &a->labels[i], *y = &b->labels[j];
  if (x->is_number != y->is_number || a->strings[x->key] != b->strings[y->key]) return false;
  if (!x->is_number) return a->strings[x->string] == b->strings[y->string];
  return x->number == y->number && a->strings[x->unit] == b->strings[y->unit];
}

static enum merge_answer same_labels(const pprofc_allocator *mem, const struct view *a,
                                     const struct view *b) {
  if (a->label_count != b->label_count) return MERGE_NO;
  size_t count = a->label_count, i = 0;
  while (i < count && same_label(a, i, b, i)) i++;
  if (i == count) return MERGE_YES;
  struct merge_sorted_label *sorted = mem_array(mem, 2 * count, sizeof *sorted);
  if (!sorted) return MERGE_OUT_OF_MEMORY;
  merge_sort_labels(a->labels, count, a->strings, sorted);
  merge_sort_labels(b->labels, count, b->strings, sorted + count);
  for (i = 0; i < count && same_label(a, sorted[i].index, b, sorted[count + i].index);) i++;
  mem_free(mem, sorted, 2 * count, sizeof *sorted);
  return i == count ? MERGE_YES : MERGE_NO;
}

enum merge_answer merge_same_labels(const struct merge *m, const struct merge_segment *p,
                                    uint32_t a, const struct merge_segment *q, uint32_t b) {
  if (!merge_samples_of(m, p->source)->label_set && !merge_samples_of(m, q->source)->label_set)
    return MERGE_YES;
  struct view x = view_of(m, p->source, a), y = view_of(m, q->source, b);
  return same_labels(&m->out->mem, &x, &y);
}

bool merge_has_labels(const struct merge *m) {
  bool any = false;
  for (size_t i = 0; i < m->source_count; i++)
    any = any || m->sources[i].profile->samples.label_set || m->sources[i].is_base;
  return any;
}

bool merge_label_strings(struct merge *m) {
  for (size_t i = 0; i < m->source_count; i++) {
    const struct samples *s = &m->sources[i].profile->samples;
    for (size_t set = 0; set < s->label_set_count; set++)
      for (size_t n = 0; n < s->label_sets[set].count; n++) {
        const struct label *l = &s->labels[s->label_sets[set].first + n];
        if (merge_string(m, i, l->key) == NONE || merge_string(m, i, l->string) == NONE ||
            merge_string(m, i, l->unit) == NONE)
          return false;
      }
  }
  return true;
}

/* Makes the label that marks the samples of a base. */
static bool make_mark(struct merge_labels *w) {
  uint32_t key = interner_add(&w->m->strings, BASE_LABEL);
  uint32_t value = interner_add(&w->m->strings, STR("true"));
  w->mark = (struct label){.key = key, .string = value};
  return key != MAP_NONE && value != MAP_NONE;
}

/* Allocates space for `sets` label sets with `total` labels. */
static bool merge_labels_allocate(struct merge_labels *w, size_t sets, size_t total, bool joins) {
  struct arena *arena = &w->m->out->region->arena;
  if (sets >= NONE || total >= NONE) return false;
  struct label_set *items = arena_array(arena, sets, sizeof *items);
  w->labels = arena_array(arena, total, sizeof *w->labels);
  if (joins) w->given = arena_array(arena, total, sizeof *w->given);
  if (!items || !w->labels || (joins && !w->given)) return false;
  label_table_init(&w->table, &w->m->out->mem, w->labels, items);
  items[w->table.count++] = (struct label_set){0, 0};
  return true;
}

bool merge_labels_open(struct merge_labels *w, struct merge *m, bool joins) {
  size_t sets = 1, total = 0;
  *w = (struct merge_labels){.m = m};
  w->number = arena_array(&m->arena, m->source_count, sizeof *w->number);
  if (!w->number || !make_mark(w)) return false;
  for (uint32_t i = 0; i < m->source_count; i++) {
    const struct samples *s = merge_samples_of(m, i);
    /* A source without label sets has only the empty set. */
    size_t count = s->label_set ? s->label_set_count : 1;
    w->number[i] = arena_array(&m->arena, count, sizeof *w->number[i]);
    if (!w->number[i]) return false;
    memset(w->number[i], 0xFF, count * sizeof *w->number[i]);
    for (size_t k = 0; k < s->label_set_count; k++) total += s->label_sets[k].count;
    if (m->sources[i].is_base) total += count;
    sets += count;
  }
  return merge_labels_allocate(w, sets, total, joins);
}

/* If equal samples are joined, sorts the labels of a set, which begin at the index `first`. Returns
 * false when out of memory. */
static bool merge_labels_sort(struct merge_labels *w, const struct merge_source *s,
                              struct label_set set, size_t first) {
  if (!w->given || !set.count) return true;
  struct merge_sorted_label *sorted = arena_array(&w->m->arena, set.count, sizeof *sorted);
  struct label *given = w->given + first;
  if (!sorted) return false;
  memcpy(given, w->labels + first, set.count * sizeof *given);
  merge_sort_labels(s->profile->samples.labels + set.first, set.count, s->strings, sorted);
  for (size_t l = 0; l < set.count; l++) w->labels[first + l] = given[sorted[l].index];
  return true;
}

/* Adds a label set of a source to the result, and returns its index there. In a base profile, the
 * label `mark` replaces the labels that have its key. Returns NONE when out of memory. */
static uint32_t merge_labels_add_set(struct merge_labels *w, uint32_t source,
                                     struct label_set set) {
  const struct merge_source *s = &w->m->sources[source];
  /* NULL if every label set of the source is empty */
  const struct label *labels = s->profile->samples.labels;
  size_t first = w->label_count, known = w->table.count;
  for (size_t l = 0; l < set.count; l++) {
    struct label label = labels[set.first + l];
    label.key = s->strings[label.key];
    label.string = s->strings[label.string];
    label.unit = s->strings[label.unit];
    if (!s->is_base || label.is_number || label.key != w->mark.key)
      w->labels[w->label_count++] = label;
  }
  if (s->is_base) w->labels[w->label_count++] = w->mark;
  if (w->label_count == first) return 0;
  if (!merge_labels_sort(w, s, set, first)) return NONE;
  uint32_t number = label_table_add(&w->table, first, w->label_count - first);
  if (w->table.count == known) w->label_count = first;
  return number;
}

uint32_t merge_label_set(struct merge_labels *w, uint32_t source, size_t sample) {
  const struct samples *s = merge_samples_of(w->m, source);
  uint32_t old = s->label_set ? s->label_set[sample] : 0;
  uint32_t *number = &w->number[source][old];
  if (*number == NONE)
    *number = merge_labels_add_set(w, source,
                                   s->label_set ? s->label_sets[old] : (struct label_set){0, 0});
  return *number;
}

void merge_labels_close(struct merge_labels *w, const uint32_t *label_set) {
  struct samples *out = &w->m->out->samples;
  label_table_free(&w->table);
  if (!label_set || w->table.count == 1) return;
  out->label_set = label_set;
  out->label_sets = w->table.sets;
  out->label_set_count = w->table.count;
  out->labels = w->given ? w->given : w->labels;
}
