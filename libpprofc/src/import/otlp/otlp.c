/* Reads OpenTelemetry's profiles: a ProfilesData, an export request, or a stream of these messages.
 * In a stream each message follows its length: a big-endian integer of 4 bytes, or a varint. "OTLP"
 * and a version may precede the data.
 *
 * The format has no magic number. A file is OTLP if its top level has only fields 1 and 2, and
 * field 2 is a dictionary whose first string is empty. Files of older versions have other tables,
 * and profiles with a list of locations. A file may also be JSON. */
#include "import/otlp/otlp.h"
#include "import/account.h"
#include "import/formats.h"
#include "profile/builder_times.h"

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
 * is a dictionary. First checks only the profiles, so that the rest of a large profile.proto, whose
 * top level has the same field numbers, is not read. */
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
    *rest = str_slice(*rest, rest->size, rest->size);
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
  return str_starts(data, STR("OTLP")) && data.size >= 8 ? str_slice(data, 8, data.size) : data;
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

/* Indexes a message of the stream. Checks that the message is OTLP, except the first message, which
 * was already checked. */
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
