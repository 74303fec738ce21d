/* Creates random profiles with random sizes: numbers of sample types, label keys and values,
 * locations, lines, mappings and comments. Units and names contain special characters, names are up
 * to 256 KiB long, and values are at their limits. A pseudorandom stream continues a short input,
 * so a few bytes make a profile of thousands of samples. */
#ifndef TESTS_FUZZ_SHAPE_H
#define TESTS_FUZZ_SHAPE_H

#include "hostile.h"

struct shape {
  struct hostile in;
  uint64_t random;
  struct buffer out;
  unsigned strings; /* number of strings in the table so far */
  unsigned keys, texts, units, names, files;
  unsigned types, mappings, functions, locations;
};

/* ---- random choices ---------------------------------- */

static inline void shape_open(struct shape *s, const uint8_t *data, size_t size) {
  *s = (struct shape){.in = {data, data + size}};
  s->random = 0x9e3779b97f4a7c15u;
  for (size_t i = 0; i < size; i++) s->random = (s->random ^ data[i]) * 0x100000001b3u;
}

static inline uint64_t shape_random(struct shape *s) {
  uint64_t x = s->random += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

static inline unsigned shape_byte(struct shape *s) {
  return s->in.at < s->in.end ? *s->in.at++ : (unsigned)(shape_random(s) & 255);
}

static inline unsigned shape_below(struct shape *s, unsigned limit) {
  unsigned value = shape_byte(s);
  if (limit > 256) value = value << 8 | shape_byte(s);
  if (limit > 65536) value = value << 8 | shape_byte(s);
  return limit ? value % limit : 0;
}

/* Returns a number from 0 to `most`: mostly small, sometimes tens, rarely the largest. */
static inline unsigned shape_count(struct shape *s, unsigned most) {
  unsigned kind = shape_byte(s), limit = most;
  if (kind < 144)
    limit = 4;
  else if (kind < 216)
    limit = 40;
  else if (kind < 244)
    limit = 300;
  return shape_below(s, (limit < most ? limit : most) + 1);
}

static inline uint64_t shape_number(struct shape *s) {
  uint8_t bytes[9];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)shape_byte(s);
  struct hostile in = {bytes, bytes + sizeof bytes};
  return hostile_number(&in);
}

/* ---- texts ------------------------------------------- */

/* Texts with a special meaning in dot, HTML, SVG, CSV, Markdown, callgrind, folded stacks,
 * terminals or logs of CI systems. */
static const char *const shape_texts[] = {
    "u\" URL=\"javascript:alert(1)\" target=\"_self\" x=\"",
    "u\" image=\"./secret.png\" x=\"",
    "u\" label=<<TABLE><TR><TD><IMG SRC=\"a.png\"/></TD></TR></TABLE>> x=\"",
    "q\"]; evil [label=\"INJECTED\" URL=\"javascript:alert(3)\"]; N9 [x=\"",
    "\\\"",
    "\\",
    "\\N\\G\\L",
    "</script><!--",
    "'\"><img src=x onerror=alert(1)>",
    "]]><svg onload=alert(1)>",
    "=1+1",
    "-1,\"a\"",
    "@SUM(1)",
    "::error file=a::b",
    "##[group]x",
    "section_start:1:x",
    "@user #1 [a](http://b) ![c](d)",
    "fn=(1) x",
    "cfn=(2)",
    "a;b;c 5",
    "\n+1 2\n",
    "\r\n",
    "\x1b]0;title\x07",
    "\xc2\x9b"
    "31m",
    "\xe2\x80\xae"
    "rtl",
    "\xf0\x9f\x98\x80",
    "\xed\xa0\x80",
    "%n%s%d",
    "${HOME}`id`",
    "nanoseconds",
    "bytes",
    "kb",
    "count",
    "samples",
    "cpu",
    "alloc_space",
    "inuse_space",
    "pprof::base",
    "true",
    "GCU",
    "%",
    "1e308",
};

/* Pieces of names that functions shorten, demangle, split or join. */
static const char *const shape_parts[] = {
    "f(",
    ")",
    "<A as B>",
    "std::vector<",
    ">",
    "::",
    "operator",
    "operator<",
    ".",
    "(*T[...]).",
    "/",
    "::h0123456789abcdef",
    ".cold",
    ".llvm.1",
    "{{closure}}",
    "_ZN1aE",
    "_R",
    "[",
    "]",
    "{",
    "}",
    "a",
    "\xc3\xa9",
    "\xff",
    " ",
    "\t",
    "github.com/x/y",
    "@",
    "$",
    "'lambda'",
    "const&",
    "java.lang.",
    "-[A b:]",
    "!",
    "0x1",
    "\"",
    "&",
    "<",
};

