/* Creates profiles byte by byte, in forms that the library's writer never uses. */
#ifndef PPROFC_TESTS_FOLD_MAKER_H
#define PPROFC_TESTS_FOLD_MAKER_H

#include "unit.h"

#include "codec/codec.h"
#include "codec/pprof_decode.h"
#include "codec/wire.h"

#include <stdlib.h>
#include <zlib.h>

/* ---- creating profiles ------------------------------- */

#define LOCATIONS 200 /* number of locations: some ids need one byte, some need two */
#define STACKS    25
#define DEPTH     50

/* Unusual properties of a profile. */
enum quirk {
  QUIRK_NEGATIVE = 1,       /* values below zero */
  QUIRK_HUGE = 2,           /* pairs of values whose sum needs more than 64 bits */
  QUIRK_UNPACKED = 4,       /* lists that have one field for each item, or are split into several
                               fields */
  QUIRK_SPARSE_IDS = 8,     /* large ids of locations */
  QUIRK_MIXED_IDS = 16,     /* small ids of locations, in another order */
  QUIRK_STRINGS_FIRST = 32, /* tables before the samples */
  QUIRK_LABELS = 64,
  QUIRK_BASE_LABEL = 128, /* a label that marks a sample as a sample of a base */
  QUIRK_UNKNOWN = 256,    /* fields that are not in the schema */
  QUIRK_DROP = 512,       /* an expression drop_frames */
  QUIRKS = 1023,
  QUIRK_DEFAULT = 1024,  /* the first sample type as the default */
  QUIRK_MOVED = 2048,    /* the program at another address, as in each process */
  QUIRK_TWICE = 4096,    /* the program at two addresses */
  QUIRK_FEW = 8192,      /* four locations */
  QUIRK_ONE_UNIT = 16384 /* the same unit for all numeric labels */
};

#define ROWS 6

/* Returns some of the properties of QUIRKS for each of ROWS profiles. Each property is in three
 * profiles. Every two properties are together in a profile, each without the other, and both
 * absent. */
static inline unsigned quirks_of_row(unsigned row) {
  unsigned quirks = 0, quirk = 1;
  for (unsigned a = 1; a < ROWS; a++)
    for (unsigned b = a + 1; b < ROWS; b++, quirk <<= 1)
      if (row && row != a && row != b) quirks |= quirk;
  return quirks;
}

struct maker {
  struct buffer out;
  uint64_t random;
  unsigned quirks;
  size_t types, samples;
  uint8_t stacks[STACKS][DEPTH];
  size_t depth[STACKS];
};

static const char *const maker_strings[] = {
    "",     "samples", "count",        "cpu",     "nanoseconds", "main",       "work",
    "read", "write",   "f.c",          "g.c",     "key",         "size",       "bytes",
    "ms",   "true",    "/bin/program", "^write$", "other",       "pprof::base"};
enum { STRING_COUNT = sizeof maker_strings / sizeof *maker_strings };

static uint64_t below(struct maker *m, uint64_t limit) {
  m->random = m->random * 6364136223846793005u + 1442695040888963407u;
  return (m->random >> 33) % limit;
}

static bool has(const struct maker *m, unsigned quirk) {
  return (m->quirks & quirk) != 0;
}

static void put_integer(struct buffer *out, unsigned field, uint64_t value) {
  uint8_t bytes[WIRE_FIELD_MAX];
  buffer_add(out, bytes, (size_t)(wire_put_integer(bytes, field, value) - bytes));
}

static void put_bytes(struct buffer *out, unsigned field, const void *data, size_t size) {
  uint8_t bytes[WIRE_FIELD_MAX];
  buffer_add(out, bytes, (size_t)(wire_put_head(bytes, field, size) - bytes));
  buffer_add(out, data, size);
}

static void put_list(struct maker *m, struct buffer *out, unsigned field, const uint64_t *items,
                     size_t count) {
  uint8_t bytes[DEPTH * VARINT_BYTES_MAX];
  size_t size = 0, from = 0;
  if (has(m, QUIRK_UNPACKED))
    for (; from < count && below(m, 3); from++) put_integer(out, field, items[from]);
  for (size_t i = from; i < count; i++) size += varint_put(bytes + size, items[i]);
  if (from < count) put_bytes(out, field, bytes, size);
}

static size_t locations_of_maker(const struct maker *m) {
  return has(m, QUIRK_FEW) ? 4 : LOCATIONS;
}

static uint64_t location_id_of_maker(const struct maker *m, size_t location) {
  if (has(m, QUIRK_SPARSE_IDS)) return ((uint64_t)location + 1) << (location % 2 ? 5 : 40);
  return has(m, QUIRK_MIXED_IDS) ? LOCATIONS - location + 3 : location + 1;
}

