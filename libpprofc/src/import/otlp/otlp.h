/* OpenTelemetry's profiles (OTLP), as protobuf-c unpacked them, on their way into a builder.
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

/* The dictionary of the frame that is being read, and what its entries became. */
struct otlp_tables {
  const Otlp__Dictionary *dictionary;
  uint32_t *mapping;   /* [mapping_table] of the builder, or NONE */
  uint32_t *location;  /* [location_table] of the builder, or OTLP_UNREAD */
  struct label *label; /* [attribute_table] what it is as a label */
  bool *has_label;     /* [attribute_table] whether it was read */
  struct arena arena;  /* the columns */
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
  struct arena arena; /* what protobuf-c unpacked */
  bool arena_failed;
  Otlp__Profiles **frames; /* [frame_count] */
  size_t frame_count, frame_capacity;
  struct otlp_tables tables;

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

/* For protobuf-c: memory that goes with the reader. */
ProtobufCAllocator otlp_allocator(struct otlp *o);

/* Whether there is an entry `index`; 0 stands for none in an empty table, too. */
bool otlp_check_index(struct otlp *o, int64_t index, size_t count, const char *what);

/* ---- tables.c ---------------------------------------- */

/* Begins with the dictionary of a frame: its mappings go into the builder, in their order. */
bool otlp_tables_init(struct otlp *o, const Otlp__Dictionary *dictionary);
void otlp_tables_free(struct otlp *o);

/* A string of the dictionary; "" after a failure. */
pprofc_str otlp_string(struct otlp *o, int32_t index);
/* An attribute of the dictionary; NULL for none and after a failure. */
const Otlp__KeyValueAndUnit *otlp_attribute(struct otlp *o, int64_t index);
/* The same as a label; false for none and after a failure. */
bool otlp_label(struct otlp *o, int64_t index, struct label *label);
/* A stack of the dictionary, leaf first, in o->stack; its depth. */
size_t otlp_stack(struct otlp *o, int32_t index);

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

/* ---- samples.c --------------------------------------- */

/* Finds the sample types of a frame. */
bool otlp_read_types(struct otlp *o, const Otlp__Profiles *frame);
/* Adds the samples of a frame, whose tables have been read. */
bool otlp_read_samples(struct otlp *o, const Otlp__Profiles *frame);

/* ---- header.c ---------------------------------------- */

/* Attributes of a resource or scope, as comments of the profile. */
void otlp_note_attributes(struct otlp *o, Otlp__KeyValue *const *items, size_t count);
/* Time, period, and the attributes that stand for fields of pprof's own. */
void otlp_read_header(struct otlp *o, const Otlp__Profile *profile);

#endif