#define SHAPE_OF(s, table) (table)[shape_below((s), sizeof(table) / sizeof *(table))]

static inline void shape_add_string(struct shape *s, struct buffer *text) {
  wire_message(&s->out, 6, text);
  s->strings++;
}

/* Appends a name that repeats one or two pieces many times. */
static inline void shape_long(struct shape *s, struct buffer *text, unsigned bytes) {
  for (unsigned parts = 1 + shape_below(s, 2); parts; parts--) {
    const char *part = SHAPE_OF(s, shape_parts);
    for (size_t n = bytes / strlen(part); n; n--) buffer_add_text(text, part);
  }
}

/* Appends a mangled name of `levels` levels, whose form depends on `number`. Reads no bytes of the
 * input, so older inputs still make the same profiles. */
static inline void shape_mangled(struct buffer *text, unsigned number, unsigned levels) {
  static const char *const chains[][2] = {
      {"_Z1f", "P"}, {"_ZN", "1aI"}, {"_Z1fI", "1aI"},
      {"_Z1f", "F"}, {"_R", "NvC"},  {"_Z1f", "DpT_"},
  };
  const char *const *chain = chains[number % (sizeof chains / sizeof *chains)];
  buffer_add_text(text, chain[0]);
  for (; levels; levels--) buffer_add_text(text, chain[1]);
}

static inline void shape_text(struct shape *s, struct buffer *text, unsigned number) {
  unsigned kind = shape_below(s, 32);
  if (kind < 8) {
    buffer_add_text(text, SHAPE_OF(s, shape_texts));
  } else if (kind < 12) {
    buffer_add_text(text, SHAPE_OF(s, hostile_names));
  } else if (kind < 14) {
    shape_long(s, text, 8 + shape_below(s, 200));
  } else if (kind == 14) {
    shape_mangled(text, number, number % 100);
  } else if (kind == 15) {
    for (unsigned n = shape_below(s, 24); n; n--) buffer_add_char(text, (char)shape_byte(s));
  } else {
    buffer_printf(text, "n%u", number);
  }
}

/* Adds texts for one purpose, and returns the index of the first text. With `plain` all texts are
 * different. */
static inline unsigned shape_strings(struct shape *s, unsigned count, bool plain) {
  unsigned first = s->strings;
  struct buffer text;
  buffer_init(&text, &mem_default, PTRDIFF_MAX);
  for (unsigned i = 0; i < count; i++) {
    if (plain)
      buffer_printf(&text, "k%u", i);
    else
      shape_text(s, &text, i);
    shape_add_string(s, &text);
  }
  buffer_free(&text);
  return first;
}

/* Returns the index of any string of the table, including "". */
static inline uint64_t shape_any(struct shape *s) {
  return shape_below(s, s->strings);
}

static inline uint64_t shape_unit(struct shape *s) {
  return s->units + shape_below(s, sizeof shape_texts / sizeof *shape_texts);
}

static inline void shape_table(struct shape *s) {
  struct buffer text;
  buffer_init(&text, &mem_default, PTRDIFF_MAX);
  shape_add_string(s, &text);
  s->units = s->strings;
  for (size_t i = 0; i < sizeof shape_texts / sizeof *shape_texts; i++) {
    buffer_add_text(&text, shape_texts[i]);
    shape_add_string(s, &text);
  }
  buffer_free(&text);
}

/* ---- messages ---------------------------------------- */

/* Adds a value type. Most profiles get a known unit, which reports then scale. */
static inline void shape_value_type(struct shape *s, struct buffer *m, bool plain) {
  static const unsigned known[] = {29, 30, 32};
  wire_number(m, 1, plain ? s->units + 34u : shape_unit(s));
  wire_number(m, 2, plain ? s->units + known[shape_below(s, 3)] : shape_unit(s));
}

static inline void shape_types(struct shape *s, struct buffer *m) {
  s->types = 1 + shape_count(s, 300);
  for (unsigned i = 0; i < s->types; i++) {
    shape_value_type(s, m, shape_byte(s) & 1);
    wire_message(&s->out, 1, m);
  }
}

static inline void shape_mappings(struct shape *s, struct buffer *m) {
  s->mappings = shape_count(s, 400);
  for (unsigned i = 0; i < s->mappings; i++) {
    bool plain = shape_byte(s) & 3;
    uint64_t start = plain ? 0x1000u * (i + 1) : shape_number(s);
    wire_number(m, 1, i + 1);
    wire_number(m, 2, start);
    wire_number(m, 3, plain ? start + 0x1000 : shape_number(s));
    wire_number(m, 4, plain ? 0 : shape_number(s));
    wire_number(m, 5, shape_any(s));
    wire_number(m, 6, shape_any(s));
    for (unsigned field = 7; field <= 10; field++) wire_number(m, field, shape_byte(s) & 1);
    wire_message(&s->out, 3, m);
  }
}

