/* Reads files of Linux `perf record`, for machines without perf. Converts them to text of `perf
 * script` in which frames have addresses but no names. The reader of that text (perf_script.c)
 * makes the profile.
 *
 * A file has a header, the attributes of its events, records (mapped files, commands, samples), and
 * features (names of events, build ids). The reader uses the stacks that the kernel recorded. Files
 * with copies of stack memory (DWARF), with branches (LBR), or with compressed records need
 * perf. */
#include "import/text/perf_frames.h"

/* Size of the header of a file in bytes. Data that perf wrote to a pipe has a header of 16 bytes,
 * and the reader refuses this data. */
#define PERF_DATA_HEADER 104u
#define MAX_ATTRS        256u /* maximum number of events */
#define NAME_MAX_SHOWN   200u /* maximum length of names of events and commands */

/* Bit numbers of features in the header of the file. */
#define FEATURE_BUILD_IDS 2u
#define FEATURE_EVENTS    12u
#define FEATURE_COUNT     256u

/* Flags of sample_type, which select the fields of a sample. */
#define SAMPLE_IP         (1u << 0)
#define SAMPLE_TID        (1u << 1)
#define SAMPLE_TIME       (1u << 2)
#define SAMPLE_ADDR       (1u << 3)
#define SAMPLE_READ       (1u << 4)
#define SAMPLE_CALLCHAIN  (1u << 5)
#define SAMPLE_ID         (1u << 6)
#define SAMPLE_CPU        (1u << 7)
#define SAMPLE_PERIOD     (1u << 8)
#define SAMPLE_STREAM_ID  (1u << 9)
#define SAMPLE_STACK_USER (1u << 13)
#define SAMPLE_IDENTIFIER (1u << 16)

#define READ_GROUP        (1u << 3)
#define ATTR_FREQ         (1u << 10)
#define BRANCH_CALL_STACK (1u << 11)
/* An address in a stack that is at least CONTEXT_FIRST is a marker, not a frame. A marker shows if
 * frames of the kernel or of the program follow. */
#define CONTEXT_FIRST      ((uint64_t)-4095)
#define CONTEXT_KERNEL     ((uint64_t)-128)
#define MISC_MMAP_DATA     (1u << 13)
#define MISC_BUILD_ID      (1u << 14)
#define MISC_BUILD_ID_SIZE (1u << 15)
#define BUILD_ID_BYTES     20u
#define PROTECTION_EXECUTE 4u
#define KERNEL_PROCESS     UINT32_MAX

enum record_type {
  RECORD_MMAP = 1,
  RECORD_LOST = 2,
  RECORD_COMM = 3,
  RECORD_FORK = 7,
  RECORD_SAMPLE = 9,
  RECORD_MMAP2 = 10,
  RECORD_KERNEL_LAST = 21, /* highest known type of the kernel's records */
  RECORD_USER_FIRST = 64,  /* lowest type of the records that perf itself writes */
  RECORD_AUXTRACE = 71,
  RECORD_COMPRESSED = 81,
  RECORD_COMPRESSED2 = 83,
  RECORD_USER_LAST = 84, /* highest known type of the records that perf itself writes */
};

/* Bytes that are not read yet. `bad` is true after an attempt to read beyond `end`. */
struct perf_bytes {
  const uint8_t *at, *end;
  bool bad;
};

struct perf_attr {
  uint64_t sample_type, read_format;
  uint64_t period; /* period of each sample; 0 if each sample contains its period */
  pprofc_str name;
};

/* An id by which samples refer to their event. */
struct perf_id {
  uint64_t id;
  uint32_t attr;
};

struct perf_command {
  uint32_t tid;
  pprofc_str name;
};

struct perf_data {
  pprofc_str data;
  pprofc_builder *builder;
  struct arena *arena;
  struct buffer out;
  struct perf_attr attrs[MAX_ATTRS];
  size_t attr_count;
  struct perf_id *ids; /* ids of events, sorted by id */
  size_t id_count, id_room;
  struct perf_command *commands; /* command of each thread */
  size_t command_count, command_room;
  struct map by_tid;
};

/* ---- bytes ------------------------------------------- */

