/* Reads the text of GHC's profiler (+RTS -p, -P): a tree of cost centres, each indented below its
 * caller. With -P a row has ticks and bytes; otherwise the reader computes them from
 * percentages. */
#include "import/reader.h"

#define GHC_SNIFFED 20u /* the title must be in this many lines at the start */
/* Maximum number of numeric columns: number of the cost centre, entries, four percentages, ticks,
 * bytes. */
#define GHC_NUMBERS 8u

struct ghc_prof {
  pprofc_builder *builder;
  struct arena *arena;
  struct call_paths paths;
  uint32_t *open; /* call paths of the last row and of its ancestors in the tree, root first */
  size_t depth, room;
  int64_t interval; /* length of a tick in nanoseconds */
  uint64_t total_ticks, total_bytes, ticks, bytes;
  bool has_counts, has_places, in_tree;
  uint64_t rows, bad;
};

/* Parses a number with thousands separators: "391,030,888". */
static bool ghc_number(pprofc_str text, uint64_t *number) {
  char digits[32];
  size_t size = 0;
  for (size_t i = 0; i < text.size; i++) {
    if (text.data[i] == ',') continue;
    if (size == sizeof digits) return false;
    digits[size++] = text.data[i];
  }
  return str_parse_uint((pprofc_str){digits, size}, 10, number);
}

/* Removes the last word of the line and returns it. */
static pprofc_str ghc_last_word(pprofc_str *line) {
  *line = str_trim(*line);
  size_t blank = str_find_last_char(*line, ' '), from = blank < line->size ? blank + 1 : 0;
  pprofc_str word = str_from(*line, from);
  *line = str_slice(*line, 0, from);
  return word;
}

/* Removes the source position at the end of the line and returns it. A position without a file is
 * in <> and may contain blanks: <no location info>. */
static pprofc_str ghc_place(pprofc_str *line) {
  *line = str_trim(*line);
  if (!str_ends(*line, STR(">"))) return ghc_last_word(line);
  size_t from = str_find_last_char(*line, '<');
  pprofc_str place = str_from(*line, from);
  *line = str_slice(*line, 0, from);
  return place;
}

/* Parses a line with a total: "total time = 0.15 secs (150 ticks @ 1000 us, 1 processor)" or "total
 * alloc = 391,030,888 bytes". Returns false for any other line. */
static bool ghc_total(struct ghc_prof *g, pprofc_str line) {
  static const pprofc_str ticks = {" ticks @ ", 9}, bytes = {" bytes", 6};
  uint64_t interval;
  line = str_trim(line);
  if (!str_starts(line, STR("total "))) return false;
  size_t at = str_find(line, ticks), end = str_find(line, STR(" us"));
  if (at < line.size) {
    pprofc_str number = str_slice(line, str_find_char(line, '(') + 1, at);
    ghc_number(number, &g->total_ticks);
    if (str_parse_uint(str_slice(line, at + ticks.size, end), 10, &interval) &&
        interval < INT64_MAX / 1000 && interval)
      g->interval = (int64_t)interval * 1000;
  } else {
    pprofc_str before = str_slice(line, 0, str_find(line, bytes));
    ghc_number(ghc_last_word(&before), &g->total_bytes);
  }
  return true;
}

/* Parses the titles of the columns. Only the tree has the column "entries"; the summary before the
 * tree does not. Returns false for any other line. */
static bool ghc_columns(struct ghc_prof *g, pprofc_str line) {
  if (!str_starts(line, STR("COST CENTRE"))) return false;
  g->in_tree = str_contains(line, STR("entries"));
  g->has_counts = str_contains(line, STR(" ticks "));
  g->has_places = str_contains(line, STR(" SRC "));
  return true;
}

/* Converts a percentage of `total` to an amount, rounded to an integer. */
static int64_t ghc_share(pprofc_str percent, uint64_t total) {
  double share;
  if (!str_parse_float(percent, &share) || !(share >= 0 && share <= 100)) return 0;
  double part = share / 100 * (double)total;
  return part < 9e18 ? llround(part) : 0;
}

