/* Reads OpenTelemetry's profiles: a ProfilesData, an export request, or a stream of these messages.
 * In a stream each message follows its length: a big-endian integer of 4 bytes, or a varint. "OTLP"
 * and a version may precede the data.
 *
 * The format has no magic number. A file is OTLP if its top level has only fields 1 and 2, and
 * field 2 is a dictionary whose first string is empty. Files of older versions have different
 * tables, and their profiles have a list of locations. A file may also be JSON. */
#include "import/otlp/otlp.h"

/* ---- versions of the schema ------------------------- */

/* Detects the version of the schema that a message uses, by the wire types of fields that changed.
 *
 * Before version 1.8, field 3 of a profile is a list of locations; since 1.8 it is a time of 8
 * bytes. In the current version, fields 2, 3 and 4 of a sample are attributes, link and values; in
 * versions 1.8 and 1.9, values, attributes and link. A link is one number; attributes and values
 * are lists. Some writers do not pack a list of one number, so that this list looks like a link. */

/* Field numbers on the path from a message of the stream to a sample: resource_profiles,
 * scope_profiles, profiles, samples. */
static const uint64_t otlp_path[] = {1, 2, 2, 2};

#define OTLP_LEVELS       (sizeof otlp_path / sizeof *otlp_path)
#define OTLP_TO_PROFILE   3u
#define OTLP_FIELD_SAMPLE 6u /* largest field number of a sample in any version */

/* Function that otlp_visit calls with a profile or a sample. Returns true to end the walk. */
typedef bool otlp_visit_fn(void *context, const struct wire_field *message);

/* Calls `visit` for each message at level `levels` of otlp_path (3: profiles, 4: samples), until
 * `visit` returns true. Returns false if no call returned true. */
static bool otlp_visit(pprofc_str frame, size_t levels, otlp_visit_fn *visit, void *context) {
  const uint8_t *data = (const uint8_t *)frame.data;
  struct wire open[OTLP_LEVELS] = {{data, data + frame.size, NULL}};
  struct wire_field field;
  size_t depth = 0;
  for (;;) {
    struct wire *w = &open[depth];
    if (!wire_each(w, &field)) {
      if (!depth--) return false;
      continue;
    }
    if (field.number != otlp_path[depth] || field.type != WIRE_BYTES) continue;
    if (depth + 1 < levels)
      open[++depth] = wire_inside(&field);
    else if (visit(context, &field))
      return true;
  }
}

/* ---- profiles ---------------------------------------- */

enum otlp_age { OTLP_AGE_OPEN, OTLP_BEFORE_1_8, OTLP_SINCE_1_8 };

/* Sets *context (enum otlp_age) to the range of versions to which a profile belongs. Returns false
 * if the fields of the profile do not show the version. */
static bool otlp_profile_age(void *context, const struct wire_field *profile) {
  enum otlp_age *age = context;
  struct wire w = wire_inside(profile);
  struct wire_field field;
  while (*age == OTLP_AGE_OPEN && wire_each(&w, &field)) {
    bool is_bytes = field.type == WIRE_BYTES;
    if (field.number == 3) *age = field.type == WIRE_FIXED64 ? OTLP_SINCE_1_8 : OTLP_BEFORE_1_8;
    if (field.number == 5) *age = is_bytes ? OTLP_SINCE_1_8 : OTLP_BEFORE_1_8;
    if (field.number == 6) *age = is_bytes ? OTLP_BEFORE_1_8 : OTLP_SINCE_1_8;
  }
  return *age != OTLP_AGE_OPEN;
}

/* True if a message of the stream is of version 1.6 or 1.7. */
static bool otlp_is_older(pprofc_str frame) {
  enum otlp_age age = OTLP_AGE_OPEN;
  otlp_visit(frame, OTLP_TO_PROFILE, otlp_profile_age, &age);
  return age == OTLP_BEFORE_1_8;
}

/* ---- samples ----------------------------------------- */

struct otlp_form {
  size_t links;       /* number of entries in the table of links; SIZE_MAX if not counted */
  bool values_second; /* result: true if the values are field 2 of a sample */
};

