/* Reads profile.proto in two passes over the wire format, without an allocation per message (see
 * pprof_decode.h). This file runs the passes. It contains pass 2 for all fields except samples. */
#include "codec/pprof_decode.h"

#include "core/parallel.h"
#include "pprofc/builder.h"

pprofc_status decoder_fail(struct decoder *d, const uint8_t *at, const char *why) {
  uint64_t offset = (uint64_t)(at - d->input->data);
  if (offset > d->input->size) offset = PPROFC_NO_OFFSET;
  return error_at(d->error, PPROFC_E_FORMAT, offset, "%s", why);
}

pprofc_status decoder_fault(struct decoder *d, const struct wire *w) {
  return decoder_fail(d, w->at, w->fault);
}

/* ---- columns ----------------------------------------- */

struct decode_tables {
  struct decoder *d;
  struct value_type *types;
  struct mapping *mappings;
  uint64_t *function_ids;
  uint32_t *name, *system_name, *filename;
  int64_t *start_line;
  pprofc_str *strings;
  uint32_t *comments;
  size_t type, string, comment;
  struct id_count mapping, function, location;

  uint64_t *location_ids, *address, *mapping_ids;
  uint32_t *location_mapping, *line_from;
  struct line *lines;
  uint8_t *is_folded;
  size_t line;
  bool any_folded, line_without_function;
  const uint8_t *bad_line; /* first line whose function is unknown, or NULL */
  uint64_t bad_line_location;
};

/* Does the same as id_count_add: returns true if the message with this id must be stored. Is faster
 * if pass 1 found no repeated id. */
static bool is_stored(struct id_count *met, const struct id_count *all, uint64_t id) {
  if (all->repeated) return id_count_add(met, id);
  met->stored++;
  return true;
}

/* Stores the string index v. Returns false if v is out of range. */
static bool take_string(const struct decoder *d, uint64_t v, uint32_t *out) {
  *out = (uint32_t)v;
  return v < d->strings;
}

static bool read_value_type(const struct decoder *d, const struct wire_field *field,
                            struct value_type *type) {
  uint64_t v[VALUE_TYPE_FIELDS + 1] = {0};
  wire_integers(wire_inside(field), v, VALUE_TYPE_FIELDS + 1);
  return take_string(d, v[VALUE_TYPE_TYPE], &type->type) &&
         take_string(d, v[VALUE_TYPE_UNIT], &type->unit);
}

static bool decode_read_mapping(struct decode_tables *t, const struct wire_field *field) {
  static const uint32_t flags[] = {PPROFC_HAS_FUNCTIONS, PPROFC_HAS_FILENAMES,
                                   PPROFC_HAS_LINE_NUMBERS, PPROFC_HAS_INLINE_FRAMES};
  uint64_t v[MAPPING_FIELDS + 1] = {0};
  wire_integers(wire_inside(field), v, MAPPING_FIELDS + 1);
  struct mapping m = {.id = v[MAPPING_ID],
                      .start = v[MAPPING_START],
                      .limit = v[MAPPING_LIMIT],
                      .offset = v[MAPPING_OFFSET]};
  for (size_t i = 0; i < COUNT(flags); i++)
    if (v[MAPPING_HAS_FUNCTIONS + i]) m.flags |= flags[i];
  if (!take_string(t->d, v[MAPPING_FILE], &m.file) ||
      !take_string(t->d, v[MAPPING_BUILD_ID], &m.build_id))
    return false;
  size_t i = t->mapping.stored;
  if (is_stored(&t->mapping, &t->d->mappings, m.id)) t->mappings[i] = m;
  return true;
}

static bool decode_read_function(struct decode_tables *t, const struct wire_field *field) {
  uint64_t v[FUNCTION_FIELDS + 1] = {0};
  wire_integers(wire_inside(field), v, FUNCTION_FIELDS + 1);
  uint32_t name, system_name, filename;
  if (!take_string(t->d, v[FUNCTION_NAME], &name) ||
      !take_string(t->d, v[FUNCTION_SYSTEM_NAME], &system_name) ||
      !take_string(t->d, v[FUNCTION_FILENAME], &filename))
    return false;
  size_t i = t->function.stored;
  if (!is_stored(&t->function, &t->d->functions, v[FUNCTION_ID])) return true;
  t->function_ids[i] = v[FUNCTION_ID];
  t->start_line[i] = (int64_t)v[FUNCTION_START_LINE];
  t->name[i] = name;
  t->system_name[i] = system_name;
  t->filename[i] = filename;
  return true;
}

