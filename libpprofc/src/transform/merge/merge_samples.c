/* Finds equal samples of a merge: compares their labels and adds up their values
 * (docs/spec/pprof.md, 6.3). */
#include "profile/sum.h"
#include "transform/merge/merge.h"

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

/* ---- sums -------------------------------------------- */

static bool alloc_results(struct merge *m, size_t count) {
  m->origins = arena_array(&m->arena, count, sizeof *m->origins);
  m->values = arena_array(&m->out->region->arena, count, m->out->type_count * sizeof *m->values);
  return m->origins && m->values;
}

static void merge_samples_add_up(struct merge *m) {
  size_t types = m->out->type_count;
  uint32_t sample = 0;
  for (size_t s = 0; s < m->source_count; s++) {
    const int64_t *from = m->sources[s].profile->samples.values;
    for (size_t i = 0; i < m->sources[s].profile->samples.count; i++, sample++, from += types) {
      uint32_t first = m->result_of[sample];
      if (first == NONE) continue;
      if (first == sample) {
        memcpy(m->values + m->result_count * types, from, types * sizeof *from);
        m->origins[m->result_count] = sample;
        m->result_of[sample] = (uint32_t)m->result_count++;
        continue;
      }
      uint32_t result = m->result_of[sample] = m->result_of[first];
      int64_t *to = m->values + result * types;
      for (size_t t = 0; t < types; t++) to[t] = sum_add(to[t], from[t]);
    }
  }
}

bool merge_sum_samples(struct merge *m, bool *zeros) {
  size_t results = 0;
  m->result_count = 0;
  for (uint32_t i = 0; i < m->sample_count; i++) results += m->result_of[i] == i;
  if (!alloc_results(m, results)) return false;
  merge_samples_add_up(m);
  *zeros = false;
  for (size_t i = 0; i < m->result_count && !*zeros; i++)
    *zeros = values_are_zero(m->values + i * m->out->type_count, m->out->type_count);
  return true;
}

void merge_drop_zeros(struct merge *m) {
  size_t types = m->out->type_count, kept = 0;
  for (size_t i = 0; i < m->result_count; i++) {
    if (values_are_zero(m->values + i * types, types)) continue;
    memmove(m->values + kept * types, m->values + i * types, types * sizeof *m->values);
    m->origins[kept++] = m->origins[i];
  }
  m->result_count = kept;
  m->stack = NULL;
}
