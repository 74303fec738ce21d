/* Stores rows: events with equal keys (stack, thread and labels) are added up in one row. Each row
 * becomes a sample with several values. */
#include "import/jfr/jfr.h"

struct jfr_rows {
  uint64_t *words; /* rows of `stride` words each: the key, then the values */
  size_t count, word_capacity, stride;
  struct map by_key;
  uint32_t last; /* index of the row found last. rows_find compares this row first, because an event
                    changes up to two values of one row. */
};

#define ROWS_KEY_WORDS (sizeof(struct jfr_key) / sizeof(uint64_t))

static uint64_t *rows_at(const struct jfr_rows *rows, size_t row) {
  return rows->words + row * rows->stride;
}

struct jfr_rows *jfr_rows_new(struct jfr *j) {
  struct jfr_rows *rows = arena_zero_array(j->names, 1, sizeof *rows);
  if (rows) map_init(&rows->by_key, j->mem);
  return rows;
}

void jfr_rows_free(struct jfr *j) {
  struct jfr_rows *rows = j->rows;
  if (!rows) return;
  map_free(&rows->by_key);
  ARRAY_FREE(j->mem, rows->words, rows->word_capacity);
}

static uint64_t rows_hash(const struct jfr_key *key) {
  uint64_t hash = hash_mix((uint64_t)key->stack << 32 | key->thread, key->tid);
  hash = hash_mix(hash, (uint64_t)key->state << 32 | key->class);
  hash = hash_mix(hash, key->method);
  return hash_mix(hash_mix(hash, key->context), key->span);
}

static bool rows_equal(const void *rows, uint32_t index, const void *key) {
  return memcmp(rows_at(rows, index), key, sizeof(struct jfr_key)) == 0;
}

/* Returns the index of the row with a key, and adds the row if it is new. Returns NONE when out of
 * memory. */
static uint32_t rows_find(struct jfr *j, const struct jfr_key *key) {
  struct jfr_rows *rows = j->rows;
  size_t words = (rows->count + 1) * rows->stride;
  if (rows->count && rows_equal(rows, rows->last, key)) return rows->last;
  if (rows->count >= JFR_UNMADE || !ARRAY_RESERVE(j->mem, rows->words, rows->word_capacity, words))
    return NONE;
  uint32_t row =
      map_find_or_add(&rows->by_key, rows_hash(key), rows_equal, rows, key, (uint32_t)rows->count);
  if (row == MAP_NONE) return NONE;
  if (row < rows->count) return rows->last = row;
  uint64_t *at = rows_at(rows, rows->count++);
  memcpy(at, key, sizeof *key);
  memset(at + ROWS_KEY_WORDS, 0, j->type_count * sizeof *at);
  return rows->last = row;
}

bool jfr_rows_add(struct jfr *j, const struct jfr_key *key, enum jfr_type type, uint64_t value) {
  uint32_t row = rows_find(j, key);
  if (!import_need(j->builder, row != NONE)) return false;
  rows_at(j->rows, row)[ROWS_KEY_WORDS + (size_t)j->column[type]] += value;
  return true;
}

uint32_t jfr_rows_last(const struct jfr *j) {
  return j->rows->last;
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
    [JFR_NATIVE_LOCK] = {"native_lock_contentions", "count"},
    [JFR_NATIVE_LOCK + 1] = {"native_lock_delay", "nanoseconds"},
    [JFR_TRACE] = {"method_trace_calls", "count"},
    [JFR_TRACE + 1] = {"method_trace_time", "nanoseconds"},
};

/* Sets the default sample type: the first type, or wall if async-profiler sampled only the wall
 * clock. */
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
  j->rows->stride = ROWS_KEY_WORDS + j->type_count;
  rows_default_type(j);
}

/* Indices of label keys. The string index of a key is 0 until the key is first used. */
enum {
  ROWS_THREAD,
  ROWS_TID,
  ROWS_STATE,
  ROWS_CLASS,
  ROWS_METHOD,
  ROWS_CONTEXT,
  ROWS_SPAN,
  ROWS_LABELS
};

static const char *const rows_label_keys[ROWS_LABELS] = {"thread", "tid",     "state",  "class",
                                                         "method", "context", "span_id"};

static uint32_t rows_label_key(struct jfr *j, uint32_t *keys, int which) {
  if (!keys[which]) keys[which] = builder_string(j->builder, str_of(rows_label_keys[which]));
  return keys[which];
}

static void rows_text_label(struct jfr *j, uint32_t *keys, int which, uint32_t text) {
  if (!text) return;
  struct label label = {.key = rows_label_key(j, keys, which), .string = text};
  builder_add_label(j->builder, &label);
}

static void rows_number_label(struct jfr *j, uint32_t *keys, int which, uint64_t number) {
  if (!number) return;
  struct label label = {
      .key = rows_label_key(j, keys, which), .is_number = true, .number = (int64_t)number};
  builder_add_label(j->builder, &label);
}

static void rows_span_label(struct jfr *j, uint32_t *keys, uint64_t span) {
  char text[24];
  if (!span) return;
  snprintf(text, sizeof text, "%016llx", (unsigned long long)span);
  uint32_t key = rows_label_key(j, keys, ROWS_SPAN);
  struct label label = {.key = key, .string = builder_string(j->builder, str_of(text))};
  builder_add_label(j->builder, &label);
}

void jfr_rows_emit(struct jfr *j) {
  const struct jfr_rows *rows = j->rows;
  uint32_t keys[ROWS_LABELS] = {0};
  for (size_t i = 0; i < rows->count && builder_ok(j->builder); i++) {
    const uint64_t *at = rows_at(rows, i);
    struct jfr_key key;
    size_t depth;
    memcpy(&key, at, sizeof key);
    const uint32_t *frames = jfr_stack_frames(j, key.stack, &depth);
    pprofc_builder_sample(j->builder, frames, depth, (const int64_t *)(at + ROWS_KEY_WORDS));
    rows_text_label(j, keys, ROWS_THREAD, key.thread);
    rows_number_label(j, keys, ROWS_TID, key.tid);
    rows_text_label(j, keys, ROWS_STATE, key.state);
    rows_text_label(j, keys, ROWS_CLASS, key.class);
    rows_text_label(j, keys, ROWS_METHOD, key.method);
    rows_number_label(j, keys, ROWS_CONTEXT, key.context);
    rows_span_label(j, keys, key.span);
  }
}
