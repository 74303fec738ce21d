/* The writer of profile.proto: packs one top-level field at a time through the generated code into
 * a gzip stream.
 *
 * Fields and strings come in the order in which Go's pprof writes them, so that the inflated bytes
 * are the same. */
#include "codec/codec.h"
#include "codec/gzip_writer.h"
#include "core/budget.h"
#include "core/map.h"
#include "core/outfile.h"
#include "core/varint.h"
#include "pprofc/builder.h"

#include "profile.pb-c.h"
#include "profile/stack.h"

#include <errno.h>
#include <stdlib.h>

typedef Perftools__Profiles__Profile pb_profile;
typedef Perftools__Profiles__ValueType pb_value_type;
typedef Perftools__Profiles__Sample pb_sample;
typedef Perftools__Profiles__Label pb_label;
typedef Perftools__Profiles__Mapping pb_mapping;
typedef Perftools__Profiles__Location pb_location;
typedef Perftools__Profiles__Line pb_line;
typedef Perftools__Profiles__Function pb_function;

/* Field numbers of Profile that are written by hand. */
enum {
  FIELD_SAMPLE_TYPE = 1,
  FIELD_SAMPLE = 2,
  FIELD_MAPPING = 3,
  FIELD_LOCATION = 4,
  FIELD_FUNCTION = 5,
  FIELD_STRING = 6,
  FIELD_DEFAULT_SAMPLE_TYPE = 14
};

#define WIRE_VARINT 0u
#define WIRE_BYTES  2u

/* Lists of up to this many integers are written as one field for each, longer ones packed: Go's
 * pprof does so, while proto3 (and with it the generated code) packs any list. Readers take both.
 * The choice is a flag in the field's descriptor, of which the encoder keeps copies for that
 * reason. */
#define UNPACKED_MAX 2

#define SAMPLE_FIELDS  3
#define PROFILE_FIELDS 15

struct encoder {
  const pprofc_profile *p;
  const pprofc_allocator *mem;
  bool nomem;
  struct interner strings; /* in the order of the file to be */
  uint32_t *number;        /* [p->strings.count] place of each string in that order, or NONE */
  struct buffer packed;    /* one field */

  /* Room for the largest sample and location. */
  size_t max_labels, max_lines;
  uint64_t *ids;
  uint32_t *frames;
  struct label *sorted;
  struct sort_key *sort_keys;
  pb_label *labels, **label_list;
  pb_line *lines, **line_list;

  ProtobufCFieldDescriptor sample_fields[SAMPLE_FIELDS], profile_fields[PROFILE_FIELDS];
  ProtobufCMessageDescriptor sample_descriptor, profile_descriptor;
  struct gzip_writer *gzip;
};

/* ---- setting up -------------------------------------- */

static size_t encode_most_labels(const struct samples *s) {
  size_t most = 0;
  for (size_t i = 0; i < s->label_set_count; i++)
    if (s->label_sets[i].count > most) most = s->label_sets[i].count;
  return most;
}

static size_t encode_most_lines(const struct locations *l) {
  size_t most = 0;
  for (size_t i = 0; i < l->count; i++)
    if (l->line_from[i + 1] - l->line_from[i] > most) most = l->line_from[i + 1] - l->line_from[i];
  return most;
}

static void copy_descriptors(struct encoder *e) {
  e->sample_descriptor = perftools__profiles__sample__descriptor;
  memcpy(e->sample_fields, e->sample_descriptor.fields, sizeof e->sample_fields);
  e->sample_descriptor.fields = e->sample_fields;
  e->profile_descriptor = perftools__profiles__profile__descriptor;
  memcpy(e->profile_fields, e->profile_descriptor.fields, sizeof e->profile_fields);
  e->profile_descriptor.fields = e->profile_fields;
}

/* `fields` are in order of their numbers, which have no gaps. */
static void choose_packing(ProtobufCFieldDescriptor *fields, unsigned field, size_t count) {
  const uint32_t packed = PROTOBUF_C_FIELD_FLAG_PACKED;
  if (count > UNPACKED_MAX)
    fields[field - 1].flags |= packed;
  else
    fields[field - 1].flags &= ~packed;
}

struct sort_key {
  pprofc_str text;
  uint32_t position;
  uint32_t is_number;
};