static bool read_comments(struct decode_tables *t, const struct wire_field *field) {
  if (field->type == WIRE_VARINT)
    return take_string(t->d, field->value, &t->comments[t->comment++]);
  struct wire w = wire_inside(field);
  uint64_t v;
  while (w.at < w.end && wire_varint(&w, &v))
    if (!take_string(t->d, v, &t->comments[t->comment++])) return false;
  return true;
}

/* Reads a field of Profile itself. Ignores unknown fields. */
static bool read_header(struct decoder *d, const struct wire_field *field) {
  pprofc_profile *p = d->profile;
  int64_t *const integers[] = {[PROFILE_TIME] = &p->time_nanos,
                               [PROFILE_DURATION] = &p->duration_nanos,
                               [PROFILE_PERIOD] = &p->period};
  uint32_t *const strings[] = {[PROFILE_DROP_FRAMES] = &p->drop_frames,
                               [PROFILE_KEEP_FRAMES] = &p->keep_frames,
                               [PROFILE_DEFAULT_TYPE] = &p->default_sample_type,
                               [PROFILE_DOC_URL] = &p->doc_url};
  uint64_t n = field->number;
  if (n < COUNT(integers) && integers[n]) *integers[n] = (int64_t)field->value;
  bool is_string = n < COUNT(strings) && strings[n];
  return !is_string || take_string(d, field->value, strings[n]);
}

/* Reads a field other than a sample or location, in the first part of pass 2. Returns false if a
 * string index is out of range. */
static bool read_other(struct decode_tables *t, const struct wire_field *field) {
  struct decoder *d = t->d;
  switch (field->number) {
  case PROFILE_SAMPLE_TYPE:
    return read_value_type(d, field, &t->types[t->type++]);
  case PROFILE_MAPPING:
    return decode_read_mapping(t, field);
  case PROFILE_FUNCTION:
    return decode_read_function(t, field);
  case PROFILE_STRING:
    t->strings[t->string++] = (pprofc_str){(const char *)field->data, field->size};
    return true;
  case PROFILE_PERIOD_TYPE:
    return read_value_type(d, field, &d->profile->period_type);
  case PROFILE_COMMENT:
    return read_comments(t, field);
  default:
    return read_header(d, field);
  }
}

static void decode_read_line(struct decode_tables *t, const struct wire_field *field,
                             uint64_t location_id) {
  uint64_t v[LINE_FIELDS + 1] = {0};
  wire_integers(wire_inside(field), v, LINE_FIELDS + 1);
  bool without_function = v[LINE_FUNCTION] == 0;
  if (without_function && t->line_without_function) return;
  t->line_without_function |= without_function;
  uint32_t function = id_map_find(&t->d->function_ids, v[LINE_FUNCTION]);
  if (function == NONE && !t->bad_line) {
    t->bad_line = field->data;
    t->bad_line_location = location_id;
  }
  t->lines[t->line++] = (struct line){function, (int64_t)v[LINE_LINE], (int64_t)v[LINE_COLUMN]};
}

/* Reads a location in the second part of pass 2, when the functions and mappings are already
 * known. */
static void read_location(struct decode_tables *t, const struct wire_field *message) {
  size_t i = t->location.stored;
  uint64_t v[LOCATION_FIELDS + 1] = {0};
  struct wire w = wire_inside(message);
  struct wire_field field;
  wire_integers(w, v, LOCATION_FIELDS + 1);
  uint64_t id = v[LOCATION_ID], mapping = v[LOCATION_MAPPING];
  if (!is_stored(&t->location, &t->d->locations, id)) return;
  t->location_ids[i] = id;
  t->location_mapping[i] = mapping ? id_map_find(&t->d->mapping_ids, mapping) : NONE;
  t->address[i] = v[LOCATION_ADDRESS];
  t->is_folded[i] = v[LOCATION_FOLDED] != 0;
  t->any_folded |= t->is_folded[i] != 0;
  while (wire_each(&w, &field))
    if (field.number == LOCATION_LINE) decode_read_line(t, &field, id);
  t->line_from[i + 1] = (uint32_t)t->line;
}