static inline void shape_functions(struct shape *s, struct buffer *m) {
  s->functions = 1 + shape_count(s, 2000);
  s->names = shape_strings(s, s->functions - 1, false);
  shape_long(s, m, shape_below(s, 8) ? 20 : shape_below(s, 1u << 18));
  shape_add_string(s, m);
  unsigned files = 1 + shape_count(s, 50);
  s->files = shape_strings(s, files, false);
  for (unsigned i = 0; i < s->functions; i++) {
    wire_number(m, 1, i + 1);
    wire_number(m, 2, s->names + i);
    wire_number(m, 3, shape_byte(s) & 1 ? s->names + i : shape_any(s));
    wire_number(m, 4, s->files + shape_below(s, files));
    wire_number(m, 5, shape_number(s));
    wire_message(&s->out, 5, m);
  }
}

static inline void shape_locations(struct shape *s, struct buffer *m) {
  struct buffer line;
  buffer_init(&line, &mem_default, PTRDIFF_MAX);
  s->locations = 1 + shape_count(s, 3000);
  bool inlined = shape_byte(s) & 1;
  for (unsigned i = 0; i < s->locations; i++) {
    wire_number(m, 1, i + 1);
    wire_number(m, 2, s->mappings ? shape_below(s, s->mappings + 1) : 0);
    wire_number(m, 3, shape_byte(s) & 7 ? 0x1000 + 16u * i : shape_number(s));
    for (unsigned lines = inlined ? shape_count(s, 60) : 1; lines; lines--) {
      wire_number(&line, 1, 1 + shape_below(s, s->functions));
      wire_number(&line, 2, shape_byte(s) & 7 ? shape_below(s, 1000) : shape_number(s));
      wire_message(m, 4, &line);
    }
    wire_message(&s->out, 4, m);
  }
  buffer_free(&line);
}

/* Labels of the samples of a profile. */
struct shape_labels {
  unsigned keys, values, each; /* number of keys, values of a key, and labels of a sample */
  bool in_order;               /* true if the labels of a sample have the keys in order */
};

static inline void shape_label(struct shape *s, struct buffer *sample,
                               const struct shape_labels *labels, unsigned at) {
  struct buffer m;
  buffer_init(&m, &mem_default, PTRDIFF_MAX);
  unsigned key = labels->in_order ? at % labels->keys : shape_below(s, labels->keys);
  wire_number(&m, 1, s->keys + key);
  if (shape_byte(s) % 8) {
    wire_number(&m, 2, s->texts + shape_below(s, labels->values));
  } else {
    wire_number(&m, 3, shape_number(s));
    if (shape_byte(s) & 1) wire_number(&m, 4, shape_unit(s));
  }
  wire_message(sample, 3, &m);
  buffer_free(&m);
}

static inline void shape_sample(struct shape *s, struct buffer *m, struct buffer *stack,
                                const struct shape_labels *labels, unsigned depth) {
  bool packed = shape_byte(s) & 7;
  for (; depth; depth--) {
    uint64_t id = 1 + shape_below(s, s->locations);
    if (packed)
      wire_varint(stack, id);
    else
      wire_number(m, 1, id);
  }
  if (packed) wire_message(m, 1, stack);
  for (unsigned i = 0; i < s->types; i++) {
    unsigned kind = shape_byte(s);
    wire_number(m, 2, kind < 240 ? kind * (1u << kind % 24) : shape_number(s));
  }
  for (unsigned i = 0; labels->keys && i < labels->each; i++) shape_label(s, m, labels, i);
  wire_message(&s->out, 2, m);
}

static inline void shape_samples(struct shape *s, struct buffer *m) {
  struct buffer stack;
  struct shape_labels labels = {0};
  buffer_init(&stack, &mem_default, PTRDIFF_MAX);
  if (shape_byte(s) & 1) {
    labels.keys = 1 + shape_count(s, 1000);
    labels.values = 1 + shape_count(s, 1000);
    labels.each = shape_byte(s) & 3 ? labels.keys : shape_count(s, 8);
    labels.in_order = shape_byte(s) & 3;
    s->keys = shape_strings(s, labels.keys, shape_byte(s) & 1);
    s->texts = shape_strings(s, labels.values, shape_byte(s) & 1);
  }
  unsigned samples = shape_count(s, 4000), deep = 1 + shape_count(s, 300);
  unsigned work = 1 + labels.each + s->types + deep / 2;
  /* A few hundred kilobytes are enough to find a time or size that grows too fast. */
  if (samples > 60000 / work) samples = 60000 / work;
  for (; samples; samples--) shape_sample(s, m, &stack, &labels, shape_below(s, deep + 1));
  buffer_free(&stack);
}

