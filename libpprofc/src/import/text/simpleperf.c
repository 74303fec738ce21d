/* Reads the output of Android's `simpleperf report-sample`: text, or messages (--protobuf).
 * Converts both to the text of `perf script`, whose reader makes the profile. */
#include "codec/wire.h"
#include "core/array.h"
#include "core/buffer.h"
#include "core/map.h"
#include "import/formats.h"
#include "import/text/perf_frames.h"

#define SIMPLEPERF_MAGIC "SIMPLEPERF"

/* Fields of a sample that become its header line. */
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
  const pprofc_allocator *mem;
  struct buffer out;
  struct simpleperf_table files, threads;
  pprofc_str *symbols, *events;
  size_t symbol_count, symbol_room, event_count, event_room;
  uint64_t lost;
  bool nomem;
};

/* ---- the text of perf script ------------------------- */

/* Writes a text, or `otherwise` if the text is empty, with blanks in place of control bytes. */
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
  *value = str_trim(str_slice(line, colon + 1, line.size));
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
  s->nomem |= !MAP_PUSH(s->mem, &table->by_id, hash_mix(0, item->id), table->items, table->count,
                        table->room, *item);
}

static bool simpleperf_push(struct simpleperf *s, pprofc_str **items, size_t *count, size_t *room,
                            const struct wire_field *field) {
  s->nomem |= !ARRAY_PUSH(s->mem, *items, *count, *room, simpleperf_bytes(field));
  return !s->nomem;
}

/* Reads a file with its symbols, or a thread. */
static bool simpleperf_item(struct simpleperf *s, struct wire w, bool is_file) {
  struct simpleperf_item item = {.symbols = s->symbol_count};
  struct wire_field field;
  while (w.at < w.end) {
    if (!wire_next(&w, &field)) return false;
    if (field.number == 1) item.id = field.value;
    if (field.type != WIRE_BYTES) continue;
    if (field.number == (is_file ? 2 : 3)) item.name = simpleperf_bytes(&field);
    if (is_file && field.number == 3 &&
        !simpleperf_push(s, &s->symbols, &s->symbol_count, &s->symbol_room, &field))
      return true;
  }
  item.symbol_count = s->symbol_count - item.symbols;
  simpleperf_add(s, is_file ? &s->files : &s->threads, &item);
  return true;
}

/* Reads the names of events. */
static bool simpleperf_meta(struct simpleperf *s, struct wire w) {
  struct wire_field field;
  while (w.at < w.end) {
    if (!wire_next(&w, &field)) return false;
    if (field.number == 1 && field.type == WIRE_BYTES &&
        !simpleperf_push(s, &s->events, &s->event_count, &s->event_room, &field))
      return true;
  }
  return true;
}

static bool simpleperf_lost(struct simpleperf *s, struct wire w) {
  struct wire_field field;
  while (w.at < w.end) {
    if (!wire_next(&w, &field)) return false;
    if (field.number == 2) s->lost = field.value;
  }
  return true;
}

static bool simpleperf_entry(struct simpleperf *s, struct wire w) {
  struct wire_field field;
  uint64_t address = 0, file = 0, symbol = UINT64_MAX;
  while (w.at < w.end) {
    if (!wire_next(&w, &field)) return false;
    if (field.number == 1) address = field.value;
    if (field.number == 2) file = field.value;
    if (field.number == 3) symbol = field.value;
  }
  const struct simpleperf_item none = {0}, *item = simpleperf_find(&s->files, file);
  if (!item) item = &none;
  bool named = symbol < item->symbol_count;
  simpleperf_frame(s, address, named ? s->symbols[item->symbols + symbol] : STR(""), item->name);
  return true;
}

/* Reads the fields of a sample except its frames, and writes its header. */
static bool simpleperf_message_head(struct simpleperf *s, struct wire w) {
  struct simpleperf_sample sample = {0};
  struct wire_field field;
  uint64_t event = 0;
  while (w.at < w.end) {
    if (!wire_next(&w, &field)) return false;
    if (field.number == 1) sample.time = field.value;
    if (field.number == 2) sample.tid = (int64_t)field.value;
    if (field.number == 4) sample.count = field.value;
    if (field.number == 5) event = field.value;
  }
  const struct simpleperf_item *thread = simpleperf_find(&s->threads, (uint64_t)sample.tid);
  if (thread) sample.thread = thread->name;
  if (event < s->event_count) sample.event = s->events[event];
  if (sample.tid < 0) sample.tid = 0;
  simpleperf_begin(s, &sample);
  return true;
}