static size_t otlp_count_links(pprofc_str frame) {
  const uint8_t *data = (const uint8_t *)frame.data;
  struct wire w = wire_over(data, frame.size);
  struct wire_field field, entry;
  size_t links = 0;
  while (wire_each(&w, &field)) {
    if (field.number != 2 || field.type != WIRE_BYTES) continue;
    struct wire dictionary = wire_inside(&field);
    while (wire_each(&dictionary, &entry)) links += entry.number == 4;
  }
  return links;
}

/* Fields of a sample, by number. `count` is the number of times that a field occurs. */
struct otlp_fields {
  size_t count[OTLP_FIELD_SAMPLE + 1];
  bool is_list[OTLP_FIELD_SAMPLE + 1]; /* true for a packed or repeated field, and for a value too
                                          large for an index of the table of links */
};

static struct otlp_fields otlp_fields_of(const struct wire_field *sample, size_t links) {
  struct otlp_fields f = {{0}, {false}};
  struct wire w = wire_inside(sample);
  struct wire_field field;
  while (wire_each(&w, &field)) {
    if (field.number > OTLP_FIELD_SAMPLE) continue;
    bool is_link = field.type == WIRE_VARINT && (field.value < links || !field.value);
    f.is_list[field.number] |= !is_link || f.count[field.number];
    f.count[field.number]++;
  }
  return f;
}

/* Stores in *context (struct otlp_form) if a sample has the encoding of versions 1.8 and 1.9.
 * Returns false if the sample is also valid in the current encoding. If a sample has no times
 * (field 5), no field 3, and only one of the fields 2 and 4, this field contains the values. */
static bool otlp_form_of(void *context, const struct wire_field *sample) {
  struct otlp_form *form = context;
  struct otlp_fields f = otlp_fields_of(sample, form->links);
  bool alone = !f.count[5] && !f.count[3];
  form->values_second = f.is_list[3] || (alone && f.count[2] && !f.count[4]);
  return form->values_second || f.is_list[4] || (alone && f.count[4] && !f.count[2]);
}

/* Sets *values_second: true if the samples of a message have the encoding of versions 1.8 and 1.9,
 * false if they have the current encoding. Returns false if the samples are valid in both
 * encodings. */
static bool otlp_sample_form(pprofc_str frame, bool *values_second) {
  struct otlp_form form = {.links = SIZE_MAX};
  bool known = otlp_visit(frame, OTLP_LEVELS, otlp_form_of, &form);
  if (!known) {
    form.links = otlp_count_links(frame);
    known = otlp_visit(frame, OTLP_LEVELS, otlp_form_of, &form);
  }
  *values_second = known && form.values_second;
  return known;
}

#define MAX_FRAMES ((size_t)1 << 20)

/* ---- recognition ------------------------------------- */

/* True if a dictionary has only the fields 1 to 7, all of type bytes, and its first string is
 * empty. */
static bool otlp_is_dictionary(const uint8_t *data, size_t size) {
  struct wire w = wire_over(data, size);
  struct wire_field field;
  bool has_string = false;
  while (wire_each(&w, &field)) {
    if (field.type != WIRE_BYTES || !field.number || field.number > 7) return false;
    if (field.number == 5 && !has_string && field.size) return false;
    has_string |= field.number == 5;
  }
  return has_string && !w.fault;
}

/* True if the bytes are one ProfilesData of the current version. */
static bool otlp_is_current(const uint8_t *data, size_t size) {
  struct wire w = wire_over(data, size);
  struct wire_field field;
  bool has_dictionary = false;
  while (wire_each(&w, &field)) {
    if (field.type != WIRE_BYTES || (field.number != 1 && field.number != 2)) return false;
    if (field.number == 1) continue;
    if (!otlp_is_dictionary(field.data, field.size)) return false;
    has_dictionary = true;
  }
  return has_dictionary && !w.fault;
}

/* Returns the bytes of all fields with number 1 at the start of the data. They contain the
 * profiles. */
static pprofc_str otlp_profiles_of(const uint8_t *data, size_t size) {
  struct wire w = wire_over(data, size);
  struct wire_field field;
  const uint8_t *end = data;
  while (wire_each(&w, &field) && field.number == 1) end = w.at;
  return (pprofc_str){(const char *)data, (size_t)(end - data)};
}

/* True if the bytes are one ProfilesData of an older version: fields 2 to 8 are tables, or field 2
 * is a dictionary. Checks the profiles first: a large profile.proto has the same field numbers at
 * its top level, and reading it to the end would take long. */
