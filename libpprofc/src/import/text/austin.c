/* Reads samples of Austin, a profiler of Python: its text form and MOJO, its binary form.
 *
 *     # austin: 3.7.0
 *     # interval: 20000
 *     # mode: wall
 *
 *     P1668;T0:1668;/src/calls.py:<module>:29;/src/calls.py:work:23 91302
 *
 * A line has the process, the interpreter and thread, the stack (root first) and the metric. The
 * metric is in microseconds, or in bytes in the mode "memory". In the mode "full" the metric is
 * "time,idle,bytes", where idle is 1 for an idle sample.
 *
 * MOJO begins with "MOJ" and a version. The events of MOJO are metadata, definitions of strings and
 * frames by key, stacks that refer to these keys, and metrics. The first byte of a number has a
 * sign and 6 bits, the other bytes have 7 bits each. */
#include "import/reader.h"

#define MOJO_VERSION 3

/* Kind of metric, named after Austin's modes. */
enum austin_mode { MODE_WALL, MODE_CPU, MODE_MEMORY, MODE_FULL };

static const char *const austin_modes[] = {"wall", "cpu", "memory", "full"};

/* A string or a frame that MOJO defines by a key. */
struct austin_entry {
  uint64_t key;
  uint32_t value;       /* string index of the string, or index of the location of the frame */
  uint32_t system_name; /* string index of the mangled name; 0 if the string is not mangled */
};

struct austin_table {
  struct map map;
  struct austin_entry *items;
  size_t count, capacity;
};

/* Fields of the current sample. */
struct austin_sample {
  int64_t pid;
  pprofc_str tid; /* thread id as written in the file */
  int64_t micros, bytes;
  bool idle;
};

struct austin {
  pprofc_builder *builder;
  struct arena *arena;
  enum austin_mode mode;
  bool has_types;
  struct austin_sample sample;
  uint32_t *stack; /* locations of the current stack, read root first and then reversed */
  size_t depth, room;
  struct austin_table strings, frames;
  uint64_t samples;
  uint64_t empty; /* number of samples without a stack */
  /* bad: number of lines (text) or samples (MOJO) that could not be read; invalid: number of frames
   * that Austin could not read, or whose key is unknown */
  uint64_t bad, invalid;
};

/* ---- samples ----------------------------------------- */

static int64_t austin_nanoseconds(int64_t micros) {
  if (micros > INT64_MAX / 1000) return INT64_MAX;
  return micros < INT64_MIN / 1000 ? INT64_MIN : micros * 1000;
}

static void austin_metadata(struct austin *a, pprofc_str key, pprofc_str value) {
  int64_t number;
  for (size_t i = 0; str_equal(key, STR("mode")) && i <= MODE_FULL; i++)
    if (str_equal(value, str_of(austin_modes[i]))) a->mode = (enum austin_mode)i;
  if (str_equal(key, STR("interval")) && str_parse_int(value, 10, &number) && number > 0)
    builder_set_period(a->builder, STR("wall"), STR("nanoseconds"), austin_nanoseconds(number));
}

static void austin_add_types(struct austin *a) {
  bool full = a->mode == MODE_FULL;
  a->has_types = true;
  pprofc_builder_type(a->builder, "samples", "count");
  if (full || a->mode == MODE_MEMORY) pprofc_builder_type(a->builder, "memory", "bytes");
  if (full || a->mode == MODE_CPU) pprofc_builder_type(a->builder, "cpu", "nanoseconds");
  if (full || a->mode == MODE_WALL) pprofc_builder_type(a->builder, "wall", "nanoseconds");
}

/* Labels the last sample with its process and thread. The thread id is hexadecimal. */
static void austin_label(struct austin *a) {
  int64_t tid;
  if (a->sample.pid >= 0) pprofc_builder_number_label(a->builder, "pid", a->sample.pid, NULL);
  if (!a->sample.tid.size) return;
  if (str_parse_int(a->sample.tid, 16, &tid))
    pprofc_builder_number_label(a->builder, "tid", tid, NULL);
}

