/* Reads heap profiles of jemalloc, whose first line is "heap_v2/524288". Each stack has a line of
 * addresses, a line "t*:" with the sampled counts of all threads, and one line for each thread.
 *
 * The reader scales sampled counts up, as jeprof does. It skips the lines of single threads,
 * because the line "t*:" has their sums. */
#include "import/legacy/legacy.h"

/* Regular expression for the functions of jemalloc at the leaf of an allocation's stack, with their
 * possible prefixes. */
static const char own_frames[] =
    "(_rjem_|je_|_rjem_je_|__libc_|__)?(malloc|calloc|realloc|reallocarray|aligned_alloc|memalign|"
    "posix_memalign|valloc|pvalloc|mallocx|rallocx|xallocx|malloc_default|realloc_default|"
    "do_rallocx|imalloc.*|irealloc.*|prof_backtrace.*|prof_tctx_create|prof_alloc_prep)|"
    "operator new(\\[\\])?|__rust_(re)?alloc(_zeroed)?";

/* Values of the line "  t*: 76: 194928 [102: 174845]". */
struct counts {
  /* Live memory, and all allocations. Element 0 is the number of objects, element 1 their size in
   * bytes. */
  int64_t live[2], all[2];
};

static bool jemalloc_parse_pair(const pprofc_str *numbers, int64_t *pair) {
  return str_parse_int(numbers[0], 10, &pair[0]) && str_parse_int(numbers[1], 10, &pair[1]);
}

static bool jemalloc_parse_counts(pprofc_str line, struct counts *counts) {
  pprofc_str numbers[2];
  counts->all[0] = counts->all[1] = 0;
  if (!text_scan(&line, " t*: #: #", numbers) || !jemalloc_parse_pair(numbers, counts->live))
    return false;
  return !text_scan(&line, " [", NULL) ||
         (text_scan(&line, " #: #]", numbers) && jemalloc_parse_pair(numbers, counts->all));
}

/* Parses the line "heap_v2/524288", which must not have other text. */
static bool parse_rate(pprofc_str line, int64_t *rate) {
  line = str_trim(line);
  return str_take(&line, STR("heap_v2/")) && str_parse_int(line, 10, rate) && *rate > 0;
}

/* Reads the line with the sums over all stacks, and adds the sample types. Sets *has_all to true if
 * the profile also counts memory that was freed. */
static bool read_head(struct legacy *l, bool *has_all) {
  struct counts sums;
  if (!legacy_next_line(l) || !jemalloc_parse_counts(l->line, &sums))
    return legacy_malformed(l, "no sums of all threads");
  *has_all = sums.all[0] || sums.all[1];
  l->said = (uint64_t)sums.live[1];
  if (*has_all) {
    legacy_add_type(l, STR("alloc_objects"), STR("count"));
    legacy_add_type(l, STR("alloc_space"), STR("bytes"));
  }
  legacy_add_type(l, STR("inuse_objects"), STR("count"));
  legacy_add_type(l, STR("inuse_space"), STR("bytes"));
  return true;
}

/* Reads a stack: the current line with addresses, and the next line with the counts of all
 * threads. */
static bool jemalloc_read_sample(struct legacy *l, bool has_all) {
  struct counts counts;
  int64_t values[4];
  size_t count = 0;
  if (!legacy_add_hex_frames(l, l->line, 0)) return legacy_malformed(l, "malformed address");
  if (!legacy_next_line(l) || !jemalloc_parse_counts(l->line, &counts))
    return legacy_malformed(l, "a stack without counts of all threads");
  l->read += (uint64_t)counts.live[1];
  legacy_unsample(&counts.live[0], &counts.live[1], l->period);
  legacy_unsample(&counts.all[0], &counts.all[1], l->period);
  for (size_t i = 0; has_all && i < 2; i++) values[count++] = counts.all[i];
  for (size_t i = 0; i < 2; i++) values[count++] = counts.live[i];
  legacy_add_sample(l, values, 0);
  return true;
}

/* True if a line is blank or has the counts of one thread: " t12: 1: 8 [0: 0]". */
static bool is_of_thread(pprofc_str line) {
  pprofc_str digits;
  text_scan(&line, " ", NULL);
  return !line.size || text_scan(&line, "t#:", &digits);
}

bool import_is_jemalloc(pprofc_str data) {
  int64_t rate;
  pprofc_str line;
  data = import_first_line(data);
  return text_next_line(&data, &line) && parse_rate(line, &rate);
}

static void read_jemalloc(struct legacy *l) {
  bool has_all = false;
  l->rest = import_first_line(l->rest);
  legacy_next_line(l);
  parse_rate(l->line, &l->period);
  l->period_type = (struct legacy_type){STR("space"), STR("bytes")};
  l->drop_frames = own_frames;
  l->skips_allocator = true;
  if (!read_head(l, &has_all)) return;
  while (legacy_next_line(l) && !legacy_is_memory_map_head(l->line))
    if (str_starts(l->line, STR("@")))
      jemalloc_read_sample(l, has_all);
    else
      l->bad_lines += !is_of_thread(l->line);
  legacy_read_sections(l);
}

IMPORT_READER(import_jemalloc) {
  legacy_import(read_jemalloc, data, builder, arena);
}
