/* The stream of a profile that is folded: top-level fields come out of windows; samples are added
 * up, the rest is kept. */
#include "codec/fold.h"

#include "codec/input.h"
#include "codec/window_ring.h"
#include "core/array.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Smaller profiles are read faster as a whole. */
#define FOLD_FROM ((size_t)1 << 20)

/* What is given back when the profile is there, where it is more than this; smaller blocks share
 * one with others. */
#define TRIM_FROM ((size_t)1 << 18)

/* The most bytes of the key and the size of a field. */
#define HEAD_MAX (2 * VARINT_BYTES_MAX)

struct fold_stream {
  struct fold fold;
  struct input_sink kept; /* fields that are not samples */
  uint8_t *parted;        /* a field that is in more than one window */
  size_t parted_size, parted_room;
};

/* A regular file, or memory where fd is -1. */
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

/* A whole field from `head` up to `end`. Fields that a profile does not have are left out. */
static bool fold_take_field(struct fold_stream *s, const struct wire_field *field,
                            const uint8_t *head, const uint8_t *end) {
  if (field->number > PROFILE_DOC_URL) return true;
  if (field->number != PROFILE_SAMPLE) return fold_keep(s, head, (size_t)(end - head));
  return field->type == WIRE_BYTES && fold_sample(&s->fold, field->data, field->size);
}

/* Takes all fields that are whole; *at is where the next one begins. */
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

/* The bytes that a field has of which `size` bytes are there: `size` when it is whole; when its
 * head is not, one more. 0: there is no such field. */
static size_t fold_field_size(const uint8_t *data, size_t size) {
  struct wire w = {data, data + size, NULL};
  struct wire_field field;
  if (wire_next(&w, &field)) return (size_t)(w.at - data);
  uint64_t key, length;
  w = (struct wire){data, data + size, NULL};
  if (wire_varint(&w, &key) && (key & 7) == WIRE_BYTES && wire_varint(&w, &length)) {
    size_t head = (size_t)(w.at - data);
    return length <= SIZE_MAX / 2 ? head + (size_t)length : 0;
  }
  return size < HEAD_MAX ? size + 1 : 0;
}

/* Appends bytes of the window to the field that is parted. */
static bool fold_append_part(struct fold_stream *s, const uint8_t **at, size_t size) {
  if (!ARRAY_RESERVE(s->fold.mem, s->parted, s->parted_room, s->parted_size + size)) return false;
  memcpy(s->parted + s->parted_size, *at, size);
  s->parted_size += size;
  *at += size;
  return true;
}

/* Completes the parted field, as far as the window has it, and takes it. */
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

/* A label that says that a sample is of the base counts for the total, even where labels are not
 * shown. */
static bool fold_lost_base(const struct fold *f, const pprofc_profile *p) {
  bool found = false;
  for (size_t i = 0; f->any_label && !f->labels && !found && i < p->strings.count; i++)
    found = str_equal(p->strings.items[i], BASE_LABEL);
  return found;
}

/* Of what was kept of the stream, a profile needs only the strings once it is decoded. Gives the
 * rest back where that is much: puts the strings together and makes the block smaller. */
static void fold_keep_strings(struct fold_stream *s, pprofc_profile *p) {
  struct input_sink *kept = &s->kept;
  pprofc_str *strings = (pprofc_str *)(uintptr_t)p->strings.items;
  size_t bytes = 0, at = 0;
  for (size_t i = 0; i < p->strings.count; i++) bytes += strings[i].size;
  if (bytes > kept->size || kept->size - bytes < TRIM_FROM || bytes < TRIM_FROM) return;
  for (size_t i = 0; i < p->strings.count; i++) { /* they are in the order of the stream */
    memmove(kept->data + at, strings[i].data, strings[i].size);
    at += strings[i].size;
  }
  const uint8_t *data = arena_grow(&kept->region->arena, kept->data, kept->capacity, bytes);
  if (!data) data = kept->data;
  for (size_t i = 0; i < p->strings.count; data += strings[i++].size)
    strings[i].data = (const char *)data;
}

/* How a stream is read, and what that came to: when it has to be read in another way, `plan` is
 * changed to that. */
struct fold_plan {
  size_t only;  /* the type of which values are kept; SIZE_MAX: the last one when one is needed */
  bool as_rows; /* samples are not added up */
};