/* Removes the numbers at the end of a row: entries, percentages, and ticks and bytes if printed.
 * Sets ticks and bytes in `values`. Returns false if the line is not a row. */
static bool ghc_values(const struct ghc_prof *g, pprofc_str *line, int64_t *values) {
  pprofc_str words[GHC_NUMBERS];
  size_t count = g->has_counts ? GHC_NUMBERS : GHC_NUMBERS - 2;
  uint64_t number;
  for (size_t i = count; i-- > 0;) words[i] = ghc_last_word(line);
  if (!str_parse_uint(words[0], 10, &number) || !str_parse_uint(words[1], 10, &number))
    return false;
  values[0] = ghc_share(words[2], g->total_ticks);
  values[1] = ghc_share(words[3], g->total_bytes);
  if (!g->has_counts) return true;
  return str_parse_int(words[6], 10, &values[0]) && str_parse_int(words[7], 10, &values[1]) &&
         values[0] >= 0 && values[1] >= 0;
}

/* Adds a row to the tree and returns the row's call path. The caller of a row is the last row with
 * less indentation. */
static uint32_t ghc_enter(struct ghc_prof *g, size_t depth, uint32_t location) {
  if (depth > g->depth) depth = g->depth;
  g->depth = depth;
  uint32_t path = call_paths_enter(&g->paths, depth ? g->open[depth - 1] : MAP_NONE, location);
  import_need(g->builder, ARRAY_PUSH_IN(g->arena, g->open, g->depth, g->room, path));
  return path;
}

static void ghc_row(struct ghc_prof *g, pprofc_str line) {
  size_t depth = str_indent(line);
  int64_t values[3];
  pprofc_str names = line;
  if (!ghc_values(g, &names, values)) {
    g->bad++;
    return;
  }
  pprofc_str place = g->has_places ? ghc_place(&names) : STR("");
  pprofc_str module = ghc_last_word(&names), label = str_trim(names);
  if (!label.size) {
    g->bad++;
    return;
  }
  uint32_t path = ghc_enter(g, depth, import_cost_centre(g->builder, module, label, place));
  g->rows++;
  g->ticks += (uint64_t)values[0];
  g->bytes += (uint64_t)values[1];
  if (__builtin_mul_overflow(values[0], g->interval, &values[2])) values[2] = INT64_MAX;
  if (values[0] || values[1]) call_paths_sample(&g->paths, path, values);
}

static void ghc_read_lines(struct ghc_prof *g, pprofc_str text) {
  pprofc_str line;
  pprofc_builder_type(g->builder, "ticks", "count");
  pprofc_builder_type(g->builder, "alloc_space", "bytes");
  pprofc_builder_type(g->builder, "time", "nanoseconds");
  while (str_next_line(&text, &line) && builder_ok(g->builder)) {
    if (!str_trim(line).size || (!g->in_tree && ghc_total(g, line)) || ghc_columns(g, line))
      continue;
    if (g->in_tree) ghc_row(g, line);
  }
  pprofc_builder_period(g->builder, "time", "nanoseconds", g->interval);
  import_account_one(g->builder, g->rows, "rows", g->bad, "row could not be read",
                     "rows could not be read");
  if (g->has_counts) {
    import_compare_total(g->builder, "ticks", g->total_ticks, g->ticks);
  } else {
    pprofc_builder_comment(g->builder,
                           "ticks and bytes are computed from percentages: +RTS -P prints them");
  }
}

bool import_is_ghc_prof(pprofc_str text) {
  pprofc_str line;
  for (unsigned i = 0; i < GHC_SNIFFED && str_next_line(&text, &line); i++)
    if (str_contains(line, STR("Time and Allocation Profiling Report"))) return true;
  return false;
}

IMPORT_READER(import_ghc_prof) {
  struct ghc_prof g = {.builder = builder, .arena = arena, .interval = 1000000};
  call_paths_init(&g.paths, arena->mem, builder);
  ghc_read_lines(&g, data);
  call_paths_free(&g.paths);
}
