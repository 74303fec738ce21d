/* Reads samples, in pass 2 of the profile.proto reader. Stores values and labels in columns. Stacks
 * stay in the input, and are only checked. Several threads read the chunks of the input. */
#include "codec/pprof_decode.h"

#include "core/parallel.h"
#include "profile/label_table.h"
#include "profile/stack.h"

#define CHUNKS_PER_WORKER 8
#define REWRITING_STEP    ((size_t)256 * 1024)
/* Placeholder for the label set of a sample without labels. join_sets replaces it by set 0. */
#define NO_LABELS UINT32_MAX

/* The first error in a sample. Samples are checked in the same order as in pprof. If `wire`,
 * value_mismatch and too_deep are not set, the error is an unknown location. */
struct fault {
  size_t sample; /* index of the sample with the error, or SIZE_MAX if there is no error */
  const uint8_t *at;
  const char *wire;    /* error message for malformed bytes, or NULL */
  size_t values;       /* number of values of the sample, if value_mismatch is true */
  bool value_mismatch; /* true for a wrong number of values */
  bool too_deep;
};

/* The columns that a worker thread fills, and the worker's position in each column. */
struct decode_filler {
  struct decoder *d;
  int64_t *values;
  const uint8_t **stack;
  uint32_t *stack_size;
  uint32_t *label_set; /* for each sample, its label set; NULL: no sample has labels */
  struct label *labels;
  struct label_set *sets;
  struct label_table table; /* hash table of the label sets that this worker stored in `sets` */
  uint8_t *side;
  uint8_t *rewritten; /* start of the unused memory for rewritten stacks */
  size_t rewritten_left;
  size_t sample, label, side_at;
  size_t first_sample;
  size_t kept; /* number of samples for which the columns have space */
  size_t max_depth;
  const uint8_t *known; /* the last stack that was checked */
  size_t known_size;
  struct fault fault;
};

struct decode_job {
  struct decode_filler *fillers;
  unsigned workers;
};

static bool sample_fault(struct decode_filler *f, struct fault fault) {
  fault.sample = f->sample;
  f->fault = fault;
  return false;
}

static bool bad_wire(struct decode_filler *f, const struct wire *w) {
  return sample_fault(f, (struct fault){.at = w->at, .wire = w->fault});
}

/* ---- stacks ------------------------------------------ */

/* Compares a stack with the last checked stack, beginning at their root ends. Returns the number of
 * equal bytes, rounded down to whole frames. These bytes need no second check. */
static size_t known_tail(const struct decode_filler *f, const uint8_t *data, size_t size) {
  return f->known_size ? stack_shared_tail(f->known, f->known_size, data, size) : 0;
}

/* Counts the frames of a stack, which consists of complete varints. Each varint ends with a byte
 * below 0x80, so these bytes are counted. */
static size_t count_frames(const uint8_t *data, size_t size) {
  const uint64_t ones = UINT64_MAX / 0xFF;
  size_t n = 0, i = 0;
  for (; i + 8 <= size; i += 8) {
    uint64_t bytes;
    memcpy(&bytes, data + i, 8);
    n += (size_t)((~bytes >> 7 & ones) * ones >>
                  56); /* Add the number of bytes that end a varint. */
  }
  for (; i < size; i++) n += data[i] < 0x80;
  return n;
}

/* Checks that every id is the id of a location. Sets *depth to the depth of the stack. */
static bool check_stack(struct decode_filler *f, const uint8_t *data, size_t size, size_t *depth) {
  struct wire w = {data, data + size - known_tail(f, data, size), NULL};
  const struct id_map *ids = &f->d->location_ids;
  while (w.at < w.end) {
    uint64_t id;
    const uint8_t *start = w.at;
    if (!wire_varint(&w, &id)) return bad_wire(f, &w);
    if (id_map_find(ids, id) == MAP_NONE) return sample_fault(f, (struct fault){.at = start});
  }
  f->known = data;
  f->known_size = size;
  *depth = count_frames(data, size);
  return true;
}

/* Copies a stack, and replaces each id by the location's index + 1. This is needed if the ids are
 * so sparse that a table with an element for each id would be too large. */
static bool rewrite_stack(struct decode_filler *f, const uint8_t *data, size_t size, uint8_t *out,
                          size_t *out_size) {
  struct wire w = wire_over(data, size);
  size_t n = 0;
  uint64_t id;
  while (w.at < w.end) {
    if (!wire_varint(&w, &id)) return bad_wire(f, &w);
    uint32_t index = id_map_find(&f->d->location_ids, id);
    if (index == MAP_NONE) return sample_fault(f, (struct fault){.at = w.at});
    n += varint_put(out + n, index + 1);
  }
  *out_size = n;
  return true;
}

