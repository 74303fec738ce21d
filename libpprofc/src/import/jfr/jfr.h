/* Reader for recordings of Java Flight Recorder and of async-profiler.
 *
 * A file is a sequence of chunks. The metadata of a chunk describes the fields of its classes and
 * events. Constant pools contain the values that events share: stacks, methods, threads. The reader
 * makes two passes: the first finds the sample types, the second reads the samples. */
#ifndef PPROFC_IMPORT_JFR_JFR_H
#define PPROFC_IMPORT_JFR_JFR_H

#include "import/reader.h"

/* ---- integers ---------------------------------------- */

/* Reads the integers of a chunk. The header of the chunk shows if integers are compressed or have a
 * fixed width. After a failure all reads return 0, and `at` equals `end`. */
struct jfr_reader {
  const uint8_t *at, *end;
  bool compressed;
  bool failed;
};

static inline void jfr_fail_read(struct jfr_reader *r) {
  r->failed = true;
  r->at = r->end;
}

/* True if at least `size` bytes are left. Otherwise sets `failed` and returns false. */
static inline bool jfr_has(struct jfr_reader *r, uint64_t size) {
  if (size <= (uint64_t)(r->end - r->at)) return true;
  jfr_fail_read(r);
  return false;
}

static inline void jfr_skip(struct jfr_reader *r, uint64_t size) {
  if (jfr_has(r, size)) r->at += size;
}

/* Reads a big-endian integer of `size` bytes. */
static inline uint64_t jfr_fixed(struct jfr_reader *r, unsigned size) {
  uint64_t value = 0;
  if (!jfr_has(r, size)) return 0;
  for (unsigned i = 0; i < size; i++) value = value << 8 | *r->at++;
  return value;
}

