/* Merges samples one after another. Numbers the functions, mappings and locations that a sample is
 * the first to use, and writes the sample's stack with the new numbers. Then looks the stack up in
 * the result, and adds the stack if it is new. In the new numbers, equal stacks have equal bytes,
 * even if their sources use different numbers. */
#include "transform/merge/merge.h"

/* Value of `size` in `codes` for a location that no sample of the current segment has used
 * yet. */
#define PASS_UNMET 0xFFu

/* Number of samples that go through each step together, so that the cache misses of their lookups
 * overlap. */
#define PASS_BATCH 32u
/* Minimum size in bytes of the buffer for the stacks of a batch. */
#define PASS_WRITTEN ((size_t)16 * 1024)

/* A sample of the batch (samples that go through each step together). Its stack has the location
 * numbers of the result. */
struct pass_item {
  const struct merge_segment *segment;
  const uint8_t *stack;
  uint64_t hash;
  uint32_t stack_size, sample;
};

/* A sample of the result: its stack, and the first source sample with this stack. */
struct pass_result {
  const struct merge_segment *segment; /* segment of the source sample */
  const uint8_t *stack;
  uint32_t stack_size, first;
};

struct pass {
  struct merge *m;
  struct map table; /* map from the hash of a stack to the index in `results` */
  struct pass_result *results;
  size_t result_count, result_capacity;
  /* For each location of the segment `coded`, its encoded number in the result. The array has space
   * for the largest segment. */
  struct stack_code *codes;
  const struct merge_segment *coded;
  uint32_t next_source; /* index of the first source whose main mapping was not checked yet */
  struct pass_item batch[PASS_BATCH];
  size_t count;
  /* Maximum number of frames in a stack, and maximum number of bytes of an encoded number. */
  size_t max_depth, code_most;
  uint8_t *written; /* stacks of the batch, one after another */
  size_t written_size, used;
  uint8_t *room; /* free memory in the region of the result */
  size_t left;
};

/* ---- stacks in new numbers --------------------------- */

/* Clears p->codes, unless the segment before this one has the same array `merged`. */
static void pass_begin_segment(struct pass *p, const struct merge_segment *segment) {
  const struct merge_segment *before = p->coded;
  p->coded = segment;
  if (before && before->merged == segment->merged && before->size == segment->size) return;
  memset(p->codes, PASS_UNMET, segment->size * sizeof *p->codes);
}

static void pass_meet(struct pass *p, const struct merge_segment *segment, uint32_t id) {
  uint32_t merged = segment->merged[id];
  p->codes[id].size = 0;
  if (merged == LOCATION_HIDDEN) return;
  uint32_t location = segment->map ? segment->map[id] : id - 1;
  uint32_t number = merge_number_first(
      p->m, merged, (struct merge_place){segment->source, location}, &p->next_source);
  p->codes[id] = stack_code_of(number + 1);
}

/* Writes the stack of `item` after the other stacks of the batch. p->written must have enough
 * space. */
static void pass_write(struct pass *p, struct pass_item *item, const uint8_t *stack, size_t size) {
  uint8_t *out = p->written + p->used;
  const uint8_t *end = stack + size;
  item->stack = out;
  while (stack < end) {
    uint32_t id;
    stack = varint_next(stack, &id);
    if (p->codes[id].size == PASS_UNMET) pass_meet(p, item->segment, id);
    out = stack_put_code(out, &p->codes[id]);
  }
  item->stack_size = (uint32_t)(out - item->stack);
  p->used = (size_t)(out - p->written);
}

/* ---- looking up -------------------------------------- */

/* True if the stack of a result has the same bytes as the stack of a sample, and the numbers in
 * both stacks mean the same merged locations. */
static bool pass_same_bytes(const struct merge *m, const struct pass_result *result,
                            const struct pass_item *item) {
  const struct samples *s = merge_samples_of(m, item->segment->source);
  size_t local = item->sample - m->sources[item->segment->source].first_sample;
  return result->segment->merged == item->segment->merged &&
         result->stack_size == s->stack_size[local] &&
         memcmp(result->stack, s->stack[local], result->stack_size) == 0;
}

