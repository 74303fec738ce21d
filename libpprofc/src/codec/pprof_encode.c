/* Writes profile.proto into a gzip stream, one top-level field at a time.
 *
 * Fields and strings have the same order as in Go's pprof, so that both write the same bytes before
 * compression. */
#include "codec/gzip_writer.h"
#include "codec/pprof_decode.h"
#include "core/file.h"
#include "pprofc/builder.h"
#include "profile/stack.h"

/* Key by which labels are sorted. */
struct encode_sort_key {
  pprofc_str text;
  uint32_t position;
  uint32_t is_number;
};

struct encoder {
  const pprofc_profile *p;
  const pprofc_allocator *mem;
  struct arena arena; /* memory for the arrays below */
  bool nomem;
  struct interner strings; /* strings of the profile in the order of the output */
  uint32_t *number;        /* for each string, its position in the output, or NONE */

  size_t max_fields; /* upper bound of the number of fields in a message, including its nested
                        messages */
  uint8_t *message;  /* scratch for the current message, with space for max_fields * WIRE_FIELD_MAX
                        bytes */
  uint64_t *ids;     /* scratch for the location ids of a sample, with space for max_depth ids */
  uint32_t *frames;  /* scratch for the location indices of a sample, with space for max_depth
                        indices */
  struct label *sorted;
  struct encode_sort_key *sort_keys;
  struct gzip_writer *gzip;
};

/* ---- setting up -------------------------------------- */

static size_t encode_most_lines(const struct locations *l) {
  size_t most = 0;
  for (size_t i = 0; i < l->count; i++)
    if (l->line_from[i + 1] - l->line_from[i] > most) most = l->line_from[i + 1] - l->line_from[i];
  return most;
}

/* Returns an upper bound of the number of fields in a message: the fields of the largest sample
 * plus the fields of the largest location. Each list or nested message adds a field. */
static size_t encode_most_fields(const pprofc_profile *p, size_t max_labels) {
  size_t sample = p->samples.max_depth + p->type_count + 2 + max_labels * (1 + LABEL_FIELDS);
  size_t location = LOCATION_FIELDS + encode_most_lines(&p->locations) * (1 + LINE_FIELDS);
  return sample + location + 1 + WIRE_RECORD_MAX;
}

/* Prepares an encoder. Returns false when out of memory. Even then, the caller must call
 * encoder_free. */
static bool encoder_init(struct encoder *e, const pprofc_profile *p) {
  size_t max_labels = samples_most_labels(&p->samples);
  *e = (struct encoder){.p = p, .mem = &p->mem, .max_fields = encode_most_fields(p, max_labels)};
  arena_init(&e->arena, e->mem);
  interner_init(&e->strings, e->mem);
  e->number = arena_array(&e->arena, p->strings.count, sizeof *e->number);
  e->message = arena_array(&e->arena, e->max_fields, WIRE_FIELD_MAX);
  e->ids = arena_array(&e->arena, p->samples.max_depth, sizeof *e->ids);
  e->frames = arena_array(&e->arena, p->samples.max_depth, sizeof *e->frames);
  e->sorted = arena_array(&e->arena, max_labels, sizeof *e->sorted);
  e->sort_keys = arena_array(&e->arena, max_labels, sizeof *e->sort_keys);
  if (!e->number || !e->message || !e->ids || !e->frames || !e->sorted || !e->sort_keys)
    return false;
  memset(e->number, 0xFF, p->strings.count * sizeof *e->number);
  return true;
}

static void encoder_free(struct encoder *e) {
  arena_free(&e->arena);
  interner_free(&e->strings);
}

/* ---- labels in the order of the file ----------------- */

/* Compares two labels: strings come before numbers, then the key decides, then the position. */
static int encode_compare_keys(const void *left, const void *right) {
  const struct encode_sort_key *a = left, *b = right;
  if (a->is_number != b->is_number) return a->is_number < b->is_number ? -1 : 1;
  int order = str_compare(a->text, b->text);
  if (order) return order;
  return a->position < b->position ? -1 : a->position > b->position;
}

static bool encode_in_order(const pprofc_profile *p, const struct label *labels, size_t count) {
  for (size_t i = 1; i < count; i++) {
    const struct label *a = &labels[i - 1], *b = &labels[i];
    if (a->is_number > b->is_number) return false;
    if (a->is_number == b->is_number && a->key != b->key &&
        str_compare(profile_string(p, a->key), profile_string(p, b->key)) > 0)
      return false;
  }
  return true;
}

