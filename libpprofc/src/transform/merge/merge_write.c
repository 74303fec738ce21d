/* Makes the sample columns of a merge's result. Stacks of large sources are not copied. Instead,
 * their segments (ranges of samples) get a map from the numbers in the stacks to the locations of
 * the result. Stacks of small sources are written again, so that the source can be freed. */
#include "profile/sum.h"
#include "transform/merge/merge.h"

/* ---- sums ------------------------------------------- */

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

bool merge_make_map(struct merge *m, const struct merge_segment *segment, struct segment *out) {
  uint32_t *map = arena_array(&m->out->region->arena, segment->size, sizeof *map);
  if (!map) return false;
  bool plain = segment->size <= m->locations_used + 1;
  for (size_t v = 0; v < segment->size; v++) {
    uint32_t merged = segment->merged[v];
    map[v] = merged == LOCATION_HIDDEN ? LOCATION_HIDDEN : m->location_number[merged];
    plain = plain && (v == 0 || map[v] == v - 1);
  }
  out->map = plain ? NULL : map;
  out->map_size = plain ? 0 : segment->size;
  return true;
}

/* The stack columns of the result, and the free memory for its next stacks. */
struct stack_writer {
  const uint8_t **stack;
  uint32_t *size;
  uint8_t *room;
  size_t left;
};

/* Allocates the stack columns, unless merge_pass wrote stacks that are still valid. */
static bool stack_writer_init(const struct merge *m, struct stack_writer *w) {
  struct arena *arena = &m->out->region->arena;
  *w = (struct stack_writer){.stack = m->stack};
  if (m->stack) return true;
  w->stack = arena_array(arena, m->result_count, sizeof *w->stack);
  w->size = arena_array(arena, m->result_count, sizeof *w->size);
  return w->stack && w->size;
}

/* Sets the stack of sample i of the result. If the result does not use the source's memory, writes
 * the stack with new numbers to the memory of the result. */
static bool merge_write_stack(struct merge *m, const struct merge_segment *segment, size_t i,
                              struct stack_writer *w) {
  static const uint8_t no_frames;
  const struct merge_source *source = &m->sources[segment->source];
  const struct samples *s = &source->profile->samples;
  size_t local = m->origins[i] - source->first_sample, size = s->stack_size[local], n = 0;
  struct packed_stack rest = {s->stack[local], s->stack[local] + size, NULL};
  w->stack[i] = rest.leaf;
  w->size[i] = (uint32_t)size;
  if (source->shared) return true;
  /* A frame has at least one byte in the source, and at most VARINT32_BYTES_MAX in the result. */
  size_t most = size * VARINT32_BYTES_MAX;
  if (w->left < most) {
    w->left = most > 64 * 1024 ? most : 64 * 1024;
    w->room = arena_alloc(&m->out->region->arena, w->left);
    if (!w->room) return false;
  }
  /* An empty stack must not be NULL, because readers add sizes to its address. */
  w->stack[i] = w->room ? w->room : &no_frames;
  for (uint32_t id; stack_take_leaf_id(&rest, &id);)
    if (segment->merged[id] != LOCATION_HIDDEN)
      n += varint_put(w->room + n, m->location_number[segment->merged[id]] + 1);
  w->size[i] = (uint32_t)n;
  if (n) w->room += n; /* `room` may be NULL if n is 0 */
  w->left -= n;
  return true;
}

/* Begins a segment (range of samples whose stacks use the same location numbers) at sample `first`
 * of the result. A segment whose stacks are shared with a source needs a map from the source's
 * numbers to locations. Does nothing if neither this segment nor the previous one needs a map. */
static bool begin_segment(struct merge *m, const struct merge_segment *segment, size_t first,
                          struct segment *segments) {
  struct samples *out = &m->out->samples;
  bool shared = m->sources[segment->source].shared;
  if (!shared && out->segment_count && !segments[out->segment_count - 1].map) return true;
  struct segment *made = &segments[out->segment_count++];
  *made = (struct segment){.first = first};
  return !shared || merge_make_map(m, segment, made);
}

/* Makes the stacks and the segments of the result. Returns false when out of memory. */
static bool merge_write_stacks(struct merge *m) {
  struct samples *out = &m->out->samples;
  struct segment *segments =
      arena_array(&m->out->region->arena, m->segment_count, sizeof *segments);
  struct stack_writer w;
  const struct merge_segment *segment = NULL;
  if (!segments || !stack_writer_init(m, &w)) return false;
  for (size_t i = 0; i < m->result_count; i++) {
    const struct merge_segment *next =
        merge_segment_next(m, segment ? segment : m->segments, m->origins[i]);
    if (next != segment && !begin_segment(m, next, i, segments)) return false;
    segment = next;
    if (!m->stack && !merge_write_stack(m, segment, i, &w)) return false;
  }
  out->stack = w.stack;
  out->stack_size = m->stack ? m->stack_size : w.size;
  out->segments = segments;
  return true;
}

static bool write_labels(struct merge *m) {
  struct merge_labels labels;
  if (!merge_has_labels(m) || !m->result_count) return true;
  uint32_t *set = arena_array(&m->out->region->arena, m->result_count, sizeof *set);
  bool ok = set && merge_labels_open(&labels, m, false);
  const struct merge_segment *segment = m->segments;
  for (size_t i = 0; ok && i < m->result_count; i++) {
    segment = merge_segment_next(m, segment, m->origins[i]);
    uint32_t source = segment->source;
    set[i] = merge_label_set(&labels, source, m->origins[i] - m->sources[source].first_sample);
    ok = set[i] != NONE;
  }
  if (set) merge_labels_close(&labels, ok ? set : NULL);
  return ok;
}

bool merge_write_samples(struct merge *m) {
  struct samples *out = &m->out->samples;
  if (!merge_write_stacks(m) || !write_labels(m)) return false;
  out->count = m->result_count;
  out->values = m->values;
  for (uint32_t i = 0; i < m->source_count; i++) {
    size_t depth = merge_samples_of(m, i)->max_depth;
    if (depth > out->max_depth) out->max_depth = depth;
  }
  return true;
}