static void austin_finish(struct austin *a) {
  int64_t values[4] = {1}, nanoseconds = austin_nanoseconds(a->sample.micros);
  size_t n = 1;
  if (!a->has_types) austin_add_types(a);
  if (a->mode == MODE_FULL || a->mode == MODE_MEMORY) values[n++] = a->sample.bytes;
  if (a->mode == MODE_FULL || a->mode == MODE_CPU) values[n++] = a->sample.idle ? 0 : nanoseconds;
  if (a->mode == MODE_FULL || a->mode == MODE_WALL) values[n++] = nanoseconds;
  array_reverse(a->stack, a->depth);
  a->empty += !a->depth;
  if (a->depth) {
    pprofc_builder_sample(a->builder, a->stack, a->depth, values);
    a->samples++;
    austin_label(a);
  }
  a->depth = 0;
}

static void austin_push(struct austin *a, uint32_t location) {
  if (builder_allows_depth(a->builder, a->depth + 1))
    import_need(a->builder, ARRAY_PUSH_IN(a->arena, a->stack, a->depth, a->room, location));
}

static uint32_t austin_location(struct austin *a, const struct austin_entry *name, uint32_t file,
                                int64_t line) {
  uint32_t function = builder_add_function(a->builder, name->value, name->system_name, file, 0);
  return import_location(a->builder, NONE, function, line);
}

/* Adds a name to the builder's strings. Names of native code may be mangled (austinp -k). */
static struct austin_entry austin_name(struct austin *a, pprofc_str name) {
  uint32_t text = builder_string(a->builder, name);
  return (struct austin_entry){0, text, str_starts(name, STR("_Z")) ? text : 0};
}

static void austin_push_name(struct austin *a, pprofc_str name) {
  struct austin_entry entry = austin_name(a, name);
  austin_push(a, austin_location(a, &entry, 0, 0));
}

/* ---- text -------------------------------------------- */

/* Reads a frame: "/src/calls.py:work:23". Special frames like ":GC:" have a name only. */
static void austin_text_frame(struct austin *a, pprofc_str text) {
  size_t colon = str_find_last_char(text, ':');
  pprofc_str before = str_slice(text, 0, colon);
  size_t middle = str_find_last_char(before, ':');
  int64_t line;
  if (middle == before.size || !str_parse_int(str_from(text, colon + 1), 10, &line)) {
    while (text.size && text.data[0] == ':') text = str_from(text, 1);
    while (text.size && text.data[text.size - 1] == ':') text.size--;
    if (text.size) austin_push_name(a, text);
    return;
  }
  struct austin_entry name = austin_name(a, str_from(before, middle + 1));
  uint32_t file = builder_string(a->builder, str_slice(before, 0, middle));
  austin_push(a, austin_location(a, &name, file, line));
}

/* Reads a metric: "91302", or "25154,0,2187264" in the mode "full". */
static bool austin_text_metric(struct austin *a, pprofc_str text) {
  pprofc_str part;
  int64_t numbers[3] = {0, 0, 0};
  size_t n = 0;
  while (str_next(&text, ',', &part))
    if (n == 3 || !str_parse_int(part, 10, &numbers[n++])) return false;
  if (n != (a->mode == MODE_FULL ? 3 : 1)) return false;
  a->sample.micros = numbers[0];
  a->sample.idle = numbers[1] != 0;
  a->sample.bytes = a->mode == MODE_FULL ? numbers[2] : numbers[0];
  return true;
}

/* Reads "P1668;T0:1668;frame;frame 91302": process, interpreter and thread, stack, metric. */
static bool austin_text_line(struct austin *a, pprofc_str line) {
  size_t blank = str_find_last_char(line, ' ');
  pprofc_str stack = str_slice(line, 0, blank), part;
  a->sample = (struct austin_sample){.pid = -1};
  if (blank == line.size || !austin_text_metric(a, str_from(line, blank + 1))) return false;
  if (!str_next(&stack, ';', &part) || !str_starts(part, STR("P"))) return false;
  if (!str_parse_int(str_from(part, 1), 10, &a->sample.pid)) return false;
  if (!str_next(&stack, ';', &part) || !str_starts(part, STR("T"))) return false;
  size_t colon = str_find_char(part, ':');
  a->sample.tid = str_from(part, colon < part.size ? colon + 1 : 1);
  while (str_next(&stack, ';', &part))
    if (part.size) austin_text_frame(a, part);
  austin_finish(a);
  return true;
}

/* Reads a comment: "# mode: wall". */
static void austin_text_comment(struct austin *a, pprofc_str line) {
  size_t colon = str_find_char(line, ':');
  if (a->has_types || colon == line.size) return;
  austin_metadata(a, str_trim(str_slice(line, 1, colon)), str_trim(str_from(line, colon + 1)));
}