/* True if the stacks in `result` and `item` are equal. The stack in `result` still has the location
 * numbers of its source. The stack in `item` has the new numbers. */
static bool pass_same_shared(const struct merge *m, const struct pass_result *result,
                             const struct pass_item *item) {
  if (pass_same_bytes(m, result, item)) return true;
  const uint32_t *merged = result->segment->merged;
  const uint8_t *a = result->stack, *a_end = a + result->stack_size;
  const uint8_t *b = item->stack, *b_end = b + item->stack_size;
  while (a < a_end) {
    uint32_t id, number;
    a = varint_next(a, &id);
    if (merged[id] == LOCATION_HIDDEN) continue;
    if (b == b_end) return false;
    b = varint_next(b, &number);
    if (m->location_number[merged[id]] + 1 != number) return false;
  }
  return b == b_end;
}

static bool pass_same_stack(const struct merge *m, const struct pass_result *result,
                            const struct pass_item *item) {
  if (m->sources[result->segment->source].shared) return pass_same_shared(m, result, item);
  return result->stack_size == item->stack_size &&
         memcmp(result->stack, item->stack, item->stack_size) == 0;
}

/* Copies the stack of a new sample into the region (memory) of the result. */
static const uint8_t *pass_keep_stack(struct pass *p, const struct pass_item *item) {
  static const uint8_t no_frames;
  if (!item->stack_size) return &no_frames;
  if (p->left < item->stack_size) {
    p->left = item->stack_size > 64 * 1024 ? item->stack_size : 64 * 1024;
    p->room = arena_alloc(&p->m->out->region->arena, p->left);
    if (!p->room) return NULL;
  }
  uint8_t *stack = memcpy(p->room, item->stack, item->stack_size);
  p->room += item->stack_size;
  p->left -= item->stack_size;
  return stack;
}

static bool pass_add_result(struct pass *p, const struct pass_item *item) {
  const struct merge_source *source = &p->m->sources[item->segment->source];
  if (!ARRAY_RESERVE(&p->m->out->mem, p->results, p->result_capacity, p->result_count + 1))
    return false;
  struct pass_result *result = &p->results[p->result_count];
  *result = (struct pass_result){item->segment, NULL, item->stack_size, item->sample};
  if (source->shared) {
    size_t local = item->sample - source->first_sample;
    result->stack = source->profile->samples.stack[local];
    result->stack_size = source->profile->samples.stack_size[local];
  } else {
    result->stack = pass_keep_stack(p, item);
  }
  p->m->result_of[item->sample] = item->sample;
  return result->stack && map_insert(&p->table, item->hash, (uint32_t)p->result_count++);
}

static bool pass_look_up(struct pass *p, const struct pass_item *item) {
  struct map_probe probe = map_start(&p->table, item->hash);
  uint32_t result;
  while ((result = map_next(&p->table, &probe)) != MAP_NONE) {
    const struct pass_result *other = &p->results[result];
    if (!pass_same_stack(p->m, other, item)) continue;
    enum merge_answer same =
        merge_same_labels(p->m, other->segment, other->first, item->segment, item->sample);
    if (same == MERGE_OUT_OF_MEMORY) return false;
    if (same == MERGE_NO) continue;
    p->m->result_of[item->sample] = other->first;
    return true;
  }
  return pass_add_result(p, item);
}

/* Prefetches the first stack and label set with which pass_look_up will compare an item. */
static void pass_expect_result(const struct pass *p, const struct pass_item *item) {
  struct map_probe probe = map_start(&p->table, item->hash);
  uint32_t index = map_next(&p->table, &probe);
  if (index == MAP_NONE) return;
  const struct pass_result *result = &p->results[index];
  const struct merge_source *source = &p->m->sources[result->segment->source];
  const uint32_t *label_set = source->profile->samples.label_set;
  if (label_set) __builtin_prefetch(&label_set[result->first - source->first_sample]);
  for (size_t line = 0; line < item->stack_size && line < 256; line += 64)
    __builtin_prefetch(result->stack + line);
}