static const struct label *encode_ordered_labels(struct encoder *e, size_t sample, size_t *count) {
  const struct label *labels = sample_labels(&e->p->samples, sample);
  *count = label_count(&e->p->samples, sample);
  if (encode_in_order(e->p, labels, *count)) return labels;
  for (size_t i = 0; i < *count; i++)
    e->sort_keys[i] = (struct encode_sort_key){profile_string(e->p, labels[i].key), (uint32_t)i,
                                               labels[i].is_number != 0};
  qsort(e->sort_keys, *count, sizeof *e->sort_keys, encode_compare_keys);
  for (size_t i = 0; i < *count; i++) e->sorted[i] = labels[e->sort_keys[i].position];
  return e->sorted;
}

/* ---- strings in order of first use ------------------- */

static void encode_use(struct encoder *e, uint32_t string) {
  if (e->number[string] != NONE || e->nomem) return;
  e->number[string] = interner_add(&e->strings, profile_string(e->p, string));
  if (e->number[string] == MAP_NONE) e->nomem = true;
}

static void encode_use_labels(struct encoder *e) {
  for (size_t i = 0; e->p->samples.label_set && i < e->p->samples.count; i++) {
    size_t count;
    const struct label *labels = encode_ordered_labels(e, i, &count);
    for (size_t k = 0; k < count; k++) {
      encode_use(e, labels[k].key);
      encode_use(e, labels[k].is_number ? labels[k].unit : labels[k].string);
    }
  }
}

static void encode_number_strings(struct encoder *e) {
  const pprofc_profile *p = e->p;
  if (interner_add(&e->strings, STR("")) != 0) e->nomem = true;
  for (size_t i = 0; i < p->type_count; i++) {
    encode_use(e, p->types[i].type);
    encode_use(e, p->types[i].unit);
  }
  encode_use_labels(e);
  for (size_t i = 0; i < p->mappings.count; i++) {
    encode_use(e, p->mappings.items[i].file);
    encode_use(e, p->mappings.items[i].build_id);
  }
  for (size_t i = 0; i < p->functions.count; i++) {
    encode_use(e, p->functions.name[i]);
    encode_use(e, p->functions.system_name[i]);
    encode_use(e, p->functions.filename[i]);
  }
  encode_use(e, p->drop_frames);
  encode_use(e, p->keep_frames);
  encode_use(e, p->period_type.type);
  encode_use(e, p->period_type.unit);
  for (size_t i = 0; i < p->comment_count; i++) encode_use(e, p->comments[i]);
  encode_use(e, p->default_sample_type);
  encode_use(e, p->doc_url);
}

/* ---- fields ------------------------------------------ */

/* Writes a message of integers. values[i] is its field i + 1. */
static void encode_put_record(struct encoder *e, unsigned field, const uint64_t *values,
                              size_t count) {
  uint8_t *end = wire_put_record(e->message, field, values, count);
  gzip_writer_add(e->gzip, e->message, (size_t)(end - e->message));
}

/* Writes the message in e->message as field number `field`. The message ends at `end`. */
static void encode_put_message(struct encoder *e, unsigned field, const uint8_t *end) {
  uint8_t head[WIRE_FIELD_MAX];
  size_t size = (size_t)(end - e->message);
  gzip_writer_add(e->gzip, head, (size_t)(wire_put_head(head, field, size) - head));
  gzip_writer_add(e->gzip, e->message, size);
}

static void encode_put_type(struct encoder *e, unsigned field, struct value_type type) {
  const uint64_t values[] = {e->number[type.type], e->number[type.unit]};
  encode_put_record(e, field, values, VALUE_TYPE_FIELDS);
}

static void encode_put_types(struct encoder *e) {
  for (size_t i = 0; i < e->p->type_count; i++)
    encode_put_type(e, PROFILE_SAMPLE_TYPE, e->p->types[i]);
}