/* Reads a varint: 7 bits per byte, lowest bits first; a ninth byte has 8 bits. */
static inline uint64_t jfr_compressed(struct jfr_reader *r) {
  uint64_t value = 0;
  if (r->at < r->end && *r->at < 0x80) return *r->at++; /* most values have one byte */
  for (unsigned shift = 0; r->at < r->end; shift += 7) {
    uint8_t byte = *r->at++;
    if (shift == 56) return value | (uint64_t)byte << 56;
    value |= (uint64_t)(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  jfr_fail_read(r);
  return 0;
}

/* Skips `count` compressed integers. */
static inline void jfr_skip_compressed(struct jfr_reader *r, uint64_t count) {
  const uint8_t *at = r->at;
  for (; count; count--) {
    const uint8_t *last = r->end - at > 8 ? at + 8 : r->end;
    while (at < last && *at >= 0x80) at++;
    if (at == r->end) {
      jfr_fail_read(r);
      return;
    }
    at++;
  }
  r->at = at;
}

/* Reads an integer. It has `size` bytes unless the integers of the chunk are compressed. */
static inline uint64_t jfr_integer(struct jfr_reader *r, unsigned size) {
  return r->compressed ? jfr_compressed(r) : jfr_fixed(r, size);
}

static inline uint64_t jfr_long(struct jfr_reader *r) {
  return jfr_integer(r, 8);
}

static inline uint32_t jfr_int(struct jfr_reader *r) {
  return (uint32_t)jfr_integer(r, 4);
}

/* ---- layouts ----------------------------------------- */

enum jfr_kind {
  JFR_STRUCT, /* class with fields; a step (struct jfr_op) never has this kind */
  JFR_BYTE,
  JFR_SHORT,
  JFR_INT,
  JFR_LONG,
  JFR_FLOAT,
  JFR_DOUBLE,
  JFR_STRING,
  JFR_REF, /* key of a constant pool entry */
  JFR_ARRAY,
  JFR_INTEGERS, /* array whose elements consist of integers only */
};

/* A step of a program (struct jfr_program). A step reads at least one byte: a value, or the length
 * of an array. */
struct jfr_op {
  uint8_t kind;
  int8_t slot;   /* index in the array of results where the step stores the value, or -1 */
  uint16_t body; /* for an array: number of following steps that read one element */
};

/* A program: the steps that read a value of a class. A class cannot be read (`readable` is false)
 * if the file does not describe all its fields, or if its nesting is too deep. */
struct jfr_program {
  struct jfr_op *ops;
  uint32_t count;
  bool readable;
  bool has_arrays;
};

/* A field to read, and its slot: the index of its value in the array of results. */
struct jfr_want {
  const char *field; /* name of the field; NULL ends the list */
  int8_t slot;
};

/* Number of slots (struct jfr_want) in the array of results. */
#define JFR_SLOTS 13

/* ---- metadata ---------------------------------------- */

/* Unit of a numeric field. */
enum jfr_unit { JFR_TICKS, JFR_NANOSECONDS, JFR_MICROSECONDS, JFR_MILLISECONDS, JFR_SECONDS };

struct jfr_field {
  pprofc_str name;
  uint64_t type;
  bool pooled, array;
  enum jfr_unit unit;
};

struct jfr_class {
  uint64_t id;
  pprofc_str name;
  enum jfr_kind kind;
  uint32_t first_field, field_count;
  struct jfr_program program; /* program that reads a value of the class, compiled on first use */
  bool has_program;
  uint64_t events; /* number of skipped events of the class */
};

struct jfr_metadata {
  struct jfr_class *classes;
  size_t class_count, class_capacity;
  struct jfr_field *fields;
  size_t field_count, field_capacity;
  struct map by_id; /* hash table of classes, keyed by id */
};

/* ---- constant pools ---------------------------------- */

enum jfr_pool_name {
  JFR_STACKS,
  JFR_METHODS,
  JFR_CLASSES,
  JFR_SYMBOLS,
  JFR_FRAME_TYPES,
  JFR_STATES,
  JFR_THREADS,
  JFR_STRINGS,
  JFR_POOL_COUNT
};

/* Indices in jfr_entry.slots. Entries of all pools of strings use JFR_TEXT. */
enum { JFR_TEXT = 0, JFR_FRAMES = 0, JFR_TRUNCATED = 1, JFR_CLASS = 0, JFR_NAME = 1 };
enum { JFR_MAPPING = 2 }; /* for methods of native code: index of the library's mapping + 1, or 0 */
enum { JFR_STATE_KIND = 1 };
enum { JFR_OS_NAME = 0, JFR_OS_ID = 1, JFR_JAVA_NAME = 2 };

#define JFR_UNMADE (NONE - 1)

struct jfr_entry {
  uint64_t id;
  uint64_t slots[3]; /* values of the entry: numbers, keys of entries in other pools, or offsets of
                        strings and arrays in the chunk */
  uint32_t made;     /* value made from the entry, such as the index of a string, function or stack;
                        JFR_UNMADE if not yet made */
};

struct jfr_pool {
  struct jfr_entry *items;
  size_t count, capacity;
  uint64_t first_id; /* id of items[0] */
  size_t dense;      /* number of first entries with consecutive ids: items[i] has first_id + i */
  struct map by_id;  /* hash table of the other entries, keyed by id */
};

/* ---- events ------------------------------------------ */

/* Indices of an event's fields in its array of values (slots). */
enum {
  JFR_EVENT_STACK,
  JFR_EVENT_THREAD,
  JFR_EVENT_STATE,
  JFR_EVENT_CLASS,
  JFR_EVENT_AMOUNT, /* amount that the event adds: bytes or a duration */
  JFR_EVENT_SAMPLES,
  JFR_EVENT_CONTEXT,
  JFR_EVENT_SPAN,
  JFR_EVENT_SETTING_ID,
  JFR_EVENT_SETTING_NAME,
  JFR_EVENT_SETTING_VALUE,
  JFR_EVENT_TIME,   /* start of the event in ticks */
  JFR_EVENT_METHOD, /* traced method; 0 if it is already the first frame of the stack */
};

/* Sample types, in the order in which the profile lists them. */
enum jfr_type {
  JFR_CPU,
  JFR_CPU_TIME,
  JFR_WALL,
  JFR_NATIVE,
  JFR_IN_TLAB, /* JFR_IN_TLAB and later types have two values: a count, then bytes or a duration */
  JFR_OUT_TLAB = 6,
  JFR_ALLOC = 8,
  JFR_LIVE = 10,
  JFR_MALLOC = 12,
  JFR_MUTEX = 14,
  JFR_BLOCK = 16,
  JFR_WAIT = 18,
  JFR_NATIVE_LOCK = 20,
  JFR_TRACE = 22,
  JFR_TYPE_COUNT = 24
};

struct jfr_event; /* event of the table in events.c */

/* An event of the table in events.c, and its layout in the current chunk. */
struct jfr_handler {
  const struct jfr_event *event;
  uint64_t id;
  struct jfr_program program;
  enum jfr_unit unit; /* unit of JFR_EVENT_AMOUNT */
};

#define JFR_MAX_HANDLERS 19

/* Size of a chunk header in bytes. */
#define JFR_HEADER_SIZE 68

/* ---- the file ---------------------------------------- */

/* Settings of a chunk. `cpu`, `wall` and `native` are sampling periods in nanoseconds, or 0 if not
 * given. If `event` is not empty, `cpu` is a number of these events instead. */
struct jfr_settings {
  uint64_t cpu, wall, native;
  pprofc_str event; /* event that async-profiler counted, such as "cache-misses"; empty if
                       async-profiler measured time */
  bool only_wall;   /* true if async-profiler sampled only the wall clock: all threads, running or
                       not */
  bool has_wall;    /* true if async-profiler sampled the wall clock in addition to another event */
  bool async;       /* true for a recording of async-profiler */
  bool given;       /* true if the chunk has settings */
};

struct jfr_chunk {
  const uint8_t *start, *end; /* bytes of the chunk, including the header */
  bool compressed;
  uint64_t metadata_at;    /* offset of the metadata, or 0 if not given */
  uint64_t time, duration; /* start and duration of the chunk, in nanoseconds */
  uint64_t start_ticks;    /* ticks at the start of the chunk */
  uint64_t ticks_per_second;
  struct jfr_settings settings;
};

/* Kinds of events that the reader skips. */
struct jfr_kinds {
  struct interner names;
  uint64_t *counts; /* number of events of each kind */
  size_t capacity;
};

struct jfr {
  const pprofc_allocator *mem;
  const struct import_options *options;
  pprofc_builder *builder;
  pprofc_str data;

  struct jfr_chunk *chunks;
  size_t chunk_count, chunk_capacity;

  /* State of the current chunk. */
  const struct jfr_chunk *chunk;
  struct arena arena;
  struct jfr_metadata metadata;
  struct jfr_pool pools[JFR_POOL_COUNT];
  struct jfr_program frame; /* program that reads a stack frame */
  struct jfr_handler handlers[JFR_MAX_HANDLERS];
  size_t handler_count;
  struct buffer text; /* buffer for texts that jfr_text converts */
  struct buffer name; /* buffer for the name being built */

  /* State of the whole file. */
  bool has_type[JFR_TYPE_COUNT];
  int8_t column[JFR_TYPE_COUNT]; /* for each sample type of the profile: its index among the values
                                    of a sample */
  size_t type_count;
  struct arena *names;  /* memory for names of events, and for `stacks` and `rows` */
  pprofc_str cpu_event; /* event that the sample type cpu counts; empty if cpu is a time */
  bool has_cpu_event;   /* true once a chunk with samples has set cpu_event */

  struct jfr_stacks *stacks;
  struct jfr_rows *rows;
  /* Counters that jfr_take limits: bytes of texts, and elements of jfr_program.ops. */
  uint64_t text_bytes, steps;
  uint64_t samples; /* number of events that became samples */
  uint64_t without_stack, without_method, truncated, left_out;
  uint64_t without_field; /* number of skipped events of kinds without a field for stacks */
  int minor;              /* highest minor version of a chunk */
  bool assumed_period;
  uint64_t lost;        /* number of samples that the recorder lost */
  uint64_t undescribed; /* number of events whose type the metadata do not describe */
  /* Numbers of skipped events that have stacks. `others` are events that are known not to be
   * samples; `unknown` are all other events that the table in events.c lacks. */
  struct jfr_kinds unknown, others;
};

/* Adds `more` to *taken, a counter of work. Fails and returns false if the counter is too large for
 * the size of the file. Without this limit, a small file with many references to one long text
 * would take very long to read. */
bool jfr_take(struct jfr *j, uint64_t *taken, uint64_t more, const char *what);

/* Returns a reader that starts at `offset` of the chunk. */
struct jfr_reader jfr_reader_at(const struct jfr *j, uint64_t offset);

/* Reads the header of the next event. Sets *type to the type of the event, and *body to a reader of
 * the event's fields. Returns false at the end of the chunk and on failure. */
bool jfr_next_event(struct jfr *j, struct jfr_reader *r, uint64_t *type, struct jfr_reader *body);

/* ---- metadata.c, layout.c ---------------------------- */

bool jfr_read_metadata(struct jfr *j);
struct jfr_class *jfr_class_of(struct jfr *j, uint64_t id);
const struct jfr_field *jfr_field_of(struct jfr *j, const struct jfr_class *c, const char *name);

/* Compiles a program that reads a value of a class and stores the fields that `wants` lists.
 * Returns false only on failure; a class that cannot be read is not a failure. */
bool jfr_compile(struct jfr *j, const struct jfr_class *c, const struct jfr_want *wants,
                 struct jfr_program *program);
/* Reads a value with a program, and stores the wanted fields of the value in `slots`. For a string
 * or an array, stores its offset in the chunk. Does not change a slot if no step of the program
 * stores a value in it. Returns false if the bytes end early. */
bool jfr_run(const struct jfr *j, const struct jfr_program *program, struct jfr_reader *r,
             uint64_t *slots);

/* ---- text.c ------------------------------------------ */

/* Reads the string at an offset of the chunk. The result points into the file. If the text had to
 * be converted, the result points into j->text and is valid until the next call. */
pprofc_str jfr_text(struct jfr *j, uint64_t offset);
/* Reads a string, or skips it if `decode` is NULL. Converts text that is not UTF-8 into `decode`.
 * Sets *key to the key of the string in the constant pool of strings, or to 0 if the bytes contain
 * the text itself. */
pprofc_str jfr_read_string(struct jfr_reader *r, struct buffer *decode, uint64_t *key);

/* ---- pools.c ----------------------------------------- */

/* Reads all constant pools of the chunk. Returns false on failure. */
bool jfr_read_pools(struct jfr *j);
/* Returns the entry with this id, or NULL. Finds only ids in the hash table jfr_pool.by_id;
 * jfr_entry_of finds all ids. */
struct jfr_entry *jfr_entry_find(struct jfr_pool *pool, uint64_t id);

/* Returns the entry with an id in a constant pool, or NULL. */
static inline struct jfr_entry *jfr_entry_of(struct jfr *j, enum jfr_pool_name name, uint64_t id) {
  struct jfr_pool *pool = &j->pools[name];
  uint64_t at = id - pool->first_id;
  return at < pool->dense ? &pool->items[at] : jfr_entry_find(pool, id);
}
/* Returns the builder's string index for an entry of a pool of strings, or 0 if the pool does not
 * have the entry. */
uint32_t jfr_string_of(struct jfr *j, enum jfr_pool_name pool, uint64_t id);

/* ---- names.c ----------------------------------------- */

/* Returns the text of a symbol, valid until the next text is read. */
pprofc_str jfr_symbol(struct jfr *j, uint64_t id);
/* Returns the index of the function for a method, or NONE if the file does not have the method. The
 * name is "java/util/HashMap.put" or "libjvm.so.JVM_FillInStackTrace", for example. In the names of
 * generated classes, '_' replaces numbers that differ between runs. */
uint32_t jfr_function(struct jfr *j, uint64_t method);
/* Returns the string index of the name of a class in Java's syntax: "byte[]", "java.lang.String".
 * Returns 0 if the file does not have the class. Labels show this name. */
uint32_t jfr_class_label(struct jfr *j, uint64_t id);
/* Returns the string index of the name of a method. Returns 0 if the file does not have the
 * method. */
uint32_t jfr_method_label(struct jfr *j, uint64_t id);
bool jfr_is_library(pprofc_str name);

/* ---- stacks.c ---------------------------------------- */

struct jfr_stacks *jfr_stacks_new(struct jfr *j);
void jfr_stacks_free(struct jfr *j);
/* Adds the mapping "[jvm]". It must be the first mapping, because reports print the name of the
 * first mapping as the profile's file. */
void jfr_first_mapping(struct jfr *j);
/* Reserves memory for the stacks of the current chunk. Returns false when out of memory. */
bool jfr_reserve_stacks(struct jfr *j);
/* Returns the index of the stack with this key, and reads the stack at the first call. Returns NONE
 * if there is no such stack, and on failure. */
uint32_t jfr_stack(struct jfr *j, uint64_t key);
const uint32_t *jfr_stack_frames(const struct jfr *j, uint32_t stack, size_t *depth);

/* ---- settings.c -------------------------------------- */

/* Applies a setting of the recording, from the slots of a jdk.ActiveSetting event. */
void jfr_read_setting(struct jfr *j, struct jfr_settings *settings, const uint64_t *slots);
/* Sets the periods that are missing in the recording to their defaults. */
void jfr_complete_settings(struct jfr *j, struct jfr_settings *settings);

/* ---- events.c ---------------------------------------- */

enum jfr_type jfr_event_type(const struct jfr_event *event);

/* Finds the events of the table (events.c) in the metadata. Returns false on failure. */
bool jfr_bind_events(struct jfr *j);
/* jfr_survey_events reads the settings of the chunk and finds its sample types. jfr_read_events
 * adds the samples of the chunk. Both return false on failure. */
bool jfr_survey_events(struct jfr *j, struct jfr_chunk *chunk);
bool jfr_read_events(struct jfr *j);

/* Key of a row. Events with equal keys are added up in one row, which becomes a sample. Thread,
 * state, class and method are string indices of the builder, or 0. */
struct jfr_key {
  uint32_t stack, thread, state, class, method;
  uint32_t zero; /* padding; always 0, because keys are compared as bytes */
  uint64_t tid, context, span;
};

struct jfr_rows *jfr_rows_new(struct jfr *j);
void jfr_rows_free(struct jfr *j);
/* Adds `value` to the row's value of sample type `type`. Returns false on failure. */
bool jfr_rows_add(struct jfr *j, const struct jfr_key *key, enum jfr_type type, uint64_t value);
/* Returns the index of the row that the last jfr_rows_add changed. The row's sample will have this
 * index. */
uint32_t jfr_rows_last(const struct jfr *j);
/* jfr_rows_emit_types adds the sample types to the builder. jfr_rows_emit adds a sample for each
 * row. */
void jfr_rows_emit_types(struct jfr *j);
void jfr_rows_emit(struct jfr *j);

#endif
