/* Reader for OpenTelemetry's profiles (OTLP). A file is one message or a stream of messages, which
 * the code calls frames. index.c walks the nested messages of a frame. protobuf-c unpacks the
 * innermost messages, one at a time, except samples and stacks. */
#ifndef PPROFC_IMPORT_OTLP_OTLP_H
#define PPROFC_IMPORT_OTLP_OTLP_H

#include "codec/wire.h"
#include "import/reader.h"
#include "otlp_profiles.pb-c.h"

struct otlp_line {
  int32_t function;
  int64_t line, column;
};

struct otlp_function {
  int32_t name, system_name, filename;
  uint32_t made; /* index of the function in the builder, or OTLP_UNREAD */
  int64_t start_line;
};

struct otlp_location {
  uint64_t address;
  size_t first_line, first_attribute;
  uint32_t line_count, attribute_count;
  int32_t mapping;
};

/* Labels of an attribute: one label, or one label for each element of an array. `items` is NULL
 * until the labels are needed. */
struct otlp_labels {
  const struct label *items;
  size_t count;
};

/* The dictionary of one message of a stream. Most tables are arrays with only the fields that the
 * reader uses, because messages of protobuf-c would need several times the memory. Strings point
 * into the file. */
struct otlp_tables {
  pprofc_str *strings;
  struct otlp_function *functions;
  struct otlp_location *locations;
  struct otlp_line *lines; /* lines of all locations, one location after another */
  int32_t *attribute_list; /* attributes of all locations, one location after another */
  /* For each stack, one of two values. Before the reader adds a sample with this stack: the address
   * of the stack's field in the file. After that: OTLP_ADDED plus the index of the first sample
   * with this stack. */
  uint64_t *stacks;
  bool stacks_apart;          /* true if the file has other data between two stacks */
  const uint8_t *entry, *end; /* start of the current entry, and end of the dictionary */
  Otlp__Mapping **mappings;
  Otlp__Link **links;
  Otlp__KeyValueAndUnit **attributes;
  size_t string_count, function_count, location_count, line_count, attribute_list_count;
  size_t stack_count, mapping_count, link_count, attribute_count;
  size_t string_capacity, function_capacity, location_capacity, line_capacity;
  size_t attribute_list_capacity, stack_capacity;
  size_t mapping_capacity, link_capacity, attribute_capacity;

  /* True once otlp_tables_begin has made the arrays below. */
  bool has_begun;
  uint32_t *mapping;  /* for each mapping of the dictionary: its index in the builder, or NONE */
  uint32_t *location; /* for each location of the dictionary: its index in the builder; OTLP_UNREAD
                         before its first use */
  struct otlp_labels *labels; /* labels of each attribute of the dictionary */
};

/* A profile: its fields except the samples, and its encoded message, from which otlp_read_samples
 * reads the samples. */
struct otlp_found {
  Otlp__Profile *header;
  pprofc_str message;
};

struct otlp_scope {
  Otlp__Scope *scope; /* fields of the scope, or NULL */
  size_t first_profile, profile_count;
};

struct otlp_resource {
  Otlp__Resource *resource; /* fields of the resource, or NULL */
  size_t first_scope, scope_count;
};

/* A ProfilesData message, which is one message of the stream (a frame). */
struct otlp_frame {
  struct otlp_tables tables;
  struct otlp_found *profiles;
  struct otlp_scope *scopes;
  struct otlp_resource *resources;
  size_t profile_count, scope_count, resource_count;
  size_t profile_capacity, scope_capacity, resource_capacity;
};

#define OTLP_UNREAD (NONE - 1)
#define OTLP_ADDED  ((uint64_t)1 << 63)

/* The numbers of a repeated field. */
struct otlp_numbers {
  int64_t *items;
  size_t count, capacity;
};

/* Timestamps of a sample. */
struct otlp_times {
  pprofc_str sample; /* encoded message of the sample, whose field 5 contains the timestamps */
  size_t count;
  uint64_t hash;
};

/* A sample, read from the current encoding or from the encoding of versions 1.8 and 1.9. */
struct otlp_sample {
  int32_t stack, link;
  const int64_t *attributes, *values;
  size_t attribute_count, value_count;
  struct otlp_times times;
};

/* Framing of the messages of a file: one message alone; a length before each message, big-endian or
 * a varint; or JSON. */
enum otlp_framing { OTLP_ALONE, OTLP_BIG_ENDIAN, OTLP_VARINT, OTLP_JSON };

struct otlp {
  const pprofc_allocator *mem;
  pprofc_builder *builder;
  struct arena *arena; /* memory of unpacked messages that are needed until the reader ends */
  uint8_t *scratch;    /* one block of memory, reused for each short-lived message */
  size_t scratch_used;
  struct arena spill;        /* memory of short-lived messages that do not fit into `scratch` */
  struct otlp_frame *frames; /* messages of the file (called frames), each with its dictionary */
  size_t frame_count, frame_capacity;
  struct otlp_tables *tables; /* tables of the current message */
  size_t frame_number;        /* number of the current message in the stream, counted from 1 */
  size_t lines_before;        /* number of lines of a JSON file before the current document */

  struct value_type *types; /* sample types, with type and unit as string indices of the builder */
  size_t type_count, type_capacity;
  struct map by_type;
  struct interner type_names;
  size_t resources;
  struct interner comments; /* comments that were already added */