static bool pass_end_batch(struct pass *p) {
  bool ok = true;
  for (size_t i = 0; i < p->count; i++) pass_expect_result(p, &p->batch[i]);
  for (size_t i = 0; ok && i < p->count; i++) ok = pass_look_up(p, &p->batch[i]);
  p->count = p->used = 0;
  return ok;
}

/* ---- samples ----------------------------------------- */

static bool pass_sample(struct pass *p, const struct merge_segment *segment, uint32_t sample) {
  struct merge *m = p->m;
  const struct merge_source *source = &m->sources[segment->source];
  const struct samples *s = &source->profile->samples;
  size_t local = sample - source->first_sample, types = m->out->type_count;
  m->result_of[sample] = NONE;
  if (values_are_zero(s->values + local * types, types)) return true;
  size_t frames = s->stack_size[local] < p->max_depth ? s->stack_size[local] : p->max_depth;
  size_t most = frames * p->code_most + sizeof(struct stack_code);
  if ((p->count == PASS_BATCH || p->written_size - p->used < most) && !pass_end_batch(p))
    return false;
  struct pass_item *item = &p->batch[p->count++];
  item->segment = segment;
  item->sample = sample;
  pass_write(p, item, s->stack[local], s->stack_size[local]);
  uint64_t labels = s->label_set ? source->label_hashes[s->label_set[local]] : 0;
  item->hash = hash_mix(hash_bytes(item->stack, item->stack_size), labels);
  map_expect(&p->table, item->hash);
  return true;
}

static bool pass_samples(struct pass *p) {
  const struct merge *m = p->m;
  const struct merge_segment *segment = m->segments;
  for (uint32_t sample = 0; sample < m->sample_count; sample++) {
    segment = merge_segment_next(m, segment, sample);
    if (segment != p->coded) pass_begin_segment(p, segment);
    if (!pass_sample(p, segment, sample)) return false;
  }
  return pass_end_batch(p);
}

/* ---- the whole pass ---------------------------------- */

static bool pass_open(struct pass *p) {
  struct merge *m = p->m;
  size_t most = 0;
  for (size_t i = 0; i < m->segment_count; i++)
    if (m->segments[i].size > most) most = m->segments[i].size;
  for (uint32_t i = 0; i < m->source_count; i++)
    if (merge_samples_of(m, i)->max_depth > p->max_depth)
      p->max_depth = merge_samples_of(m, i)->max_depth;
  p->code_most = varint_bytes(m->location_count);
  p->written_size = p->max_depth * p->code_most + sizeof *p->codes;
  if (p->written_size < PASS_WRITTEN) p->written_size = PASS_WRITTEN;
  p->codes = arena_array(&m->arena, most, sizeof *p->codes);
  p->written = arena_alloc(&m->arena, p->written_size);
  m->result_of = arena_array(&m->arena, m->sample_count, sizeof *m->result_of);
  return p->codes && p->written && m->result_of && merge_number_begin(m);
}

/* Stores the stacks of all samples of the result as columns. */
static bool pass_close(struct pass *p) {
  struct arena *arena = &p->m->out->region->arena;
  const uint8_t **stack = arena_array(arena, p->result_count, sizeof *stack);
  uint32_t *size = arena_array(arena, p->result_count, sizeof *size);
  if (!stack || !size) return false;
  for (size_t i = 0; i < p->result_count; i++) {
    stack[i] = p->results[i].stack;
    size[i] = p->results[i].stack_size;
  }
  p->m->stack = stack;
  p->m->stack_size = size;
  merge_number_end(p->m, &p->next_source);
  return true;
}

bool merge_pass(struct merge *m) {
  struct pass p = {.m = m};
  map_init(&p.table, &m->out->mem);
  bool ok = pass_open(&p) && pass_samples(&p) && pass_close(&p);
  ARRAY_FREE(&m->out->mem, p.results, p.result_capacity);
  map_free(&p.table);
  return ok;
}
