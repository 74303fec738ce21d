/* Reads files of Java Flight Recorder: a sequence of chunks. The header of a chunk contains the
 * size of the chunk. */
#include "import/jfr/jfr.h"

#define NEWEST_MINOR 1

#define TAKE_MIN    ((uint64_t)16 << 20)
#define TAKE_FACTOR 32

bool jfr_take(struct jfr *j, uint64_t *taken, uint64_t more, const char *what) {
  *taken += more;
  if (*taken <= TAKE_MIN + TAKE_FACTOR * (uint64_t)j->data.size) return true;
  return import_refuse(j->builder, PPROFC_E_LIMIT,
                       "%s are out of proportion to the size of the recording", what);
}

struct jfr_reader jfr_reader_at(const struct jfr *j, uint64_t offset) {
  size_t size = (size_t)(j->chunk->end - j->chunk->start);
  if (offset > size) offset = size;
  return (struct jfr_reader){j->chunk->start + offset, j->chunk->end, j->chunk->compressed, false};
}

bool jfr_next_event(struct jfr *j, struct jfr_reader *r, uint64_t *type, struct jfr_reader *body) {
  const uint8_t *at = r->at;
  if (!builder_ok(j->builder) || at >= r->end) return false;
  uint64_t size = jfr_int(r);
  *type = jfr_long(r);
  if (r->failed || size < (uint64_t)(r->at - at) || size > (uint64_t)(r->end - at))
    return import_refuse_at(j->builder, at,
                            "an event that runs past the end of its chunk, or is empty");
  *body = (struct jfr_reader){r->at, at + size, r->compressed, false};
  r->at = at + size;
  return true;
}

/* ---- chunks ------------------------------------------ */

static bool jfr_add_chunk(struct jfr *j, const uint8_t *start, uint64_t size) {
  struct jfr_reader r = {start + 16, start + JFR_HEADER_SIZE, false, false};
  struct jfr_chunk c = {.start = start, .end = start + size};
  jfr_long(&r); /* skip the offset of the last constant pools */
  c.metadata_at = jfr_long(&r);
  c.time = jfr_long(&r);
  c.duration = jfr_long(&r);
  c.start_ticks = jfr_long(&r);
  c.ticks_per_second = jfr_long(&r);
  c.compressed = jfr_int(&r) & 1;
  return import_need(j->builder,
                     ARRAY_PUSH(j->mem, j->chunks, j->chunk_count, j->chunk_capacity, c));
}

/* Returns the size of the chunk at `start`, where `left` bytes are available. Returns 0 on failure,
 * and if the chunk is incomplete (killed program or truncated file). */
static uint64_t jfr_chunk_size(struct jfr *j, const uint8_t *start, uint64_t left) {
  if (left < JFR_HEADER_SIZE) return 0;
  struct jfr_reader r = {start + 4, start + 16, false, false};
  unsigned major = (unsigned)jfr_fixed(&r, 2), minor = (unsigned)jfr_fixed(&r, 2);
  uint64_t size = jfr_fixed(&r, 8);
  if (memcmp(start, "FLR", 4) != 0) return import_refuse_at(j->builder, start, "no chunk");
  if (major != 2)
    return import_refuse(
        j->builder, PPROFC_E_FORMAT,
        "unsupported version %u.%u of the format, only 2 is read; JDK Mission Control "
        "opens recordings of Oracle's JDK 8",
        major, minor);
  if ((int)minor > j->minor) j->minor = (int)minor;
  return size >= JFR_HEADER_SIZE && size <= left ? size : 0;
}

/* True if all bytes are zero. Some recorders write zeros after the last chunk. */
static bool jfr_is_padding(const uint8_t *at, const uint8_t *end) {
  while (at < end && !*at) at++;
  return at == end;
}