/* ---- parts of pass 2 --------------------------------- */

static pprofc_status decode_concatenated(struct decoder *d, const uint8_t *at) {
  d->certain = true;
  return error_at(d->error, PPROFC_E_FORMAT, (uint64_t)(at - d->input->data),
                  "concatenated profiles detected");
}

static pprofc_status pass_others(struct decode_tables *t) {
  struct decoder *d = t->d;
  size_t count;
  const struct chunk *chunks = decoder_chunks(d, &count);
  for (size_t i = 0; i < count; i++) {
    if (!chunks[i].has_others) continue;
    struct wire top = {chunks[i].from, chunks[i].to, NULL};
    while (top.at < top.end) {
      const uint8_t *start = top.at;
      struct wire_field field;
      if (!wire_next(&top, &field)) return decoder_fault(d, &top);
      if (field.number == PROFILE_TIME && d->profile->time_nanos)
        return decode_concatenated(d, start);
      if (!read_other(t, &field)) return decoder_fail(d, start, "string index out of range");
    }
  }
  return PPROFC_OK;
}

static void pass_locations(struct decode_tables *t) {
  size_t count;
  const struct chunk *chunks = decoder_chunks(t->d, &count);
  t->line_from[0] = 0;
  for (size_t i = 0; i < count; i++) {
    if (!chunks[i].has_others) continue;
    struct wire top = {chunks[i].from, chunks[i].to, NULL};
    struct wire_field field;
    while (wire_each(&top, &field))
      if (field.number == PROFILE_LOCATION) read_location(t, &field);
  }
}

static bool alloc_functions(struct decode_tables *t, struct arena *a, size_t count) {
  t->function_ids = arena_array(a, count, sizeof *t->function_ids);
  t->name = arena_array(a, count, sizeof *t->name);
  t->system_name = arena_array(a, count, sizeof *t->system_name);
  t->filename = arena_array(a, count, sizeof *t->filename);
  t->start_line = arena_array(a, count, sizeof *t->start_line);
  return t->function_ids && t->name && t->system_name && t->filename && t->start_line;
}

static bool alloc_locations(struct decode_tables *t, struct arena *a, size_t count) {
  t->location_ids = arena_array(a, count, sizeof *t->location_ids);
  t->address = arena_array(a, count, sizeof *t->address);
  t->location_mapping = arena_array(a, count, sizeof *t->location_mapping);
  t->line_from = arena_array(a, count + 1, sizeof *t->line_from);
  t->lines = arena_array(a, t->d->lines, sizeof *t->lines);
  t->is_folded = arena_array(a, count, sizeof *t->is_folded);
  return t->location_ids && t->address && t->location_mapping && t->line_from && t->lines &&
         t->is_folded;
}

static bool alloc_tables(struct decode_tables *t) {
  const struct decoder *d = t->d;
  struct arena *a = d->arena;
  t->types = arena_array(a, d->types, sizeof *t->types);
  t->mappings = arena_array(a, d->mappings.stored, sizeof *t->mappings);
  t->strings = arena_array(a, d->strings, sizeof *t->strings);
  t->comments = arena_array(a, d->comments, sizeof *t->comments);
  return t->types && t->mappings && t->strings && t->comments &&
         alloc_functions(t, a, d->functions.stored) && alloc_locations(t, a, d->locations.stored);
}

/* Copies the ids of the mappings into an array, and builds the map from id to index. */
static bool map_mapping_ids(struct decode_tables *t) {
  struct decoder *d = t->d;
  size_t count = d->mappings.stored;
  t->mapping_ids = arena_array(d->arena, count, sizeof *t->mapping_ids);
  if (!t->mapping_ids) return false;
  for (size_t i = 0; i < count; i++) t->mapping_ids[i] = t->mappings[i].id;
  return id_map_build(&d->mapping_ids, t->mapping_ids, count, d->arena);
}