/* Returns memory for a rewritten stack of `frames` frames, or NULL when out of memory. */
static uint8_t *rewriting_room(struct decode_filler *f, size_t frames) {
  size_t most = frames * decoder_index_bytes(f->d);
  if (most > REWRITING_STEP / REWRITING_WASTE) return arena_alloc(f->d->arena, most);
  if (most > f->rewritten_left) {
    f->rewritten = arena_alloc(f->d->arena, REWRITING_STEP);
    f->rewritten_left = f->rewritten ? REWRITING_STEP : 0;
  }
  return f->rewritten;
}

/* Adds a list of location ids to the stack of the current sample. A stack with one list stays in
 * the input. A stack with several lists becomes one copied list. */
static void add_stack_piece(struct decode_filler *f, size_t pieces, const uint8_t *data,
                            size_t size) {
  const uint8_t **stack = &f->stack[f->sample];
  uint32_t *stack_size = &f->stack_size[f->sample];
  if (pieces == 0) {
    *stack = data;
    *stack_size = (uint32_t)size;
    return;
  }
  uint8_t *copy = f->side + f->side_at;
  if (pieces == 1) {
    memcpy(copy, *stack, *stack_size);
    *stack = copy;
  }
  memcpy(copy + *stack_size, data, size);
  *stack_size += (uint32_t)size;
}

static bool finish_stack(struct decode_filler *f, size_t pieces) {
  struct decoder *d = f->d;
  const uint8_t *data = f->stack[f->sample];
  size_t size = f->stack_size[f->sample], depth = 0;
  if (pieces > 1) f->side_at += size;
  if (!check_stack(f, data, size, &depth)) return false;
  if (depth > d->limits->stack_depth)
    return sample_fault(f, (struct fault){.at = data, .too_deep = true});
  if (depth > f->max_depth) f->max_depth = depth;
  if (!d->location_ids.ids || d->location_ids.table || !depth) return true;
  uint8_t *out = rewriting_room(f, depth);
  size_t out_size;
  if (!out) return sample_fault(f, (struct fault){.wire = "out of memory"});
  if (!rewrite_stack(f, data, size, out, &out_size)) return false;
  f->stack[f->sample] = out;
  f->stack_size[f->sample] = (uint32_t)out_size;
  if (out == f->rewritten) {
    f->rewritten += out_size;
    f->rewritten_left -= out_size;
  }
  return true;
}

/* ---- values and labels ------------------------------- */

static bool decode_add_values(struct decode_filler *f, const struct wire_field *field,
                              size_t *count) {
  size_t types = f->d->types;
  int64_t *row = f->values + f->sample * types;
  if (field->type == WIRE_VARINT) {
    if (*count < types) row[*count] = (int64_t)field->value;
    ++*count;
    return true;
  }
  struct wire w = wire_inside(field);
  uint64_t value;
  for (; w.at < w.end; ++*count) {
    if (!wire_varint(&w, &value)) return bad_wire(f, &w);
    if (*count < types) row[*count] = (int64_t)value;
  }
  return true;
}

/* True if the string table contains the strings of a label. `value` has the label's fields; the
 * index is the field number. */
static bool label_has_strings(const uint64_t *value, size_t strings) {
  if (value[LABEL_KEY] >= strings) return false;
  uint64_t other = value[LABEL_STRING] ? value[LABEL_STRING] : value[LABEL_UNIT];
  return other < strings;
}

static struct label label_of_fields(const uint64_t *value) {
  if (value[LABEL_STRING])
    return (struct label){.key = (uint32_t)value[LABEL_KEY],
                          .string = (uint32_t)value[LABEL_STRING]};
  return (struct label){
      .key = (uint32_t)value[LABEL_KEY],
      .unit = (uint32_t)value[LABEL_UNIT],
      .is_number = true,
      .number = (int64_t)value[LABEL_NUMBER],
  };
}

static bool decode_add_label(struct decode_filler *f, const struct wire_field *message) {
  struct wire w = wire_inside(message);
  struct wire_field field;
  uint64_t value[LABEL_FIELDS + 1] = {0};
  while (wire_each(&w, &field))
    if (field.number <= LABEL_FIELDS) value[field.number] = field.value;
  if (w.fault) return bad_wire(f, &w);
  if (!label_has_strings(value, f->d->strings))
    return sample_fault(f,
                        (struct fault){.at = message->data, .wire = "string index out of range"});
  bool empty = !value[LABEL_STRING] && !value[LABEL_NUMBER] && !value[LABEL_UNIT];
  if (!empty) f->labels[f->label++] = label_of_fields(value);
  return true;
}

/* Finds or adds the label set of the sample. The labels of the sample are the last labels, starting
 * at `first`. */