static void austin_read_text(struct austin *a, pprofc_str text) {
  pprofc_str line;
  while (str_next_line(&text, &line) && builder_ok(a->builder)) {
    if (!str_trim(line).size) continue;
    if (line.data[0] == '#')
      austin_text_comment(a, line);
    else if (!austin_text_line(a, line))
      a->bad++;
    a->depth = 0;
  }
}

/* ---- MOJO: tables ------------------------------------ */

static uint32_t austin_find(const struct austin_table *table, uint64_t key) {
  MAP_FIND(index, &table->map, hash_mix(0, key), table->items[index].key == key);
  return index;
}

/* Defines the value of a key, replacing an earlier definition. */
static void austin_define(struct austin *a, struct austin_table *table, struct austin_entry entry) {
  uint32_t at = austin_find(table, entry.key);
  if (at != MAP_NONE)
    table->items[at] = entry;
  else
    import_need(a->builder, table->count < MAP_NONE - 1 &&
                                MAP_PUSH_IN(a->arena, &table->map, hash_mix(0, entry.key),
                                            table->items, table->count, table->capacity, entry));
}

/* Returns the string or frame in `table` that has this key, or `otherwise` if the key is
 * unknown. */
static struct austin_entry austin_lookup(const struct austin_table *table, uint64_t key,
                                         struct austin_entry otherwise) {
  uint32_t index = austin_find(table, key);
  return index == MAP_NONE ? otherwise : table->items[index];
}

/* ---- MOJO: events ------------------------------------ */

struct mojo {
  pprofc_str data;
  size_t at;
  int64_t version;
  bool cut; /* true if the current event is truncated */
};

static uint64_t mojo_bits(struct mojo *m, bool *negative) {
  uint64_t value = 0;
  for (unsigned shift = 0;; shift += shift ? 7 : 6) {
    if (m->at >= m->data.size || shift > 63) {
      m->cut = true;
      return 0;
    }
    unsigned char byte = (unsigned char)m->data.data[m->at++];
    if (!shift) *negative = (byte & 0x40) != 0;
    value |= (uint64_t)(byte & (shift ? 0x7F : 0x3F)) << shift;
    if (byte < 0x80) return value;
  }
}

static uint64_t mojo_key(struct mojo *m) {
  bool negative;
  return mojo_bits(m, &negative);
}

static int64_t mojo_number(struct mojo *m) {
  bool negative = false;
  uint64_t bits = mojo_bits(m, &negative);
  int64_t value = bits > INT64_MAX ? INT64_MAX : (int64_t)bits;
  return negative ? -value : value;
}

static pprofc_str mojo_string(struct mojo *m) {
  pprofc_str rest = str_from(m->data, m->at);
  size_t end = str_find_char(rest, '\0');
  m->cut = m->cut || end == rest.size;
  m->at += end < rest.size ? end + 1 : end;
  return str_slice(rest, 0, end);
}

static void mojo_metadata(struct austin *a, struct mojo *m) {
  pprofc_str key = mojo_string(m), value = mojo_string(m);
  if (!m->cut && !a->has_types) austin_metadata(a, key, value);
}

/* Completes the previous sample, and reads the process and the thread of the next sample. */
static void mojo_stack(struct austin *a, struct mojo *m) {
  austin_finish(a);
  a->sample = (struct austin_sample){.pid = mojo_number(m)};
  if (m->version > 1) mojo_number(m); /* skip the id of the interpreter */
  a->sample.tid = mojo_string(m);
}

static void mojo_frame(struct austin *a, struct mojo *m) {
  uint64_t key = mojo_key(m), file = mojo_key(m), name = mojo_key(m);
  int64_t line = mojo_number(m);
  /* Skip the number of the frame's last line, and the columns of its start and end. */
  for (int i = 0; m->version > 2 && i < 3; i++) mojo_number(m);
  if (m->cut) return;
  static const struct austin_entry none = {0};
  struct austin_entry text = austin_lookup(&a->strings, name, none);
  struct austin_entry frame = {.key = key};
  frame.value = austin_location(a, &text, austin_lookup(&a->strings, file, none).value, line);
  austin_define(a, &a->frames, frame);
}

