/* Reads the call graph that `sample` of macOS and "Sample Process" of Activity Monitor print: a row
 * for each node, with the number of its samples. Rows without indentation are threads.
 *
 *     Analysis of sampling app (pid 12) every 1 millisecond
 *     ...
 *     Call graph:
 *         825 Thread_157   DispatchQueue_1: com.apple.main-thread  (serial)
 *         + 825 start  (in libdyld.dylib) + 1  [0x7fff737cf3d5]
 *         +   825 main  (in app) + 41,52,...  [0x10384b549,0x10384b554,...]  main.c:12
 *
 * Each level of the tree is indented by two more characters. The count of a row includes the counts
 * of its children. */
#include "import/reader.h"
#include "import/text/printed_tree.h"

#define MACOS_SNIFFED 100u

/* Number of characters before a row of depth 0. */
#define MACOS_MARGIN 4u

#define MACOS_VERSION 7 /* newest known version of the report */

struct macos_sample {
  struct printed_tree tree;
  int64_t interval;   /* nanoseconds between two samples; 0 if not known */
  pprofc_str program; /* path of the program, or "" */
  int64_t version;    /* version of the report, or 0 if not given */
  uint64_t rows, bad_lines;
};

/* ---- the header -------------------------------------- */

/* Returns the interval of "Analysis of sampling app (pid 12) every 1 millisecond", or 0. */
static int64_t macos_interval(pprofc_str line) {
  static const struct {
    const char *unit;
    int64_t nanoseconds;
  } units[] = {{"microsecond", 1000}, {"millisecond", 1000000}, {"second", 1000000000}};
  size_t every = str_find(line, STR(" every "));
  pprofc_str rest = str_from(line, every + 7), number, unit;
  int64_t count;
  if (every == line.size || !import_next_word(&rest, &number) || !import_next_word(&rest, &unit) ||
      !str_parse_int(number, 10, &count) || count <= 0)
    return 0;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (str_starts(unit, str_of(units[i].unit)))
      return count <= INT64_MAX / units[i].nanoseconds ? count * units[i].nanoseconds : 0;
  return 0;
}

/* Skips the text up to the call graph. Returns false if the text is not output of `sample`. */
static bool macos_skip_header(struct macos_sample *r, pprofc_str *text) {
  pprofc_str line;
  *text = import_first_line(*text);
  bool known = str_starts(*text, STR("Analysis of sampling "));
  if (!known && !str_starts(*text, STR("Call graph:"))) return false;
  for (size_t i = 0; i < MACOS_SNIFFED && str_next_line(text, &line); i++) {
    if (!i && known) r->interval = macos_interval(line);
    if (str_starts(line, STR("Call graph:"))) return true;
    if (str_take(&line, STR("Report Version:")))
      str_parse_int(str_trim(line), 10, &r->version);
    else if (str_take(&line, STR("Path:")))
      r->program = str_trim(line);
  }
  return false;
}

/* ---- rows -------------------------------------------- */

/* Fields of a row after the count of its samples. */
struct macos_frame {
  pprofc_str name, object, file;
  uint64_t address; /* address of the frame; 0 if the row has several addresses */
  int64_t line;
};

/* Parses "main  (in app) + 41  [0x10384b549]  main.c:12". */
static struct macos_frame macos_parse(pprofc_str text) {
  struct macos_frame f = {.object = STR(""), .file = STR("")};
  size_t in = str_find(text, STR("  (in ")), close, open, end;
  f.name = str_trim(str_slice(text, 0, in));
  text = str_from(text, in + 6);
  close = str_find_char(text, ')');
  f.object = str_slice(text, 0, close);
  open = str_find(text, STR("  [0x"));
  text = str_from(text, open + 3);
  end = str_find_char(text, ']');
  str_parse_uint(str_slice(text, 2, end), 16, &f.address);
  f.file = str_trim(str_from(text, end + 1));
  import_take_number(&f.file, &f.line);
  return f;
}

/* Returns the mapping of an object (binary), or NONE. The rows contain only base names, so the
 * function replaces the base name of the program by the path of the program. */
