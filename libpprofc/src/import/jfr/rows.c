/* Samples: events with the same stack, thread and so on are one sample of several values. */
#include "import/jfr/jfr.h"

#include <stdio.h>

struct jfr_rows {
  struct jfr_key *keys;
  size_t count, capacity;
  int64_t *values; /* [count * type_count] */
  size_t value_capacity;
  struct map by_key;
  uint32_t last; /* the row that was found last: an event has up to three values */
};

struct jfr_rows *jfr_rows_new(struct jfr *j) {
  struct jfr_rows *rows = mem_zero_array(j->mem, 1, sizeof *rows);
  if (rows) map_init(&rows->by_key, j->mem);
  return rows;
}

void jfr_rows_free(struct jfr *j) {
  struct jfr_rows *rows = j->rows;
  if (!rows) return;
  map_free(&rows->by_key);
  ARRAY_FREE(j->mem, rows->keys, rows->capacity);
  ARRAY_FREE(j->mem, rows->values, rows->value_capacity);
  mem_free(j->mem, rows, 1, sizeof *rows);
}

static uint64_t rows_hash(const struct jfr_key *key) {
  uint64_t hash = hash_mix((uint64_t)key->stack << 32 | key->thread, key->tid);
  hash = hash_mix(hash, (uint64_t)key->state << 32 | key->class);
  return hash_mix(hash_mix(hash, key->context), key->span);
}

static bool rows_equal(const void *records, uint32_t index, const void *key) {
  const struct jfr_key *a = (const struct jfr_key *)records + index, *b = key;
  return a->stack == b->stack && a->thread == b->thread && a->state == b->state &&
         a->class == b->class && a->tid == b->tid && a->context == b->context && a->span == b->span;
}

/* The row of a key; NONE when out of memory. */
static uint32_t rows_find(struct jfr *j, const struct jfr_key *key) {
  struct jfr_rows *rows = j->rows;
  if (rows->count && rows_equal(rows->keys, rows->last, key)) return rows->last;
  uint32_t row = map_find_or_add(&rows->by_key, rows_hash(key), rows_equal, rows->keys, key,
                                 (uint32_t)rows->count);
  if (row == MAP_NONE) return NONE;
  if (row < rows->count) return rows->last = row;
  if (rows->count >= JFR_UNMADE ||
      !ARRAY_RESERVE(j->mem, rows->keys, rows->capacity, rows->count + 1) ||
      !ARRAY_RESERVE(j->mem, rows->values, rows->value_capacity, (rows->count + 1) * j->type_count))
    return NONE;
  rows->keys[rows->count] = *key;
  memset(rows->values + rows->count++ * j->type_count, 0, j->type_count * sizeof *rows->values);
  return rows->last = row;
}

bool jfr_rows_add(struct jfr *j, const struct jfr_key *key, enum jfr_type type, uint64_t value) {
  uint32_t row = rows_find(j, key);
  if (row == NONE) return jfr_fail_nomem(j);
  int64_t *sum = &j->rows->values[row * j->type_count + (size_t)j->column[type]];
  *sum = (int64_t)((uint64_t)*sum + value);
  return true;
}

/* ---- output ------------------------------------------ */

static const struct {
  const char *type, *unit;
} rows_types[JFR_TYPE_COUNT] = {
    [JFR_CPU] = {"cpu", "nanoseconds"},
    [JFR_CPU_TIME] = {"cpu_time", "nanoseconds"},
    [JFR_WALL] = {"wall", "nanoseconds"},
    [JFR_NATIVE] = {"native", "nanoseconds"},
    [JFR_IN_TLAB] = {"alloc_in_new_tlab_objects", "count"},
    [JFR_IN_TLAB + 1] = {"alloc_in_new_tlab_bytes", "bytes"},
    [JFR_OUT_TLAB] = {"alloc_outside_tlab_objects", "count"},
    [JFR_OUT_TLAB + 1] = {"alloc_outside_tlab_bytes", "bytes"},
    [JFR_ALLOC] = {"alloc_sample_objects", "count"},
    [JFR_ALLOC + 1] = {"alloc_sample_bytes", "bytes"},
    [JFR_LIVE] = {"live", "count"},
    [JFR_LIVE + 1] = {"live_bytes", "bytes"},
    [JFR_MALLOC] = {"malloc_objects", "count"},
    [JFR_MALLOC + 1] = {"malloc_bytes", "bytes"},
    [JFR_MUTEX] = {"mutex_contentions", "count"},
    [JFR_MUTEX + 1] = {"mutex_delay", "nanoseconds"},
    [JFR_BLOCK] = {"block_contentions", "count"},
    [JFR_BLOCK + 1] = {"block_delay", "nanoseconds"},
    [JFR_WAIT] = {"wait_count", "count"},
    [JFR_WAIT + 1] = {"wait_delay", "nanoseconds"},
};

/* The sample type that is shown when none is asked for: the first, but wall where async-profiler
 * was asked for that. */
static void rows_default_type(struct jfr *j) {
  size_t type = 0;
  if (j->has_type[JFR_WALL] && j->chunks[0].settings.only_wall) type = JFR_WALL;
  while (!j->has_type[type]) type++;
  if (type != JFR_CPU || !j->cpu_event.size)
    pprofc_builder_default_type(j->builder, rows_types[type].type);
}

void jfr_rows_emit_types(struct jfr *j) {
  bool has_any = false;
  for (size_t i = 0; i < JFR_TYPE_COUNT; i++) has_any |= j->has_type[i];
  j->has_type[JFR_CPU] |= !has_any;
  for (size_t i = 0; i < JFR_TYPE_COUNT; i++) {
    if (!j->has_type[i]) continue;
    j->column[i] = (int8_t)j->type_count++;
    if (i == JFR_CPU && j->cpu_event.size)
      builder_add_type(j->builder, j->cpu_event, STR("count"));
    else
      pprofc_builder_type(j->builder, rows_types[i].type, rows_types[i].unit);
  }
  rows_default_type(j);
}

static void rows_text_label(struct jfr *j, const char *key, uint32_t text) {
  if (text)
    builder_add_label(j->builder, &(struct label){.key = builder_string(j->builder, str_of(key)),
                                                  .string = text});
}

static void rows_number_label(struct jfr *j, const char *key, uint64_t number) {
  if (number) pprofc_builder_number_label(j->builder, key, (int64_t)number, NULL);
}

static void rows_span_label(struct jfr *j, uint64_t span) {
  char text[24];
  snprintf(text, sizeof text, "%016llx", (unsigned long long)span);
  if (span) pprofc_builder_label(j->builder, "span_id", text);
}

void jfr_rows_emit(struct jfr *j) {
  const struct jfr_rows *rows = j->rows;
  for (size_t i = 0; i < rows->count && builder_ok(j->builder); i++) {
    const struct jfr_key *key = &rows->keys[i];
    size_t depth;
    const uint32_t *frames = jfr_stack_frames(j, key->stack, &depth);
    pprofc_builder_sample(j->builder, frames, depth, rows->values + i * j->type_count);
    rows_text_label(j, "thread", key->thread);
    rows_number_label(j, "tid", key->tid);
    rows_text_label(j, "state", key->state);
    rows_text_label(j, "class", key->class);
    rows_number_label(j, "context", key->context);
    rows_span_label(j, key->span);
  }
}