static void put_unknown(struct maker *m, struct buffer *out) {
  static const uint8_t fixed[] = {0xA1, 0x06, 1, 2, 3, 4, 5, 6, 7, 8};
  static const uint8_t text[] = {0xA2, 0x06, 3, 'a', 'b', 'c'};
  if (!has(m, QUIRK_UNKNOWN) || below(m, 4)) return;
  if (below(m, 2))
    buffer_add(out, fixed, sizeof fixed);
  else
    buffer_add(out, text, sizeof text);
}

static void put_label(struct maker *m, struct buffer *sample) {
  struct buffer label;
  buffer_init(&label, &mem_default, 4096);
  bool base = has(m, QUIRK_BASE_LABEL) && below(m, 4) == 0;
  put_integer(&label, LABEL_KEY, base ? STRING_COUNT - 1 : 11 + below(m, 2));
  if (base) put_integer(&label, LABEL_STRING, 15);
  switch (base ? 3 : below(m, 3)) {
  case 0:
    put_integer(&label, LABEL_STRING, 5 + below(m, 4));
    break;
  case 1:
    put_integer(&label, LABEL_NUMBER, below(m, 3) * 1000);
    if (has(m, QUIRK_ONE_UNIT))
      put_integer(&label, LABEL_UNIT, 13);
    else if (below(m, 3))
      put_integer(&label, LABEL_UNIT, 13 + below(m, 2));
    break;
  default:
    break;
  }
  put_bytes(sample, SAMPLE_LABEL, label.data, label.size);
  buffer_free(&label);
}

static uint64_t a_value(struct maker *m) {
  if (has(m, QUIRK_HUGE) && below(m, 50) == 0) return (uint64_t)INT64_MAX - below(m, 3);
  uint64_t value = below(m, 3) ? below(m, 1000) : 0;
  return has(m, QUIRK_NEGATIVE) && below(m, 40) == 0 ? 0 - value : value;
}

static void put_sample(struct maker *m) {
  struct buffer sample;
  uint64_t items[DEPTH];
  buffer_init(&sample, &mem_default, 1 << 16);
  size_t stack = below(m, STACKS);
  for (size_t i = 0; i < m->depth[stack]; i++)
    items[i] = location_id_of_maker(m, m->stacks[stack][i]);
  put_unknown(m, &sample);
  put_list(m, &sample, SAMPLE_LOCATION, items, m->depth[stack]);
  for (size_t t = 0; t < m->types; t++) items[t] = a_value(m);
  size_t labels = has(m, QUIRK_LABELS) ? below(m, 3) : 0;
  if (labels && below(m, 2)) put_label(m, &sample);
  put_list(m, &sample, SAMPLE_VALUE, items, m->types);
  while (labels--) put_label(m, &sample);
  put_bytes(&m->out, PROFILE_SAMPLE, sample.data, sample.size);
  buffer_free(&sample);
}

/* Adds a sample with the bytes of a stack and the value 0 in each type. */
static inline void put_stack(struct maker *m, const char *stack, size_t size) {
  struct buffer sample;
  buffer_init(&sample, &mem_default, 4096);
  put_bytes(&sample, SAMPLE_LOCATION, stack, size);
  for (size_t t = 0; t < m->types; t++) put_integer(&sample, SAMPLE_VALUE, 0);
  put_bytes(&m->out, PROFILE_SAMPLE, sample.data, sample.size);
  buffer_free(&sample);
}

/* Appends a stack of 20 ids with one or two bytes, and other bytes before the id at `place`. */
static inline void put_stack_with(struct maker *m, const char *bytes, size_t size, size_t place) {
  char stack[64];
  size_t at = 0;
  for (size_t i = 0; i < 20; i++) {
    if (i == place) memcpy(stack + at, bytes, size);
    if (i == place) at += size;
    if (i % 3) stack[at++] = '\x05';
    if (i % 3 == 0) memcpy(stack + at, "\xC8\x01", 2);
    if (i % 3 == 0) at += 2;
  }
  put_stack(m, stack, at);
}

static void put_message(struct maker *m, unsigned field, const uint64_t *values, size_t count) {
  struct buffer message;
  buffer_init(&message, &mem_default, 4096);
  for (unsigned i = 0; i < count; i++)
    if (values[i]) put_integer(&message, i + 1, values[i]);
  put_unknown(m, &message);
  put_bytes(&m->out, field, message.data, message.size);
  buffer_free(&message);
}

static uint64_t mapped_at(const struct maker *m, bool twice) {
  return (has(m, QUIRK_MOVED) ? 0x700000 : 0x1000) + (twice ? 0x100000u : 0);
}

