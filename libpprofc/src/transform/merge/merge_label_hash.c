/* Hashes and compares label sets (docs/spec/pprof.md, 6.3). Two sets are equal if they differ only
 * in the order of keys; the order of the values of one key matters. */
#include "transform/merge/merge.h"

#include <stdlib.h>

/* A label and its position in canonical order: sorted by kind and key; values of one key keep their
 * order. */
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

enum merge_answer merge_same_labels(const struct merge *m, uint32_t a, uint32_t b) {
  const struct merge_piece *p = merge_piece_of(m, a), *q = merge_piece_of(m, b);
  if (!merge_samples_of(m, p->source)->label_set && !merge_samples_of(m, q->source)->label_set)
    return MERGE_YES;
  struct view x = view_of(m, p->source, a), y = view_of(m, q->source, b);
  return same_labels(&m->out->mem, &x, &y);
}