/* An encoder whose room is all there; false when out of memory. encoder_free works either way. */
static bool encoder_init(struct encoder *e, const pprofc_profile *p) {
  e->p = p;
  e->mem = &p->mem;
  e->nomem = false;
  interner_init(&e->strings, e->mem);
  buffer_init(&e->packed, e->mem, PTRDIFF_MAX);
  copy_descriptors(e);
  e->max_labels = encode_most_labels(&p->samples);
  e->max_lines = encode_most_lines(&p->locations);
  e->number = mem_array(e->mem, p->strings.count, sizeof *e->number);
  e->ids = mem_array(e->mem, p->samples.max_depth, sizeof *e->ids);
  e->frames = mem_array(e->mem, p->samples.max_depth, sizeof *e->frames);
  e->sorted = mem_array(e->mem, e->max_labels, sizeof *e->sorted);
  e->sort_keys = mem_array(e->mem, e->max_labels, sizeof *e->sort_keys);
  e->labels = mem_array(e->mem, e->max_labels, sizeof *e->labels);
  e->label_list = mem_array(e->mem, e->max_labels, sizeof *e->label_list);
  e->lines = mem_array(e->mem, e->max_lines, sizeof *e->lines);
  e->line_list = mem_array(e->mem, e->max_lines, sizeof *e->line_list);
  if (!e->number || !e->ids || !e->frames || !e->sorted || !e->sort_keys || !e->labels ||
      !e->label_list || !e->lines || !e->line_list)
    return false;
  memset(e->number, 0xFF, p->strings.count * sizeof *e->number);
  for (size_t i = 0; i < e->max_labels; i++) e->label_list[i] = &e->labels[i];
  for (size_t i = 0; i < e->max_lines; i++) e->line_list[i] = &e->lines[i];
  return true;
}

static void encoder_free(struct encoder *e) {
  mem_free(e->mem, e->line_list, e->max_lines, sizeof *e->line_list);
  mem_free(e->mem, e->lines, e->max_lines, sizeof *e->lines);
  mem_free(e->mem, e->label_list, e->max_labels, sizeof *e->label_list);
  mem_free(e->mem, e->labels, e->max_labels, sizeof *e->labels);
  mem_free(e->mem, e->sort_keys, e->max_labels, sizeof *e->sort_keys);
  mem_free(e->mem, e->sorted, e->max_labels, sizeof *e->sorted);
  mem_free(e->mem, e->frames, e->p->samples.max_depth, sizeof *e->frames);
  mem_free(e->mem, e->ids, e->p->samples.max_depth, sizeof *e->ids);
  mem_free(e->mem, e->number, e->p->strings.count, sizeof *e->number);
  buffer_free(&e->packed);
  interner_free(&e->strings);
}

/* ---- labels in the order of the file ----------------- */

/* Strings before numbers, each by key, equal keys as they came. */
static int encode_compare_keys(const void *left, const void *right) {
  const struct sort_key *a = left, *b = right;
  if (a->is_number != b->is_number) return a->is_number < b->is_number ? -1 : 1;
  int order = str_compare(a->text, b->text);
  if (order) return order;
  return a->position < b->position ? -1 : a->position > b->position;
}

static bool in_order(const pprofc_profile *p, const struct label *labels, size_t count) {
  for (size_t i = 1; i < count; i++) {
    const struct label *a = &labels[i - 1], *b = &labels[i];
    if (a->is_number > b->is_number) return false;
    if (a->is_number == b->is_number && a->key != b->key &&
        str_compare(profile_string(p, a->key), profile_string(p, b->key)) > 0)
      return false;
  }
  return true;
}

static const struct label *ordered_labels(struct encoder *e, size_t sample, size_t *count) {
  const struct label *labels = sample_labels(&e->p->samples, sample);
  *count = label_count(&e->p->samples, sample);
  if (in_order(e->p, labels, *count)) return labels;
  for (size_t i = 0; i < *count; i++)
    e->sort_keys[i] = (struct sort_key){profile_string(e->p, labels[i].key), (uint32_t)i,
                                        labels[i].is_number != 0};
  qsort(e->sort_keys, *count, sizeof *e->sort_keys, encode_compare_keys);
  for (size_t i = 0; i < *count; i++) e->sorted[i] = labels[e->sort_keys[i].position];
  return e->sorted;
}

