/* Reads folded (collapsed) stacks: "root;caller;leaf 12". FlameGraph's stackcollapse scripts,
 * inferno and most profilers write them. Lines may have two counts (base, head), as difffolded
 * writes them. A first line with several sample types ("cpu/nanoseconds samples/count") is also
 * accepted. */
#include "core/buffer.h"
#include "import/formats.h"
#include "import/lines.h"
#include "import/names.h"
#include "profile/builder.h"

#include <math.h>
#include <stdio.h>

#define MAX_TYPES    16u
#define SNIFFED      100u /* number of lines that decide if the text is folded */
#define MAX_FRAMES   65536u
#define MAX_EXPECTED 16u /* maximum number of names to prefetch at a time */

/* Kind of frame, given by the suffix of its name. */
enum mark { PLAIN, INLINED, KERNEL };

struct folded_folded {
  pprofc_builder *builder;
  const pprofc_allocator *mem;
  size_t types;       /* number of counts per line */
  bool named_types;   /* true if a header line names the types */
  bool is_diff;       /* true if lines have two counts without a header: base and head */
  uint32_t kernel;    /* mapping of the kernel, or NONE */
  uint32_t *stack;    /* [MAX_FRAMES] stack, root first */
  pprofc_line *lines; /* lines of the current location, outermost first */
  size_t line_count, depth;
  bool in_kernel;
  uint64_t line, good_lines, bad_lines, first_bad; /* current line; number of stacks and of
                                                      skipped lines; first skipped line */
  double carry[MAX_TYPES]; /* rounding error carried to the next fractional count */
  uint64_t fractions;
};

/* ---- lines ------------------------------------------- */

struct folded_count {
  int64_t whole;
  double fraction; /* fractional part, below 1 */
};

/* Parses a count: digits with an optional fraction. */
static bool parse_count(pprofc_str s, struct folded_count *out) {
  *out = (struct folded_count){0, 0};
  if (!s.size || !(s.data[0] >= '0' && s.data[0] <= '9')) return false;
  if (str_parse_int(s, 10, &out->whole)) return true;
  for (size_t i = 0; i < s.size; i++)
    if (!(s.data[i] >= '0' && s.data[i] <= '9') && s.data[i] != '.') return false;
  double value;
  if (!str_parse_float(s, &value) || !(value < 9e18)) return false;
  *out = (struct folded_count){(int64_t)floor(value), value - floor(value)};
  return true;
}

/* Returns the offset of the last space or tab, or line.size. */
static size_t folded_last_blank(pprofc_str line) {
  size_t at = str_find_last_char(line, ' '), from = at < line.size ? at + 1 : 0;
  size_t tab = str_find_last_char(str_slice(line, from, line.size), '\t');
  return from + tab < line.size ? from + tab : at;
}

/* Removes up to `most` counts from the end of the line, in the order of the line. Returns
 * their number. */
static size_t take_counts(pprofc_str *line, struct folded_count *counts, size_t most) {
  struct folded_count reversed[MAX_TYPES];
  size_t n = 0;
  while (n < most) {
    pprofc_str rest = str_trim(*line);
    size_t blank = folded_last_blank(rest);
    if (blank == rest.size || !parse_count(str_slice(rest, blank + 1, rest.size), &reversed[n]))
      break;
    *line = str_trim(str_slice(rest, 0, blank));
    n++;
  }
  for (size_t i = 0; i < n; i++) counts[i] = reversed[n - 1 - i];
  return n;
}

/* True for comments like "# mode: wall" and "// made by hand". A name may begin with these
 * characters if no space follows. */
static bool is_comment(pprofc_str line) {
  bool name = line.size && line.data[0] > ' ' && line.data[0] != '/' && line.data[0] != '#';
  if (name) return false;
  size_t mark = str_starts(line, STR("//")) ? 2 : str_starts(line, STR("#"));
  if (!mark) return !str_trim(line).size;
  return line.size == mark || line.data[mark] == ' ' || line.data[mark] == '\t';
}