/* Adds expressions for frames to drop and to keep, comments, times, the period, the default sample
 * type, and the URL of the documentation. */
static inline void shape_header(struct shape *s, struct buffer *m) {
  static const char *const expressions[] = {".*",    "n1.*",     "(a|b)*c", "[",      "(",
                                            "x{99}", "(f|ff)*x", "n[0-9]",  "(?i)N1", "\\Q"};
  for (unsigned field = 7; field <= 8; field++) {
    if (shape_byte(s) & 7) continue;
    wire_number(&s->out, field, s->strings);
    buffer_add_text(m, SHAPE_OF(s, expressions));
    shape_add_string(s, m);
  }
  if (shape_byte(s) & 1) wire_number(&s->out, 9, shape_number(s));
  if (shape_byte(s) & 1) wire_number(&s->out, 10, shape_number(s));
  if (shape_byte(s) & 1) {
    shape_value_type(s, m, shape_byte(s) & 1);
    wire_message(&s->out, 11, m);
  }
  if (shape_byte(s) & 1) wire_number(&s->out, 12, shape_number(s));
  for (unsigned comments = shape_count(s, 200); comments; comments--)
    wire_number(&s->out, 13, shape_any(s));
  if (shape_byte(s) & 1) wire_number(&s->out, 14, shape_any(s));
  if (shape_byte(s) & 1) wire_number(&s->out, 15, shape_any(s));
}

/* Writes one profile. The caller frees its bytes with buffer_free(&s->out). */
static inline pprofc_str shape_write(struct shape *s) {
  struct buffer m;
  buffer_init(&m, &mem_default, PTRDIFF_MAX);
  buffer_init(&s->out, &mem_default, PTRDIFF_MAX);
  s->strings = 0;
  shape_table(s);
  shape_types(s, &m);
  shape_mappings(s, &m);
  shape_functions(s, &m);
  shape_locations(s, &m);
  shape_samples(s, &m);
  shape_header(s, &m);
  REQUIRE(!s->out.failed && !m.failed);
  buffer_free(&m);
  return buffer_str(&s->out);
}

/* ---- memory ------------------------------------------ */

/* An allocator that moves each block that changes its size, and counts bytes. From one call on, it
 * fails if the input says so. */
struct shape_memory {
  size_t live, peak, calls, fail_at;
};

#define SHAPE_HEADER 16

static inline void *shape_alloc(void *context, size_t size) {
  struct shape_memory *m = context;
  if (__atomic_add_fetch(&m->calls, 1, __ATOMIC_RELAXED) >= m->fail_at) return NULL;
  char *block = malloc(size + SHAPE_HEADER);
  if (!block) return NULL;
  *(size_t *)(void *)block = size;
  size_t live = __atomic_add_fetch(&m->live, size, __ATOMIC_RELAXED);
  size_t peak = __atomic_load_n(&m->peak, __ATOMIC_RELAXED);
  while (live > peak && !__atomic_compare_exchange_n(&m->peak, &peak, live, true, __ATOMIC_RELAXED,
                                                     __ATOMIC_RELAXED)) {
  }
  return block + SHAPE_HEADER;
}

static inline void shape_release(void *context, void *block, size_t size) {
  struct shape_memory *m = context;
  char *start = (char *)block - SHAPE_HEADER;
  REQUIRE(*(size_t *)(void *)start == size);
  __atomic_sub_fetch(&m->live, size, __ATOMIC_RELAXED);
  free(start);
}

static inline void *shape_resize(void *context, void *block, size_t old_size, size_t new_size) {
  void *moved = shape_alloc(context, new_size);
  if (!moved) return NULL;
  memcpy(moved, block, old_size < new_size ? old_size : new_size);
  shape_release(context, block, old_size);
  return moved;
}

static inline pprofc_allocator shape_allocator(struct shape_memory *m) {
  return (pprofc_allocator){shape_alloc, shape_resize, shape_release, m};
}

/* Returns the initial state of the allocator. One input of eight runs out of memory. */
static inline struct shape_memory shape_memory_of(struct shape *s) {
  struct shape_memory m = {0, 0, 0, SIZE_MAX};
  if (shape_below(s, 8) == 7) m.fail_at = 1 + shape_count(s, 4000);
  return m;
}

#endif
