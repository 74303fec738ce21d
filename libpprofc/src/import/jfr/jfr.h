/* Recordings of Java Flight Recorder and of async-profiler, on their way into a builder.
 *
 * A file is a sequence of chunks. Each describes itself: its metadata says which fields classes and
 * events have; values that events share (stacks, methods, threads) are in constant pools. Files are
 * read twice: once to learn which sample types there are, once for the samples.
 *
 * Failures stick: the first one is kept, and what follows does nothing more of use. */
#ifndef PPROFC_IMPORT_JFR_JFR_H
#define PPROFC_IMPORT_JFR_JFR_H

#include "core/array.h"
#include "core/buffer.h"
#include "core/error.h"
#include "core/map.h"
#include "import/jfr/reader.h"
#include "profile/builder.h"

/* ---- layouts ----------------------------------------- */

enum jfr_kind {
  JFR_STRUCT, /* not for JFR_OP: a class with fields */
  JFR_BYTE,
  JFR_SHORT,
  JFR_INT,
  JFR_LONG,
  JFR_FLOAT,
  JFR_DOUBLE,
  JFR_STRING,
  JFR_REF, /* the key of an entry of a constant pool */
  JFR_ARRAY,
  JFR_INTEGERS, /* an array whose steps all read integers */
};

/* A step of reading a value: steps follow each other in the order of the bytes. Each reads at least
 * one byte. */
struct jfr_op {
  uint8_t kind;
  int8_t slot;   /* where the value goes, or -1 */
  uint16_t body; /* arrays: how many of the next steps are repeated */
};

/* How a class is read; not readable when it is not described or nests too deeply. */
struct jfr_program {
  struct jfr_op *ops;
  uint32_t count;
  bool readable;
  bool has_arrays;
};

/* A field that is wanted, and the slot for its value. */
struct jfr_want {
  const char *field; /* NULL ends a list */
  int8_t slot;
};

/* The most slots of a program. */
#define JFR_SLOTS 12

/* ---- metadata ---------------------------------------- */

/* What a number of a field counts. */
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
  struct jfr_program program; /* without slots; made when it is needed first */
  bool has_program;
  uint64_t events; /* that were passed over */
};

struct jfr_metadata {
  struct jfr_class *classes;
  size_t class_count, class_capacity;
  struct jfr_field *fields;
  size_t field_count, field_capacity;
  struct map by_id; /* of classes */
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

/* Slots of entries; all entries that are strings have theirs in JFR_TEXT. */
enum { JFR_TEXT = 0, JFR_FRAMES = 0, JFR_TRUNCATED = 1, JFR_CLASS = 0, JFR_NAME = 1 };
enum { JFR_MAPPING = 2 }; /* of native methods: that of their library + 1, or 0 */
enum { JFR_STATE_KIND = 1 };
enum { JFR_OS_NAME = 0, JFR_OS_ID = 1, JFR_JAVA_NAME = 2 };

#define JFR_UNMADE (NONE - 1)

struct jfr_entry {
  uint64_t id;
  uint64_t slots[3]; /* numbers; keys of other pools; offsets of strings and arrays in the chunk */
  uint32_t made;     /* the string, function or stack it became, or JFR_UNMADE */
};

struct jfr_pool {
  struct jfr_entry *items;
  size_t count, capacity;
  uint64_t first_id; /* items[i] has the id first_id + i for i in [0, dense) */
  size_t dense;
  uint32_t *small; /* [small_count] the entries of other small ids, or MAP_NONE */
  size_t small_count, small_capacity;
  struct map by_id; /* of all others */
};

/* ---- events ------------------------------------------ */

/* Slots of events. */
enum {
  JFR_EVENT_STACK,
  JFR_EVENT_THREAD,
  JFR_EVENT_STATE,
  JFR_EVENT_CLASS,
  JFR_EVENT_AMOUNT, /* what the second sample type adds up: bytes, or a duration */
  JFR_EVENT_SAMPLES,
  JFR_EVENT_CONTEXT,
  JFR_EVENT_SPAN,
  JFR_EVENT_SETTING_ID,
  JFR_EVENT_SETTING_NAME,
  JFR_EVENT_SETTING_VALUE,
};

/* The sample types, in the order that profiles have them. */
enum jfr_type {
  JFR_CPU,
  JFR_CPU_TIME,
  JFR_WALL,
  JFR_NATIVE,
  JFR_IN_TLAB, /* objects, and behind it bytes; so are the others below */
  JFR_OUT_TLAB = 6,
  JFR_ALLOC = 8,
  JFR_LIVE = 10,
  JFR_MALLOC = 12,
  JFR_MUTEX = 14,
  JFR_BLOCK = 16,
  JFR_WAIT = 18,
  JFR_TYPE_COUNT = 20
};

struct jfr_event; /* a row of the table in events.c */

/* An event of the table as this chunk lays it out. */
struct jfr_handler {
  const struct jfr_event *event;
  uint64_t id;
  struct jfr_program program;
  enum jfr_unit unit; /* of JFR_EVENT_AMOUNT */
};

#define JFR_MOST_HANDLERS 16

/* The bytes of the header of a chunk. */
#define JFR_HEADER_SIZE 68

/* ---- the file ---------------------------------------- */

/* What the settings of a chunk say. Periods are nanoseconds, or counts of `event`; 0: not said. */
struct jfr_settings {
  uint64_t cpu, wall, native;
  pprofc_str event; /* what async-profiler counted when that is no time: "cache-misses" */
  bool only_wall;   /* async-profiler sampled all threads, running or not, as jdk.ExecutionSample */
  bool async;       /* async-profiler wrote it */
};

struct jfr_chunk {
  const uint8_t *start, *end; /* with its header */
  bool compressed;
  uint64_t metadata_at;    /* an offset; 0: not said */
  uint64_t time, duration; /* nanoseconds */
  uint64_t ticks_per_second;
  struct jfr_settings settings;
};

struct jfr {
  const pprofc_allocator *mem;
  const pprofc_read_options *options;
  pprofc_error *error;
  pprofc_status status;
  pprofc_builder *builder;
  pprofc_str data;