/* Reads a header, in which each word is a type and a unit: "cpu/nanoseconds samples/count". */
static size_t header_types(pprofc_str line, pprofc_str *types) {
  pprofc_str rest = str_trim(line), word;
  size_t n = 0;
  if (str_find_char(rest, ';') < rest.size) return 0;
  while (str_next(&rest, ' ', &word)) {
    if (!word.size) continue;
    size_t slash = str_find_char(word, '/');
    bool fits = slash > 0 && slash + 1 < word.size &&
                str_find_char(str_slice(word, slash + 1, word.size), '/') == word.size - slash - 1;
    if (!fits || n == MAX_TYPES) return 0;
    types[n++] = word;
  }
  return n;
}

/* ---- sniffing ---------------------------------------- */

static bool folded_is_text(pprofc_str line) {
  for (size_t i = 0; i < line.size; i++)
    if ((unsigned char)line.data[i] < 0x20 && line.data[i] != '\t') return false;
  return true;
}

/* Counts of lines that decide if a text is folded. */
struct folded_lines {
  size_t good, bad;
  size_t marked; /* good lines with a semicolon */
};

static void count_folded_line(struct folded_lines *lines, pprofc_str stack) {
  struct folded_count count;
  if (take_counts(&stack, &count, 1) != 1 || !stack.size) {
    lines->bad++;
    return;
  }
  lines->good++;
  lines->marked += str_find_char(stack, ';') < stack.size;
}

/* True if the first lines are all stacks. If one is not, most lines of the text must be
 * stacks, and one stack must have a semicolon. */
static bool is_folded_text(pprofc_str data) {
  struct folded_lines lines = {0, 0, 0};
  pprofc_str line, types[MAX_TYPES];
  while ((lines.good < SNIFFED || lines.bad) && str_next_line(&data, &line)) {
    if (is_comment(line)) continue;
    if (!folded_is_text(line)) return false;
    if (lines.good + lines.bad == 0 && header_types(line, types)) continue;
    count_folded_line(&lines, line);
  }
  return lines.good > lines.bad && (!lines.bad || lines.marked);
}

/* ---- frames ------------------------------------------ */

/* Letters of suffixes like "_[k]": j is compiled by a JIT, w is a waker. */
static const struct {
  char letter;
  enum mark mark;
} frame_marks[] = {{'i', INLINED}, {'j', PLAIN}, {'k', KERNEL}, {'w', PLAIN}};

/* Removes the suffix from the name. */
static enum mark take_mark(pprofc_str *name) {
  if (name->size <= 4 || name->data[name->size - 1] != ']' ||
      !str_starts(str_slice(*name, name->size - 4, name->size), STR("_[")))
    return PLAIN;
  char letter = name->data[name->size - 2];
  for (size_t i = 0; i < sizeof frame_marks / sizeof *frame_marks; i++) {
    if (letter != frame_marks[i].letter) continue;
    name->size -= 4;
    return frame_marks[i].mark;
  }
  return PLAIN;
}

/* Adds a location with the lines since the last frame that was not inlined, innermost first. */
static bool close_location(struct folded_folded *f) {
  if (!f->line_count) return true;
  if (f->depth == MAX_FRAMES) return false;
  for (size_t i = 0; i < f->line_count / 2; i++) {
    pprofc_line swap = f->lines[i];
    f->lines[i] = f->lines[f->line_count - 1 - i];
    f->lines[f->line_count - 1 - i] = swap;
  }
  f->stack[f->depth++] = pprofc_builder_location(f->builder, f->in_kernel ? f->kernel : NONE, 0,
                                                 f->lines, f->line_count);
  f->line_count = 0;
  return true;
}