static uint64_t perf_take(struct perf_bytes *b, size_t size) {
  uint64_t value = 0;
  if ((size_t)(b->end - b->at) < size) {
    b->bad = true;
    b->at = b->end;
    return 0;
  }
  for (size_t i = 0; i < size; i++) value |= (uint64_t)b->at[i] << 8 * i;
  b->at += size;
  return value;
}

static void perf_skip(struct perf_bytes *b, uint64_t size) {
  if (size > (uint64_t)(b->end - b->at)) {
    b->bad = true;
    size = (uint64_t)(b->end - b->at);
  }
  b->at += size;
}

/* Returns the bytes [from, from + size) of the file. Sets `bad` in the result if the file is too
 * short. */
static struct perf_bytes perf_section(const struct perf_data *p, uint64_t from, uint64_t size) {
  const uint8_t *start = (const uint8_t *)p->data.data;
  bool fits = from <= p->data.size && size <= p->data.size - from;
  if (!fits) return (struct perf_bytes){start, start, true};
  return (struct perf_bytes){start + from, start + from + size, false};
}

/* Returns the text up to a NUL or to the end of the bytes. */
static pprofc_str perf_text(const struct perf_bytes *b) {
  pprofc_str text = {(const char *)b->at, (size_t)(b->end - b->at)};
  return str_slice(text, 0, str_find_char(text, '\0'));
}

static bool perf_needs_perf(struct perf_data *p, const char *what) {
  return import_refuse(p->builder, PPROFC_E_UNSUPPORTED,
                       "%s; run perf script -F +pid --show-mmap-events where perf is installed, "
                       "and read its output",
                       what);
}

/* ---- attributes and features ------------------------- */

/* Returns the name of the event with this type and number in Linux. The reader uses it for files
 * without event names. */
static pprofc_str perf_known_name(uint64_t type, uint64_t number) {
  static const char *const hardware[] = {"cycles",       "instructions", "cache-references",
                                         "cache-misses", "branches",     "branch-misses"};
  static const char *const software[] = {"cpu-clock", "task-clock", "page-faults",
                                         "context-switches", "cpu-migrations"};
  if (type == 0 && number < sizeof hardware / sizeof *hardware) return str_of(hardware[number]);
  if (type == 1 && number < sizeof software / sizeof *software) return str_of(software[number]);
  return STR("event");
}

static void perf_data_ids(struct perf_data *p, struct perf_bytes ids, size_t attr) {
  while (ids.end - ids.at >= 8 && builder_ok(p->builder)) {
    struct perf_id id = {perf_take(&ids, 8), (uint32_t)attr};
    import_need(p->builder, ARRAY_PUSH_IN(p->arena, p->ids, p->id_count, p->id_room, id));
  }
}

static bool perf_read_attr(struct perf_data *p, struct perf_bytes b) {
  struct perf_attr *attr = &p->attrs[p->attr_count];
  struct perf_bytes ids = b;
  uint64_t type = perf_take(&b, 4);
  perf_take(&b, 4); /* skip the size of the attribute */
  attr->name = perf_known_name(type, perf_take(&b, 8));
  attr->period = perf_take(&b, 8);
  attr->sample_type = perf_take(&b, 8);
  attr->read_format = perf_take(&b, 8);
  if (perf_take(&b, 8) & ATTR_FREQ) attr->period = 0;
  perf_skip(&b, 24);
  uint64_t branches = perf_take(&b, 8);
  perf_skip(&ids, (uint64_t)(ids.end - ids.at) - 16);
  uint64_t from = perf_take(&ids, 8), size = perf_take(&ids, 8);
  if (b.bad || ids.bad)
    return import_refuse_at(p->builder, b.end, "the attributes of an event are cut off");
  if (attr->sample_type & SAMPLE_STACK_USER)
    return perf_needs_perf(p, "perf.data with copies of stacks (--call-graph dwarf) needs perf");
  if (attr->sample_type & 1u << 11 && branches & BRANCH_CALL_STACK)
    return perf_needs_perf(p, "perf.data with stacks of branches (--call-graph lbr) needs perf");
  perf_data_ids(p, perf_section(p, from, size), p->attr_count++);
  return builder_ok(p->builder);
}