/* Finds the chunks. Drops an incomplete last chunk, but fails if no chunk is complete. */
static bool jfr_find_chunks(struct jfr *j) {
  const uint8_t *at = (const uint8_t *)j->data.data, *end = at + j->data.size;
  while (at < end && (!j->chunk_count || !jfr_is_padding(at, end))) {
    uint64_t size = jfr_chunk_size(j, at, (uint64_t)(end - at));
    if (!builder_ok(j->builder)) return false;
    if (!size) break;
    if (!jfr_add_chunk(j, at, size)) return false;
    at += size;
  }
  j->left_out = jfr_is_padding(at, end) ? 0 : (uint64_t)(end - at);
  if (!j->chunk_count)
    return import_refuse(j->builder, PPROFC_E_FORMAT,
                         "the recording is unfinished or truncated (%zu bytes)", j->data.size);
  return true;
}

static void jfr_begin_chunk(struct jfr *j, const struct jfr_chunk *chunk) {
  j->chunk = chunk;
  arena_init(&j->arena, j->mem);
  map_init(&j->metadata.by_id, j->mem);
  for (size_t i = 0; i < JFR_POOL_COUNT; i++) map_init(&j->pools[i].by_id, j->mem);
}

static void jfr_end_chunk(struct jfr *j) {
  ARRAY_FREE(j->mem, j->metadata.classes, j->metadata.class_capacity);
  ARRAY_FREE(j->mem, j->metadata.fields, j->metadata.field_capacity);
  map_free(&j->metadata.by_id);
  j->metadata = (struct jfr_metadata){0};
  for (size_t i = 0; i < JFR_POOL_COUNT; i++) {
    ARRAY_FREE(j->mem, j->pools[i].items, j->pools[i].capacity);
    map_free(&j->pools[i].by_id);
    j->pools[i] = (struct jfr_pool){0};
  }
  j->frame = (struct jfr_program){0};
  arena_free(&j->arena);
}

static bool jfr_survey_chunk(struct jfr *j, struct jfr_chunk *chunk) {
  jfr_begin_chunk(j, chunk);
  if (jfr_read_metadata(j) && jfr_bind_events(j)) jfr_survey_events(j, chunk);
  jfr_end_chunk(j);
  return builder_ok(j->builder);
}

static bool jfr_read_chunk(struct jfr *j, struct jfr_chunk *chunk) {
  jfr_begin_chunk(j, chunk);
  if (jfr_read_metadata(j) && jfr_bind_events(j) && jfr_read_pools(j)) jfr_read_events(j);
  jfr_end_chunk(j);
  return builder_ok(j->builder);
}

/* ---- the profile ------------------------------------- */

static uint64_t jfr_kinds_sum(const struct jfr_kinds *kinds) {
  uint64_t sum = 0;
  for (size_t i = 0; i < kinds->names.count; i++) sum += kinds->counts[i];
  return sum;
}

/* Appends the most frequent kind of event and its count. Sets this count to 0. */
static void jfr_note_most(struct jfr_kinds *kinds, struct buffer *note) {
  size_t most = 0;
  for (size_t i = 1; i < kinds->names.count; i++)
    if (kinds->counts[i] > kinds->counts[most]) most = i;
  buffer_printf(note, " %.*s (%llu)", STR_ARG(kinds->names.items[most]),
                (unsigned long long)kinds->counts[most]);
  kinds->counts[most] = 0;
}

/* Adds a comment with the most frequent kinds of events to the profile: "TEXT: NAME (2), NAME
 * (1)". */
static void jfr_note_kinds(struct jfr *j, struct jfr_kinds *kinds, const char *text) {
  size_t named = kinds->names.count;
  if (!named) return;
  if (named > 5) named = 5;
  struct buffer note = buffer_make(j->mem, SIZE_MAX);
  buffer_printf(&note, "%s:", text);
  for (size_t i = 0; i < named; i++) {
    jfr_note_most(kinds, &note);
    if (i + 1 < named) buffer_add_char(&note, ',');
  }
  if (kinds->names.count > named)
    buffer_printf(&note, " and %zu more kinds (%llu)", kinds->names.count - named,
                  (unsigned long long)jfr_kinds_sum(kinds));
  buffer_add_char(&note, '\0');
  if (import_need(j->builder, !note.failed)) pprofc_builder_comment(j->builder, note.data);
  buffer_free(&note);
}

