/* Reads heap profiles as text: heap and heapz of TCMalloc and Go, growthz, fragmentation
 * (docs/spec/pprof.md, 5.2). */
#include "import/formats.h"
#include "import/legacy/legacy.h"

/* Fields of the profile's first line. */
struct heap_header {
  pprofc_str count, bytes, alloc_count, alloc_bytes;
  /* Kind and sampling period in bytes, such as "heap_v2" and "524288". The period may be empty. */
  pprofc_str kind, period;
};

/* Kinds of heap profiles. `sampled` is true if the values are samples, which must be scaled up.
 * Then the period of the header, divided by `divide_period`, is the sampling period. */
static const struct heap_kind {
  const char *name;
  bool sampled;
  int64_t divide_period;
} heap_kinds[] = {
    {"heapz_v2", true, 1}, {"heap_v2", true, 1}, {"heapprofile", false, 1}, {"heap", true, 2}};

static bool is_kind(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || char_is_digit(c);
}

/* Removes "144:  8498176 [   144:  8498176]" from the start of *s. Spaces in between are
 * optional. */
static bool take_numbers(pprofc_str *s, struct heap_header *h) {
  text_skip_blanks(s);
  if (!text_take_digits(s, &h->count) || !text_take(s, STR(":"))) return false;
  text_skip_blanks(s);
  if (!text_take_digits(s, &h->bytes)) return false;
  text_skip_blanks(s);
  if (!text_take(s, STR("["))) return false;
  text_skip_blanks(s);
  if (!text_take_digits(s, &h->alloc_count) || !text_take(s, STR(":"))) return false;
  text_skip_blanks(s);
  if (!text_take_digits(s, &h->alloc_bytes)) return false;
  text_skip_blanks(s);
  return text_take(s, STR("]"));
}

/* Removes " @ heapz_v2/524288" from the start of *s. */
static bool take_kind(pprofc_str *s, struct heap_header *h) {
  text_skip_blanks(s);
  if (!text_take(s, STR("@"))) return false;
  text_skip_blanks(s);
  if (!str_starts(*s, STR("heap")) || !text_take_run(s, is_kind, &h->kind)) return false;
  text_take(s, STR("/"));
  h->period = STR("");
  text_take_digits(s, &h->period);
  return true;
}

static bool take_growth(pprofc_str *s, struct heap_header *h) {
  (void)h;
  return text_take(s, STR(" @ growth")) || text_take(s, STR(" @ fragmentation"));
}