static bool otlp_is_former(const uint8_t *data, size_t size) {
  struct wire w = wire_over(data, size);
  struct wire_field field;
  bool has_table = false;
  if (!otlp_is_older(otlp_profiles_of(data, size))) return false;
  while (wire_each(&w, &field)) {
    if (field.type != WIRE_BYTES || !field.number || field.number > 8) return false;
    has_table |= field.number > 1;
  }
  return has_table && !w.fault;
}

/* True if the bytes are one ProfilesData of a known version. */
static bool otlp_is_message(const uint8_t *data, size_t size) {
  return otlp_is_current(data, size) || otlp_is_former(data, size);
}

/* Reads the next message of the stream *rest. Returns false at the end, or if the bytes are not a
 * message. */
static bool otlp_next_frame(pprofc_str *rest, enum otlp_framing framing, pprofc_str *frame) {
  const uint8_t *p = (const uint8_t *)rest->data, *end = p + rest->size;
  uint64_t size;
  if (framing == OTLP_ALONE) {
    *frame = *rest;
    *rest = str_from(*rest, rest->size);
    return frame->size > 0;
  }
  if (framing == OTLP_VARINT) {
    if (p == end || varint_read(&p, end, &size)) return false;
  } else {
    if (rest->size < 4) return false;
    size = (uint64_t)p[0] << 24 | (uint64_t)p[1] << 16 | (uint64_t)p[2] << 8 | p[3];
    p += 4;
  }
  if (size > (uint64_t)(end - p)) return false;
  *frame = (pprofc_str){(const char *)p, (size_t)size};
  *rest = (pprofc_str){(const char *)p + size, (size_t)(end - p) - (size_t)size};
  return true;
}

/* Returns the data without "OTLP" and a version at its start. */
static pprofc_str otlp_body(pprofc_str data) {
  return str_starts(data, STR("OTLP")) && data.size >= 8 ? str_from(data, 8) : data;
}

/* Finds the framing of the messages (enum otlp_framing). Checks the first message that is not
 * empty. Returns false if the data is not OTLP. */
static bool otlp_recognise(pprofc_str data, enum otlp_framing *framing) {
  *framing = OTLP_JSON;
  if (otlp_is_json(data)) return true;
  static const enum otlp_framing order[] = {OTLP_ALONE, OTLP_BIG_ENDIAN, OTLP_VARINT};
  for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
    pprofc_str rest = data, frame;
    *framing = order[i];
    while (otlp_next_frame(&rest, *framing, &frame)) {
      if (!frame.size) continue;
      if (otlp_is_message((const uint8_t *)frame.data, frame.size)) return true;
      break;
    }
  }
  return false;
}

bool import_is_otlp(pprofc_str data) {
  enum otlp_framing framing;
  return otlp_recognise(otlp_body(data), &framing);
}

/* ---- unpacking --------------------------------------- */

static void *otlp_alloc(void *context, size_t size) {
  struct otlp *o = context;
  void *block = arena_alloc(o->arena, size);
  import_need(o->builder, block != NULL);
  return block;
}

/* Does nothing: the arena frees all blocks. */
static void otlp_free(void *context, void *block) {
  (void)context;
  (void)block;
}

ProtobufCAllocator otlp_allocator(struct otlp *o) {
  return (ProtobufCAllocator){otlp_alloc, otlp_free, o};
}

#define SCRATCH_SIZE ((size_t)16 << 10)