static uint8_t *encode_labels(struct encoder *e, uint8_t *out, size_t sample) {
  size_t count;
  const struct label *label = encode_ordered_labels(e, sample, &count);
  for (; count; label++, count--) {
    uint64_t values[LABEL_FIELDS] = {e->number[label->key]};
    if (label->is_number) {
      values[LABEL_NUMBER - 1] = (uint64_t)label->number;
      values[LABEL_UNIT - 1] = e->number[label->unit];
    } else {
      values[LABEL_STRING - 1] = e->number[label->string];
    }
    out = wire_put_record(out, SAMPLE_LABEL, values, LABEL_FIELDS);
  }
  return out;
}

static uint8_t *encode_locations(struct encoder *e, uint8_t *out, struct packed_stack stack) {
  size_t size = (size_t)(stack.root - stack.leaf);
  /* Copy the bytes if they are the ids of the file, each as a varint of minimal length. */
  if (!stack.map && !e->p->locations.ids && size > (size_t)WIRE_UNPACKED_MAX * VARINT32_BYTES_MAX &&
      !memchr(stack.leaf, 0, size)) {
    out = wire_put_head(out, SAMPLE_LOCATION, size);
    memcpy(out, stack.leaf, size);
    return out + size;
  }
  size_t depth = stack_unpack(stack, e->frames);
  for (size_t k = 0; k < depth; k++) e->ids[k] = location_id(&e->p->locations, e->frames[k]);
  return wire_put_list(out, SAMPLE_LOCATION, e->ids, depth);
}

static void encode_put_samples(struct encoder *e) {
  const struct samples *s = &e->p->samples;
  const uint64_t *values = (const uint64_t *)s->values;
  struct stack_reader reader = stack_reader_at(s, 0);
  for (size_t i = 0; i < s->count && gzip_writer_good(e->gzip); i++) {
    uint8_t *out = encode_locations(e, e->message, stack_of(&reader, i));
    out = wire_put_list(out, SAMPLE_VALUE, values + i * e->p->type_count, e->p->type_count);
    encode_put_message(e, PROFILE_SAMPLE, encode_labels(e, out, i));
  }
}

static void encode_put_mappings(struct encoder *e) {
  for (size_t i = 0; i < e->p->mappings.count; i++) {
    const struct mapping *m = &e->p->mappings.items[i];
    const uint64_t values[MAPPING_FIELDS] = {
        m->id,
        m->start,
        m->limit,
        m->offset,
        e->number[m->file],
        e->number[m->build_id],
        (m->flags & PPROFC_HAS_FUNCTIONS) != 0,
        (m->flags & PPROFC_HAS_FILENAMES) != 0,
        (m->flags & PPROFC_HAS_LINE_NUMBERS) != 0,
        (m->flags & PPROFC_HAS_INLINE_FRAMES) != 0,
    };
    encode_put_record(e, PROFILE_MAPPING, values, MAPPING_FIELDS);
  }
}

static uint8_t *encode_line(const struct encoder *e, uint8_t *out, struct line line) {
  uint64_t function = line.function == NONE ? 0 : function_id(&e->p->functions, line.function);
  const uint64_t values[LINE_FIELDS] = {function, (uint64_t)line.line, (uint64_t)line.column};
  return wire_put_record(out, LOCATION_LINE, values, LINE_FIELDS);
}

static void encode_put_locations(struct encoder *e) {
  const struct locations *l = &e->p->locations;
  for (uint32_t i = 0; i < l->count; i++) {
    uint64_t mapping = l->mapping[i] == NONE ? 0 : e->p->mappings.items[l->mapping[i]].id;
    uint8_t *out = wire_put_nonzero(e->message, LOCATION_ID, location_id(l, i));
    out = wire_put_nonzero(out, LOCATION_MAPPING, mapping);
    out = wire_put_nonzero(out, LOCATION_ADDRESS, l->address[i]);
    for (size_t k = l->line_from[i]; k < l->line_from[i + 1]; k++)
      out = encode_line(e, out, l->lines[k]);
    out = wire_put_nonzero(out, LOCATION_FOLDED, l->is_folded && l->is_folded[i]);
    encode_put_message(e, PROFILE_LOCATION, out);
  }
}

static void encode_put_functions(struct encoder *e) {
  const struct functions *f = &e->p->functions;
  for (uint32_t i = 0; i < f->count; i++) {
    const uint64_t values[FUNCTION_FIELDS] = {
        function_id(f, i), e->number[f->name[i]], e->number[f->system_name[i]],
        e->number[f->filename[i]], (uint64_t)f->start_line[i]};
    encode_put_record(e, PROFILE_FUNCTION, values, FUNCTION_FIELDS);
  }
}

