/* Reads the output of Android's `simpleperf report-sample`: text, or messages of Protocol Buffers
 * (--protobuf). Converts both to the text of `perf script`, whose reader makes the profile. */
#include "codec/wire.h"
#include "import/text/perf_frames.h"

#define SIMPLEPERF_MAGIC "SIMPLEPERF"

/* Fields of a sample that go into its header line in the text of `perf script`. */
struct simpleperf_sample {
  pprofc_str event, thread;
  uint64_t count, time;
  int64_t tid;
};

/* A file or thread with its id. For a file, `symbols` is the index of its first symbol. */
struct simpleperf_item {
  uint64_t id;
  pprofc_str name;
  size_t symbols, symbol_count;
};

struct simpleperf_table {
  struct simpleperf_item *items;
  size_t count, room;
  struct map by_id;
};

struct simpleperf {
  pprofc_builder *builder;
  struct arena *arena;
  struct buffer out;
  struct simpleperf_table files, threads;
  pprofc_str *symbols, *events;
  size_t symbol_count, symbol_room, event_count, event_room;
  uint64_t lost;
};

/* ---- the text of perf script ------------------------- */

/* Writes a text with spaces in place of control bytes. Writes `otherwise` if the text is empty. */
static void simpleperf_put(struct simpleperf *s, pprofc_str text, const char *otherwise) {
  text = str_trim(text);
  if (!text.size) text = str_of(otherwise);
  for (size_t i = 0; i < text.size; i++)
    buffer_add_char(&s->out, (unsigned char)text.data[i] < ' ' ? ' ' : text.data[i]);
}

static void simpleperf_begin(struct simpleperf *s, const struct simpleperf_sample *sample) {
  simpleperf_put(s, sample->thread, "?");
  buffer_printf(&s->out, " %lld %llu.%09llu: %llu ", (long long)sample->tid,
                (unsigned long long)(sample->time / 1000000000),
                (unsigned long long)(sample->time % 1000000000), (unsigned long long)sample->count);
  simpleperf_put(s, sample->event, "event");
  buffer_add_text(&s->out, ":\n");
}

static void simpleperf_frame(struct simpleperf *s, uint64_t address, pprofc_str symbol,
                             pprofc_str file) {
  buffer_printf(&s->out, "\t%llx ", (unsigned long long)address);
  simpleperf_put(s, str_equal(symbol, STR("unknown")) ? STR("") : symbol, "[unknown]");
  buffer_add_text(&s->out, " (");
  simpleperf_put(s, file, "[unknown]");
  buffer_add_text(&s->out, ")\n");
}

/* ---- the text of simpleperf -------------------------- */

/* Splits "  key: value". Returns false for any other line. */
static bool simpleperf_member(pprofc_str line, pprofc_str *key, pprofc_str *value) {
  line = str_trim(line);
  size_t colon = str_find_char(line, ':');
  *key = str_slice(line, 0, colon);
  *value = str_trim(str_from(line, colon + 1));
  return colon < line.size;
}

/* Reads a line of a sample. Returns false at the first line of its frames. */
static bool simpleperf_head_line(struct simpleperf_sample *sample, pprofc_str key,
                                 pprofc_str value) {
  if (str_equal(key, STR("vaddr_in_file"))) return false;
  if (str_equal(key, STR("event_type"))) sample->event = value;
  if (str_equal(key, STR("thread_name"))) sample->thread = value;
  if (str_equal(key, STR("time"))) str_parse_uint(value, 10, &sample->time);
  if (str_equal(key, STR("event_count"))) str_parse_uint(value, 10, &sample->count);
  if (str_equal(key, STR("thread_id"))) str_parse_int(value, 10, &sample->tid);
  return true;
}

static void simpleperf_read_text(struct simpleperf *s, pprofc_str text) {
  struct simpleperf_sample sample = {0};
  pprofc_str line, key, value, file = STR("");
  uint64_t address = 0;
  bool head = false;
  while (str_next_line(&text, &line) && !s->out.failed) {
    if (str_starts(line, STR("sample:"))) {
      sample = (struct simpleperf_sample){0};
      head = true;
      buffer_add_char(&s->out, '\n');
    }
    if (!simpleperf_member(line, &key, &value)) continue;
    if (head && !simpleperf_head_line(&sample, key, value)) {
      simpleperf_begin(s, &sample);
      head = false;
    }
    if (str_equal(key, STR("vaddr_in_file"))) str_parse_uint(value, 16, &address);
    if (str_equal(key, STR("file"))) file = value;
    if (str_equal(key, STR("symbol")) && !head) simpleperf_frame(s, address, value, file);
    if (str_equal(key, STR("lost_count"))) str_parse_uint(value, 10, &s->lost);
  }
}

