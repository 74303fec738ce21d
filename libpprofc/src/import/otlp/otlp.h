/* OpenTelemetry's profiles (OTLP) on their way into a builder: the frame of nested messages is
 * walked (index.c), protobuf-c unpacks what is in it, a message at a time.
 *
 * Failures stick: the first one is kept, and what follows does nothing more of use. */
#ifndef PPROFC_IMPORT_OTLP_OTLP_H
#define PPROFC_IMPORT_OTLP_OTLP_H

#include "core/array.h"
#include "core/buffer.h"
#include "core/error.h"
#include "core/map.h"
#include "otlp_profiles.pb-c.h"
#include "profile/builder.h"

struct otlp_line {
  int32_t function;
  int64_t line, column;
};

struct otlp_function {
  int32_t name, system_name, filename;
  uint32_t made; /* of the builder, or OTLP_UNREAD; so are those below */
  int64_t start_line;
};

struct otlp_location {
  uint64_t address;
  size_t first_line, first_attribute;
  uint32_t line_count, attribute_count;
  int32_t mapping;
  uint32_t made;
};

struct otlp_stack {
  size_t first; /* of frames */
  size_t depth;
};

/* The dictionary of a frame. Most of it is in columns of what is looked at: protobuf-c's messages
 * would take several times the memory, and a step from pointer to pointer for each field. Strings
 * are the file's. */
struct otlp_tables {
  pprofc_str *strings;
  struct otlp_function *functions;
  struct otlp_location *locations;
  struct otlp_line *lines; /* of all locations */
  int32_t *attribute_list; /* of all locations */
  struct otlp_stack *stacks;
  int32_t *frames; /* of all stacks: locations, leaf first */
  Otlp__Mapping **mappings;
  Otlp__Link **links;
  Otlp__KeyValueAndUnit **attributes;
  size_t string_count, function_count, location_count, line_count, attribute_list_count;
  size_t stack_count, frame_count, mapping_count, link_count, attribute_count;
  size_t string_capacity, function_capacity, location_capacity, line_capacity;
  size_t attribute_list_capacity, stack_capacity, frame_capacity;
  size_t mapping_capacity, link_capacity, attribute_capacity;

  /* What entries became, from otlp_tables_begin on. */
  bool has_begun;
  uint32_t *mapping;   /* [mapping_count] of the builder, or NONE */
  struct label *label; /* [attribute_count] what it is as a label */
  bool *has_label;     /* [attribute_count] whether it was read */
};

/* A profile: all but its samples, and the message, whose samples are read when they are needed. */
struct otlp_found {
  Otlp__Profile *header;
  pprofc_str message;
};

struct otlp_scope {
  Otlp__Scope *scope; /* or NULL */
  size_t first_profile, profile_count;
};

struct otlp_resource {
  Otlp__Resource *resource; /* or NULL */
  size_t first_scope, scope_count;
};

/* A ProfilesData. */
struct otlp_frame {
  struct otlp_tables tables;
  struct otlp_found *profiles;
  struct otlp_scope *scopes;
  struct otlp_resource *resources;
  size_t profile_count, scope_count, resource_count;
  size_t profile_capacity, scope_capacity, resource_capacity;
};

#define OTLP_UNREAD (NONE - 1)

/* A sample, whatever the age of its form. */
struct otlp_sample {
  int32_t stack, link;
  const int64_t *attributes, *values;
  size_t attribute_count, value_count, timestamp_count;
};

struct otlp {
  const pprofc_allocator *mem;
  pprofc_error *error;
  pprofc_status status;
  pprofc_builder *builder;
  struct arena arena; /* what protobuf-c unpacked and is kept */
  bool arena_failed;
  uint8_t *scratch; /* for messages that are looked at once: one block, taken again and again */
  size_t scratch_used;
  struct arena spill;        /* what the block has no room for */
  struct otlp_frame *frames; /* [frame_count] */
  size_t frame_count, frame_capacity;
  struct otlp_tables *tables; /* of the frame that is being read */
  size_t frame_number;        /* 1 for the first */

  struct value_type *types; /* [type_count] strings of the builder */
  size_t type_count, type_capacity;
  struct map by_type;
  struct interner type_names;
  size_t resources;
  struct interner comments; /* those that were given */