static void mojo_frame_invalid(struct austin *a, struct mojo *m) {
  (void)m;
  a->invalid++;
  austin_push_name(a, STR("INVALID"));
}

static void mojo_frame_ref(struct austin *a, struct mojo *m) {
  static const struct austin_entry none = {.value = NONE};
  uint32_t location = austin_lookup(&a->frames, mojo_key(m), none).value;
  if (location == NONE)
    mojo_frame_invalid(a, m);
  else
    austin_push(a, location);
}

static void mojo_frame_kernel(struct austin *a, struct mojo *m) {
  pprofc_str name = mojo_string(m);
  if (!m->cut) austin_push_name(a, name);
}

static void mojo_gc(struct austin *a, struct mojo *m) {
  (void)m;
  austin_push_name(a, STR("GC"));
}

static void mojo_idle(struct austin *a, struct mojo *m) {
  (void)m;
  a->sample.idle = true;
}

static void mojo_time(struct austin *a, struct mojo *m) {
  a->sample.micros = mojo_number(m);
}

static void mojo_memory(struct austin *a, struct mojo *m) {
  a->sample.bytes = mojo_number(m);
}

static void mojo_define_string(struct austin *a, struct mojo *m) {
  uint64_t key = mojo_key(m);
  pprofc_str text = mojo_string(m);
  struct austin_entry entry = austin_name(a, text);
  entry.key = key;
  if (!m->cut) austin_define(a, &a->strings, entry);
}

static void mojo_string_ref(struct austin *a, struct mojo *m) {
  (void)a;
  mojo_key(m);
}

static void (*const mojo_events[])(struct austin *a, struct mojo *m) = {
    NULL,           mojo_metadata,      mojo_stack,     mojo_frame, mojo_frame_invalid,
    mojo_frame_ref, mojo_frame_kernel,  mojo_gc,        mojo_idle,  mojo_time,
    mojo_memory,    mojo_define_string, mojo_string_ref};

/* Reads all events. If the last event is truncated, drops its sample. */
static void austin_read_mojo(struct austin *a, pprofc_str data) {
  struct mojo m = {.data = data, .at = 3};
  m.version = mojo_number(&m);
  if (m.version < 1 || m.version > MOJO_VERSION)
    import_refuse(a->builder, PPROFC_E_FORMAT,
                  "MOJO of version %lld; versions 1 to %d are read, and Austin's text",
                  (long long)m.version, MOJO_VERSION);
  while (m.at < data.size && !m.cut && builder_ok(a->builder)) {
    size_t at = m.at++;
    unsigned char event = (unsigned char)data.data[at];
    if (event < sizeof mojo_events / sizeof *mojo_events && mojo_events[event])
      mojo_events[event](a, &m);
    else
      import_refuse_at(a->builder, data.data + at, "unknown event %u of MOJO", event);
  }
  a->bad += m.cut;
  if (!m.cut) austin_finish(a);
}

/* ---- both forms -------------------------------------- */

static bool austin_is_mojo(pprofc_str data) {
  return str_starts(data, STR("MOJ"));
}

static void austin_read(struct austin *a, pprofc_str data) {
  bool mojo = austin_is_mojo(data);
  if (mojo)
    austin_read_mojo(a, data);
  else
    austin_read_text(a, import_first_line(data));
  if (!a->has_types) austin_add_types(a);
  const struct import_loss losses[] = {
      {a->empty, "sample has no stack", "samples have no stack"},
      {mojo ? a->bad : 0, "sample is cut off", "samples are cut off"},
      {mojo ? 0 : a->bad, "line of Austin's text could not be read",
       "lines of Austin's text could not be read"},
      {0}};
  import_account(a->builder, a->samples, "samples", losses);
  import_note_count(a->builder, a->invalid, "frame could not be read by Austin, or is unknown",
                    "frames could not be read by Austin, or are unknown");
}

bool import_is_austin(pprofc_str data) {
  return austin_is_mojo(data) || str_starts(import_first_line(data), STR("# austin:"));
}

IMPORT_READER(import_austin) {
  struct austin a = {.builder = builder, .arena = arena, .sample = {.pid = -1}};
  map_init(&a.strings.map, arena->mem);
  map_init(&a.frames.map, arena->mem);
  austin_read(&a, data);
  map_free(&a.strings.map);
  map_free(&a.frames.map);
}