static bool simpleperf_message(struct simpleperf *s, struct wire w) {
  struct wire_field field;
  if (!simpleperf_message_head(s, w)) return false;
  while (w.at < w.end) {
    if (!wire_next(&w, &field)) return false;
    if (field.number == 3 && field.type == WIRE_BYTES && !simpleperf_entry(s, wire_inside(&field)))
      return false;
  }
  buffer_add_char(&s->out, '\n');
  return true;
}

/* Reads a record: only its sample if `samples` is true, otherwise only other data. */
static bool simpleperf_record(struct simpleperf *s, struct wire w, bool samples) {
  struct wire_field field;
  while (w.at < w.end) {
    if (!wire_next(&w, &field)) return false;
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
  return true;
}

/* Reads the samples of all records, or all other data. A record follows its size of 4 bytes; a size
 * of 0 ends the file. Files and threads may come after the samples, so the caller reads the records
 * twice. Returns NULL, or the address of a record that cannot be read. */
static const uint8_t *simpleperf_records(struct simpleperf *s, struct wire all, bool samples) {
  while (all.end - all.at >= 4 && !s->nomem && !s->out.failed) {
    uint32_t size = all.at[0] | (uint32_t)all.at[1] << 8 | (uint32_t)all.at[2] << 16 |
                    (uint32_t)all.at[3] << 24;
    if (!size) return NULL;
    if (size > (size_t)(all.end - all.at) - 4) return all.at;
    struct wire record = {all.at + 4, all.at + 4 + size, NULL};
    if (!simpleperf_record(s, record, samples)) return all.at;
    all.at += 4 + size;
  }
  return s->nomem || s->out.failed || all.at == all.end ? NULL : all.at;
}

static pprofc_status simpleperf_read_messages(struct simpleperf *s, pprofc_str data,
                                              pprofc_error *error) {
  const uint8_t *bytes = (const uint8_t *)data.data;
  struct wire all = {bytes + sizeof SIMPLEPERF_MAGIC + 1, bytes + data.size, NULL};
  const uint8_t *bad = simpleperf_records(s, all, false);
  if (!bad) bad = simpleperf_records(s, all, true);
  if (!bad) return PPROFC_OK;
  return error_at(error, PPROFC_E_FORMAT, (uint64_t)(bad - bytes),
                  "a record cannot be read, or is cut off");
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

static pprofc_status simpleperf_convert(struct simpleperf *s, pprofc_str data,
                                        pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  if (data.data[0] == 'S')
    status = simpleperf_read_messages(s, data, error);
  else
    simpleperf_read_text(s, data);
  if (s->lost)
    buffer_printf(&s->out, "\n- 0/0 [000] 0.0: PERF_RECORD_LOST lost %llu\n",
                  (unsigned long long)s->lost);
  return status == PPROFC_OK && s->nomem ? error_nomem(error) : status;
}

IMPORT_READER(import_simpleperf) {
  bool messages =
      str_starts(data, STR(SIMPLEPERF_MAGIC)) && data.size >= sizeof SIMPLEPERF_MAGIC + 1;
  if (!messages && !simpleperf_is_text(data)) return PPROFC_E_NO_MATCH;
  struct simpleperf s = {.mem = mem};
  buffer_init(&s.out, mem, SIZE_MAX / 2);
  map_init(&s.files.by_id, mem);
  map_init(&s.threads.by_id, mem);
  pprofc_status status = simpleperf_convert(&s, data, error);
  if (status == PPROFC_OK) status = perf_script_converted(&s.out, mem, options, profile, error);
  ARRAY_FREE(mem, s.files.items, s.files.room);
  ARRAY_FREE(mem, s.threads.items, s.threads.room);
  ARRAY_FREE(mem, s.symbols, s.symbol_room);
  ARRAY_FREE(mem, s.events, s.event_room);
  map_free(&s.files.by_id);
  map_free(&s.threads.by_id);
  buffer_free(&s.out);
  return status;
}
