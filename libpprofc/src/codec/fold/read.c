/* Reads the stream of a profile in windows. Adds up samples, and keeps all other top-level
 * fields. */
#include "codec/fold/fold.h"
#include "codec/input.h"
#include "codec/window_ring.h"
#include "core/array.h"
#include "core/threshold.h"
#include "profile/stack.h"

#include <unistd.h>

/* ---- profiles in memory ------------------------------ */

/* Adds a sample of a profile to the batch. `row` has the values to keep. The bytes of the stack
 * must stay valid until fold_flush. */
static void fold_take_sample(struct fold *f, const int64_t *row, uint32_t set, const uint8_t *stack,
                             size_t size) {
  struct fold_parts *parts = &f->batch[f->batched++];
  parts->stack = stack;
  parts->stack_size = size;
  parts->set = set;
  parts->negative = false;
  memcpy(parts->row, row, f->width * sizeof *row);
  for (size_t t = 0; t < f->width && !f->joins; t++) parts->negative |= row[t] < 0;
  parts->hash = hash_bytes(stack, size);
  fold_fetch_slot(f, parts->hash);
}

/* fold_take_profile checks after 1 / FOLD_TRIAL of the samples if stacks repeat. */
#define FOLD_TRIAL 16

/* Adds all samples to the entries. If `sums` is true and no sample has the label pprof::base, drops
 * all labels. If `sums` is true and few samples have equal stacks, returns false. */
static bool fold_take_profile(struct fold *f, const pprofc_profile *p, bool sums) {
  const struct samples *s = &p->samples;
  const uint32_t *sets = sums && !profile_has_base(p) ? NULL : s->label_set;
  size_t from = f->only == SIZE_MAX ? 0 : f->only;
  for (size_t i = 0; i < s->count; i++) {
    const int64_t *row = s->values + i * p->type_count;
    uint32_t set = sets && !values_are_zero(row, p->type_count) ? sets[i] : 0;
    fold_take_sample(f, row + from, set, s->stack[i], s->stack_size[i]);
    if (f->batched == FOLD_BATCH && !fold_flush(f)) return false;
    if (sums && i == s->count / FOLD_TRIAL && f->count > i / 2) return false;
  }
  return fold_flush(f);
}

/* Space for the translated stacks of a batch in bytes. More stacks need another batch. */
#define FOLD_ROOM ((size_t)1 << 15)

/* Copies a stack to `room`, and then to `out` with indices of locations plus 1 as ids. Returns the
 * size of the second copy in bytes. */
static size_t fold_translate(const struct samples *s, size_t segment, const struct stack_ref *ref,
                             uint8_t *room, uint8_t *out) {
  struct packed_stack rest = {room, room + ref->size, s->segments[segment].map};
  size_t size = 0;
  uint32_t location;
  stack_tree_copy(&s->tree[segment], ref, room);
  while (stack_take_leaf(&rest, &location)) size += varint_put(out + size, (uint64_t)location + 1);
  return size;
}

/* Adds the samples of a stack tree to the entries, in the order of the file. `room` has
 * space for a stack, for FOLD_ROOM bytes and for another stack. */
static bool fold_take_tree(struct fold *f, const struct samples *s, size_t segment,
                           const uint32_t *sample_of, uint8_t *room) {
  const struct stack_tree *tree = &s->tree[segment];
  uint8_t *start = room + tree->longest, *out = start;
  for (size_t i = 0; i < tree->ref_count; i++) {
    size_t sample = s->segments[segment].first + sample_of[i];
    size_t size = fold_translate(s, segment, &tree->refs[i], room, out);
    uint32_t set = s->label_set ? s->label_set[sample] : 0;
    fold_take_sample(f, s->values + sample * f->width, set, out, size);
    out += size;
    if (budget_poll(f->mem, i)) return false;
    if (f->batched < FOLD_BATCH && out < start + FOLD_ROOM) continue;
    out = start;
    if (!fold_flush(f)) return false;
  }
  return fold_flush(f);
}

/* Adds the samples of all stack trees to the entries. No filter may have dropped samples. */
static bool fold_take_trees(struct fold *f, const pprofc_profile *p) {
  const struct samples *s = &p->samples;
  bool good = true;
  for (size_t k = 0; good && k < s->segment_count; k++) {
    const struct stack_tree *tree = &s->tree[k];
    size_t bytes = tree->longest + FOLD_ROOM + s->max_depth * VARINT_BYTES_MAX;
    uint32_t *sample_of = mem_array(f->mem, tree->ref_count, sizeof *sample_of);
    uint8_t *room = mem_array(f->mem, bytes, 1);
    for (uint32_t i = 0; sample_of && i < tree->count; i++) sample_of[tree->sorted[i]] = i;
    good = sample_of && room && fold_take_tree(f, s, k, sample_of, room);
    f->lost_labels |= !tree->labels;
    mem_free(f->mem, sample_of, tree->ref_count, sizeof *sample_of);
    mem_free(f->mem, room, bytes, 1);
  }
  return good;
}

