/* Creates profiles that no profiler would write, from the bytes of a fuzz input. Ids repeat or are
 * missing, types and labels have no names, addresses and values are at their limits, and mappings
 * overlap. Most profiles are valid, so they also test the code after the reader. */
#ifndef TESTS_FUZZ_HOSTILE_H
#define TESTS_FUZZ_HOSTILE_H

#include "core/buffer.h"
#include "fuzz.h"

struct hostile {
  const uint8_t *at, *end;
};

static inline unsigned hostile_byte(struct hostile *in) {
  return in->at < in->end ? *in->at++ : 0;
}

static inline unsigned hostile_below(struct hostile *in, unsigned limit) {
  return hostile_byte(in) % limit;
}

/* Returns a number: mostly small, sometimes at a limit, rarely any number. */
static inline uint64_t hostile_number(struct hostile *in) {
  static const uint64_t limits[] = {UINT64_MAX,
                                    INT64_MAX,
                                    (uint64_t)1 << 63,
                                    ((uint64_t)1 << 63) + 1,
                                    UINT32_MAX,
                                    (uint64_t)UINT32_MAX + 1,
                                    INT32_MAX,
                                    (uint64_t)1 << 62,
                                    0x1000,
                                    0xfffffffffffff000u};
  unsigned kind = hostile_byte(in);
  if (kind < 192) return kind % 24;
  if (kind < 240) return limits[kind % (sizeof limits / sizeof *limits)];
  uint64_t value = 0;
  for (int i = 0; i < 8; i++) value = value << 8 | hostile_byte(in);
  return value >> kind % 64;
}

/* ---- protobuf encoding ------------------------------- */

static inline void wire_varint(struct buffer *out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) buffer_add_char(out, (char)(value | 0x80));
  buffer_add_char(out, (char)value);
}

static inline void wire_number(struct buffer *out, unsigned field, uint64_t value) {
  wire_varint(out, (uint64_t)field << 3);
  wire_varint(out, value);
}

/* Appends the message `m` as a field, and clears the message. */
static inline void wire_message(struct buffer *out, unsigned field, struct buffer *message) {
  wire_varint(out, (uint64_t)field << 3 | 2);
  wire_varint(out, message->size);
  buffer_add(out, message->data, message->size);
  buffer_clear(message);
}

/* ---- records of a profile ---------------------------- */

/* Number of records of each type in the profile. Ids are random numbers in this range. */
struct hostile_sizes {
  unsigned strings, types, mappings, functions, locations;
};

static const char *const hostile_names[] = {"main",
                                            "runtime.goexit",
                                            "cpu",
                                            "nanoseconds",
                                            "bytes",
                                            "samples",
                                            "count",
                                            "pprof::base",
                                            "std::vector<int>::push_back(int&&)",
                                            "_ZN3foo3barEv",
                                            "_RNvC1a1b",
                                            "[kernel.kallsyms]",
                                            "//anon",
                                            "@file",
                                            "-o",
                                            "a\nb",
                                            "\x1b[2J",
                                            "\xe2\x80\xae",
                                            "\xff",
                                            "<b>&\"'",
                                            "a;b c",
                                            "{}|",
                                            "/src/a.c",
                                            "../a.c",
                                            "kb",
                                            "true",
                                            "key=value",
                                            "%s",
                                            "(*T).M",
                                            "::",
                                            "\t"};

static inline void hostile_strings(struct hostile *in, struct buffer *out, unsigned count) {
  struct buffer text;
  buffer_init(&text, &mem_default, PTRDIFF_MAX);
  wire_message(out, 6, &text);
  for (unsigned i = 1; i < count; i++) {
    unsigned kind = hostile_byte(in);
    size_t known = sizeof hostile_names / sizeof *hostile_names;
    if (kind < 224)
      buffer_add_text(&text, hostile_names[kind % known]);
    else
      for (unsigned n = kind % 32; n; n--) buffer_add_char(&text, (char)hostile_byte(in));
    wire_message(out, 6, &text);
  }
  buffer_free(&text);
}

static inline uint64_t hostile_string(struct hostile *in, const struct hostile_sizes *sizes) {
  return hostile_below(in, sizes->strings);
}

/* Returns the id of a record; ids start at 1. Sometimes returns 0 for no record, and rarely an id
 * without a record. */
static inline uint64_t hostile_id(struct hostile *in, unsigned count) {
  unsigned byte = hostile_byte(in);
  return byte == 255 ? hostile_number(in) : byte % (count + 1);
}

static inline void hostile_types(struct hostile *in, struct buffer *out,
                                 const struct hostile_sizes *sizes) {
  struct buffer m;
  buffer_init(&m, &mem_default, PTRDIFF_MAX);
  for (unsigned i = 0; i < sizes->types; i++) {
    /* use the first names of the table, so profiles have sample types in common */
    wire_number(&m, 1, hostile_below(in, sizes->strings < 6 ? sizes->strings : 6));
    wire_number(&m, 2, hostile_below(in, sizes->strings < 6 ? sizes->strings : 6));
    wire_message(out, 1, &m);
  }
  buffer_free(&m);
}