/* ---- messages ---------------------------------------- */

static pprofc_str simpleperf_bytes(const struct wire_field *field) {
  return (pprofc_str){(const char *)field->data, field->size};
}

static const struct simpleperf_item *simpleperf_find(const struct simpleperf_table *table,
                                                     uint64_t id) {
  MAP_FIND(at, &table->by_id, hash_mix(0, id), table->items[at].id == id);
  return at == MAP_NONE ? NULL : &table->items[at];
}

static void simpleperf_add(struct simpleperf *s, struct simpleperf_table *table,
                           const struct simpleperf_item *item) {
  if (simpleperf_find(table, item->id)) return;
  import_need(s->builder, MAP_PUSH_IN(s->arena, &table->by_id, hash_mix(0, item->id), table->items,
                                      table->count, table->room, *item));
}

static bool simpleperf_push(struct simpleperf *s, pprofc_str **items, size_t *count, size_t *room,
                            const struct wire_field *field) {
  return import_need(s->builder,
                     ARRAY_PUSH_IN(s->arena, *items, *count, *room, simpleperf_bytes(field)));
}

/* Reads a file with its symbols, or a thread. */
static bool simpleperf_item(struct simpleperf *s, struct wire w, bool is_file) {
  struct simpleperf_item item = {.symbols = s->symbol_count};
  struct wire_field field;
  while (wire_each(&w, &field)) {
    if (field.number == 1) item.id = field.value;
    if (field.type != WIRE_BYTES) continue;
    if (field.number == (is_file ? 2 : 3)) item.name = simpleperf_bytes(&field);
    if (is_file && field.number == 3 &&
        !simpleperf_push(s, &s->symbols, &s->symbol_count, &s->symbol_room, &field))
      return true;
  }
  if (w.fault) return false;
  item.symbol_count = s->symbol_count - item.symbols;
  simpleperf_add(s, is_file ? &s->files : &s->threads, &item);
  return true;
}

/* Reads the names of events. */
static bool simpleperf_meta(struct simpleperf *s, struct wire w) {
  struct wire_field field;
  while (wire_each(&w, &field))
    if (field.number == 1 && field.type == WIRE_BYTES &&
        !simpleperf_push(s, &s->events, &s->event_count, &s->event_room, &field))
      return true;
  return !w.fault;
}

static bool simpleperf_lost(struct simpleperf *s, struct wire w) {
  uint64_t v[3] = {[2] = s->lost};
  bool good = wire_integers(w, v, 3);
  s->lost = v[2];
  return good;
}

static bool simpleperf_entry(struct simpleperf *s, struct wire w) {
  uint64_t v[4] = {[3] = UINT64_MAX}; /* address, file and symbol; v[N] is the value of field N */
  if (!wire_integers(w, v, 4)) return false;
  const struct simpleperf_item none = {0}, *item = simpleperf_find(&s->files, v[2]);
  if (!item) item = &none;
  bool named = v[3] < item->symbol_count;
  simpleperf_frame(s, v[1], named ? s->symbols[item->symbols + v[3]] : STR(""), item->name);
  return true;
}

/* Reads the fields of a sample except its frames, and writes them as a header line. */
static bool simpleperf_message_head(struct simpleperf *s, struct wire w) {
  uint64_t v[6] = {0};
  if (!wire_integers(w, v, 6)) return false;
  struct simpleperf_sample sample = {.time = v[1], .tid = (int64_t)v[2], .count = v[4]};
  const struct simpleperf_item *thread = simpleperf_find(&s->threads, (uint64_t)sample.tid);
  if (thread) sample.thread = thread->name;
  if (v[5] < s->event_count) sample.event = s->events[v[5]];
  if (sample.tid < 0) sample.tid = 0;
  simpleperf_begin(s, &sample);
  return true;
}