/* Prepares for adding the samples of a profile in memory. Keeps the values of sample type `only`;
 * SIZE_MAX keeps all values. Returns false if there are too many types. */
static bool fold_begin(struct fold *f, const pprofc_profile *p, size_t only) {
  static const pprofc_limits limits = {.stack_depth = UINT32_MAX};
  fold_init(f, &p->mem, &limits);
  f->as_tree = true;
  f->only = only;
  f->types = p->type_count;
  f->lost_labels = p->folded;
  f->width = only == SIZE_MAX ? p->type_count : 1;
  return f->width <= FOLD_TYPES_MAX;
}

/* Stores the entries as samples of the profile if `done` is true. Frees the entries. */
static bool fold_end(struct fold *f, pprofc_profile *p, bool done) {
  bool labels = p->samples.label_set != NULL;
  done = done && fold_settle(f) && fold_publish_tree(f, p) && (!labels || fold_publish_sets(f, p));
  fold_free(f);
  return done;
}

pprofc_profile *fold_profile(const pprofc_profile *profile, size_t only, bool sums) {
  struct fold fold;
  pprofc_profile *copy = profile_edit(profile);
  bool begun = copy && fold_begin(&fold, profile, only);
  if (begun && fold_end(&fold, copy, fold_take_profile(&fold, profile, sums))) return copy;
  pprofc_profile_release(copy);
  return NULL;
}

bool fold_join(pprofc_profile *profile) {
  struct fold fold;
  uint32_t type = profile->samples.tree->type;
  struct segment *segment = arena_zero_array(&profile->region->arena, 1, sizeof *segment);
  if (!segment || !fold_begin(&fold, profile, type == STACK_TREE_ALL ? SIZE_MAX : type))
    return false;
  fold.joins = true;
  if (!fold_end(&fold, profile, fold_take_trees(&fold, profile))) return false;
  profile->samples.segments = segment;
  profile->samples.segment_count = 1;
  return true;
}

/* A profile of at least this many inflated bytes is read in windows (blocks). Smaller profiles are
 * read faster as a whole. A test program sets the limit to 1. */
#ifndef FOLD_FROM
#define FOLD_FROM THRESHOLD((size_t)1 << 20)
#endif

/* Minimum number of bytes to free after decoding. Freeing less returns nothing to the system,
 * because small blocks have no memory mapping of their own. */
#define TRIM_FROM THRESHOLD((size_t)1 << 18)

/* Maximum number of bytes before the content of a field: its key and its length. */
#define HEAD_MAX (2 * VARINT_BYTES_MAX)

struct fold_stream {
  struct fold fold;
  struct input_sink kept; /* all fields except samples */
  uint8_t *parted;        /* buffer for a field that extends over several windows */
  size_t parted_size, parted_room;
};

/* Source of the stream: a regular file, or memory if fd is -1. */
struct fold_source {
  int fd;
  const void *data;
  size_t size;
};

/* ---- fields ------------------------------------------ */

static bool fold_keep(struct fold_stream *s, const uint8_t *data, size_t size) {
  struct input_sink *kept = &s->kept;
  if (size > kept->capacity - kept->size) {
    size_t least = kept->size + size;
    size_t room = array_capacity(kept->capacity, least < INPUT_STEP ? INPUT_STEP : least);
    if (!input_sink_grow(kept, room)) return false;
  }
  memcpy(kept->data + kept->size, data, size);
  kept->size += size;
  return true;
}

/* Reads the complete field in [head, end). Skips a field whose number a profile does not use. */
static bool fold_take_field(struct fold_stream *s, const struct wire_field *field,
                            const uint8_t *head, const uint8_t *end) {
  if (field->number > PROFILE_DOC_URL) return true;
  if (field->number != PROFILE_SAMPLE) return fold_keep(s, head, (size_t)(end - head));
  return field->type == WIRE_BYTES && fold_sample(&s->fold, field->data, field->size);
}