  pprofc_line *lines; /* buffer for the lines of one location */
  size_t line_capacity;
  uint32_t *stack; /* buffer for the stack of one sample */
  size_t stack_capacity;
  const uint8_t *stack_field;   /* address of the stack that was read last */
  struct otlp_numbers lists[3]; /* buffers for fields 2, 3 and 4 of one sample */
  struct otlp_numbers times;    /* timestamps of one sample, if the builder keeps times */

  /* Earliest start and latest end of all profiles, in nanoseconds since 1970; 0 if not given. */
  uint64_t time, end;
  uint64_t timestamps;
  bool has_period;
  bool values_second; /* true if field 2 of a sample has the values, as in versions 1.8 and 1.9 */
};

/* These functions return an allocator for protobuf-c. Memory from otlp_allocator is valid until the
 * reader ends. Memory from otlp_scratch is valid until the next call of otlp_scratch. */
ProtobufCAllocator otlp_allocator(struct otlp *o);
ProtobufCAllocator otlp_scratch(struct otlp *o);
/* Makes the builder fail because a message cannot be unpacked. Returns false. */
bool otlp_fail_message(struct otlp *o);

/* True if a table of `count` entries has the entry `index`; otherwise makes the builder fail. Index
 * 0 is always allowed, even if the table is empty, because it means "not set". */
bool otlp_check_index(struct otlp *o, int64_t index, size_t count, const char *what);

/* ---- tables.c ---------------------------------------- */

/* Prepares the dictionary of a message for reading. Adds its mappings to the builder, in the order
 * of the dictionary. */
bool otlp_tables_begin(struct otlp *o, struct otlp_tables *tables);

/* Returns a string of the dictionary; "" on failure. */
pprofc_str otlp_string(struct otlp *o, int32_t index);
/* Returns an attribute of the dictionary. Returns NULL if the index means "not set", and on
 * failure. */
const Otlp__KeyValueAndUnit *otlp_attribute(struct otlp *o, int64_t index);
/* Returns the labels for an attribute of the dictionary. Returns no labels if the index means "not
 * set", and on failure. */
struct otlp_labels otlp_labels_of(struct otlp *o, int64_t index);
/* Adds a sample with a stack of the dictionary. Returns false on failure. */
bool otlp_add_sample(struct otlp *o, int32_t index, const int64_t *values);
/* True if the dictionary contains a stack with this index. */
bool otlp_has_stack(const struct otlp *o, int32_t index);
/* These functions load data into the processor's cache before a stack is read. otlp_prefetch_stack
 * loads the stack's entry in the table. otlp_prefetch_frames loads the stack's message. */
void otlp_prefetch_stack(const struct otlp *o, int32_t index);
void otlp_prefetch_frames(const struct otlp *o, int32_t index);

/* ---- values.c ---------------------------------------- */

/* Returns a value as text: numbers in decimal, arrays and maps as JSON. The result points into the
 * message, or into `scratch` if the value had to be converted. */
pprofc_str otlp_value_text(struct otlp *o, const Otlp__AnyValue *value, struct buffer *scratch);

static inline pprofc_str otlp_bytes(const ProtobufCBinaryData *bytes) {
  return (pprofc_str){(const char *)bytes->data, bytes->len};
}

/* Returns the key of an attribute of a resource or scope. */
pprofc_str otlp_key(struct otlp *o, const Otlp__KeyValue *item);

/* ---- json.c: writing of messages --------------------- */

void otlp_put_integer(struct buffer *out, unsigned field, uint64_t value);
void otlp_put_bytes(struct buffer *out, unsigned field, const void *data, size_t size);

/* ---- older.c ----------------------------------------- */

/* Replaces *message, of version 1.6 or 1.7, by an equivalent message of the current version.
 * Returns false on failure. */
bool otlp_from_older(struct otlp *o, pprofc_str *message);

/* ---- json.c ------------------------------------------ */

/* True if the data is OTLP in JSON: one document, or one document per line. */
bool otlp_is_json(pprofc_str data);
/* Converts the next document of *rest to a binary message. Returns false at the end, and on
 * failure. */
bool otlp_next_json(struct otlp *o, pprofc_str *rest, pprofc_str *message);

/* ---- index.c ----------------------------------------- */

/* Reads a ProfilesData message into *frame, except its samples and stacks. Returns false on
 * failure. */
bool otlp_index(struct otlp *o, pprofc_str message, struct otlp_frame *frame);
void otlp_index_free(struct otlp *o, struct otlp_frame *frame);

/* ---- samples.c --------------------------------------- */

/* Adds the sample types of one message of the file. */
bool otlp_read_types(struct otlp *o, const struct otlp_frame *frame);
/* Adds the samples of one message of the file. The caller must call otlp_tables_begin first. */
bool otlp_read_samples(struct otlp *o, const struct otlp_frame *frame);

/* ---- header.c ---------------------------------------- */

/* Adds the attributes of a resource or scope as comments. */
void otlp_note_attributes(struct otlp *o, Otlp__KeyValue *const *items, size_t count);
/* Adds the mapping of the main program if a profile names the program. This mapping must be the
 * first, even if no sample uses it. */
bool otlp_read_program(struct otlp *o, const struct otlp_frame *frame);
/* Reads the time, the period, and the attributes that become fields of the pprof profile. */
void otlp_read_header(struct otlp *o, const Otlp__Profile *profile);

#endif