/* Reads the attributes of all events. An event has `size` bytes of attributes. The last of them are
 * the file offset and the size of the event's list of ids. */
static bool perf_read_attrs(struct perf_data *p, struct perf_bytes b, uint64_t size) {
  if (b.bad || size < 80 || size > 4096 || b.end == b.at)
    return import_refuse_at(p->builder, b.at, "the file has no attributes of events");
  for (; (uint64_t)(b.end - b.at) >= size; b.at += size) {
    if (p->attr_count == MAX_ATTRS)
      return import_refuse_at(p->builder, b.at, "the file has more than 256 events");
    if (!perf_read_attr(p, (struct perf_bytes){b.at, b.at + size, false})) return false;
  }
  return true;
}

/* Reads the names of events, in the order of the attributes. */
static void perf_read_events(struct perf_data *p, struct perf_bytes b) {
  uint64_t count = perf_take(&b, 4), size = perf_take(&b, 4);
  for (size_t i = 0; i < count && i < p->attr_count && !b.bad; i++) {
    perf_skip(&b, size);
    uint64_t ids = perf_take(&b, 4), length = perf_take(&b, 4);
    struct perf_bytes name = b;
    perf_skip(&b, length);
    name.end = b.at;
    perf_skip(&b, 8 * ids);
    if (!b.bad && perf_text(&name).size) p->attrs[i].name = perf_text(&name);
  }
}

/* Writes "# build id: HEX FILE". */
static void perf_write_id(struct perf_data *p, const uint8_t *id, size_t size, pprofc_str file) {
  buffer_add_text(&p->out, "# build id: ");
  for (size_t i = 0; i < size && i < BUILD_ID_BYTES; i++) buffer_printf(&p->out, "%02x", id[i]);
  buffer_printf(&p->out, " %.*s\n", STR_ARG(str_slice(file, 0, str_find_char(file, '\n'))));
}

/* Reads the build ids of files. Each record has a process, a build id and a file name. */
static void perf_read_build_ids(struct perf_data *p, struct perf_bytes b) {
  while (b.end - b.at >= 36) {
    struct perf_bytes record = b;
    perf_skip(&record, 4);
    uint64_t misc = perf_take(&record, 2), size = perf_take(&record, 2);
    if (size < 36 || size > (uint64_t)(b.end - b.at)) return;
    record.end = b.at + size;
    b.at += size;
    perf_skip(&record, 4);
    const uint8_t *id = record.at;
    perf_skip(&record, 24);
    size_t length = misc & MISC_BUILD_ID_SIZE ? id[BUILD_ID_BYTES] : BUILD_ID_BYTES;
    perf_write_id(p, id, length, perf_text(&record));
  }
}

/* Reads the features, which follow the records. `bits` has a bit for each possible feature. `table`
 * is the offset of a table with the position and size of each feature that the file has. */
static void perf_read_features(struct perf_data *p, uint64_t table, struct perf_bytes bits) {
  for (unsigned i = 0; i < FEATURE_COUNT; i++) {
    if (!(bits.at[i / 8] >> i % 8 & 1)) continue;
    struct perf_bytes place = perf_section(p, table, 16);
    uint64_t from = perf_take(&place, 8), size = perf_take(&place, 8);
    if (place.bad) return;
    table += 16;
    if (i == FEATURE_BUILD_IDS) perf_read_build_ids(p, perf_section(p, from, size));
    if (i == FEATURE_EVENTS) perf_read_events(p, perf_section(p, from, size));
  }
}

static int perf_compare_ids(const void *a, const void *b) {
  const struct perf_id *x = a, *y = b;
  return (x->id > y->id) - (x->id < y->id);
}

/* ---- commands ---------------------------------------- */

static struct perf_command *perf_find_command(const struct perf_data *p, uint32_t tid) {
  MAP_FIND(at, &p->by_tid, hash_mix(0, tid), p->commands[at].tid == tid);
  return at == MAP_NONE ? NULL : &p->commands[at];
}