static void *otlp_scratch_alloc(void *context, size_t size) {
  struct otlp *o = context;
  size_t left = SCRATCH_SIZE - o->scratch_used;
  if (!o->scratch || size > left) {
    void *block = arena_alloc(&o->spill, size);
    import_need(o->builder, block != NULL);
    return block;
  }
  void *block = o->scratch + o->scratch_used;
  size = (size + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
  o->scratch_used += size < left ? size : left;
  return block;
}

ProtobufCAllocator otlp_scratch(struct otlp *o) {
  if (o->spill.blocks) arena_free(&o->spill);
  o->scratch_used = 0;
  return (ProtobufCAllocator){otlp_scratch_alloc, otlp_free, o};
}

bool otlp_fail_message(struct otlp *o) {
  return import_refuse(o->builder, PPROFC_E_FORMAT, "a message inside cannot be read (frame %zu)",
                       o->frame_number);
}

/* Sets *frame to the next message, converted to the current version of the schema. Returns false at
 * the end, and on failure. */
static bool otlp_take_frame(struct otlp *o, pprofc_str *rest, enum otlp_framing framing,
                            pprofc_str *frame) {
  if (framing == OTLP_JSON) return otlp_next_json(o, rest, frame);
  if (!otlp_next_frame(rest, framing, frame)) return false;
  return !otlp_is_older(*frame) || otlp_from_older(o, frame);
}

/* Indexes a message of the stream. Fails if the message is not OTLP. Does not check the first
 * message, which otlp_recognise has checked. */
static bool otlp_unpack(struct otlp *o, pprofc_str frame) {
  if (!import_need(o->builder,
                   ARRAY_RESERVE(o->mem, o->frames, o->frame_capacity, o->frame_count + 1)))
    return false;
  if (o->frame_count && !otlp_is_message((const uint8_t *)frame.data, frame.size))
    return import_refuse(o->builder, PPROFC_E_FORMAT, "frame %zu is not ProfilesData",
                         o->frame_count + 1);
  o->frame_number = o->frame_count + 1;
  return otlp_index(o, frame, &o->frames[o->frame_count++]);
}

static bool otlp_unpack_all(struct otlp *o, pprofc_str data, enum otlp_framing framing) {
  pprofc_str rest = data, frame;
  bool known = false;
  while (otlp_take_frame(o, &rest, framing, &frame)) {
    known = known || otlp_sample_form(frame, &o->values_second);
    if (o->frame_count == MAX_FRAMES)
      return import_refuse(o->builder, PPROFC_E_LIMIT, "too many frames");
    if (frame.size && !otlp_unpack(o, frame)) return false;
  }
  if (rest.size && builder_ok(o->builder))
    return import_refuse(o->builder, PPROFC_E_FORMAT, "frame %zu runs past the end",
                         o->frame_count + 1);
  return builder_ok(o->builder);
}

/* ---- reading ----------------------------------------- */

static bool otlp_each_frame(struct otlp *o,
                            bool (*read)(struct otlp *, const struct otlp_frame *)) {
  for (size_t i = 0; i < o->frame_count && builder_ok(o->builder); i++) {
    o->tables = &o->frames[i].tables;
    o->frame_number = i + 1;
    if (otlp_tables_begin(o, o->tables)) read(o, &o->frames[i]);
  }
  return builder_ok(o->builder);
}

static void otlp_read(struct otlp *o, pprofc_str data, enum otlp_framing framing) {
  if (!otlp_unpack_all(o, data, framing)) return;
  if (o->frame_count) o->tables = &o->frames[0].tables;
  if (o->frame_count && !otlp_read_program(o, &o->frames[0])) return;
  if (!otlp_each_frame(o, otlp_read_types)) return;
  if (!o->type_count) pprofc_builder_type(o->builder, "samples", "count");
  if (otlp_each_frame(o, otlp_read_samples) && !builder_keeps_times(o->builder))
    import_note_total(o->builder, "skipped times of single events", o->timestamps);
}

IMPORT_READER(import_otlp) {
  const pprofc_allocator *mem = arena->mem;
  struct otlp o = {.mem = mem, .arena = arena, .builder = builder};
  enum otlp_framing framing;
  data = otlp_body(data);
  otlp_recognise(data, &framing);
  arena_init(&o.spill, mem);
  o.scratch = arena_alloc(arena, SCRATCH_SIZE);
  interner_init(&o.comments, mem);
  interner_init(&o.type_names, mem);
  map_init(&o.by_type, mem);
  builder_clock_zero(builder, 0);
  otlp_read(&o, data, framing);
  for (size_t i = 0; i < o.frame_count; i++) otlp_index_free(&o, &o.frames[i]);
  ARRAY_FREE(mem, o.frames, o.frame_capacity);
  ARRAY_FREE(mem, o.types, o.type_capacity);
  ARRAY_FREE(mem, o.lines, o.line_capacity);
  ARRAY_FREE(mem, o.stack, o.stack_capacity);
  for (size_t i = 0; i < 3; i++) ARRAY_FREE(mem, o.lists[i].items, o.lists[i].capacity);
  ARRAY_FREE(mem, o.times.items, o.times.capacity);
  interner_free(&o.comments);
  interner_free(&o.type_names);
  map_free(&o.by_type);
  arena_free(&o.spill);
}