/* ---- validity ---------------------------------------- */

static pprofc_status decode_bad_profile(struct decoder *d, const char *what, uint64_t id,
                                        bool with_id) {
  d->certain = true;
  if (!with_id) return error_set(d->error, PPROFC_E_FORMAT, "malformed profile: %s", what);
  return error_set(d->error, PPROFC_E_FORMAT, "malformed profile: %s %llu", what,
                   (unsigned long long)id);
}

/* Reports the first id that is 0 (reserved) or repeated. */
static pprofc_status decode_check_ids(struct decoder *d, const struct id_map *map,
                                      const uint64_t *ids, const char *reserved,
                                      const char *duplicate) {
  if (!map->ids) return PPROFC_OK;
  uint32_t zero = id_map_find(map, 0);
  if (zero == NONE && map->duplicate == MAP_NONE) return PPROFC_OK;
  if (zero < map->duplicate) return decode_bad_profile(d, reserved, 0, false);
  return decode_bad_profile(d, duplicate, ids[map->duplicate], true);
}

/* Checks ids and references in the order of pprof, so that pprof and pprofc report the same first
 * error. Samples are already checked. */
static pprofc_status check_tables(const struct decode_tables *t) {
  struct decoder *d = t->d;
  pprofc_status status =
      decode_check_ids(d, &d->mapping_ids, t->mapping_ids, "found mapping with reserved ID=0",
                       "multiple mappings with same id:");
  if (status == PPROFC_OK)
    status =
        decode_check_ids(d, &d->function_ids, t->function_ids, "found function with reserved ID=0",
                         "multiple functions with same id:");
  if (status == PPROFC_OK)
    status =
        decode_check_ids(d, &d->location_ids, t->location_ids, "found location with reserved id=0",
                         "multiple locations with same id:");
  if (status != PPROFC_OK || !t->bad_line) return status;
  d->certain = true;
  return error_at(d->error, PPROFC_E_FORMAT, (uint64_t)(t->bad_line - d->input->data),
                  "malformed profile: location id: %llu has a line with nil function",
                  (unsigned long long)t->bad_line_location);
}

static pprofc_status check_sample_counts(struct decoder *d) {
  if (d->samples && !d->types)
    return decode_bad_profile(d, "missing sample type information", 0, false);
  if (d->samples && !d->values) {
    d->certain = true;
    return error_set(d->error, PPROFC_E_FORMAT,
                     "malformed profile: mismatch: sample has 0 values vs. %zu types", d->types);
  }
  return PPROFC_OK;
}

/* ---- the whole profile ------------------------------- */

/* Frees columns that contain no information: ids that are 1, 2, 3 ..., and is_folded if it is 0 for
 * all locations. */
static void drop_unused(struct decode_tables *t) {
  struct decoder *d = t->d;
  struct region *region = d->profile->region;
  size_t functions = d->functions.stored, locations = d->locations.stored;
  if (!d->function_ids.ids)
    region_drop(region, t->function_ids, functions * sizeof *t->function_ids);
  if (!d->location_ids.ids)
    region_drop(region, t->location_ids, locations * sizeof *t->location_ids);
  if (!t->any_folded) region_drop(region, t->is_folded, locations * sizeof *t->is_folded);
  region_drop(region, t->mapping_ids, d->mappings.stored * sizeof *t->mapping_ids);
}

static void decode_publish(const struct decode_tables *t) {
  struct decoder *d = t->d;
  pprofc_profile *p = d->profile;
  p->types = t->types;
  p->type_count = d->types;
  p->mappings = (struct mappings){d->mappings.stored, t->mappings};
  p->functions = (struct functions){
      .count = d->functions.stored,
      .ids = d->function_ids.ids,
      .name = t->name,
      .system_name = t->system_name,
      .filename = t->filename,
      .start_line = t->start_line,
  };
  p->locations = (struct locations){
      .count = d->locations.stored,
      .ids = d->location_ids.ids,
      .address = t->address,
      .mapping = t->location_mapping,
      .line_from = t->line_from,
      .lines = t->lines,
      .is_folded = t->any_folded ? t->is_folded : NULL,
  };
  p->strings = (struct strings){d->strings, t->strings};
  p->comments = t->comments;
  p->comment_count = d->comments;
}

