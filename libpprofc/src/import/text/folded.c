/* Reads folded (collapsed) stacks: "root;caller;leaf 12". FlameGraph's stackcollapse scripts,
 * inferno and most profilers write them. Lines may have two counts (base, head), as difffolded
 * writes them. A first line with several sample types ("cpu/nanoseconds samples/count") is also
 * accepted. */
#include "import/reader.h"

#define MAX_TYPES  16u
#define SNIFFED    100u /* number of lines that decide if a text has folded stacks */
#define MAX_FRAMES 65536u

/* Kind of frame. The suffix of a frame's name gives the kind. */
enum mark { PLAIN, INLINED, KERNEL };

/* Position of the frame that follows a location, in the text of the current stack. */
struct folded_step {
  size_t from; /* offset of the frame in the text */
  size_t end;  /* offset after the frame's separator; SIZE_MAX for the last frame */
};

struct folded_folded {
  pprofc_builder *builder;
  size_t types;     /* number of counts per line */
  bool named_types; /* true if a header line names the types */
  bool is_diff;     /* true if lines have two counts without a header: base and head */
  uint32_t kernel;  /* mapping for frames of the kernel, or NONE until it is needed */
  struct arena *arena;
  uint32_t
      *stack; /* buffer for a stack, leaf first, filled from its end: the root is the last item */
  struct folded_step *steps; /* for each location, root first: position of the frame after it */
  size_t depth, room; /* number of locations in `stack` and `steps`; capacity of these two arrays */
  struct buffer text; /* text of the current stack, to compare it with the next stack */
  pprofc_line *lines; /* lines of the current location, outermost first */
  size_t line_count, line_room;
  bool in_kernel;
  /* line: number of the current line; first_bad: number of the first skipped line; good_lines,
   * bad_lines: how many lines were read and how many were skipped */
  uint64_t line, good_lines, bad_lines, first_bad;
  double carry[MAX_TYPES]; /* for each count of a line: rounding error carried to the next line */
  uint64_t fractions;      /* number of counts with a fractional part */
};

/* ---- lines ------------------------------------------- */

struct folded_count {
  int64_t whole;
  double fraction; /* fractional part of the count, below 1 */
};

/* Parses a count: digits with an optional fractional part. */
static bool parse_count(pprofc_str s, struct folded_count *out) {
  *out = (struct folded_count){0, 0};
  if (!s.size || !char_is_digit(s.data[0])) return false;
  if (str_parse_int(s, 10, &out->whole)) return true;
  for (size_t i = 0; i < s.size; i++)
    if (!char_is_digit(s.data[i]) && s.data[i] != '.') return false;
  double value;
  if (!str_parse_float(s, &value) || !(value < 9e18)) return false;
  *out = (struct folded_count){(int64_t)floor(value), value - floor(value)};
  return true;
}

/* Returns the offset of the last space or tab, or line.size. */
static size_t folded_last_blank(pprofc_str line) {
  size_t at = str_find_last_char(line, ' '), from = at < line.size ? at + 1 : 0;
  size_t tab = str_find_last_char(str_from(line, from), '\t');
  return from + tab < line.size ? from + tab : at;
}

/* Removes up to `most` counts from the end of the line, and stores them in the order of the line.
 * Returns the number of counts. */
static size_t take_counts(pprofc_str *line, struct folded_count *counts, size_t most) {
  struct folded_count reversed[MAX_TYPES];
  size_t n = 0;
  while (n < most) {
    pprofc_str rest = str_trim(*line);
    size_t blank = folded_last_blank(rest);
    if (blank == rest.size || !parse_count(str_from(rest, blank + 1), &reversed[n])) break;
    *line = str_trim(str_slice(rest, 0, blank));
    n++;
  }
  for (size_t i = 0; i < n; i++) counts[i] = reversed[n - 1 - i];
  return n;
}

/* Parses a line without frames: a blank and a count. py-spy writes such lines for threads without a
 * stack. */
static bool folded_take_bare(pprofc_str line, struct folded_count *count) {
  return line.size && line.data[0] == ' ' && parse_count(str_trim(line), count);
}

/* True for blank lines, and for comments like "# mode: wall" and "// made by hand". If no space
 * follows the '#' or "//", the line is a stack whose first name begins with these characters. */