/* ---- strings in order of first use ------------------- */

static void use(struct encoder *e, uint32_t string) {
  if (e->number[string] != NONE || e->nomem) return;
  e->number[string] = interner_add(&e->strings, profile_string(e->p, string));
  if (e->number[string] == MAP_NONE) e->nomem = true;
}

static void use_labels(struct encoder *e) {
  for (size_t i = 0; e->p->samples.label_set && i < e->p->samples.count; i++) {
    size_t count;
    const struct label *labels = ordered_labels(e, i, &count);
    for (size_t k = 0; k < count; k++) {
      use(e, labels[k].key);
      use(e, labels[k].is_number ? labels[k].unit : labels[k].string);
    }
  }
}

static void number_strings(struct encoder *e) {
  const pprofc_profile *p = e->p;
  if (interner_add(&e->strings, STR("")) != 0) e->nomem = true;
  for (size_t i = 0; i < p->type_count; i++) {
    use(e, p->types[i].type);
    use(e, p->types[i].unit);
  }
  use_labels(e);
  for (size_t i = 0; i < p->mappings.count; i++) {
    use(e, p->mappings.items[i].file);
    use(e, p->mappings.items[i].build_id);
  }
  for (size_t i = 0; i < p->functions.count; i++) {
    use(e, p->functions.name[i]);
    use(e, p->functions.system_name[i]);
    use(e, p->functions.filename[i]);
  }
  use(e, p->drop_frames);
  use(e, p->keep_frames);
  use(e, p->period_type.type);
  use(e, p->period_type.unit);
  for (size_t i = 0; i < p->comment_count; i++) use(e, p->comments[i]);
  use(e, p->default_sample_type);
  use(e, p->doc_url);
}

/* ---- fields ------------------------------------------ */

/* Tag and length of a field of Profile. */
static void encode_put_head(struct encoder *e, unsigned field, size_t size) {
  uint8_t head[12];
  size_t n = varint_put(head, field << 3 | WIRE_BYTES);
  n += varint_put(head + n, size);
  gzip_writer_add(e->gzip, head, n);
}

/* Packs a message into e->packed, which is empty when that fails. */
static void pack(struct encoder *e, const ProtobufCMessage *message) {
  buffer_clear(&e->packed);
  size_t size = protobuf_c_message_get_packed_size(message);
  if (!buffer_reserve(&e->packed, size)) {
    e->nomem = true;
    return;
  }
  e->packed.size = protobuf_c_message_pack(message, (uint8_t *)e->packed.data);
}

static void put_message(struct encoder *e, unsigned field, const ProtobufCMessage *message) {
  pack(e, message);
  encode_put_head(e, field, e->packed.size);
  gzip_writer_add(e->gzip, e->packed.data, e->packed.size);
}

/* Fields of Profile itself: their tags are in what is packed. */
static void put_fields(struct encoder *e, const pb_profile *fields) {
  pack(e, &fields->base);
  gzip_writer_add(e->gzip, e->packed.data, e->packed.size);
}

static void encode_put_types(struct encoder *e) {
  for (size_t i = 0; i < e->p->type_count; i++) {
    pb_value_type type = PERFTOOLS__PROFILES__VALUE_TYPE__INIT;
    type.type = e->number[e->p->types[i].type];
    type.unit = e->number[e->p->types[i].unit];
    put_message(e, FIELD_SAMPLE_TYPE, &type.base);
  }
}

static size_t fill_labels(struct encoder *e, size_t sample) {
  size_t count;
  const struct label *labels = ordered_labels(e, sample, &count);
  for (size_t i = 0; i < count; i++) {
    pb_label *label = &e->labels[i];
    perftools__profiles__label__init(label);
    label->key = e->number[labels[i].key];
    if (labels[i].is_number) {
      label->num = labels[i].number;
      label->num_unit = e->number[labels[i].unit];
    } else {
      label->str = e->number[labels[i].string];
    }
  }
  return count;
}

