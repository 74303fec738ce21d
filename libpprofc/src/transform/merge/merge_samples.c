/* The samples of a merge: finds equal ones, adds them up, and makes the columns of the result
 * (6.3). */
#include "core/parallel.h"
#include "profile/sum.h"
#include "transform/merge/merge.h"

/* ---- equality ---------------------------------------- */

/* A sample with the tables needed to read it. */
struct view {
  const struct merge_piece *piece;
  const uint8_t *stack;
  size_t stack_size;
  const struct label *labels;
  size_t label_count;
  const uint32_t *strings;
};

static struct view view_of(const struct merge *m, const struct merge_piece *piece, size_t sample) {
  const struct merge_source *source = &m->sources[piece->source];
  const struct samples *s = &source->profile->samples;
  size_t local = sample - source->first_sample;
  return (struct view){piece,
                       s->stack[local],
                       s->stack_size[local],
                       sample_labels(s, local),
                       label_count(s, local),
                       source->strings};
}

/* Returns the class of the next visible frame, or NONE at the end of the stack. */
static uint32_t next_class(const struct merge_piece *piece, struct packed_stack *rest) {
  uint32_t id;
  while (stack_take_leaf_id(rest, &id))
    if (piece->classes[id] != LOCATION_HIDDEN) return piece->classes[id];
  return NONE;
}

static bool same_stack(const struct merge *m, const struct view *a, const struct view *b) {
  if (a->piece->coding == b->piece->coding && a->stack_size == b->stack_size &&
      memcmp(a->stack, b->stack, a->stack_size) == 0)
    return true;
  if (m->uniform) return false;
  struct packed_stack p = {a->stack, a->stack + a->stack_size, NULL};
  struct packed_stack q = {b->stack, b->stack + b->stack_size, NULL};
  uint32_t x, y;
  do {
    x = next_class(a->piece, &p);
    y = next_class(b->piece, &q);
  } while (x == y && x != NONE);
  return x == y;
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
  struct view x = view_of(m, p, a), y = view_of(m, q, b);
  return same_labels(&m->out->mem, &x, &y);
}

/* ---- finding equal samples --------------------------- */

/* Finds equal samples. Each worker handles a range of hashes in the order of samples, so it
 * finds the first of equal samples without locks. */
struct merge_samples_finder {
  struct merge *m;
  bool failed[16];
};

/* Returns the worker for a hash. Uses the upper bits, because the lower ones select the slot. */
static unsigned owner(uint64_t hash, unsigned workers) {
  return (unsigned)((hash >> 48) * workers >> 16);
}

/* A lookup has three cache misses: the slot, the stack pointer of the sample found there, and
 * the stack. So lookups go through a pipeline with three prefetch stages, STAGE samples apart. */
#define STAGE    16u
#define PIPELINE (4 * STAGE)

struct pipeline {
  struct merge *m;
  struct map *table;
  const struct merge_piece *piece; /* piece of the last sample looked up */
  uint32_t samples[PIPELINE];
  uint32_t found[PIPELINE]; /* first candidate sample, or MAP_NONE */
  const struct merge_piece *found_piece[PIPELINE];
};

static void await_slot(struct pipeline *p, size_t at) {
  uint64_t hash = p->m->hashes[p->samples[at]];
  __builtin_prefetch(&p->table->slots[map_start(p->table, hash).position]);
}

static void await_found(struct pipeline *p, size_t at) {
  struct map_probe probe = map_start(p->table, p->m->hashes[p->samples[at]]);
  uint32_t found = p->found[at] = map_next(p->table, &probe);
  if (found == MAP_NONE) return;
  p->found_piece[at] = merge_piece_of(p->m, found);
  const struct merge_source *source = &p->m->sources[p->found_piece[at]->source];
  __builtin_prefetch(&source->profile->samples.stack[found - source->first_sample]);
  __builtin_prefetch(&source->profile->samples.stack_size[found - source->first_sample]);
}

static void await_stack(struct pipeline *p, size_t at) {
  uint32_t found = p->found[at];
  if (found == MAP_NONE) return;
  const struct merge_source *source = &p->m->sources[p->found_piece[at]->source];
  const struct samples *s = &source->profile->samples;
  const uint8_t *stack = s->stack[found - source->first_sample];
  size_t size = s->stack_size[found - source->first_sample];
  for (size_t line = 0; line < size && line < 256; line += 64) __builtin_prefetch(stack + line);
}

static bool merge_samples_look_up(struct pipeline *p, size_t at) {
  struct merge *m = p->m;
  uint32_t sample = p->samples[at], other;
  uint64_t hash = m->hashes[sample];
  p->piece = merge_piece_next(m, p->piece, sample);
  struct view view = view_of(m, p->piece, sample);
  struct map_probe probe = map_start(p->table, hash);
  while ((other = map_next(p->table, &probe)) != MAP_NONE) {
    const struct merge_piece *piece =
        other == p->found[at] ? p->found_piece[at] : merge_piece_of(m, other);
    struct view first = view_of(m, piece, other);
    if (!same_stack(m, &first, &view)) continue;
    enum merge_answer same = same_labels(p->table->mem, &first, &view);
    if (same == MERGE_OUT_OF_MEMORY) return false;
    if (same == MERGE_NO) continue;
    m->result_of[sample] = other;
    return true;
  }
  m->result_of[sample] = sample;
  return map_insert(p->table, hash, sample);
}

/* Returns the next sample of the worker at or after `from`. */
static uint32_t next_owned(const struct merge *m, uint32_t from, unsigned worker) {
  while (from < m->sample_count &&
         (!m->hashes[from] || owner(m->hashes[from], m->workers) != worker))
    from++;
  return from;
}

static bool find_all(struct merge *m, struct map *table, unsigned worker) {
  struct pipeline p = {.m = m, .table = table, .piece = m->pieces};
  size_t in = 0, end = SIZE_MAX;
  uint32_t sample = next_owned(m, 0, worker);
  for (size_t step = 0; end == SIZE_MAX || step < end + 3 * STAGE; step++) {
    if (sample < m->sample_count) {
      p.samples[in % PIPELINE] = sample;
      await_slot(&p, in++ % PIPELINE);
      sample = next_owned(m, sample + 1, worker);
    } else if (end == SIZE_MAX) {
      end = in;
    }
    if (step >= STAGE && step - STAGE < in) await_found(&p, (step - STAGE) % PIPELINE);
    if (step >= 2 * STAGE && step - 2 * STAGE < in) await_stack(&p, (step - 2 * STAGE) % PIPELINE);
    if (step >= 3 * STAGE && step - 3 * STAGE < in &&
        !merge_samples_look_up(&p, (step - 3 * STAGE) % PIPELINE))
      return false;
  }
  return true;
}

static void merge_samples_find_range(void *context, unsigned worker) {
  struct merge_samples_finder *finder = context;
  struct merge *m = finder->m;
  struct map table;
  map_init(&table, &m->out->mem);
  finder->failed[worker] =
      !map_reserve(&table, m->sample_count / m->workers + 1) || !find_all(m, &table, worker);
  map_free(&table);
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

bool merge_find_equal(struct merge *m) {
  struct merge_samples_finder finder = {.m = m};
  m->result_of = arena_array(&m->arena, m->sample_count, sizeof *m->result_of);
  if (!m->result_of) return false;
  memset(m->result_of, 0xFF, m->sample_count * sizeof *m->result_of);
  parallel_run(m->workers, merge_samples_find_range, &finder);
  for (unsigned w = 0; w < m->workers; w++)
    if (finder.failed[w]) return false;
  return true;
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
}