static void encode_put_strings(struct encoder *e) {
  for (size_t i = 0; i < e->strings.count; i++) {
    uint8_t head[WIRE_FIELD_MAX];
    pprofc_str s = e->strings.items[i];
    gzip_writer_add(e->gzip, head, (size_t)(wire_put_head(head, PROFILE_STRING, s.size) - head));
    gzip_writer_add(e->gzip, s.data, s.size);
  }
}

/* Writes an integer field of Profile, unless it is 0. */
static void encode_put_nonzero(struct encoder *e, unsigned field, uint64_t value) {
  uint8_t out[WIRE_FIELD_MAX];
  gzip_writer_add(e->gzip, out, (size_t)(wire_put_nonzero(out, field, value) - out));
}

static void encode_put_comments(struct encoder *e) {
  size_t count = e->p->comment_count;
  uint64_t *values = arena_array(&e->arena, count, sizeof *values);
  uint8_t *out = arena_array(&e->arena, count + 1, WIRE_FIELD_MAX);
  e->nomem |= !values || !out;
  if (e->nomem) return;
  for (size_t i = 0; i < count; i++) values[i] = e->number[e->p->comments[i]];
  const uint8_t *end = wire_put_list(out, PROFILE_COMMENT, values, count);
  gzip_writer_add(e->gzip, out, (size_t)(end - out));
}

/* Writes the fields 7 to 15 of Profile. Writes the default sample type even if it is 0. */
static void encode_put_header(struct encoder *e) {
  const pprofc_profile *p = e->p;
  uint8_t default_type[WIRE_FIELD_MAX];
  encode_put_nonzero(e, PROFILE_DROP_FRAMES, e->number[p->drop_frames]);
  encode_put_nonzero(e, PROFILE_KEEP_FRAMES, e->number[p->keep_frames]);
  encode_put_nonzero(e, PROFILE_TIME, (uint64_t)p->time_nanos);
  encode_put_nonzero(e, PROFILE_DURATION, (uint64_t)p->duration_nanos);
  if (e->number[p->period_type.type] || e->number[p->period_type.unit])
    encode_put_type(e, PROFILE_PERIOD_TYPE, p->period_type);
  encode_put_nonzero(e, PROFILE_PERIOD, (uint64_t)p->period);
  encode_put_comments(e);
  const uint8_t *end =
      wire_put_integer(default_type, PROFILE_DEFAULT_TYPE, e->number[p->default_sample_type]);
  gzip_writer_add(e->gzip, default_type, (size_t)(end - default_type));
  encode_put_nonzero(e, PROFILE_DOC_URL, e->number[p->doc_url]);
}

/* ---- whole profiles ---------------------------------- */

static void encode_put_profile(struct encoder *e) {
  static void (*const parts[])(struct encoder *) = {
      encode_put_types,     encode_put_samples, encode_put_mappings, encode_put_locations,
      encode_put_functions, encode_put_strings, encode_put_header,
  };
  for (size_t i = 0; i < COUNT(parts) && !e->nomem; i++) parts[i](e);
}

pprofc_status pprof_encode(const pprofc_profile *profile, pprofc_write_fn write, void *context,
                           pprofc_error *error) {
  const pprofc_allocator *mem = &profile->mem;
  struct encoder *e = mem_array(mem, 1, sizeof *e);
  if (!e) return error_nomem(error);
  if (encoder_init(e, profile))
    encode_number_strings(e);
  else
    e->nomem = true;

  pprofc_status status = PPROFC_E_NOMEM;
  if (!e->nomem) e->gzip = gzip_writer_open(mem, profile->threads, write, context);
  if (!e->nomem && e->gzip) {
    encode_put_profile(e);
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
  pprofc_status status = profile_need_stacks(profile, error);
  if (status == PPROFC_OK) status = pprof_encode(profile, write, context, error);
  return budget_status(&profile->mem, status, error);
}

pprofc_status pprofc_profile_write_file(const pprofc_profile *profile, const char *path,
                                        pprofc_error *error) {
  struct outfile file;
  pprofc_status status = outfile_open(&file, path, error);
  if (status != PPROFC_OK) return status;
  status = pprof_encode(profile, outfile_write, &file, error);
  return budget_status(&profile->mem, outfile_end(&file, status, error), error);
}
