/* Reads heap profiles of jemalloc, whose first line is "heap_v2/524288". Each stack has a line of
 * addresses, a line "t*:" with the sampled counts of all threads, and one line for each thread.
 *
 * The reader scales sampled counts up, as jeprof does. It skips the lines of single threads,
 * because the line "t*:" has their sums. */
#include "import/formats.h"
#include "import/legacy/legacy.h"
#include "import/lines.h"

/* Functions of jemalloc at the leaf of an allocation's stack, with their possible prefixes. */
static const char own_frames[] =
    "(_rjem_|je_|_rjem_je_|__libc_|__)?(malloc|calloc|realloc|reallocarray|aligned_alloc|memalign|"
    "posix_memalign|valloc|pvalloc|mallocx|rallocx|xallocx|malloc_default|realloc_default|"
    "do_rallocx|imalloc.*|irealloc.*|prof_backtrace.*|prof_tctx_create|prof_alloc_prep)|"
    "operator new(\\[\\])?|__rust_(re)?alloc(_zeroed)?";

/* Values of the line "  t*: 76: 194928 [102: 174845]". */
struct counts {
  int64_t live[2], all[2]; /* numbers of objects and bytes: live memory, and all allocations */
};

static bool take_number(pprofc_str *s, const char *end, int64_t *out) {
  pprofc_str digits;
  text_skip_blanks(s);
  return text_take_digits(s, &digits) && str_parse_int(digits, 10, out) &&
         text_take(s, str_of(end));
}

static bool jemalloc_parse_counts(pprofc_str line, struct counts *counts) {
  text_skip_blanks(&line);
  if (!text_take(&line, STR("t*:")) || !take_number(&line, ":", &counts->live[0]) ||
      !take_number(&line, "", &counts->live[1]))
    return false;
  text_skip_blanks(&line);
  counts->all[0] = counts->all[1] = 0;
  return !text_take(&line, STR("[")) ||
         (take_number(&line, ":", &counts->all[0]) && take_number(&line, "]", &counts->all[1]));
}

/* Parses the line "heap_v2/524288", which must not have other text. */
static bool parse_rate(pprofc_str line, int64_t *rate) {
  line = str_trim(line);
  return text_take(&line, STR("heap_v2/")) && str_parse_int(line, 10, rate) && *rate > 0;
}

/* Reads the line with the sums over all stacks, and adds the sample types. Sets *has_all to true if
 * the profile also counts freed memory. */
static pprofc_status read_head(struct legacy *l, struct lines *lines, bool *has_all) {
  struct counts sums;
  if (!lines_next(lines) || !jemalloc_parse_counts(lines->line, &sums))
    return lines_malformed(lines, "no sums of all threads", l->error);
  *has_all = sums.all[0] || sums.all[1];
  l->said = (uint64_t)sums.live[1];
  if (*has_all) {
    legacy_add_type(l, STR("alloc_objects"), STR("count"));
    legacy_add_type(l, STR("alloc_space"), STR("bytes"));
  }
  legacy_add_type(l, STR("inuse_objects"), STR("count"));
  legacy_add_type(l, STR("inuse_space"), STR("bytes"));
  return PPROFC_OK;
}

/* Reads a stack: the current line with addresses, and the next line with the counts of all
 * threads. */
static pprofc_status jemalloc_read_sample(struct legacy *l, struct lines *lines, bool has_all) {
  struct counts counts;
  int64_t values[4];
  size_t count = 0;
  if (!legacy_add_hex_frames(l, lines->line, 0))
    return lines_malformed(lines, "malformed address", l->error);
  if (!lines_next(lines) || !jemalloc_parse_counts(lines->line, &counts))
    return lines_malformed(lines, "a stack without counts of all threads", l->error);
  l->read += (uint64_t)counts.live[1];
  legacy_unsample(&counts.live[0], &counts.live[1], l->period);
  legacy_unsample(&counts.all[0], &counts.all[1], l->period);
  for (size_t i = 0; has_all && i < 2; i++) values[count++] = counts.all[i];
  for (size_t i = 0; i < 2; i++) values[count++] = counts.live[i];
  legacy_add_sample(l, values, 0);
  return PPROFC_OK;
}

/* True if a line is blank or has the counts of one thread: " t12: 1: 8 [0: 0]". */
static bool is_of_thread(pprofc_str line) {
  pprofc_str digits;
  text_skip_blanks(&line);
  return !line.size || (text_take(&line, STR("t")) && text_take_digits(&line, &digits) &&
                        str_starts(line, STR(":")));
}

static pprofc_status jemalloc_read_samples(struct legacy *l, struct lines *lines) {
  bool has_all = false;
  pprofc_status status = read_head(l, lines, &has_all);
  while (status == PPROFC_OK && lines_next(lines)) {
    if (legacy_is_memory_map_head(lines->line)) return PPROFC_OK;
    if (str_starts(lines->line, STR("@")))
      status = jemalloc_read_sample(l, lines, has_all);
    else
      l->bad_lines += !is_of_thread(lines->line);
  }
  return status == PPROFC_OK ? lines_status(lines, l->error) : status;
}

static pprofc_status read_jemalloc(struct legacy *l, pprofc_str data) {
  struct lines lines = lines_of(import_first_line(data));
  if (!lines_next(&lines) || !parse_rate(lines.line, &l->period)) return PPROFC_E_NO_MATCH;
  l->period_type = (struct legacy_type){STR("space"), STR("bytes")};
  l->drop_frames = own_frames;
  l->skips_allocator = true;
  pprofc_status status = jemalloc_read_samples(l, &lines);
  return status == PPROFC_OK ? legacy_read_sections(l, &lines) : status;
}

IMPORT_READER(import_jemalloc) {
  return legacy_import(read_jemalloc, data, mem, options, profile, error);
}
