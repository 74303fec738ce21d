/* Reads heap profiles as text: heap and heapz of TCMalloc and Go, growthz, fragmentation
 * (docs/spec/pprof.md, 5.2). */
#include "import/legacy/legacy.h"

/* Indices of the four numbers in the first line and in each sample line. */
enum { HEAP_COUNT, HEAP_BYTES, HEAP_ALLOC_COUNT, HEAP_ALLOC_BYTES, HEAP_NUMBERS };

/* Fields of the profile's first line. */
struct heap_header {
  pprofc_str numbers[HEAP_NUMBERS];
  /* Kind and sampling period in bytes, such as "heap_v2" and "524288". The period may be empty. */
  pprofc_str kind, period;
};

/* Kinds of heap profiles. `sampled` is true if the values are samples, which must be scaled up. In
 * this case, the sampling period is the period of the header divided by `divide_period`. */
static const struct heap_kind {
  const char *name;
  bool sampled;
  int64_t divide_period;
} heap_kinds[] = {
    {"heapz_v2", true, 1}, {"heap_v2", true, 1}, {"heapprofile", false, 1}, {"heap", true, 2}};

static bool is_kind(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || char_is_digit(c);
}

/* Removes " @ heapz_v2/524288" from the start of *s. */
static bool take_kind(pprofc_str *s, struct heap_header *h) {
  if (!text_scan(s, " @ ", NULL) || !str_starts(*s, STR("heap")) ||
      !str_take_run(s, is_kind, &h->kind))
    return false;
  str_take(s, STR("/"));
  h->period = STR("");
  str_take_run(s, char_is_digit, &h->period);
  return true;
}

static bool take_growth(pprofc_str *s, struct heap_header *h) {
  (void)h;
  return str_take(s, STR(" @ growth")) || str_take(s, STR(" @ fragmentation"));
}

/* Finds a header anywhere in the line. `take_end` parses the end of the header. */
static bool find_header(pprofc_str line, bool (*take_end)(pprofc_str *, struct heap_header *),
                        struct heap_header *h) {
  static const pprofc_str start = {"heap profile:", sizeof "heap profile:" - 1};
  for (;;) {
    size_t at = str_find(line, start);
    if (at == line.size) return false;
    line = str_from(line, at + start.size);
    pprofc_str rest = line;
    /* Parse counts such as "144:  8498176 [   144:  8498176]". */
    if (text_scan(&rest, " #: # [ #: # ]", h->numbers) && take_end(&rest, h)) return true;
  }
}

/* True if a value for all allocations is given: its text is not "0" and differs from the value for
 * live memory. */
static bool has_allocations(pprofc_str alloc, pprofc_str live) {
  return !str_equal(alloc, live) && !str_equal(alloc, STR("0"));
}

struct heap_reader {
  struct legacy *l;
  bool sampled, has_alloc;
  int64_t period;
};

static bool heap_text_read_header(struct heap_reader *r, pprofc_str line) {
  struct heap_header h;
  *r = (struct heap_reader){.period = 1};
  if (!find_header(line, take_kind, &h)) return find_header(line, take_growth, &h);
  int64_t period = 0;
  if (h.period.size && !str_parse_int(h.period, 10, &period)) return false;
  r->has_alloc = has_allocations(h.numbers[HEAP_ALLOC_COUNT], h.numbers[HEAP_COUNT]) ||
                 has_allocations(h.numbers[HEAP_ALLOC_BYTES], h.numbers[HEAP_BYTES]);
  for (size_t i = 0; i < sizeof heap_kinds / sizeof *heap_kinds; i++) {
    const struct heap_kind *kind = &heap_kinds[i];
    if (!str_equal(h.kind, str_of(kind->name))) continue;
    r->sampled = kind->sampled;
    if (kind->sampled) r->period = period / kind->divide_period;
    return true;
  }
  return false;
}