static bool folded_add_frame(struct folded_folded *f, pprofc_str name) {
  enum mark mark = take_mark(&name);
  if (mark != INLINED && !close_location(f)) return false;
  if (f->line_count == MAX_FRAMES) return false;
  if (mark != INLINED) f->in_kernel = mark == KERNEL;
  if (mark == KERNEL && f->kernel == NONE)
    f->kernel = pprofc_builder_mapping(f->builder, 0, 0, 0, "[kernel.kallsyms]", NULL,
                                       PPROFC_HAS_FUNCTIONS);
  uint32_t function = import_function(f->builder, name, 0);
  f->lines[f->line_count++] = (pprofc_line){function, 0, 0};
  return true;
}

/* Prefetches the names of a stack, because the table of names is large. */
static void folded_expect(const struct folded_folded *f, pprofc_str stack) {
  pprofc_str name;
  for (size_t i = 0; i < MAX_EXPECTED && str_next(&stack, ';', &name); i++) {
    name = str_trim(name);
    take_mark(&name);
    builder_expect_string(f->builder, name);
  }
}

static bool folded_read_stack(struct folded_folded *f, pprofc_str stack) {
  pprofc_str name;
  f->depth = f->line_count = 0;
  folded_expect(f, stack);
  while (str_next(&stack, ';', &name)) {
    name = str_trim(name);
    if (name.size && !folded_add_frame(f, name)) return false;
  }
  if (!close_location(f) || !f->depth) return false;
  for (size_t i = 0; i < f->depth / 2; i++) { /* the builder expects leaf first */
    uint32_t swap = f->stack[i];
    f->stack[i] = f->stack[f->depth - 1 - i];
    f->stack[f->depth - 1 - i] = swap;
  }
  return true;
}

/* ---- samples ----------------------------------------- */

/* Adds a base sample, negative and labelled as `-diff_base` does, and a head sample. */
static void add_difference(struct folded_folded *f, const int64_t *counts) {
  int64_t base = -counts[0];
  if (base) {
    pprofc_builder_sample(f->builder, f->stack, f->depth, &base);
    pprofc_builder_label(f->builder, "pprof::base", "true");
  }
  if (counts[1]) pprofc_builder_sample(f->builder, f->stack, f->depth, &counts[1]);
}

/* Rounds counts to integers. Carries the rounding error on, so that the sum stays right. */
static void folded_round(struct folded_folded *f, const struct folded_count *counts, size_t count,
                         int64_t *values) {
  for (size_t i = 0; i < count; i++) {
    values[i] = counts[i].whole;
    if (counts[i].fraction == 0) continue;
    f->fractions++;
    f->carry[i] += counts[i].fraction;
    if (f->carry[i] < 0.5) continue;
    values[i]++;
    f->carry[i]--;
  }
}

/* Adds the sample of a line; false if the line is not a stack. */
static bool folded_add_line(struct folded_folded *f, pprofc_str line) {
  struct folded_count read[MAX_TYPES];
  int64_t counts[MAX_TYPES];
  size_t wanted = f->is_diff ? 2 : f->types;
  if (take_counts(&line, read, wanted) != wanted || !line.size) return false;
  folded_round(f, read, wanted, counts);
  if (values_are_zero(counts, wanted)) return true;
  if (!folded_read_stack(f, line)) return false;
  if (f->is_diff)
    add_difference(f, counts);
  else
    pprofc_builder_sample(f->builder, f->stack, f->depth, counts);
  return true;
}

static void folded_read_line(struct folded_folded *f, pprofc_str line) {
  if (folded_add_line(f, line)) {
    f->good_lines++;
    return;
  }
  if (!f->bad_lines) f->first_bad = f->line;
  f->bad_lines++;
}

/* Finds the number of counts per line: from the header, or from the first lines with counts. A
 * diff has two counts in all of these lines. */