static void perf_set_command(struct perf_data *p, uint32_t tid, pprofc_str name) {
  struct perf_command *command = perf_find_command(p, tid);
  if (command)
    command->name = name;
  else
    import_need(p->builder,
                ARRAY_PUSH_IN(p->arena, p->commands, p->command_count, p->command_room,
                              (struct perf_command){tid, name}) &&
                    map_insert(&p->by_tid, hash_mix(0, tid), (uint32_t)p->command_count - 1));
}

/* Writes a name with '_' in place of control bytes. If `blanks` is false, also replaces spaces. */
static void perf_write_name(struct perf_data *p, pprofc_str name, bool blanks) {
  name = str_slice(name, 0, NAME_MAX_SHOWN);
  for (size_t i = 0; i < name.size; i++) {
    char c = name.data[i];
    bool plain = (unsigned char)c > ' ' || (c == ' ' && blanks);
    buffer_add_char(&p->out, plain ? c : '_');
  }
}

/* ---- records ----------------------------------------- */

static void perf_read_mmap(struct perf_data *p, struct perf_bytes b, uint64_t type, uint64_t misc) {
  uint64_t pid = perf_take(&b, 4), tid = perf_take(&b, 4), start = perf_take(&b, 8);
  uint64_t size = perf_take(&b, 8), offset = perf_take(&b, 8), protection = PROTECTION_EXECUTE;
  const uint8_t *id = b.at;
  if (type == RECORD_MMAP2) {
    perf_skip(&b, 24);
    protection = perf_take(&b, 4);
    perf_skip(&b, 4);
  }
  pprofc_str file = perf_text(&b);
  if (b.bad || pid == KERNEL_PROCESS || misc & MISC_MMAP_DATA || !(protection & PROTECTION_EXECUTE))
    return;
  if (type == RECORD_MMAP2 && misc & MISC_BUILD_ID) perf_write_id(p, id + 4, id[0], file);
  buffer_printf(&p->out,
                "- %llu/%llu [000] 0.0: PERF_RECORD_MMAP2 %llu/%llu: [0x%llx(0x%llx) @ 0x%llx "
                "00:00 0 0]: r-xp %.*s\n",
                (unsigned long long)pid, (unsigned long long)tid, (unsigned long long)pid,
                (unsigned long long)tid, (unsigned long long)start, (unsigned long long)size,
                (unsigned long long)offset, STR_ARG(str_slice(file, 0, str_find_char(file, '\n'))));
}

/* Reads the record of a new thread or process, which has the command and the maps of its parent. */
static void perf_read_fork(struct perf_data *p, struct perf_bytes b) {
  uint32_t pid = (uint32_t)perf_take(&b, 4), parent = (uint32_t)perf_take(&b, 4);
  uint32_t tid = (uint32_t)perf_take(&b, 4), by = (uint32_t)perf_take(&b, 4);
  const struct perf_command *command = perf_find_command(p, by);
  if (command) perf_set_command(p, tid, command->name);
  if (pid != parent && !b.bad)
    buffer_printf(&p->out, "- %u/%u [000] 0.0: PERF_RECORD_FORK(%u:%u):(%u:%u)\n", pid, tid, pid,
                  tid, parent, by);
}

/* Returns how many 8-byte words the values of counters take in a sample. `format` is the event's
 * read_format. */
static uint64_t perf_read_words(struct perf_bytes *b, uint64_t format) {
  uint64_t times = (format & 1) + (format >> 1 & 1), rest = (format >> 2 & 1) + (format >> 4 & 1);
  if (!(format & READ_GROUP)) return 1 + times + rest;
  uint64_t count = perf_take(b, 8);
  return count > (uint64_t)(b->end - b->at) ? UINT64_MAX / 8 : times + count * (1 + rest);
}

static void perf_write_frame(struct perf_data *p, uint64_t address, bool kernel) {
  const char *object = kernel ? " [unknown] ([kernel.kallsyms])" : "";
  buffer_printf(&p->out, "\t%llx%s\n", (unsigned long long)address, object);
}

/* Writes the frames of a sample, leaf first. Markers between the addresses show if frames of the
 * kernel follow; `kernel` is true if the frames before the first marker belong to the kernel. */