static bool finish_labels(struct decode_filler *f, size_t first) {
  uint32_t *set = &f->label_set[f->sample];
  size_t count = f->label - first, known = f->table.count;
  *set = NO_LABELS;
  if (!count) return true;
  *set = label_table_add(&f->table, first, count);
  if (*set == MAP_NONE) return sample_fault(f, (struct fault){.wire = "out of memory"});
  if (f->table.count == known) f->label = first;
  return true;
}

/* Numbers of fields with location ids and of values in the current sample that were read so far. */
struct sample_parts {
  size_t pieces; /* number of fields with location ids; a stack may consist of several fields */
  size_t values;
};

/* Adds the location ids of a field, which ends at `after`. A field of type WIRE_VARINT is a single
 * id; any other field is a list of ids. `sample` is the start of the sample. */
static void take_stack_piece(struct decode_filler *f, const struct wire_field *field,
                             const uint8_t *sample, const uint8_t *after, size_t pieces) {
  if (field->type != WIRE_VARINT) {
    add_stack_piece(f, pieces, field->data, field->size);
    return;
  }
  const uint8_t *first = after - 1;
  while (after - first < VARINT_BYTES_MAX && first[-1] >= VARINT_MORE && first > sample + 1)
    first--;
  add_stack_piece(f, pieces, first, (size_t)(after - first));
}

static inline bool fill_field(struct decode_filler *f, const struct wire_field *field,
                              const uint8_t *sample, const uint8_t *after,
                              struct sample_parts *parts) {
  switch (field->number) {
  case SAMPLE_LOCATION:
    take_stack_piece(f, field, sample, after, parts->pieces++);
    return true;
  case SAMPLE_VALUE:
    return decode_add_values(f, field, &parts->values);
  case SAMPLE_LABEL:
    return decode_add_label(f, field);
  default:
    return true;
  }
}

static bool fill_sample(struct decode_filler *f, const uint8_t *data, size_t size) {
  struct wire w = wire_over(data, size);
  struct wire_field field;
  struct sample_parts parts = {0, 0};
  size_t first_label = f->label;
  f->stack[f->sample] = data;
  f->stack_size[f->sample] = 0;
  while (w.at < w.end) {
    if (!wire_next(&w, &field)) return bad_wire(f, &w);
    if (!fill_field(f, &field, data, w.at, &parts)) return false;
  }
  if (parts.values != f->d->types)
    return sample_fault(f,
                        (struct fault){.at = data, .values = parts.values, .value_mismatch = true});
  if (!finish_stack(f, parts.pieces)) return false;
  if (f->label_set && !finish_labels(f, first_label)) return false;
  f->sample++;
  return true;
}

/* ---- chunks ------------------------------------------ */

static bool fill_chunk(struct decode_filler *f, const struct chunk *chunk) {
  f->sample = chunk->first_sample;
  f->side_at = chunk->first_side;
  struct wire top = {chunk->from, chunk->to, NULL};
  struct wire_field field;
  while (top.at < top.end && f->sample < f->kept) {
    if (!wire_next(&top, &field)) return bad_wire(f, &top);
    if (field.number == PROFILE_SAMPLE && !fill_sample(f, field.data, field.size)) return false;
  }
  return true;
}

static void fill_range(void *context, unsigned worker) {
  struct decode_job *job = context;
  struct decode_filler *f = &job->fillers[worker];
  size_t count;
  const struct chunk *chunks = decoder_chunks(f->d, &count);
  size_t from = parallel_from(count, worker, job->workers);
  size_t to = parallel_from(count, worker + 1, job->workers);
  if (from == to) return;
  f->first_sample = f->sample = chunks[from].first_sample;
  f->label = chunks[from].first_label;
  /* Set 0 is the empty set. Each sample with labels may need a set of its own. */
  if (f->label_set)
    label_table_init(&f->table, &f->d->profile->mem, f->labels,
                     f->sets + 1 + chunks[from].first_set);
  for (size_t i = from; i < to; i++) {
    if (chunks[i].has_samples && !fill_chunk(f, &chunks[i])) return;
    if (budget_advance(f->d->arena->mem, (uint64_t)(chunks[i].to - chunks[i].from))) continue;
    sample_fault(f, (struct fault){.wire = "cancelled"});
    return;
  }
}

/* Joins the label sets of all workers into one table, in which set 0 is the empty set. Each worker
 * has numbered its sets from 0, so sets get new numbers. */