static void jfr_notes(struct jfr *j) {
  import_note_total(j->builder, "skipped frames without a method", j->without_method);
  import_note_total(j->builder, "stacks that the recorder cut off", j->truncated);
  import_note_total(j->builder, "skipped bytes of an incomplete last chunk", j->left_out);
  if (j->assumed_period)
    pprofc_builder_comment(
        j->builder,
        "the recording does not name its sampling period; the default of its profiler is used");
  const struct import_loss losses[] = {
      {j->without_stack, "sample has no stack", "samples have no stack"},
      {j->lost, "sample was lost by the recorder", "samples were lost by the recorder"},
      {j->undescribed, "event is not described by the file",
       "events are not described by the file"},
      {jfr_kinds_sum(&j->unknown), "", ""}, /* no text, because jfr_note_kinds adds a comment */
      {0}};
  jfr_note_kinds(j, &j->unknown, "skipped events with stacks");
  jfr_note_kinds(j, &j->others, "events with stacks that are not samples");
  import_account(j->builder, j->samples, "samples and unknown events", losses);
  import_note_count(j->builder, j->without_field, "event is of a kind without stacks",
                    "events are of kinds without stacks");
  import_compare_version(j->builder, "Flight Recorder's format 2.x", j->minor, NEWEST_MINOR);
}

/* Sets the start time and the duration of the profile: from the start of the first chunk to the end
 * of the last chunk. */
static void jfr_header(struct jfr *j) {
  uint64_t first = UINT64_MAX, last = 0;
  for (size_t i = 0; i < j->chunk_count; i++) {
    const struct jfr_chunk *c = &j->chunks[i];
    if (c->time < first) first = c->time;
    if (c->time + c->duration > last) last = c->time + c->duration;
  }
  pprofc_builder_time(j->builder, (int64_t)first, last > first ? (int64_t)(last - first) : 0);
  if (j->has_type[JFR_CPU] && !j->cpu_event.size)
    pprofc_builder_period(j->builder, "cpu", "nanoseconds", (int64_t)j->chunks[0].settings.cpu);
}

static bool jfr_read(struct jfr *j) {
  if (!jfr_find_chunks(j)) return false;
  for (size_t i = 0; i < j->chunk_count; i++)
    if (!jfr_survey_chunk(j, &j->chunks[i])) return false;
  for (size_t i = 0; i < j->chunk_count; i++) jfr_complete_settings(j, &j->chunks[i].settings);
  jfr_rows_emit_types(j);
  jfr_first_mapping(j);
  for (size_t i = 0; i < j->chunk_count; i++)
    if (!jfr_read_chunk(j, &j->chunks[i])) return false;
  jfr_header(j);
  jfr_notes(j);
  jfr_rows_emit(j);
  return builder_ok(j->builder);
}

static void jfr_kinds_free(struct jfr *j, struct jfr_kinds *kinds) {
  ARRAY_FREE(j->mem, kinds->counts, kinds->capacity);
  interner_free(&kinds->names);
}

bool import_is_jfr(pprofc_str data) {
  return str_starts(data, STR("FLR\0"));
}

IMPORT_READER(import_jfr) {
  struct jfr *j = arena_zero_array(arena, 1, sizeof *j);
  if (!import_need(builder, j != NULL)) return;
  *j = (struct jfr){
      .mem = arena->mem, .options = options, .builder = builder, .data = data, .names = arena};
  buffer_init(&j->text, j->mem, SIZE_MAX);
  buffer_init(&j->name, j->mem, SIZE_MAX);
  interner_init(&j->unknown.names, j->mem);
  interner_init(&j->others.names, j->mem);
  j->stacks = jfr_stacks_new(j);
  j->rows = jfr_rows_new(j);
  builder_clock_zero(builder, 0);
  if (import_need(builder, j->stacks && j->rows)) jfr_read(j);
  jfr_stacks_free(j);
  jfr_rows_free(j);
  ARRAY_FREE(j->mem, j->chunks, j->chunk_capacity);
  jfr_kinds_free(j, &j->unknown);
  jfr_kinds_free(j, &j->others);
  buffer_free(&j->text);
  buffer_free(&j->name);
}
