/* Makes the sample columns of a merge's result. Stacks of large sources are not copied: their
 * segments get a map to the new locations. Stacks of small sources are written again, so that the
 * source can be freed. */
#include "transform/merge/merge.h"

bool merge_make_map(struct merge *m, const struct merge_piece *piece, struct segment *segment) {
  uint32_t *map = arena_array(&m->out->region->arena, piece->size, sizeof *map);
  if (!map) return false;
  bool plain = piece->size <= m->locations_used + 1;
  for (size_t v = 0; v < piece->size; v++) {
    uint32_t class = piece->classes[v];
    map[v] = class == LOCATION_HIDDEN ? LOCATION_HIDDEN : m->location_number[class];
    plain = plain && (v == 0 || map[v] == v - 1);
  }
  segment->map = plain ? NULL : map;
  segment->map_size = plain ? 0 : piece->size;
  return true;
}

/* Writes the stack of one sample with new numbers to the region of the result. */
static bool merge_write_stack(struct merge *m, const struct merge_piece *piece,
                              const uint8_t *stack, uint32_t *size, uint8_t **room, size_t *left,
                              const uint8_t **out) {
  /* Upper bound of the new size, because each frame has at least one byte in the source. */
  size_t most = (size_t)*size * VARINT32_BYTES_MAX;
  if (*left < most) {
    *left = most > 64 * 1024 ? most : 64 * 1024;
    *room = arena_alloc(&m->out->region->arena, *left);
    if (!*room) return false;
  }
  struct packed_stack rest = {stack, stack + *size, NULL};
  size_t n = 0;
  uint32_t id;
  static const uint8_t no_frames;
  /* An empty stack must not be NULL, because readers add sizes to its address. */
  *out = *room ? *room : &no_frames;
  while (stack_take_leaf_id(&rest, &id))
    if (piece->classes[id] != LOCATION_HIDDEN)
      n += varint_put(*room + n, m->location_number[piece->classes[id]] + 1);
  *size = (uint32_t)n;
  if (n) *room += n; /* without frames, *room may be NULL */
  *left -= n;
  return true;
}

/* Begins a segment at sample `first` of the result, unless the last segment has the same map. */
static bool begin_segment(struct merge *m, const struct merge_piece *piece, size_t first,
                          struct segment *segments) {
  struct samples *out = &m->out->samples;
  bool shared = m->sources[piece->source].shared;
  if (!shared && out->segment_count && !segments[out->segment_count - 1].map) return true;
  struct segment *segment = &segments[out->segment_count++];
  *segment = (struct segment){.first = first};
  return !shared || merge_make_map(m, piece, segment);
}

/* Makes the stacks that merge_pass has written the stacks of the result, and makes the segments of
 * the result. Returns false when out of memory. */
static bool merge_take_stacks(struct merge *m) {
  struct samples *out = &m->out->samples;
  struct segment *segments = arena_array(&m->out->region->arena, m->piece_count, sizeof *segments);
  const struct merge_piece *piece = NULL;
  if (!segments) return false;
  for (size_t i = 0; i < m->result_count; i++) {
    const struct merge_piece *next = merge_piece_next(m, piece ? piece : m->pieces, m->origins[i]);
    if (next != piece && !begin_segment(m, next, i, segments)) return false;
    piece = next;
  }
  out->stack = m->stack;
  out->stack_size = m->stack_size;
  out->segments = segments;
  return true;
}

static bool merge_write_stacks(struct merge *m) {
  if (m->stack) return merge_take_stacks(m);
  struct arena *arena = &m->out->region->arena;
  struct samples *out = &m->out->samples;
  const uint8_t **stack = arena_array(arena, m->result_count, sizeof *stack);
  uint32_t *stack_size = arena_array(arena, m->result_count, sizeof *stack_size);
  struct segment *segments = arena_array(arena, m->piece_count, sizeof *segments);
  if (!stack || !stack_size || !segments) return false;
  const struct merge_piece *piece = NULL;
  uint8_t *room = NULL;
  size_t left = 0;
  for (size_t i = 0; i < m->result_count; i++) {
    uint32_t sample = m->origins[i];
    const struct merge_piece *next = merge_piece_next(m, piece ? piece : m->pieces, sample);
    if (next != piece) {
      piece = next;
      if (!begin_segment(m, piece, i, segments)) return false;
    }
    const struct merge_source *source = &m->sources[piece->source];
    const struct samples *s = &source->profile->samples;
    stack[i] = s->stack[sample - source->first_sample];
    stack_size[i] = s->stack_size[sample - source->first_sample];
    if (!source->shared &&
        !merge_write_stack(m, piece, stack[i], &stack_size[i], &room, &left, &stack[i]))
      return false;
  }
  out->stack = stack;
  out->stack_size = stack_size;
  out->segments = segments;
  return true;
}

static bool write_labels(struct merge *m) {
  struct merge_labels labels;
  if (!merge_has_labels(m) || !m->result_count) return true;
  uint32_t *set = arena_array(&m->out->region->arena, m->result_count, sizeof *set);
  bool ok = set && merge_labels_open(&labels, m);
  const struct merge_piece *piece = m->pieces;
  for (size_t i = 0; ok && i < m->result_count; i++) {
    piece = merge_piece_next(m, piece, m->origins[i]);
    uint32_t source = piece->source;
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