static void heap_text_add_types(struct heap_reader *r) {
  if (r->has_alloc) {
    legacy_add_type(r->l, STR("alloc_objects"), STR("count"));
    legacy_add_type(r->l, STR("alloc_space"), STR("bytes"));
    legacy_add_type(r->l, STR("inuse_objects"), STR("count"));
    legacy_add_type(r->l, STR("inuse_space"), STR("bytes"));
  } else {
    legacy_add_type(r->l, STR("objects"), STR("count"));
    legacy_add_type(r->l, STR("space"), STR("bytes"));
  }
}

/* Finds a sample anywhere in the line: "1: 9216 [ 1: 9216] @ 0xc635c8 0x42ecc3". Sets *line to the
 * addresses. Returns false if the line does not have a sample. */
static bool heap_text_find_sample(pprofc_str *line, pprofc_str *numbers) {
  while (line->size) {
    if (text_scan(line, "~: ~ [ #: # ]_@", numbers)) return true;
    /* A sample cannot begin in the middle of a number. */
    pprofc_str digits;
    if (!str_take_run(line, char_is_digit, &digits)) *line = str_from(*line, 1);
  }
  return false;
}

/* Parses a count and a number of bytes, and scales both if they are sampled. `what` names the two
 * values in error messages. Sets *block_size to the average block size before scaling. */
static bool read_pair(struct heap_reader *r, const pprofc_str *numbers, const char *what,
                      int64_t *pair, int64_t *block_size) {
  struct legacy *l = r->l;
  if (!str_parse_int(numbers[0], 10, &pair[0]) || !str_parse_int(numbers[1], 10, &pair[1]))
    return legacy_malformed(l, "malformed sample");
  if (pair[0] == 0 && pair[1] != 0)
    return import_refuse(l->builder, PPROFC_E_FORMAT, "%s count was 0 but %s bytes was %lld", what,
                         what, (long long)pair[1]);
  if (pair[0] == 0) return true;
  /* Handle a count of -1 separately, because INT64_MIN / -1 would overflow. The result wraps
   * around, as in Go. */
  *block_size = pair[0] == -1 ? (int64_t)(0 - (uint64_t)pair[1]) : pair[1] / pair[0];
  if (r->sampled) legacy_unsample(&pair[0], &pair[1], l->period);
  return true;
}

static bool heap_text_read_sample(struct heap_reader *r) {
  struct legacy *l = r->l;
  pprofc_str numbers[HEAP_NUMBERS], line = str_trim(l->line), addresses = STR("");
  int64_t values[4], block_size = 0, *live = r->has_alloc ? values + 2 : values;
  if (!heap_text_find_sample(&line, numbers))
    return legacy_malformed(l, "unexpected number of sample values: got 0, want 6");
  if (r->has_alloc && !read_pair(r, &numbers[HEAP_ALLOC_COUNT], "allocation", values, &block_size))
    return false;
  if (!read_pair(r, &numbers[HEAP_COUNT], "inuse", live, &block_size)) return false;
  str_take_run(&line, text_is_address, &addresses);
  if (!legacy_add_hex_frames(l, addresses, 0)) return legacy_malformed(l, "malformed sample");
  legacy_add_sample(l, values, block_size);
  return true;
}

bool import_is_heap_text(pprofc_str data) {
  struct heap_reader r;
  pprofc_str line;
  return text_next_line(&data, &line) && heap_text_read_header(&r, line);
}

static void read_heap_text(struct legacy *l) {
  struct heap_reader r;
  legacy_next_line(l);
  heap_text_read_header(&r, l->line);
  r.l = l;
  l->period = r.period;
  heap_text_add_types(&r);
  l->period_type = (struct legacy_type){STR("space"), STR("bytes")};
  l->has_block_size = true;
  while (legacy_next_line(l)) {
    if (text_is_comment(l->line)) continue;
    if (legacy_is_memory_map_head(l->line)) break;
    heap_text_read_sample(&r);
  }
  legacy_read_sections(l);
}

IMPORT_READER(import_heap_text) {
  legacy_import(read_heap_text, data, builder, arena);
}