static void perf_write_chain(struct perf_data *p, struct perf_bytes *b, bool kernel) {
  uint64_t count = perf_take(b, 8);
  if (count > (uint64_t)(b->end - b->at) / 8) b->bad = true;
  for (uint64_t i = 0; i < count && !b->bad; i++) {
    uint64_t address = perf_take(b, 8);
    if (address >= CONTEXT_FIRST)
      kernel = address == CONTEXT_KERNEL;
    else
      perf_write_frame(p, address, kernel);
  }
}

/* Fields of a sample before its stack. */
struct perf_data_sample {
  uint64_t id, ip, time, period;
  uint32_t pid, tid, cpu;
};

/* Reads the fields of a sample, in the order in which the kernel writes them. */
static struct perf_data_sample perf_read_fields(struct perf_bytes *b,
                                                const struct perf_attr *attr) {
  uint64_t has = attr->sample_type;
  struct perf_data_sample s = {.period = attr->period};
  if (has & SAMPLE_IDENTIFIER) s.id = perf_take(b, 8);
  if (has & SAMPLE_IP) s.ip = perf_take(b, 8);
  if (has & SAMPLE_TID) {
    s.pid = (uint32_t)perf_take(b, 4);
    s.tid = (uint32_t)perf_take(b, 4);
  }
  if (has & SAMPLE_TIME) s.time = perf_take(b, 8);
  if (has & SAMPLE_ADDR) perf_skip(b, 8);
  if (has & SAMPLE_ID) s.id = perf_take(b, 8);
  if (has & SAMPLE_STREAM_ID) perf_skip(b, 8);
  if (has & SAMPLE_CPU) s.cpu = (uint32_t)perf_take(b, 8);
  if (has & SAMPLE_PERIOD) s.period = perf_take(b, 8);
  if (has & SAMPLE_READ) perf_skip(b, 8 * perf_read_words(b, attr->read_format));
  return s;
}

/* Finds the event of a sample by the id in the sample. The id has the same offset in the samples of
 * all events, so the function reads the sample like a sample of the first event. */
static const struct perf_attr *perf_attr_of(const struct perf_data *p, struct perf_bytes b) {
  uint64_t id = perf_read_fields(&b, &p->attrs[0]).id;
  BISECT(at, p->id_count, p->ids[at].id < id);
  bool found = at < p->id_count && p->ids[at].id == id;
  return &p->attrs[found ? p->ids[at].attr : 0];
}

static bool perf_read_sample(struct perf_data *p, struct perf_bytes b, uint64_t misc) {
  const struct perf_attr *attr = perf_attr_of(p, b);
  struct perf_data_sample s = perf_read_fields(&b, attr);
  const struct perf_command *command = perf_find_command(p, s.tid);
  bool kernel = (misc & 7) == 1;
  perf_write_name(p, command && command->name.size ? command->name : STR(":"), true);
  buffer_printf(&p->out, " %u/%u ", s.pid, s.tid);
  if (attr->sample_type & SAMPLE_CPU) buffer_printf(&p->out, "[%03u] ", s.cpu);
  buffer_printf(&p->out, "%llu.%09llu: ", (unsigned long long)(s.time / 1000000000),
                (unsigned long long)(s.time % 1000000000));
  if (s.period) buffer_printf(&p->out, "%llu ", (unsigned long long)s.period);
  perf_write_name(p, attr->name, false);
  buffer_add_text(&p->out, ":\n");
  if (attr->sample_type & SAMPLE_CALLCHAIN)
    perf_write_chain(p, &b, kernel);
  else if (attr->sample_type & SAMPLE_IP)
    perf_write_frame(p, s.ip, kernel);
  buffer_add_char(&p->out, '\n');
  return !b.bad;
}

/* True for a record type that a known version of perf writes. */
static bool perf_knows(uint64_t type) {
  return (type > 0 && type <= RECORD_KERNEL_LAST) ||
         (type >= RECORD_USER_FIRST && type <= RECORD_USER_LAST);
}