static uint32_t macos_mapping(const struct macos_sample *r, pprofc_str object) {
  if (!object.size) return NONE;
  if (str_equal(object, str_path_base(r->program))) object = r->program;
  struct mapping mapping = {.file = builder_string(r->tree.builder, object),
                            .flags = PPROFC_HAS_FUNCTIONS};
  return builder_add_mapping(r->tree.builder, &mapping);
}

static uint32_t macos_location(struct macos_sample *r, pprofc_str text) {
  struct macos_frame f = macos_parse(text);
  pprofc_builder *builder = r->tree.builder;
  uint32_t of = macos_mapping(r, f.object);
  bool named = !str_equal(f.name, STR("???"));
  pprofc_line line = {
      named ? import_function(builder, f.name, builder_string(builder, f.file)) : NONE, f.line, 0};
  return pprofc_builder_location(builder, of, f.address, &line, named);
}

/* Reads the row of a thread, "Thread_157   DispatchQueue_1: main  (serial)". Sets the labels for
 * the samples of this thread. */
static void macos_enter_thread(struct printed_tree *tree, pprofc_str text) {
  size_t gap = str_find(text, STR("  ")), colon = str_find(text, STR(": "));
  pprofc_str thread = str_slice(text, 0, gap), queue = STR("");
  if (str_starts(str_trim(str_from(text, gap)), STR("DispatchQueue_")))
    queue = str_trim(str_from(text, colon + 1));
  tree->label_count = 0;
  tree->labels[tree->label_count++] =
      (struct label){.key = builder_string(tree->builder, STR("thread")),
                     .string = builder_string(tree->builder, thread)};
  if (queue.size)
    tree->labels[tree->label_count++] =
        (struct label){.key = builder_string(tree->builder, STR("queue")),
                       .string = builder_string(tree->builder, queue)};
}

/* Adds a row. Returns false if the line is not a row. */
static bool macos_read_row(struct macos_sample *r, pprofc_str line) {
  struct printed_row row = {.self = -1};
  size_t at = MACOS_MARGIN;
  while (at < line.size && strchr(" +!:|", line.data[at])) at++;
  pprofc_str rest = str_from(line, at), count;
  if (!import_next_word(&rest, &count) || !str_parse_int(count, 10, &row.values[0]) ||
      row.values[0] < 0 || __builtin_mul_overflow(row.values[0], r->interval, &row.values[1]))
    return false;
  size_t depth = (at - MACOS_MARGIN) / 2;
  row.location = depth ? macos_location(r, str_trim(rest)) : NONE;
  if (!depth) printed_tree_end(&r->tree);
  if (!depth) macos_enter_thread(&r->tree, str_trim(rest));
  return printed_tree_add(&r->tree, depth, &row);
}

/* Reads the rows up to the first line that is not indented. */
static void macos_read_rows(struct macos_sample *r, pprofc_str text) {
  pprofc_str line;
  while (str_next_line(&text, &line) && builder_ok(r->tree.builder)) {
    if (!str_trim(line).size) continue;
    if (line.data[0] != ' ') break;
    r->rows++;
    r->bad_lines += !macos_read_row(r, line);
  }
  printed_tree_end(&r->tree);
}

bool import_is_macos_sample(pprofc_str text) {
  struct macos_sample r;
  return macos_skip_header(&r, &text);
}

IMPORT_READER(import_macos_sample) {
  struct macos_sample r = {.tree = {.builder = builder, .arena = arena}, .program = STR("")};
  macos_skip_header(&r, &data);
  pprofc_builder_type(builder, "samples", "count");
  if (r.interval) {
    pprofc_builder_type(builder, "wall", "nanoseconds");
    pprofc_builder_period(builder, "wall", "nanoseconds", r.interval);
  }
  macos_mapping(&r, str_path_base(r.program)); /* the first mapping is the program */
  macos_read_rows(&r, data);
  import_account_one(builder, r.rows - r.bad_lines, "lines", r.bad_lines,
                     "line of the call graph could not be read",
                     "lines of the call graph could not be read");
  import_compare_version(builder, "the report of sample", r.version, MACOS_VERSION);
}