/* Finds a header anywhere in the line. `take_end` parses the end of the header. */
static bool find_header(pprofc_str line, bool (*take_end)(pprofc_str *, struct heap_header *),
                        struct heap_header *h) {
  static const pprofc_str start = {"heap profile:", sizeof "heap profile:" - 1};
  for (;;) {
    size_t at = str_find(line, start);
    if (at == line.size) return false;
    line = str_slice(line, at + start.size, line.size);
    pprofc_str rest = line;
    if (take_numbers(&rest, h) && take_end(&rest, h)) return true;
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
};

static bool heap_text_read_header(struct heap_reader *r, pprofc_str line) {
  struct heap_header h;
  struct legacy *l = r->l;
  if (!find_header(line, take_kind, &h)) {
    l->period = 1;
    return find_header(line, take_growth, &h);
  }
  int64_t period = 0;
  if (h.period.size && !str_parse_int(h.period, 10, &period)) return false;
  r->has_alloc = has_allocations(h.alloc_count, h.count) || has_allocations(h.alloc_bytes, h.bytes);
  for (size_t i = 0; i < sizeof heap_kinds / sizeof *heap_kinds; i++) {
    const struct heap_kind *kind = &heap_kinds[i];
    if (!str_equal(h.kind, str_of(kind->name))) continue;
    r->sampled = kind->sampled;
    l->period = kind->sampled ? period / kind->divide_period : 1;
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

/* Fields of a sample line. */
struct heap_sample {
  pprofc_str count, bytes, alloc_count, alloc_bytes, addresses;
};

static bool take_signed(pprofc_str *s, pprofc_str *number) {
  pprofc_str rest = *s, digits;
  text_take(&rest, STR("-"));
  if (!text_take_digits(&rest, &digits)) return false;
  *number = str_slice(*s, 0, s->size - rest.size);
  *s = rest;
  return true;
}

/* Parses "1: 9216 [ 1: 9216] @ 0xc635c8 0x42ecc3". */
static bool take_sample(pprofc_str s, struct heap_sample *sample) {
  if (!take_signed(&s, &sample->count) || !text_take(&s, STR(":"))) return false;
  text_skip_blanks(&s);
  if (!take_signed(&s, &sample->bytes)) return false;
  text_skip_blanks(&s);
  if (!text_take(&s, STR("["))) return false;
  text_skip_blanks(&s);
  if (!text_take_digits(&s, &sample->alloc_count) || !text_take(&s, STR(":"))) return false;
  text_skip_blanks(&s);
  if (!text_take_digits(&s, &sample->alloc_bytes)) return false;
  text_skip_blanks(&s);
  if (!text_take(&s, STR("] @"))) return false;
  sample->addresses = STR("");
  text_take_run(&s, text_is_address, &sample->addresses);
  return true;
}

/* Finds a sample anywhere in the line. Returns false if the line does not have one. */
static bool heap_text_find_sample(pprofc_str line, struct heap_sample *sample) {
  while (line.size) {
    if (take_sample(line, sample)) return true;
    /* A sample cannot begin in the middle of a number. */
    pprofc_str digits;
    if (!text_take_digits(&line, &digits)) line = str_slice(line, 1, line.size);
  }
  return false;
}

/* Parses a count and a number of bytes, and scales both if they are sampled. `what` names the pair
 * in error messages. Sets *block_size to the average size before scaling. */
static pprofc_status read_pair(struct heap_reader *r, const struct lines *lines,
                               pprofc_str count_text, pprofc_str bytes_text, const char *what,
                               int64_t *pair, int64_t *block_size) {
  if (!str_parse_int(count_text, 10, &pair[0]) || !str_parse_int(bytes_text, 10, &pair[1]))
    return lines_malformed(lines, "malformed sample", r->l->error);
  if (pair[0] == 0 && pair[1] != 0)
    return error_set(r->l->error, PPROFC_E_FORMAT, "%s count was 0 but %s bytes was %lld", what,
                     what, (long long)pair[1]);
  if (pair[0] == 0) return PPROFC_OK;
  /* Handle -1 separately: INT64_MIN / -1 would overflow. The result wraps around, as in Go. */
  *block_size = pair[0] == -1 ? (int64_t)(0 - (uint64_t)pair[1]) : pair[1] / pair[0];
  if (r->sampled) legacy_unsample(&pair[0], &pair[1], r->l->period);
  return PPROFC_OK;
}

static pprofc_status heap_text_read_sample(struct heap_reader *r, const struct lines *lines) {
  struct heap_sample sample;
  if (!heap_text_find_sample(str_trim(lines->line), &sample))
    return lines_malformed(lines, "unexpected number of sample values: got 0, want 6", r->l->error);
  int64_t values[4], block_size = 0, *live = values;
  if (r->has_alloc) {
    pprofc_status status = read_pair(r, lines, sample.alloc_count, sample.alloc_bytes, "allocation",
                                     values, &block_size);
    if (status != PPROFC_OK) return status;
    live = values + 2;
  }
  pprofc_status status =
      read_pair(r, lines, sample.count, sample.bytes, "inuse", live, &block_size);
  if (status != PPROFC_OK) return status;
  if (!legacy_add_hex_frames(r->l, sample.addresses, 0))
    return lines_malformed(lines, "malformed sample", r->l->error);
  legacy_add_sample(r->l, values, block_size);
  return PPROFC_OK;
}

static pprofc_status heap_text_read_samples(struct heap_reader *r, struct lines *lines) {
  while (lines_next(lines)) {
    if (text_is_comment(lines->line)) continue;
    if (legacy_is_memory_map_head(lines->line)) break;
    pprofc_status status = heap_text_read_sample(r, lines);
    if (status != PPROFC_OK) return status;
  }
  return lines_status(lines, r->l->error);
}

static pprofc_status read_heap_text(struct legacy *l, pprofc_str data) {
  struct lines lines = lines_of(data);
  struct heap_reader r = {.l = l};
  if (!lines_next(&lines) || !heap_text_read_header(&r, lines.line)) return PPROFC_E_NO_MATCH;
  heap_text_add_types(&r);
  l->period_type = (struct legacy_type){STR("space"), STR("bytes")};
  l->has_block_size = true;
  pprofc_status status = heap_text_read_samples(&r, &lines);
  return status == PPROFC_OK ? legacy_read_sections(l, &lines) : status;
}

IMPORT_READER(import_heap_text) {
  return legacy_import(read_heap_text, data, mem, options, profile, error);
}