static bool is_comment(pprofc_str line) {
  bool name = line.size && line.data[0] > ' ' && line.data[0] != '/' && line.data[0] != '#';
  if (name) return false;
  size_t mark = str_starts(line, STR("//")) ? 2 : str_starts(line, STR("#"));
  if (!mark) return !str_trim(line).size;
  return line.size == mark || line.data[mark] == ' ' || line.data[mark] == '\t';
}

/* Parses a header, in which each word is a type and a unit: "cpu/nanoseconds samples/count".
 * Returns the number of types, or 0 if the line is not a header. */
static size_t header_types(pprofc_str line, pprofc_str *types) {
  pprofc_str rest = str_trim(line), word;
  size_t n = 0;
  if (str_find_char(rest, ';') < rest.size) return 0;
  while (str_next(&rest, ' ', &word)) {
    if (!word.size) continue;
    size_t slash = str_find_char(word, '/');
    bool fits = slash > 0 && slash + 1 < word.size &&
                str_find_char(str_from(word, slash + 1), '/') == word.size - slash - 1;
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

/* How many of the first lines are stacks (good), and how many are not (bad). */
struct folded_lines {
  size_t good, bad;
  size_t marked; /* number of `good` lines with a semicolon */
};

static void count_folded_line(struct folded_lines *lines, pprofc_str stack) {
  struct folded_count count;
  if (folded_take_bare(stack, &count)) return;
  if (take_counts(&stack, &count, 1) != 1 || !stack.size) {
    lines->bad++;
    return;
  }
  lines->good++;
  lines->marked += str_find_char(stack, ';') < stack.size;
}

/* True if the lines show folded stacks. `whole` is false if more text follows. */
static bool folded_lines_decide(const struct folded_lines *lines, bool whole) {
  /* Without a semicolon, the lines are possibly not folded stacks, so read the whole text. */
  if (!lines->bad && lines->good == SNIFFED && (whole || lines->marked)) return true;
  return whole && lines->good > lines->bad && (!lines->bad || lines->marked);
}

/* Returns the part of the text that is in memory, up to the end of the last complete line. */
static pprofc_str folded_head(const struct text_stream *text) {
  if (text->whole) return text->rest;
  size_t size = text->last ? (size_t)(text->last - text->rest.data) + 1 : 0;
  return str_slice(text->rest, 0, size);
}

/* True if all lines, or the first SNIFFED lines, are stacks. Also true if more than half of the
 * lines are stacks, and at least one stack has a semicolon. */
static bool is_folded_text(pprofc_str data, bool whole) {
  struct folded_lines lines = {0, 0, 0};
  pprofc_str line, types[MAX_TYPES];
  while ((lines.good < SNIFFED || lines.bad) && str_next_line(&data, &line)) {
    if (is_comment(line)) continue;
    if (!folded_is_text(line)) return false;
    if (lines.good + lines.bad == 0 && header_types(line, types)) continue;
    count_folded_line(&lines, line);
  }
  return folded_lines_decide(&lines, whole);
}

/* ---- frames ------------------------------------------ */

/* Suffixes of names, like "_[k]", with the kind of frame that each suffix marks. j: JIT-compiled
 * code; w: stack of the thread that woke this thread. */
static const struct {
  char letter;
  enum mark mark;
} frame_marks[] = {{'i', INLINED}, {'j', PLAIN}, {'k', KERNEL}, {'w', PLAIN}};

/* Removes the suffix from a name and returns the kind of frame that the suffix marks. */
static enum mark take_mark(pprofc_str *name) {
  if (name->size <= 4 || name->data[name->size - 1] != ']' ||
      !str_starts(str_from(*name, name->size - 4), STR("_[")))
    return PLAIN;
  char letter = name->data[name->size - 2];
  for (size_t i = 0; i < sizeof frame_marks / sizeof *frame_marks; i++) {
    if (letter != frame_marks[i].letter) continue;
    name->size -= 4;
    return frame_marks[i].mark;
  }
  return PLAIN;
}

/* Splits py-spy's "name (file:12)" into name and file. Returns the line number, or 0 if the name
 * does not end with file and line. */
static int64_t folded_take_place(pprofc_str *name, pprofc_str *file) {
  int64_t line = 0;
  *file = STR("");
  if (!str_ends(*name, STR(")"))) return 0;
  size_t colon = str_find_last_char(*name, ':'), open = str_find(*name, STR(" ("));
  if (colon == name->size || !open || open + 2 >= colon ||
      !str_parse_int(str_slice(*name, colon + 1, name->size - 1), 10, &line) || line <= 0)
    return 0;
  pprofc_str place = str_slice(*name, open + 2, colon);
  if (str_find_char(place, '(') < place.size || str_find_char(place, ')') < place.size) return 0;
  *file = place;
  *name = str_slice(*name, 0, open);
  return line;
}

/* Makes room for another location. Keeps the stack at the end of its array. Returns false when out
 * of memory. */
static bool folded_grow(struct folded_folded *f) {
  if (!ARRAY_RESERVE_IN(f->arena, f->steps, f->room, f->depth + 1)) return false;
  uint32_t *stack = arena_array(f->arena, f->room, sizeof *stack);
  if (stack && f->depth) memcpy(stack + f->room - f->depth, f->stack, f->depth * sizeof *stack);
  f->stack = stack;
  return stack != NULL;
}

/* Ends the current location and adds it to the stack. Puts the lines of the location in the
 * builder's order, innermost first. `after` is the range of the next frame. */
static bool close_location(struct folded_folded *f, struct folded_step after) {
  if (!f->line_count) return true;
  if (!builder_allows_depth(f->builder, f->depth + 1)) return false;
  if (f->depth == f->room && !import_need(f->builder, folded_grow(f))) return false;
  for (size_t i = 0; i < f->line_count / 2; i++) {
    pprofc_line swap = f->lines[i];
    f->lines[i] = f->lines[f->line_count - 1 - i];
    f->lines[f->line_count - 1 - i] = swap;
  }
  f->steps[f->depth++] = after;
  f->stack[f->room - f->depth] = pprofc_builder_location(
      f->builder, f->in_kernel ? f->kernel : NONE, 0, f->lines, f->line_count);
  f->line_count = 0;
  return true;
}

static bool folded_add_frame(struct folded_folded *f, pprofc_str name, struct folded_step step) {
  enum mark mark = take_mark(&name);
  if (mark != INLINED && !close_location(f, step)) return false;
  if (mark != INLINED) f->in_kernel = mark == KERNEL;
  if (mark == KERNEL && f->kernel == NONE)
    f->kernel = pprofc_builder_mapping(f->builder, 0, 0, 0, "[kernel.kallsyms]", NULL,
                                       PPROFC_HAS_FUNCTIONS);
  pprofc_str file;
  int64_t line = folded_take_place(&name, &file);
  uint32_t function =
      import_function(f->builder, name, line ? builder_string(f->builder, file) : 0);
  bool added = ARRAY_PUSH_IN(f->arena, f->lines, f->line_count, f->line_room,
                             (pprofc_line){function, line, 0});
  return import_need(f->builder, added);
}

/* Keeps the locations that the stack shares with the previous stack. The frame after a kept
 * location must also be equal, because it may be an inlined frame of this location. Returns the
 * offset of the first frame that the caller must read. */
static size_t folded_share(struct folded_folded *f, pprofc_str stack) {
  size_t common = str_common(stack, buffer_str(&f->text));
  while (f->depth && f->steps[f->depth - 1].end > common) f->depth--;
  buffer_clear(&f->text);
  buffer_add_str(&f->text, stack);
  return f->depth ? f->steps[f->depth - 1].from : 0;
}

static bool folded_read_stack(struct folded_folded *f, pprofc_str stack) {
  pprofc_str rest = str_from(stack, folded_share(f, stack)), name;
  f->line_count = 0;
  while (str_next(&rest, ';', &name)) {
    struct folded_step step = {(size_t)(name.data - stack.data), SIZE_MAX};
    if (rest.data) step.end = (size_t)(rest.data - stack.data);
    name = str_trim(name);
    if (name.size && !folded_add_frame(f, name, step)) return false;
  }
  return close_location(f, (struct folded_step){0, SIZE_MAX}) && f->depth && !f->text.failed;
}

/* ---- samples ----------------------------------------- */

/* Adds two samples: one for the base, with a negative value and the label that -diff_base sets, and
 * one for the head. */
static void add_difference(struct folded_folded *f, const uint32_t *stack, const int64_t *counts) {
  int64_t base = -counts[0];
  if (base) {
    pprofc_builder_sample(f->builder, stack, f->depth, &base);
    pprofc_builder_label(f->builder, "pprof::base", "true");
  }
  if (counts[1]) pprofc_builder_sample(f->builder, stack, f->depth, &counts[1]);
}

/* Rounds counts to integers. Carries the rounding error of each count to the next line, so that the
 * sums stay right. */
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

/* Adds the sample of a line. Returns false if the line is not a stack. */
static bool folded_add_line(struct folded_folded *f, pprofc_str line) {
  struct folded_count read[MAX_TYPES];
  int64_t counts[MAX_TYPES];
  size_t wanted = f->is_diff ? 2 : f->types;
  bool bare = wanted == 1 && folded_take_bare(line, read);
  if (!bare && (take_counts(&line, read, wanted) != wanted || !line.size)) return false;
  folded_round(f, read, wanted, counts);
  if (values_are_zero(counts, wanted)) return true;
  if (bare)
    f->depth = 0;
  else if (!folded_read_stack(f, line))
    return false;
  const uint32_t *stack = f->depth ? f->stack + f->room - f->depth : NULL;
  if (f->is_diff)
    add_difference(f, stack, counts);
  else
    pprofc_builder_sample(f->builder, stack, f->depth, counts);
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

/* Finds the number of counts per line, from the header if there is one, else from the first lines
 * with counts. If these lines all have two counts, the text is a difference of profiles. */
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
    builder_add_type(f->builder, str_slice(types[i], 0, slash), str_from(types[i], slash + 1));
  }
  if (f->named_types) return;
  f->types = 1;
  f->is_diff = two > 0 && two == seen;
  pprofc_builder_type(f->builder, "samples", "count");
}

static void folded_read_lines(struct folded_folded *f, struct text_stream *text) {
  pprofc_str line;
  bool header = f->named_types;
  for (f->line = 1; text_stream_line(text, &line) && builder_ok(f->builder); f->line++) {
    if (is_comment(line)) continue;
    if (header)
      header = false;
    else
      folded_read_line(f, line);
  }
}

/* Adds comments to the profile with the numbers of rounded counts and skipped lines. Rejects input
 * in which most lines are not stacks. */
static void folded_account(struct folded_folded *f) {
  import_note_count(f->builder, f->fractions, "count has a fraction, and is rounded",
                    "counts have fractions, and are rounded so that their sum stays");
  if (!f->bad_lines) return;
  char one[80], many[80];
  if (f->bad_lines >= f->good_lines)
    import_refuse(f->builder, PPROFC_E_FORMAT,
                  "most lines are not stacks: %llu of %llu, the first is line %llu",
                  (unsigned long long)f->bad_lines,
                  (unsigned long long)(f->bad_lines + f->good_lines),
                  (unsigned long long)f->first_bad);
  snprintf(one, sizeof one, "line is not a stack: line %llu", (unsigned long long)f->first_bad);
  snprintf(many, sizeof many, "lines are not stacks; the first is line %llu",
           (unsigned long long)f->first_bad);
  import_account_one(f->builder, f->good_lines, "lines", f->bad_lines, one, many);
}

static void folded_read(struct text_stream *text, pprofc_builder *builder, struct arena *arena) {
  struct folded_folded f = {.arena = arena, .builder = builder, .kernel = NONE};
  buffer_init(&f.text, arena->mem, SIZE_MAX);
  folded_read_header(&f, folded_head(text));
  folded_read_lines(&f, text);
  import_need(builder, !f.text.failed);
  import_end_of_stream(builder, text);
  if (builder_ok(builder)) folded_account(&f);
  buffer_free(&f.text);
}

static void folded_read_stream(void *text, pprofc_builder *builder, struct arena *arena) {
  folded_read(text, builder, arena);
}

IMPORT_LINES_READER(import_folded_lines) {
  if (!is_folded_text(folded_head(text), text->whole)) return PPROFC_E_NO_MATCH;
  return import_build(folded_read_stream, text, mem, options, profile, error);
}

bool import_is_folded(pprofc_str data) {
  return is_folded_text(data, true);
}

IMPORT_READER(import_folded) {
  struct text_stream text = text_stream_of(data);
  folded_read(&text, builder, arena);
}
