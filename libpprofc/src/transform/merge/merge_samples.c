/* Adds up the values of equal samples of a merge, and drops samples of zeros. */
#include "profile/sum.h"
#include "transform/merge/merge.h"

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