/* Reads a record that is not a sample. */
static bool perf_read_other(struct perf_data *p, struct perf_bytes b, uint64_t type,
                            uint64_t misc) {
  if (type == RECORD_AUXTRACE)
    return perf_needs_perf(p, "perf.data with a processor trace needs perf");
  if (type == RECORD_COMPRESSED || type == RECORD_COMPRESSED2)
    return perf_needs_perf(p, "compressed perf.data needs perf");
  if (type == RECORD_MMAP || type == RECORD_MMAP2) perf_read_mmap(p, b, type, misc);
  if (type == RECORD_FORK) perf_read_fork(p, b);
  if (type == RECORD_LOST) {
    perf_skip(&b, 8);
    buffer_printf(&p->out, "- 0/0 [000] 0.0: PERF_RECORD_LOST lost %llu\n",
                  (unsigned long long)perf_take(&b, 8));
  }
  if (!perf_knows(type)) buffer_add_text(&p->out, "- 0/0 [000] 0.0: PERF_RECORD_UNKNOWN\n");
  if (type == RECORD_COMM) {
    perf_skip(&b, 4);
    uint32_t tid = (uint32_t)perf_take(&b, 4);
    perf_set_command(p, tid, perf_text(&b));
  }
  return true;
}

/* Reads the samples if `samples` is true, else all other records. A record has a type of 4 bytes,
 * flags and a size of 2 bytes each, then the fields. */
static bool perf_read_records(struct perf_data *p, struct perf_bytes b, bool samples) {
  while (b.at < b.end && builder_ok(p->builder) && !p->out.failed) {
    struct perf_bytes record = b;
    uint64_t type = perf_take(&record, 4), misc = perf_take(&record, 2);
    uint64_t size = perf_take(&record, 2);
    if (size < 8 || size > (uint64_t)(b.end - b.at))
      return import_refuse_at(p->builder, b.at, "a record is cut off");
    record.end = b.at + size;
    if (!samples && !perf_read_other(p, record, type, misc)) return false;
    if (samples && type == RECORD_SAMPLE && !perf_read_sample(p, record, misc))
      return import_refuse_at(p->builder, b.at, "a sample is cut off");
    b.at += size;
  }
  return builder_ok(p->builder);
}

/* ---- the file ---------------------------------------- */

static bool perf_convert_data(struct perf_data *p) {
  struct perf_bytes b = perf_section(p, 0, p->data.size);
  perf_skip(&b, 8);
  uint64_t header = perf_take(&b, 8);
  if (b.bad || (header == PERF_DATA_HEADER && p->data.size < PERF_DATA_HEADER))
    return import_refuse_at(p->builder, b.at, "the header is cut off");
  if (header != PERF_DATA_HEADER)
    return perf_needs_perf(p, "perf.data that a pipe wrote needs perf");
  uint64_t attr_size = perf_take(&b, 8), attrs = perf_take(&b, 8), attrs_size = perf_take(&b, 8);
  uint64_t from = perf_take(&b, 8), size = perf_take(&b, 8);
  perf_skip(&b, 16);
  struct perf_bytes records = perf_section(p, from, size);
  if (!perf_read_attrs(p, perf_section(p, attrs, attrs_size), attr_size)) return false;
  /* If perf was killed, it did not write the size of the records. In this case, the records extend
   * to the end of the file. */
  if (!size && from < p->data.size) records = perf_section(p, from, p->data.size - from);
  if (records.bad) return import_refuse_at(p->builder, b.at, "the records are cut off");
  if (size) perf_read_features(p, from + size, b);
  if (p->id_count) qsort(p->ids, p->id_count, sizeof *p->ids, perf_compare_ids);
  /* Each processor writes its records separately, so a sample may precede the record with its
   * thread's command. Therefore read the other records first. */
  return perf_read_records(p, records, false) && perf_read_records(p, records, true);
}

bool import_is_perf_data(pprofc_str data) {
  return str_starts(data, STR("PERFILE2"));
}

IMPORT_READER(import_perf_data) {
  struct perf_data *p = arena_zero_array(arena, 1, sizeof *p);
  if (!import_need(builder, p != NULL)) return;
  p->data = data;
  p->builder = builder;
  p->arena = arena;
  buffer_init(&p->out, arena->mem, SIZE_MAX / 2);
  map_init(&p->by_tid, arena->mem);
  perf_convert_data(p);
  perf_script_converted(&p->out, builder, arena);
  map_free(&p->by_tid);
  buffer_free(&p->out);
}