/* Reads all complete fields in [*at, end). Moves *at to the first incomplete field, or to `end`. */
static bool fold_take_fields(struct fold_stream *s, const uint8_t **at, const uint8_t *end) {
  struct wire w = {*at, end, NULL};
  struct wire_field field;
  while (w.at < end) {
    const uint8_t *head = w.at;
    *at = head;
    if (!wire_next(&w, &field)) return true;
    if (!fold_take_field(s, &field, head, w.at)) return false;
  }
  *at = end;
  return true;
}

/* ---- fields across windows --------------------------- */

/* Returns the size of the field that starts at `data`. Only `size` bytes are in memory. Returns
 * size + 1 if the field's header is incomplete, and 0 if the header is invalid. */
static size_t fold_field_size(const uint8_t *data, size_t size) {
  struct wire w = wire_over(data, size);
  struct wire_field field;
  if (wire_next(&w, &field)) return (size_t)(w.at - data);
  uint64_t key, length;
  w = wire_over(data, size);
  if (wire_varint(&w, &key) && (key & 7) == WIRE_BYTES && wire_varint(&w, &length)) {
    size_t head = (size_t)(w.at - data);
    return length <= SIZE_MAX / 2 ? head + (size_t)length : 0;
  }
  return size < HEAD_MAX ? size + 1 : 0;
}

/* Appends bytes of the window to a field that extends over several windows. */
static bool fold_append_part(struct fold_stream *s, const uint8_t **at, size_t size) {
  if (!ARRAY_RESERVE(s->fold.mem, s->parted, s->parted_room, s->parted_size + size)) return false;
  memcpy(s->parted + s->parted_size, *at, size);
  s->parted_size += size;
  *at += size;
  return true;
}

/* Appends bytes of the window to a field that extends over several windows. Reads the field once it
 * is complete. */
static bool fold_take_parted(struct fold_stream *s, const uint8_t **at, const uint8_t *end) {
  while (s->parted_size && *at < end) {
    size_t size = fold_field_size(s->parted, s->parted_size), left = (size_t)(end - *at);
    if (!size) return false;
    size_t missing = size - s->parted_size;
    if (missing && !fold_append_part(s, at, missing < left ? missing : left)) return false;
    size = fold_field_size(s->parted, s->parted_size);
    if (!size) return false;
    if (size > s->parted_size) continue;
    const uint8_t *data = s->parted;
    if (!fold_take_fields(s, &data, data + size) || !fold_flush(&s->fold)) return false;
    s->parted_size = 0;
  }
  return true;
}

static bool fold_take_window(struct fold_stream *s, struct window window) {
  const uint8_t *at = window.data, *end = at + window.size;
  if (!fold_take_parted(s, &at, end) || !fold_take_fields(s, &at, end) || !fold_flush(&s->fold))
    return false;
  return at == end || fold_append_part(s, &at, (size_t)(end - at));
}

static bool fold_take_stream(struct fold_stream *s, struct window_ring *ring) {
  struct window window;
  for (;;) {
    if (!window_ring_next(ring, &window)) return false;
    if (!window.size) return !s->parted_size;
    if (budget_stopped(s->fold.mem) || !fold_take_window(s, window)) return false;
  }
}

/* ---- the profile ------------------------------------- */

static bool fold_read_stream(struct fold_stream *s, struct inflater *inflater, unsigned threads) {
  struct window_ring *ring = window_ring_open(inflater, threads, s->fold.mem);
  bool good = ring && fold_take_stream(s, ring);
  if (ring) window_ring_close(ring);
  ARRAY_FREE(s->fold.mem, s->parted, s->parted_room);
  return good;
}

/* True if samples may have lost the label pprof::base, which marks the samples of a comparison's
 * base. Totals depend on this label even if the report shows no labels. */
static bool fold_lost_base(const struct fold *f, const pprofc_profile *p) {
  bool found = false;
  for (size_t i = 0; f->lost_text && !found && i < p->strings.count; i++)
    found = str_equal(p->strings.items[i], BASE_LABEL);
  return found;
}

/* Frees the kept fields except the strings, because a decoded profile points only to strings. Moves
 * the strings to the start of the block, and shrinks the block. Does nothing if the strings or the
 * other kept fields are small. */
