/* Reads the output of Android's `simpleperf report-sample`: text, or messages of Protocol Buffers
 * (--protobuf). Converts both to the text of `perf script`, whose reader makes the profile. */
#include "codec/wire.h"
#include "import/text/perf_frames.h"
#include "simpleperf.pb-c.h"

#define SIMPLEPERF_MAGIC "SIMPLEPERF"

/* Fields of a sample that go into its header line in the text of `perf script`. */
struct simpleperf_sample {
  pprofc_str event, thread;
  uint64_t count, time;
  int64_t tid;
};

/* Keys of files and threads in one table. */
#define SIMPLEPERF_FILE(id)   ((uint64_t)(id) << 1)
#define SIMPLEPERF_THREAD(id) ((uint64_t)(uint32_t)(id) << 1 | 1)

/* A file or a thread. `file` is NULL for a thread. */
struct simpleperf_item {
  uint64_t key;
  pprofc_str name;
  const Simpleperf__File *file;
};

struct simpleperf {
  pprofc_builder *builder;
  struct arena *arena, *memory; /* memory: where the current message is stored */
  struct buffer out;
  struct simpleperf_item *items;
  size_t count, room;
  struct map by_key;
  const Simpleperf__MetaInfo *meta;
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

/* First byte of a record with a sample: the key of field 1. */
#define SIMPLEPERF_SAMPLE (1 << 3 | WIRE_BYTES)

static void *simpleperf_alloc(void *context, size_t size) {
  struct simpleperf *s = context;
  void *block = arena_alloc(s->memory, size);
  import_need(s->builder, block != NULL);
  return block;
}

/* Does nothing: the arena frees all blocks. */
static void simpleperf_free(void *context, void *block) {
  (void)context;
  (void)block;
}

/* Returns a file or a thread, or an item without a name. */
static struct simpleperf_item simpleperf_find(const struct simpleperf *s, uint64_t key) {
  MAP_FIND(at, &s->by_key, hash_mix(0, key), s->items[at].key == key);
  return at == MAP_NONE ? (struct simpleperf_item){0} : s->items[at];
}

/* Adds a file or a thread. Of items with the same key, the first one counts. */
static void simpleperf_add(struct simpleperf *s, uint64_t key, const char *name,
                           const Simpleperf__File *file) {
  MAP_FIND(at, &s->by_key, hash_mix(0, key), s->items[at].key == key);
  if (at != MAP_NONE) return;
  struct simpleperf_item item = {key, str_of(name), file};
  import_need(s->builder, MAP_PUSH_IN(s->arena, &s->by_key, hash_mix(0, key), s->items, s->count,
                                      s->room, item));
}

static void simpleperf_entry(struct simpleperf *s, const Simpleperf__Entry *entry) {
  struct simpleperf_item item = simpleperf_find(s, SIMPLEPERF_FILE(entry->file_id));
  size_t symbol = (uint32_t)entry->symbol_id;
  bool named = item.file && symbol < item.file->n_symbol;
  simpleperf_frame(s, entry->vaddr_in_file, str_of(named ? item.file->symbol[symbol] : NULL),
                   item.name);
}

static void simpleperf_sample_message(struct simpleperf *s, const Simpleperf__Sample *m) {
  struct simpleperf_sample sample = {.time = m->time, .count = m->event_count};
  sample.thread = simpleperf_find(s, SIMPLEPERF_THREAD(m->thread_id)).name;
  if (m->thread_id > 0) sample.tid = m->thread_id;
  if (s->meta && m->event_type_id < s->meta->n_event_type)
    sample.event = str_of(s->meta->event_type[m->event_type_id]);
  simpleperf_begin(s, &sample);
  for (size_t i = 0; i < m->n_callchain; i++) simpleperf_entry(s, m->callchain[i]);
  buffer_add_char(&s->out, '\n');
}

static bool simpleperf_record(struct simpleperf *s, const uint8_t *data, size_t size) {
  ProtobufCAllocator allocator = {simpleperf_alloc, simpleperf_free, s};
  const Simpleperf__Record *r = simpleperf__record__unpack(&allocator, size, data);
  if (!r) return false;
  if (r->sample) simpleperf_sample_message(s, r->sample);
  if (r->lost) s->lost = r->lost->lost_count;
  if (r->meta_info) s->meta = r->meta_info;
  if (r->file) simpleperf_add(s, SIMPLEPERF_FILE(r->file->id), r->file->path, r->file);
  if (r->thread)
    simpleperf_add(s, SIMPLEPERF_THREAD(r->thread->thread_id), r->thread->thread_name, NULL);
  return true;
}

/* Reads the records with samples if `samples` is true, otherwise the other records. Each record
 * follows its size, an integer of 4 bytes. A size of 0 ends the file. Files and threads may come
 * after the samples, so the caller reads the records twice. */
static void simpleperf_records(struct simpleperf *s, pprofc_str all, bool samples) {
  uint32_t size = 0;
  while (all.size && builder_ok(s->builder) && !s->out.failed) {
    const uint8_t *at = (const uint8_t *)all.data, *record = at + sizeof size;
    bool whole = all.size >= sizeof size;
    if (whole) memcpy(&size, at, sizeof size);
    if (whole && !size) return;
    struct arena memory = arena_make(s->arena->mem);
    s->memory = samples ? &memory : s->arena;
    if (!whole || size > all.size - sizeof size ||
        ((*record == SIMPLEPERF_SAMPLE) == samples && !simpleperf_record(s, record, size)))
      import_refuse_at(s->builder, at, "a record cannot be read, or is cut off");
    arena_free(&memory);
    all = str_slice(all, sizeof size + size, all.size);
  }
}

static void simpleperf_read_messages(struct simpleperf *s, pprofc_str data) {
  size_t at = sizeof SIMPLEPERF_MAGIC - 1;
  uint16_t version;
  memcpy(&version, data.data + at, sizeof version);
  import_compare_version(s->builder, "simpleperf's format", version, 1);
  data = str_slice(data, at + sizeof version, data.size);
  simpleperf_records(s, data, false);
  simpleperf_records(s, data, true);
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
  map_init(&s.by_key, arena->mem);
  if (simpleperf_is_message(data))
    simpleperf_read_messages(&s, data);
  else
    simpleperf_read_text(&s, data);
  if (s.lost)
    buffer_printf(&s.out, "\n- 0/0 [000] 0.0: PERF_RECORD_LOST lost %llu\n",
                  (unsigned long long)s.lost);
  perf_script_converted(&s.out, builder, arena);
  map_free(&s.by_key);
  buffer_free(&s.out);
}