  pprofc_line *lines; /* of one location */
  size_t line_capacity;
  uint32_t *stack; /* of one sample */
  size_t stack_capacity;

  uint64_t time, end; /* of all profiles; 0 when none says it */
  uint64_t timestamps;
  bool has_period;
  bool values_second; /* samples are of the older form: values, attributes, link */
};

/* Notes a failure and returns false. */
bool otlp_fail(struct otlp *o, pprofc_status status, const char *format, ...) PPROFC_PRINTF(3, 4);
bool otlp_fail_nomem(struct otlp *o);

static inline bool otlp_ok(const struct otlp *o) {
  return o->status == PPROFC_OK;
}

/* For protobuf-c: memory that goes with the reader; memory that is used again by the next call of
 * otlp_scratch. */
ProtobufCAllocator otlp_allocator(struct otlp *o);
ProtobufCAllocator otlp_scratch(struct otlp *o);
/* A message could not be unpacked. */
bool otlp_fail_message(struct otlp *o);

/* Whether there is an entry `index`; 0 stands for none in an empty table, too. */
bool otlp_check_index(struct otlp *o, int64_t index, size_t count, const char *what);

/* ---- tables.c ---------------------------------------- */

/* Begins with the dictionary of a frame: its mappings go into the builder, in their order. */
bool otlp_tables_begin(struct otlp *o, struct otlp_tables *tables);

/* A string of the dictionary; "" after a failure. */
pprofc_str otlp_string(struct otlp *o, int32_t index);
/* An attribute of the dictionary; NULL for none and after a failure. */
const Otlp__KeyValueAndUnit *otlp_attribute(struct otlp *o, int64_t index);
/* The same as a label; false for none and after a failure. */
bool otlp_label(struct otlp *o, int64_t index, struct label *label);
/* A stack of the dictionary, leaf first, in o->stack; its depth. */
size_t otlp_stack(struct otlp *o, int32_t index);
/* Ask for the memory of a stack that is going to be read: where it is; then its frames; then their
 * locations. */
void otlp_prefetch_stack(const struct otlp *o, int32_t index);
void otlp_prefetch_frames(const struct otlp *o, int32_t index);
void otlp_prefetch_locations(const struct otlp *o, int32_t index);

/* ---- values.c ---------------------------------------- */

/* What a value is as text: numbers in decimal, arrays and maps as JSON. The text is the message's,
 * or lives in `scratch`. */
pprofc_str otlp_value_text(struct otlp *o, const Otlp__AnyValue *value, struct buffer *scratch);

static inline pprofc_str otlp_bytes(const ProtobufCBinaryData *bytes) {
  return (pprofc_str){(const char *)bytes->data, bytes->len};
}

/* The key of an attribute of a resource or scope. */
pprofc_str otlp_key(struct otlp *o, const Otlp__KeyValue *item);

/* ---- form.c ------------------------------------------ */

/* Which form the samples of a frame have: the wire types of fields 3 and 4 tell. False when this
 * frame leaves it open. */
bool otlp_sample_form(pprofc_str frame, bool *values_second);

/* ---- index.c ----------------------------------------- */

/* Finds what is in a ProfilesData. */
bool otlp_index(struct otlp *o, pprofc_str message, struct otlp_frame *frame);
void otlp_index_free(struct otlp *o, struct otlp_frame *frame);

/* ---- samples.c --------------------------------------- */

/* Finds the sample types of a frame. */
bool otlp_read_types(struct otlp *o, const struct otlp_frame *frame);
/* Adds the samples of a frame, whose tables have been read. */
bool otlp_read_samples(struct otlp *o, const struct otlp_frame *frame);

/* ---- header.c ---------------------------------------- */

/* Attributes of a resource or scope, as comments of the profile. */
void otlp_note_attributes(struct otlp *o, Otlp__KeyValue *const *items, size_t count);
/* Adds the mapping of a program that has no samples, which must be the first. */
bool otlp_read_program(struct otlp *o, const struct otlp_frame *frame);
/* Time, period, and the attributes that stand for fields of pprof's own. */
void otlp_read_header(struct otlp *o, const Otlp__Profile *profile);

#endif