static void join_sets(const struct decode_filler *fillers, unsigned workers,
                      struct samples *samples) {
  size_t count = 1;
  if (!fillers[0].label_set) return;
  fillers[0].sets[0] = (struct label_set){0, 0};
  for (unsigned w = 0; w < workers; w++) {
    const struct decode_filler *f = &fillers[w];
    memmove(f->sets + count, f->table.sets, f->table.count * sizeof *f->sets);
    for (size_t i = f->first_sample; i < f->sample; i++)
      f->label_set[i] = f->label_set[i] == NO_LABELS ? 0 : f->label_set[i] + (uint32_t)count;
    count += f->table.count;
  }
  samples->label_sets = fillers[0].sets;
  samples->label_set_count = count;
}

static pprofc_status report_fault(struct decoder *d, const struct fault *fault) {
  uint64_t offset = fault->at ? (uint64_t)(fault->at - d->input->data) : PPROFC_NO_OFFSET;
  /* A copied stack has no offset in the input. */
  if (offset > d->input->size) offset = PPROFC_NO_OFFSET;
  if (fault->wire && !fault->at) return error_nomem(d->error);
  if (fault->wire) return decoder_fail(d, fault->at, fault->wire);
  d->certain = true;
  if (fault->too_deep)
    return error_at(d->error, PPROFC_E_LIMIT, offset,
                    "sample has more than %u frames (raise the limit stack_depth)",
                    d->limits->stack_depth);
  if (fault->value_mismatch)
    return error_at(d->error, PPROFC_E_FORMAT, offset,
                    "malformed profile: mismatch: sample has %zu values vs. %zu types",
                    fault->values, d->types);
  return error_at(d->error, PPROFC_E_FORMAT, offset, "malformed profile: sample has nil location");
}

static bool alloc_columns(struct decoder *d, struct decode_filler *f) {
  size_t n = decoder_samples_kept(d);
  *f = (struct decode_filler){.d = d, .kept = n, .fault = {.sample = SIZE_MAX}};
  f->values = arena_array(d->arena, n * d->types, sizeof *f->values);
  f->stack = arena_array(d->arena, n, sizeof *f->stack);
  f->stack_size = arena_array(d->arena, n, sizeof *f->stack_size);
  f->side = arena_array(d->arena, d->side, 1);
  if (!f->values || !f->stack || !f->stack_size || !f->side) return false;
  if (!d->labels) return true;
  /* If labels recur, parts of `labels` and `sets` stay unused, but unused pages take no memory. */
  f->label_set = arena_array(d->arena, n, sizeof *f->label_set);
  f->labels = arena_array(d->arena, d->labels, sizeof *f->labels);
  f->sets = arena_array(d->arena, d->sets + 1, sizeof *f->sets);
  return f->label_set && f->labels && f->sets;
}

/* Stores the columns in the profile. Returns false when out of memory. */
static bool publish_samples(const struct decode_filler *filled) {
  struct decoder *d = filled->d;
  struct segment *segment = arena_zero_array(d->arena, 1, sizeof *segment);
  if (!segment) return false;
  segment->map = d->location_ids.table;
  if (segment->map) segment->map_size = (size_t)d->location_ids.table_size;
  d->profile->samples = (struct samples){
      .count = d->samples,
      .values = filled->values,
      .stack = filled->stack,
      .stack_size = filled->stack_size,
      .label_set = filled->label_set,
      .labels = filled->labels,
      .segments = segment,
      .segment_count = d->samples > 0,
  };
  return true;
}

/* Combines the results of the workers. The order of the workers is the order of the samples. */
static pprofc_status join_workers(struct decode_filler *fillers, unsigned workers) {
  struct samples *samples = &fillers[0].d->profile->samples;
  for (unsigned w = 0; w < workers; w++) {
    if (fillers[w].fault.sample != SIZE_MAX) return report_fault(fillers[w].d, &fillers[w].fault);
    if (fillers[w].max_depth > samples->max_depth) samples->max_depth = fillers[w].max_depth;
  }
  join_sets(fillers, workers, samples);
  return PPROFC_OK;
}

#define WORKERS_MAX 16

pprofc_status decoder_samples(struct decoder *d, unsigned threads) {
  struct decode_filler fillers[WORKERS_MAX], first;
  if (!alloc_columns(d, &first)) return error_nomem(d->error);
  size_t chunk_count;
  decoder_chunks(d, &chunk_count);
  /* Sparse ids need a single thread, because rewriting stacks allocates from the arena, and threads
   * cannot share the arena. */
  bool sparse = d->location_ids.ids && !d->location_ids.table;
  unsigned workers = sparse ? 1 : parallel_workers(threads, chunk_count, CHUNKS_PER_WORKER);
  for (unsigned w = 0; w < workers; w++) fillers[w] = first;
  struct decode_job job = {fillers, workers};
  parallel_run(workers, fill_range, &job);
  if (first.label_set)
    for (unsigned w = 0; w < workers; w++) label_table_free(&fillers[w].table);
  if (!publish_samples(&first)) return error_nomem(d->error);
  return join_workers(fillers, workers);
}