static void encode_put_samples(struct encoder *e) {
  const struct samples *s = &e->p->samples;
  struct stack_reader reader = stack_reader_at(s, 0);
  pb_sample sample = PERFTOOLS__PROFILES__SAMPLE__INIT;
  sample.base.descriptor = &e->sample_descriptor;
  sample.location_id = e->ids;
  sample.n_value = e->p->type_count;
  sample.label = e->label_list;
  choose_packing(e->sample_fields, 2, sample.n_value);
  for (size_t i = 0; i < s->count && !e->nomem && gzip_writer_good(e->gzip); i++) {
    sample.n_location_id = stack_read(&reader, i, e->frames);
    for (size_t k = 0; k < sample.n_location_id; k++)
      e->ids[k] = location_id(&e->p->locations, e->frames[k]);
    choose_packing(e->sample_fields, 1, sample.n_location_id);
    /* The generated struct has no const, packing does not write. */
    sample.value = (int64_t *)(uintptr_t)(s->values + i * e->p->type_count);
    sample.n_label = fill_labels(e, i);
    put_message(e, FIELD_SAMPLE, &sample.base);
  }
}

static void put_mappings(struct encoder *e) {
  for (size_t i = 0; i < e->p->mappings.count; i++) {
    const struct mapping *from = &e->p->mappings.items[i];
    pb_mapping mapping = PERFTOOLS__PROFILES__MAPPING__INIT;
    mapping.id = from->id;
    mapping.memory_start = from->start;
    mapping.memory_limit = from->limit;
    mapping.file_offset = from->offset;
    mapping.filename = e->number[from->file];
    mapping.build_id = e->number[from->build_id];
    mapping.has_functions = (from->flags & PPROFC_HAS_FUNCTIONS) != 0;
    mapping.has_filenames = (from->flags & PPROFC_HAS_FILENAMES) != 0;
    mapping.has_line_numbers = (from->flags & PPROFC_HAS_LINE_NUMBERS) != 0;
    mapping.has_inline_frames = (from->flags & PPROFC_HAS_INLINE_FRAMES) != 0;
    put_message(e, FIELD_MAPPING, &mapping.base);
  }
}

static void put_locations(struct encoder *e) {
  const struct locations *l = &e->p->locations;
  for (size_t i = 0; i < l->count && !e->nomem; i++) {
    pb_location location = PERFTOOLS__PROFILES__LOCATION__INIT;
    location.id = location_id(l, (uint32_t)i);
    if (l->mapping[i] != NONE) location.mapping_id = e->p->mappings.items[l->mapping[i]].id;
    location.address = l->address[i];
    location.is_folded = l->is_folded && l->is_folded[i];
    location.n_line = l->line_from[i + 1] - l->line_from[i];
    location.line = e->line_list;
    for (size_t k = 0; k < location.n_line; k++) {
      const struct line *from = &l->lines[l->line_from[i] + k];
      perftools__profiles__line__init(&e->lines[k]);
      if (from->function != NONE)
        e->lines[k].function_id = function_id(&e->p->functions, from->function);
      e->lines[k].line = from->line;
      e->lines[k].column = from->column;
    }
    put_message(e, FIELD_LOCATION, &location.base);
  }
}

static void put_functions(struct encoder *e) {
  const struct functions *f = &e->p->functions;
  for (size_t i = 0; i < f->count && !e->nomem; i++) {
    pb_function function = PERFTOOLS__PROFILES__FUNCTION__INIT;
    function.id = function_id(f, (uint32_t)i);
    function.name = e->number[f->name[i]];
    function.system_name = e->number[f->system_name[i]];
    function.filename = e->number[f->filename[i]];
    function.start_line = f->start_line[i];
    put_message(e, FIELD_FUNCTION, &function.base);
  }
}

/* By hand: the generated struct would need NUL-terminated strings, and NUL is a byte of a name like
 * any other. */
static void encode_put_strings(struct encoder *e) {
  for (size_t i = 0; i < e->strings.count; i++) {
    pprofc_str s = e->strings.items[i];
    encode_put_head(e, FIELD_STRING, s.size);
    gzip_writer_add(e->gzip, s.data, s.size);
  }
}