static inline void hostile_mappings(struct hostile *in, struct buffer *out,
                                    const struct hostile_sizes *sizes) {
  struct buffer m;
  buffer_init(&m, &mem_default, PTRDIFF_MAX);
  for (unsigned i = 0; i < sizes->mappings; i++) {
    wire_number(&m, 1, i + 1);
    for (unsigned field = 2; field <= 4; field++) wire_number(&m, field, hostile_number(in));
    wire_number(&m, 5, hostile_string(in, sizes));
    wire_number(&m, 6, hostile_string(in, sizes));
    wire_number(&m, 7, hostile_below(in, 2));
    wire_message(out, 3, &m);
  }
  buffer_free(&m);
}

static inline void hostile_functions(struct hostile *in, struct buffer *out,
                                     const struct hostile_sizes *sizes) {
  struct buffer m;
  buffer_init(&m, &mem_default, PTRDIFF_MAX);
  for (unsigned i = 0; i < sizes->functions; i++) {
    wire_number(&m, 1, i + 1);
    for (unsigned field = 2; field <= 4; field++) wire_number(&m, field, hostile_string(in, sizes));
    wire_number(&m, 5, hostile_number(in));
    wire_message(out, 5, &m);
  }
  buffer_free(&m);
}

static inline void hostile_locations(struct hostile *in, struct buffer *out,
                                     const struct hostile_sizes *sizes) {
  struct buffer m, line;
  buffer_init(&m, &mem_default, PTRDIFF_MAX);
  buffer_init(&line, &mem_default, PTRDIFF_MAX);
  for (unsigned i = 0; i < sizes->locations; i++) {
    wire_number(&m, 1, i + 1);
    wire_number(&m, 2, hostile_id(in, sizes->mappings));
    wire_number(&m, 3, hostile_number(in));
    for (unsigned lines = hostile_below(in, 4); lines; lines--) {
      wire_number(&line, 1, hostile_id(in, sizes->functions));
      wire_number(&line, 2, hostile_number(in));
      wire_number(&line, 3, hostile_below(in, 3));
      wire_message(&m, 4, &line);
    }
    wire_number(&m, 5, hostile_below(in, 2));
    wire_message(out, 4, &m);
  }
  buffer_free(&line);
  buffer_free(&m);
}

static inline void hostile_label(struct hostile *in, struct buffer *sample,
                                 const struct hostile_sizes *sizes) {
  struct buffer m;
  buffer_init(&m, &mem_default, PTRDIFF_MAX);
  wire_number(&m, 1, hostile_string(in, sizes));
  if (hostile_byte(in) & 1) {
    wire_number(&m, 2, hostile_string(in, sizes));
  } else {
    wire_number(&m, 3, hostile_number(in));
    wire_number(&m, 4, hostile_string(in, sizes));
  }
  wire_message(sample, 3, &m);
  buffer_free(&m);
}

static inline void hostile_samples(struct hostile *in, struct buffer *out,
                                   const struct hostile_sizes *sizes) {
  struct buffer m, stack;
  buffer_init(&m, &mem_default, PTRDIFF_MAX);
  buffer_init(&stack, &mem_default, PTRDIFF_MAX);
  for (unsigned samples = hostile_below(in, 32); samples; samples--) {
    unsigned depth = sizes->locations ? hostile_below(in, 16) : 0;
    bool packed = hostile_byte(in) & 1;
    for (; depth; depth--) {
      uint64_t id = 1 + hostile_below(in, sizes->locations);
      if (packed)
        wire_varint(&stack, id);
      else
        wire_number(&m, 1, id);
    }
    if (packed) wire_message(&m, 1, &stack);
    for (unsigned i = 0; i < sizes->types; i++) wire_number(&m, 2, hostile_number(in));
    for (unsigned labels = hostile_below(in, 4); labels; labels--) hostile_label(in, &m, sizes);
    wire_message(out, 2, &m);
  }
  buffer_free(&stack);
  buffer_free(&m);
}

/* Returns a profile, or NULL if the bytes are not a valid profile. */
static inline pprofc_profile *hostile_profile(struct hostile *in) {
  struct buffer out;
  buffer_init(&out, &mem_default, PTRDIFF_MAX);
  struct hostile_sizes sizes = {1 + hostile_below(in, 24), hostile_below(in, 4),
                                hostile_below(in, 4), hostile_below(in, 12), hostile_below(in, 16)};
  hostile_strings(in, &out, sizes.strings);
  hostile_types(in, &out, &sizes);
  hostile_mappings(in, &out, &sizes);
  hostile_functions(in, &out, &sizes);
  hostile_locations(in, &out, &sizes);
  hostile_samples(in, &out, &sizes);
  for (unsigned field = 7; field <= 14; field++) {
    bool is_string = field == 7 || field == 8 || field == 13 || field == 14;
    if (field == 11 || !(hostile_byte(in) & 1)) continue;
    wire_number(&out, field, is_string ? hostile_string(in, &sizes) : hostile_number(in));
  }
  REQUIRE(!out.failed);
  pprofc_profile *profile = NULL;
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  pprofc_status status = pprofc_profile_read_memory(out.data, out.size, NULL, &profile, &error);
  REQUIRE((status == PPROFC_OK) == (profile != NULL));
  REQUIRE(status == PPROFC_OK || error.message[0]);
  buffer_free(&out);
  return profile;
}

#endif