/* Adds the samples from the input or from d->source. The locations must already be decoded. */
static pprofc_status decoder_add_samples(struct decoder *d, unsigned threads) {
  const struct decoder_source *source = d->source;
  if (!source) return decoder_samples(d, threads);
  return source->publish(source->context, d) ? PPROFC_OK : PPROFC_E_NO_MATCH;
}

/* Reads all fields except samples. */
static pprofc_status decoder_read_tables(struct decode_tables *t) {
  struct decoder *d = t->d;
  pprofc_status status = decoder_scan(d);
  if (status == PPROFC_OK) status = check_sample_counts(d);
  if (status != PPROFC_OK) return status;
  if (!alloc_tables(t)) return error_nomem(d->error);
  status = pass_others(t);
  if (status != PPROFC_OK) return status;
  if (!map_mapping_ids(t) ||
      !id_map_build(&d->function_ids, t->function_ids, d->functions.stored, d->arena))
    return error_nomem(d->error);
  pass_locations(t);
  if (!id_map_build(&d->location_ids, t->location_ids, d->locations.stored, d->arena))
    return error_nomem(d->error);
  return PPROFC_OK;
}

/* The work after all samples are added up. Two threads can share the work: one reads the tables,
 * and the other calls source->settle. */
struct decode_work {
  struct decode_tables *tables;
  pprofc_status status;
  bool settled;
};

static void decoder_work(void *context, unsigned index) {
  struct decode_work *work = context;
  const struct decoder_source *source = work->tables->d->source;
  if (index == 0)
    work->status = decoder_read_tables(work->tables);
  else
    work->settled = source->settle(source->context);
}

static pprofc_status decoder_settle_and_read(struct decode_tables *t, unsigned threads) {
  struct decode_work work = {t, PPROFC_OK, false};
  if (parallel_workers(threads, 2, 1) > 1) {
    parallel_run(2, decoder_work, &work);
  } else {
    decoder_work(&work, 1);
    decoder_work(&work, 0);
  }
  return work.settled ? work.status : PPROFC_E_NO_MATCH;
}

static pprofc_status decoder_run(struct decoder *d, unsigned threads) {
  struct decode_tables t = {.d = d};
  /* Both passes read the input, so the progress counts its size twice. */
  budget_begin(d->arena->mem, 2 * (uint64_t)d->input->size);
  pprofc_status status = d->source ? decoder_settle_and_read(&t, threads) : decoder_read_tables(&t);
  if (status == PPROFC_OK) status = decoder_add_samples(d, threads);
  if (status == PPROFC_OK) status = check_tables(&t);
  if (status != PPROFC_OK) return status;
  decode_publish(&t);
  drop_unused(&t);
  return status;
}

pprofc_status decoder_decode(struct decoder *d, unsigned threads, pprofc_profile **profile) {
  d->profile = profile_new(&d->input->region->mem);
  if (!d->profile || !region_adopt(d->profile->region, d->input->region)) {
    pprofc_profile_release(d->profile);
    return error_nomem(d->error);
  }
  d->profile->threads = threads;
  d->arena = &d->profile->region->arena;
  buffer_init(&d->chunks, &d->profile->mem, SIZE_MAX / 2);
  pprofc_status status = decoder_run(d, threads);
  buffer_free(&d->chunks);
  id_map_free(&d->location_ids);
  id_map_free(&d->function_ids);
  id_map_free(&d->mapping_ids);
  if (status == PPROFC_OK)
    *profile = d->profile;
  else
    pprofc_profile_release(d->profile);
  return status;
}

pprofc_status pprof_decode(const struct input *input, const pprofc_limits *limits, unsigned threads,
                           pprofc_profile **profile, bool *certain, pprofc_error *error) {
  *certain = true;
  if (!input->size) return error_set(error, PPROFC_E_FORMAT, "empty input file");
  struct decoder d = {.input = input, .limits = limits, .error = error};
  pprofc_status status = decoder_decode(&d, threads, profile);
  if (d.profile) *certain = d.certain || status == PPROFC_E_NOMEM;
  return status;
}