/* Fields 7 to 15. The default sample type is written even when it is 0. */
static void encode_put_header(struct encoder *e) {
  const pprofc_profile *p = e->p;
  int64_t *comments = mem_array(e->mem, p->comment_count, sizeof *comments);
  if (!comments) {
    e->nomem = true;
    return;
  }
  for (size_t i = 0; i < p->comment_count; i++) comments[i] = e->number[p->comments[i]];
  pb_value_type period_type = PERFTOOLS__PROFILES__VALUE_TYPE__INIT;
  period_type.type = e->number[p->period_type.type];
  period_type.unit = e->number[p->period_type.unit];

  pb_profile head = PERFTOOLS__PROFILES__PROFILE__INIT;
  head.base.descriptor = &e->profile_descriptor;
  head.drop_frames = e->number[p->drop_frames];
  head.keep_frames = e->number[p->keep_frames];
  head.time_nanos = p->time_nanos;
  head.duration_nanos = p->duration_nanos;
  if (period_type.type || period_type.unit) head.period_type = &period_type;
  head.period = p->period;
  head.n_comment = p->comment_count;
  head.comment = comments;
  choose_packing(e->profile_fields, 13, head.n_comment);
  put_fields(e, &head);
  mem_free(e->mem, comments, p->comment_count, sizeof *comments);

  uint8_t default_type[12] = {FIELD_DEFAULT_SAMPLE_TYPE << 3 | WIRE_VARINT};
  size_t size = 1 + varint_put(default_type + 1, e->number[p->default_sample_type]);
  gzip_writer_add(e->gzip, default_type, size);
  pb_profile tail = PERFTOOLS__PROFILES__PROFILE__INIT;
  tail.doc_url = e->number[p->doc_url];
  put_fields(e, &tail);
}

/* ---- whole profiles ---------------------------------- */

static void put_profile(struct encoder *e) {
  static void (*const parts[])(struct encoder *) = {
      encode_put_types, encode_put_samples, put_mappings,      put_locations,
      put_functions,    encode_put_strings, encode_put_header,
  };
  for (size_t i = 0; i < sizeof parts / sizeof *parts && !e->nomem; i++) parts[i](e);
}

pprofc_status pprof_encode(const pprofc_profile *profile, pprofc_write_fn write, void *context,
                           pprofc_error *error) {
  const pprofc_allocator *mem = &profile->mem;
  struct encoder *e = mem_array(mem, 1, sizeof *e);
  if (!e) return error_nomem(error);
  if (encoder_init(e, profile))
    number_strings(e);
  else
    e->nomem = true;

  pprofc_status status = PPROFC_E_NOMEM;
  if (!e->nomem) e->gzip = gzip_writer_open(mem, profile->threads, write, context);
  if (!e->nomem && e->gzip) {
    put_profile(e);
    if (e->nomem)
      gzip_writer_abandon(e->gzip);
    else
      status = gzip_writer_finish(e->gzip);
  }
  encoder_free(e);
  mem_free(mem, e, 1, sizeof *e);
  if (status == PPROFC_E_NOMEM) return error_nomem(error);
  if (status == PPROFC_E_IO) return error_set(error, status, "cannot write the profile");
  return status;
}

pprofc_status pprofc_profile_write(const pprofc_profile *profile, pprofc_write_fn write,
                                   void *context, pprofc_error *error) {
  return budget_status(&profile->mem, pprof_encode(profile, write, context, error), error);
}

/* An output file that remembers why it could not be written. */
struct file_sink {
  struct outfile file;
  int reason;
};

static int file_sink_write(void *context, const void *data, size_t size) {
  struct file_sink *sink = context;
  int result = outfile_write(&sink->file, data, size);
  if (result != 0) sink->reason = errno;
  return result;
}

pprofc_status pprofc_profile_write_file(const pprofc_profile *profile, const char *path,
                                        pprofc_error *error) {
  struct file_sink sink = {.reason = 0};
  pprofc_status status = outfile_open(&sink.file, path, error);
  if (status != PPROFC_OK) return status;
  status = pprof_encode(profile, file_sink_write, &sink, error);
  if (status == PPROFC_OK) return outfile_commit(&sink.file, error);
  outfile_discard(&sink.file);
  if (status != PPROFC_E_IO) return budget_status(&profile->mem, status, error);
  return error_set(error, status, "cannot write '%s': %s", path, strerror(sink.reason));
}