static void put_location(struct maker *m, size_t i) {
  struct buffer message, line;
  buffer_init(&message, &mem_default, 4096);
  buffer_init(&line, &mem_default, 4096);
  put_integer(&message, LOCATION_ID, location_id_of_maker(m, i));
  bool twice = has(m, QUIRK_TWICE) && i % 7 != 3; /* some addresses then differ only in their
                                                     mapping */
  put_integer(&message, LOCATION_MAPPING, 1 + twice);
  put_integer(&message, LOCATION_ADDRESS, mapped_at(m, twice) + 16 * i);
  for (size_t n = i % 3; n < 3; n += 2) {
    buffer_clear(&line);
    put_integer(&line, LINE_FUNCTION, 1 + (i + n) % 5);
    put_integer(&line, LINE_LINE, 1 + i);
    put_bytes(&message, LOCATION_LINE, line.data, line.size);
  }
  put_bytes(&m->out, PROFILE_LOCATION, message.data, message.size);
  buffer_free(&line);
  buffer_free(&message);
}

static void put_tables(struct maker *m) {
  for (unsigned k = 0; k <= has(m, QUIRK_TWICE); k++) {
    uint64_t at = mapped_at(m, k);
    put_message(m, PROFILE_MAPPING, (uint64_t[]){k + 1, at, at + 0x8000, 0, 16, 0, 1}, 7);
  }
  for (size_t i = 0; i < locations_of_maker(m); i++) put_location(m, i);
  for (uint64_t i = 0; i < 5; i++)
    put_message(m, PROFILE_FUNCTION, (uint64_t[]){i + 1, 4 + i + (i == 0), 0, 9 + i % 2, i}, 5);
  size_t count = has(m, QUIRK_BASE_LABEL) ? STRING_COUNT : STRING_COUNT - 1;
  for (size_t i = 0; i < count; i++)
    put_bytes(&m->out, PROFILE_STRING, maker_strings[i], strlen(maker_strings[i]));
  put_unknown(m, &m->out);
}

static const uint64_t maker_types[][2] = {{1, 2}, {3, 4}, {5, 2}, {6, 13}};

/* Copies callers of the previous stack, from the root to some frame. */
static void share_callers(struct maker *m, size_t stack) {
  if (!stack) return;
  size_t before = m->depth[stack - 1], most = m->depth[stack];
  size_t shared = below(m, (before < most ? before : most) + 1);
  memcpy(&m->stacks[stack][most - shared], &m->stacks[stack - 1][before - shared], shared);
}

static void make(struct maker *m, uint64_t seed, unsigned quirks, size_t samples) {
  *m = (struct maker){.random = seed * 0x9E3779B97F4A7C15u + 1, .quirks = quirks};
  m->samples = samples;
  m->types = 1 + below(m, 4);
  buffer_init(&m->out, &mem_default, 1 << 28);
  for (size_t s = 0; s < STACKS; s++) {
    m->depth[s] = below(m, DEPTH + 1);
    for (size_t i = 0; i < m->depth[s]; i++)
      m->stacks[s][i] = (uint8_t)below(m, locations_of_maker(m));
    share_callers(m, s);
  }
  if (has(m, QUIRK_STRINGS_FIRST)) put_tables(m);
  for (size_t t = 0; t < m->types; t++) put_message(m, PROFILE_SAMPLE_TYPE, maker_types[t], 2);
  for (size_t i = 0; i < samples; i++) put_sample(m);
  if (!has(m, QUIRK_STRINGS_FIRST)) put_tables(m);
  if (has(m, QUIRK_DROP)) put_integer(&m->out, PROFILE_DROP_FRAMES, 17);
  put_integer(&m->out, PROFILE_PERIOD, 100);
  if (has(m, QUIRK_DEFAULT)) put_integer(&m->out, PROFILE_DEFAULT_TYPE, maker_types[0][0]);
}

/* Compresses the bytes. Splits a long text into two gzip members. */
static inline void make_gzip(const struct buffer *raw, struct buffer *out) {
  size_t half = raw->size > 1000 ? raw->size / 3 : raw->size;
  uint8_t *room = malloc(compressBound(raw->size) + 64);
  for (size_t from = 0; from < raw->size; from = half, half = raw->size) {
    z_stream z = {.next_in = (Bytef *)raw->data + from, .avail_in = (uInt)(half - from)};
    CU_ASSERT_FATAL(room && deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    z.next_out = room;
    z.avail_out = (uInt)(compressBound(raw->size) + 64);
    CU_ASSERT_EQUAL(deflate(&z, Z_FINISH), Z_STREAM_END);
    buffer_add(out, room, z.total_out);
    deflateEnd(&z);
  }
  free(room);
}

#endif