static bool simpleperf_message(struct simpleperf *s, struct wire w) {
  struct wire_field field;
  if (!simpleperf_message_head(s, w)) return false;
  while (wire_each(&w, &field))
    if (field.number == 3 && field.type == WIRE_BYTES && !simpleperf_entry(s, wire_inside(&field)))
      return false;
  buffer_add_char(&s->out, '\n');
  return !w.fault;
}

/* Reads the sample of a record if `samples` is true, otherwise the other data of the record. */
static bool simpleperf_record(struct simpleperf *s, struct wire w, bool samples) {
  struct wire_field field;
  while (wire_each(&w, &field)) {
    if (field.type != WIRE_BYTES) continue;
    struct wire inside = wire_inside(&field);
    bool good = true;
    if (samples && field.number == 1) good = simpleperf_message(s, inside);
    if (samples) return good;
    if (field.number == 2) good = simpleperf_lost(s, inside);
    if (field.number == 3 || field.number == 4)
      good = simpleperf_item(s, inside, field.number == 3);
    if (field.number == 5) good = simpleperf_meta(s, inside);
    if (!good) return false;
  }
  return !w.fault;
}

/* Reads the samples of all records if `samples` is true, otherwise all other data. Each record
 * follows its size, an integer of 4 bytes. A size of 0 ends the file. Files and threads may come
 * after the samples, so the caller reads the records twice. Returns NULL, or the address of a
 * record that cannot be read. */
static const uint8_t *simpleperf_records(struct simpleperf *s, struct wire all, bool samples) {
  while (all.end - all.at >= 4 && builder_ok(s->builder) && !s->out.failed) {
    uint32_t size = all.at[0] | (uint32_t)all.at[1] << 8 | (uint32_t)all.at[2] << 16 |
                    (uint32_t)all.at[3] << 24;
    if (!size) return NULL;
    if (size > (size_t)(all.end - all.at) - 4) return all.at;
    struct wire record = {all.at + 4, all.at + 4 + size, NULL};
    if (!simpleperf_record(s, record, samples)) return all.at;
    all.at += 4 + size;
  }
  return !builder_ok(s->builder) || s->out.failed || all.at == all.end ? NULL : all.at;
}

static void simpleperf_read_messages(struct simpleperf *s, pprofc_str data) {
  const uint8_t *bytes = (const uint8_t *)data.data, *version = bytes + sizeof SIMPLEPERF_MAGIC - 1;
  import_compare_version(s->builder, "simpleperf's format", version[0] | version[1] << 8, 1);
  struct wire all = {bytes + sizeof SIMPLEPERF_MAGIC + 1, bytes + data.size, NULL};
  const uint8_t *bad = simpleperf_records(s, all, false);
  if (!bad) bad = simpleperf_records(s, all, true);
  if (bad) import_refuse_at(s->builder, bad, "a record cannot be read, or is cut off");
}

/* ---- both forms -------------------------------------- */

/* True if the text begins with a sample of simpleperf. */
static bool simpleperf_is_text(pprofc_str text) {
  pprofc_str line, key, value;
  text = import_first_line(text);
  return str_next_line(&text, &line) && str_equal(str_trim(line), STR("sample:")) &&
         str_next_line(&text, &line) && simpleperf_member(line, &key, &value) &&
         (str_equal(key, STR("event_type")) || str_equal(key, STR("time")));
}

static bool simpleperf_is_message(pprofc_str data) {
  return str_starts(data, STR(SIMPLEPERF_MAGIC)) && data.size >= sizeof SIMPLEPERF_MAGIC + 1;
}

bool import_is_simpleperf(pprofc_str data) {
  return simpleperf_is_message(data) || simpleperf_is_text(data);
}

IMPORT_READER(import_simpleperf) {
  struct simpleperf s = {.builder = builder, .arena = arena};
  buffer_init(&s.out, arena->mem, SIZE_MAX / 2);
  map_init(&s.files.by_id, arena->mem);
  map_init(&s.threads.by_id, arena->mem);
  if (simpleperf_is_message(data))
    simpleperf_read_messages(&s, data);
  else
    simpleperf_read_text(&s, data);
  if (s.lost)
    buffer_printf(&s.out, "\n- 0/0 [000] 0.0: PERF_RECORD_LOST lost %llu\n",
                  (unsigned long long)s.lost);
  perf_script_converted(&s.out, builder, arena);
  map_free(&s.files.by_id);
  map_free(&s.threads.by_id);
  buffer_free(&s.out);
}