static void fold_keep_strings(struct fold_stream *s, pprofc_profile *p) {
  struct input_sink *kept = &s->kept;
  pprofc_str *strings = (pprofc_str *)(uintptr_t)p->strings.items;
  size_t bytes = 0, at = 0;
  for (size_t i = 0; i < p->strings.count; i++) bytes += strings[i].size;
  if (bytes > kept->size || kept->size - bytes < TRIM_FROM || bytes < TRIM_FROM) return;
  for (size_t i = 0; i < p->strings.count; i++) { /* Strings are in the order of the file, so they
                                                     only move to lower addresses. */
    memmove(kept->data + at, strings[i].data, strings[i].size);
    at += strings[i].size;
  }
  const uint8_t *data = arena_grow(&kept->region->arena, kept->data, kept->capacity, bytes);
  if (!data) data = kept->data;
  for (size_t i = 0; i < p->strings.count; data += strings[i++].size)
    strings[i].data = (const char *)data;
}

/* Decodes the kept fields, which are all fields except samples. */
static pprofc_status fold_decode(struct fold_stream *s, uint64_t source_size, unsigned threads,
                                 pprofc_profile **profile) {
  struct input input = {s->kept.region, s->kept.data, s->kept.size, source_size};
  const struct decoder_source source = {&s->fold, fold_settle, fold_publish};
  struct decoder d = {.input = &input, .limits = s->fold.limits, .source = &source};
  if (!input.size || decoder_decode(&d, threads, profile) != PPROFC_OK) return PPROFC_E_NO_MATCH;
  size_t only = s->fold.only;
  if ((only == SIZE_MAX || only == profile_find_type(*profile, str_of(s->fold.wanted))) &&
      !fold_lost_base(&s->fold, *profile)) {
    fold_keep_strings(s, *profile);
    return PPROFC_OK;
  }
  pprofc_profile_release(*profile);
  *profile = NULL;
  return PPROFC_E_NO_MATCH;
}

static pprofc_status fold_read(const struct fold_source *source, const struct fold_options *o,
                               pprofc_profile **profile) {
  struct fold_stream s = {.kept = {.limits = o->limits}};
  struct inflater *inflater =
      inflater_open(source->fd, source->data, source->size, INFLATER_FASTEST, o->mem, o->limits);
  fold_init(&s.fold, o->mem, o->limits);
  s.fold.labels = o->labels;
  s.fold.as_tree = o->tree;
  s.fold.in_order = o->in_order;
  s.fold.no_stacks = o->no_stacks;
  s.fold.compared = o->compared;
  s.fold.wanted = o->tree ? o->sample_index : NULL;
  s.kept.region = region_new(o->mem);
  bool good = inflater && s.kept.region && fold_read_stream(&s, inflater, o->threads);
  if (inflater) inflater_close(inflater);
  pprofc_status status = PPROFC_E_NO_MATCH;
  if (good) status = fold_decode(&s, source->size, o->threads, profile);
  if (s.kept.region) region_release(s.kept.region);
  fold_free(&s.fold);
  return status;
}

/* Returns the inflated size of the profile according to the gzip trailer. Without gzip, returns the
 * size of the file. Returns 0 if the size is unknown. */
static size_t fold_claimed_size(const struct fold_source *source, const pprofc_limits *limits) {
  uint8_t ends[6]; /* first 2 and last 4 bytes of the source */
  if (source->size < 18) return 0;
  if (source->fd < 0) {
    memcpy(ends, source->data, 2);
    memcpy(ends + 2, (const uint8_t *)source->data + source->size - 4, 4);
  } else if (pread(source->fd, ends, 2, 0) != 2 ||
             pread(source->fd, ends + 2, 4, (off_t)(source->size - 4)) != 4) {
    return 0;
  }
  if (ends[0] != 0x1F || ends[1] != 0x8B) return source->size;
  return input_claimed_size(ends + 2, source->size, limits);
}

static pprofc_status fold_if_large(const struct fold_source *source, const struct fold_options *o,
                                   pprofc_profile **profile) {
  if (source->size > o->limits->input_bytes) return PPROFC_E_NO_MATCH;
  if (!o->always && fold_claimed_size(source, o->limits) < FOLD_FROM) return PPROFC_E_NO_MATCH;
  return fold_read(source, o, profile);
}

pprofc_status fold_read_memory(const void *data, size_t size, const struct fold_options *options,
                               pprofc_profile **profile) {
  return fold_if_large(&(struct fold_source){-1, data, size}, options, profile);
}

pprofc_status fold_read_file(const char *path, const struct fold_options *options,
                             pprofc_profile **profile) {
  size_t size;
  int fd = input_open_regular(path, &size);
  if (fd < 0) return PPROFC_E_NO_MATCH;
  pprofc_status status = fold_if_large(&(struct fold_source){fd, NULL, size}, options, profile);
  close(fd);
  return status;
}