/* Decodes what is not samples. Which sample type is the default one is known now. */
static pprofc_status fold_decode(struct fold_stream *s, uint64_t source_size, unsigned threads,
                                 struct fold_plan *plan, pprofc_profile **profile) {
  struct input input = {s->kept.region, s->kept.data, s->kept.size, source_size};
  struct decoder d = {.input = &input, .limits = s->fold.limits, .fold = &s->fold};
  if (!input.size) return PPROFC_E_NO_MATCH;
  if (decoder_decode(&d, threads, profile) != PPROFC_OK) return PPROFC_E_NO_MATCH;
  size_t type = pprofc_profile_default_type(*profile);
  bool other = s->fold.only != SIZE_MAX && s->fold.only != type;
  if (other) plan->only = type;
  if (!other && !fold_lost_base(&s->fold, *profile)) {
    fold_keep_strings(s, *profile);
    return PPROFC_OK;
  }
  pprofc_profile_release(*profile);
  return PPROFC_E_NO_MATCH;
}

static void fold_begin(struct fold *fold, const struct fold_options *o,
                       const struct fold_plan *plan) {
  fold_init(fold, o->mem, o->limits);
  fold->labels = o->labels;
  fold->always = o->always;
  fold->any_order = o->any_order;
  fold->compact = o->compact;
  fold->counts.over = o->compared;
  fold->only = plan->only;
  fold->as_rows = plan->as_rows;
  fold->one_type = o->compact && o->sample_index && !*o->sample_index;
}

static pprofc_status fold_read_once(const struct fold_source *source, const struct fold_options *o,
                                    struct fold_plan *plan, pprofc_profile **profile) {
  struct fold_stream s = {.kept = {.limits = o->limits}};
  struct inflater *inflater =
      inflater_open(source->fd, source->data, source->size, false, o->mem, o->limits);
  fold_begin(&s.fold, o, plan);
  s.kept.region = region_new(o->mem);
  bool good = inflater && s.kept.region && fold_read_stream(&s, inflater, o->threads);
  if (inflater) inflater_close(inflater);
  pprofc_status status = PPROFC_E_NO_MATCH;
  if (good) status = fold_decode(&s, source->size, o->threads, plan, profile);
  plan->as_rows |= s.fold.in_vain;
  if (s.kept.region) region_release(s.kept.region);
  fold_free(&s.fold);
  return status;
}

/* A stream is read once more when its samples turn out to differ, which is soon, and when the
 * default sample type is not the last, which it mostly is. */
static pprofc_status fold_read(const struct fold_source *source, const struct fold_options *o,
                               pprofc_profile **profile) {
  struct fold_plan plan = {SIZE_MAX, o->as_rows}, before;
  pprofc_status status;
  bool again;
  do {
    before = plan;
    status = fold_read_once(source, o, &plan, profile);
    again = status != PPROFC_OK && (plan.only != before.only || plan.as_rows != before.as_rows);
    again = again && (source->fd < 0 || lseek(source->fd, 0, SEEK_SET) == 0);
  } while (again);
  return status;
}

/* The size that the profile has, as far as a file says. */
static size_t fold_claimed_size(const struct fold_source *source, const pprofc_limits *limits) {
  uint8_t ends[6]; /* the magic, and the trailer of gzip */
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
  bool forced = o->always || o->as_rows;
  if (!forced && fold_claimed_size(source, o->limits) < FOLD_FROM) return PPROFC_E_NO_MATCH;
  return fold_read(source, o, profile);
}

pprofc_status fold_read_memory(const void *data, size_t size, const struct fold_options *options,
                               pprofc_profile **profile) {
  return fold_if_large(&(struct fold_source){-1, data, size}, options, profile);
}

pprofc_status fold_read_file(const char *path, const struct fold_options *options,
                             pprofc_profile **profile) {
  struct stat info;
  /* What is piped comes once, and a named pipe that is closed again has lost what was written. */
  if (strcmp(path, "-") == 0 || stat(path, &info) != 0 || !S_ISREG(info.st_mode))
    return PPROFC_E_NO_MATCH;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0) return PPROFC_E_NO_MATCH;
  pprofc_status status = PPROFC_E_NO_MATCH;
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0)
    status = fold_if_large(&(struct fold_source){fd, NULL, (size_t)info.st_size}, options, profile);
  close(fd);
  return status;
}