  struct jfr_chunk *chunks;
  size_t chunk_count, chunk_capacity;

  /* of the chunk that is being read */
  const struct jfr_chunk *chunk;
  struct arena arena;
  struct jfr_metadata metadata;
  struct jfr_pool pools[JFR_POOL_COUNT];
  struct jfr_program frame; /* of an entry of a stack */
  struct jfr_handler handlers[JFR_MOST_HANDLERS];
  size_t handler_count;
  struct buffer text; /* of jfr_text */
  struct buffer name; /* that is being put together */

  /* of the file */
  bool has_type[JFR_TYPE_COUNT];
  int8_t column[JFR_TYPE_COUNT]; /* of the values of a sample */
  size_t type_count;
  struct arena names;   /* of events in settings */
  pprofc_str cpu_event; /* what the type cpu counts when it is no time */
  bool has_cpu_event;   /* a chunk with samples has been asked for that */

  struct jfr_stacks *stacks;
  struct jfr_rows *rows;
  uint64_t text_bytes, steps; /* of texts that were read, of programs that were made */
  uint64_t without_stack, without_method, truncated, left_out;
  bool assumed_period;
  struct interner unread; /* names of events with stacks that the table does not have */
  uint64_t *unread_counts;
  size_t unread_capacity;
};

/* Adds to what is made of a file without a byte of it for each; false when that is out of
 * proportion: entries of a few bytes can refer to one long text, again and again. */
bool jfr_take(struct jfr *j, uint64_t *taken, uint64_t more, const char *what);

/* Notes a failure and returns false. */
bool jfr_fail(struct jfr *j, pprofc_status status, const char *format, ...) PPROFC_PRINTF(3, 4);
bool jfr_fail_nomem(struct jfr *j);
/* The chunk is not what the format says, at `at`. */
bool jfr_fail_at(struct jfr *j, const uint8_t *at, const char *what);

static inline bool jfr_ok(const struct jfr *j) {
  return j->status == PPROFC_OK;
}

/* A reader of the chunk from `offset` on. */
struct jfr_reader jfr_reader_at(const struct jfr *j, uint64_t offset);

/* Takes the next event off the reader: its type, and a reader of what is behind that. False at the
 * end of the chunk and after a failure. */
bool jfr_next_event(struct jfr *j, struct jfr_reader *r, uint64_t *type, struct jfr_reader *body);

/* ---- metadata.c, layout.c ---------------------------- */

bool jfr_read_metadata(struct jfr *j);
struct jfr_class *jfr_class_of(struct jfr *j, uint64_t id);
const struct jfr_field *jfr_field_of(struct jfr *j, const struct jfr_class *c, const char *name);

/* Makes a program for a class; false only when out of memory. */
bool jfr_compile(struct jfr *j, const struct jfr_class *c, const struct jfr_want *wants,
                 struct jfr_program *program);
/* Reads a value; slots that are not in it stay as they are. Offsets are from the start of the
 * chunk. False when the bytes end. */
bool jfr_run(const struct jfr *j, const struct jfr_program *program, struct jfr_reader *r,
             uint64_t *slots);

/* ---- text.c ------------------------------------------ */

/* Reads the string at an offset of the chunk. The text is the file's or lives in j->text until the
 * next call. */
pprofc_str jfr_text(struct jfr *j, uint64_t offset);
/* Reads a string; `decode` NULL passes it over. A text that is not UTF-8 in the file is appended to
 * the buffer. *key is that of the constant pool of strings for a string that is there, else 0. */
pprofc_str jfr_read_string(struct jfr_reader *r, struct buffer *decode, uint64_t *key);

/* ---- pools.c ----------------------------------------- */

/* Reads all constant pools of the chunk. */
bool jfr_read_pools(struct jfr *j);
/* An entry whose id is not among the dense ones, or NULL. */
struct jfr_entry *jfr_entry_find(struct jfr_pool *pool, uint64_t id);
/* Asks for the memory of an entry that is about to be looked up. */
void jfr_entry_prefetch(const struct jfr *j, enum jfr_pool_name pool, uint64_t id);
/* The same for the bytes at an offset of the chunk. */
void jfr_bytes_prefetch(const struct jfr *j, uint64_t offset);

/* An entry, or NULL. */
static inline struct jfr_entry *jfr_entry_of(struct jfr *j, enum jfr_pool_name name, uint64_t id) {
  struct jfr_pool *pool = &j->pools[name];
  uint64_t at = id - pool->first_id;
  return at < pool->dense ? &pool->items[at] : jfr_entry_find(pool, id);
}
/* The string of an entry of a pool whose entries are strings, in the builder; 0 for none. */
uint32_t jfr_string_of(struct jfr *j, enum jfr_pool_name pool, uint64_t id);

/* ---- names.c ----------------------------------------- */

/* The text of a symbol; lives until the next text is read. */
pprofc_str jfr_symbol(struct jfr *j, uint64_t id);
/* The function of a method, in the builder: "java/util/HashMap.put",
 * "libjvm.so.JVM_FillInStackTrace". Classes that are made at run time lose the numbers that change
 * from run to run. NONE when the file does not have the method. */
uint32_t jfr_function(struct jfr *j, uint64_t method);
/* The name of a class for labels, as Java code has it: "byte[]", "java.lang.String"; a string of
 * the builder, 0 for none. */
uint32_t jfr_class_label(struct jfr *j, uint64_t id);
bool jfr_is_library(pprofc_str name);

/* ---- stacks.c ---------------------------------------- */

struct jfr_stacks *jfr_stacks_new(struct jfr *j);
void jfr_stacks_free(struct jfr *j);
/* Adds the mapping of Java's code, which reports name as the file of the profile. */
void jfr_first_mapping(struct jfr *j);
/* Makes room for the stacks of a chunk; false when out of memory. */
bool jfr_reserve_stacks(struct jfr *j);
/* Asks for what jfr_stack is going to read. */
void jfr_stack_prefetch(struct jfr *j, uint64_t key);
/* The number of the stack with a key, NONE for none and after a failure. */
uint32_t jfr_stack(struct jfr *j, uint64_t key);
/* Ask for what jfr_stack_frames is going to read, and for the frames, when that has arrived. */
void jfr_stack_prefetch_item(const struct jfr *j, uint32_t stack);
void jfr_stack_prefetch_frames(const struct jfr *j, uint32_t stack);
const uint32_t *jfr_stack_frames(const struct jfr *j, uint32_t stack, size_t *depth);

/* ---- settings.c -------------------------------------- */

/* Takes a setting of the recording. */
void jfr_read_setting(struct jfr *j, struct jfr_settings *settings, const uint64_t *slots);
/* Fills periods that the settings leave open. */
void jfr_complete_settings(struct jfr *j, struct jfr_settings *settings);

/* ---- events.c ---------------------------------------- */

enum jfr_type jfr_event_type(const struct jfr_event *event);

/* Finds the events of the table in the metadata. */
bool jfr_bind_events(struct jfr *j);
/* Reads the settings of the chunk and learns which sample types there are. */
bool jfr_survey_events(struct jfr *j, struct jfr_settings *settings);
bool jfr_read_events(struct jfr *j);

/* ---- rows.c ------------------------------------------ */

/* Samples with the same key are one. Names are strings of the builder, 0: none. */
struct jfr_key {
  uint32_t stack, thread, state, class;
  uint64_t tid, context, span;
};

struct jfr_rows *jfr_rows_new(struct jfr *j);
void jfr_rows_free(struct jfr *j);
uint64_t jfr_rows_hash(const struct jfr_key *key);
/* Ask for the memory of the sample with that hash, if there is one: first where it is looked up,
 * and when that has had time to arrive, the sample. */
void jfr_rows_prefetch_slot(const struct jfr *j, uint64_t hash);
void jfr_rows_prefetch(const struct jfr *j, uint64_t hash);
/* Adds to a value of the sample with a key. */
bool jfr_rows_add(struct jfr *j, const struct jfr_key *key, uint64_t hash, enum jfr_type type,
                  uint64_t value);
/* Tells the builder of the sample types, and of all samples. */
void jfr_rows_emit_types(struct jfr *j);
void jfr_rows_emit(struct jfr *j);

#endif