static void folded_read_header(struct folded_folded *f, pprofc_str data) {
  pprofc_str line, stack, types[MAX_TYPES];
  size_t seen = 0, two = 0;
  while (seen < SNIFFED && str_next_line(&data, &line)) {
    struct folded_count counts[2];
    if (is_comment(line)) continue;
    if (!seen && (f->types = header_types(line, types)) > 0) {
      f->named_types = true;
      break;
    }
    stack = line;
    size_t count = take_counts(&stack, counts, 2);
    two += count == 2 && stack.size > 0;
    seen += count > 0;
  }
  for (size_t i = 0; f->named_types && i < f->types; i++) {
    size_t slash = str_find_char(types[i], '/');
    builder_add_type(f->builder, str_slice(types[i], 0, slash),
                     str_slice(types[i], slash + 1, types[i].size));
  }
  if (f->named_types) return;
  f->types = 1;
  f->is_diff = two > 0 && two == seen;
  pprofc_builder_type(f->builder, "samples", "count");
}

static void folded_read_lines(struct folded_folded *f, pprofc_str data) {
  pprofc_str line;
  bool header = f->named_types;
  for (f->line = 1; str_next_line(&data, &line) && builder_ok(f->builder); f->line++) {
    if (is_comment(line)) continue;
    if (header)
      header = false;
    else
      folded_read_line(f, line);
  }
}

/* Reports skipped lines in a comment and a warning. Rejects input in which most lines are not
 * stacks. */
static pprofc_status folded_report_skipped(struct folded_folded *f,
                                           const pprofc_read_options *options,
                                           pprofc_error *error) {
  import_note_count(f->builder, f->fractions, "count has a fraction, and is rounded",
                    "counts have fractions, and are rounded so that their sum stays");
  if (!f->bad_lines) return PPROFC_OK;
  bool mostly = f->bad_lines >= f->good_lines;
  char text[160];
  snprintf(text, sizeof text, "%s: %llu of %llu, the first is line %llu",
           mostly ? "most lines are not stacks" : "skipped lines that are not stacks",
           (unsigned long long)f->bad_lines, (unsigned long long)(f->bad_lines + f->good_lines),
           (unsigned long long)f->first_bad);
  if (mostly) return error_set(error, PPROFC_E_FORMAT, "%s", text);
  import_note_count(f->builder, f->bad_lines, "line of the folded stacks could not be read",
                    "lines of the folded stacks could not be read");
  if (options->warn) options->warn(options->warn_context, text);
  return PPROFC_OK;
}

static pprofc_status read_folded(pprofc_str text, const pprofc_allocator *mem,
                                 const pprofc_read_options *options, pprofc_profile **profile,
                                 pprofc_error *error) {
  struct folded_folded f = {.mem = mem, .kernel = NONE};
  f.builder = pprofc_builder_new(mem);
  f.stack = mem_array(mem, MAX_FRAMES, sizeof *f.stack);
  f.lines = mem_array(mem, MAX_FRAMES, sizeof *f.lines);
  pprofc_status status = error_nomem(error);
  if (f.builder && f.stack && f.lines) {
    folded_read_header(&f, text);
    folded_read_lines(&f, text);
    status = builder_ok(f.builder) ? folded_report_skipped(&f, options, error) : PPROFC_OK;
    if (status == PPROFC_OK) status = pprofc_builder_finish(f.builder, profile, error);
  }
  pprofc_builder_free(f.builder);
  mem_free(mem, f.stack, MAX_FRAMES, sizeof *f.stack);
  mem_free(mem, f.lines, MAX_FRAMES, sizeof *f.lines);
  return status;
}

pprofc_status import_folded(pprofc_str data, const pprofc_allocator *mem,
                            const pprofc_read_options *options, pprofc_profile **profile,
                            pprofc_error *error) {
  struct buffer utf8;
  pprofc_str text;
  pprofc_status status = import_text(data, mem, &utf8, &text, error);
  if (status == PPROFC_OK)
    status =
        is_folded_text(text) ? read_folded(text, mem, options, profile, error) : PPROFC_E_NO_MATCH;
  buffer_free(&utf8);
  return status;
}
