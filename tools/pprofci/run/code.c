/* Finds the functions of a pair of profiles whose code changed. */
#include "run/code.h"

#include "run/files.h"

#define DEPTH_MOST 32 /* maximum depth of nested definitions */

struct defs {
  struct def *items; /* definitions, sorted by name and line */
  size_t count;
};

/* Returns the number of columns of indentation; SIZE_MAX for an empty line. */
static size_t margin_of(pprofc_str line) {
  size_t columns = 0;
  for (size_t i = 0; i < line.size; i++) {
    if (line.data[i] != ' ' && line.data[i] != '\t') return columns;
    columns += line.data[i] == '\t' ? 8 : 1;
  }
  return SIZE_MAX;
}

/* Returns the last line of the function that begins on line `first`. Finds the end by the
 * indentation of the lines. */
static int64_t defs_last_line(const struct source_file *file, int64_t first) {
  int64_t last = first, count = (int64_t)file->line_count;
  if (first < 1 || first > count) return first;
  size_t margin = margin_of(file->lines[first - 1]);
  for (int64_t number = first + 1; number <= count; number++) {
    pprofc_str line = file->lines[number - 1];
    size_t columns = margin_of(line);
    if (columns == SIZE_MAX) continue;
    if (columns <= margin) {
      char c = str_trim(line).data[0];
      if (c == '}') return number;
      /* this line is outside the function */
      if (c != '{' && c != ')' && c != '#' && c != ':') return last;
    }
    last = number;
  }
  return last;
}

/* A definition whose end is not read yet. */
struct open_def {
  size_t margin, index; /* indentation in columns; index of this definition in defs->items */
  bool is_class;
};

struct python_reader {
  struct defs *defs;
  struct arena *arena;
  size_t capacity;
  struct open_def open[DEPTH_MOST];
  size_t depth;
  int64_t decorator; /* first line of the decorators above the current line; 0 without decorators */
  int64_t last;      /* last line so far that has code */
  size_t brackets;   /* number of open brackets */
  char quote;        /* quotation mark of an open string of several lines, or 0 */
  bool continues;    /* true if the line before ended with a backslash */
};

static bool is_triple(pprofc_str line, size_t at, char quote) {
  return at + 2 < line.size && line.data[at] == quote && line.data[at + 1] == quote &&
         line.data[at + 2] == quote;
}

/* Skips the rest of a string. Keeps r->quote if the string continues on the next line. */
static size_t skip_string(struct python_reader *r, pprofc_str line, size_t at, char quote) {
  for (; at < line.size; at++) {
    if (line.data[at] == '\\')
      at++;
    else if (r->quote && is_triple(line, at, quote))
      break;
    else if (!r->quote && line.data[at] == quote)
      return at + 1;
  }
  if (at >= line.size) return line.size;
  r->quote = 0;
  return at + 3;
}

/* Reads a line to keep track of open strings and open brackets. */
static void scan_python(struct python_reader *r, pprofc_str line) {
  size_t at = r->quote ? skip_string(r, line, 0, r->quote) : 0;
  while (at < line.size) {
    char c = line.data[at];
    if (c == '#') break;
    if (c == '"' || c == '\'') {
      bool triple = is_triple(line, at, c);
      if (triple) r->quote = c;
      at = skip_string(r, line, at + (triple ? 3 : 1), c);
      continue;
    }
    if (strchr("([{", c)) r->brackets++;
    if (r->brackets && strchr(")]}", c)) r->brackets--;
    at++;
  }
  r->continues = line.size && line.data[line.size - 1] == '\\';
}

/* Ends the open definitions that are indented as far as the next line (`margin`) or further. */
static void close_defs(struct python_reader *r, size_t margin) {
  for (; r->depth && r->open[r->depth - 1].margin >= margin; r->depth--)
    r->defs->items[r->open[r->depth - 1].index].last = r->last;
}

/* Removes a word and the blanks after it from the beginning of *text. Returns false if *text does
 * not begin with the word and a blank. */
static bool take_keyword(pprofc_str *text, pprofc_str word) {
  if (!str_starts(*text, word) || text->size == word.size) return false;
  pprofc_str rest = str_slice(*text, word.size, text->size);
  if (*rest.data != ' ' && *rest.data != '\t') return false;
  *text = str_trim(rest);
  return true;
}

static pprofc_str identifier_at(pprofc_str text) {
  size_t size = 0;
  while (size < text.size && !strchr("(:[ \t\\", text.data[size])) size++;
  return str_slice(text, 0, size);
}

static const char *qualified_name(const struct python_reader *r, pprofc_str name) {
  if (!r->depth) return text_printf(r->arena, "%.*s", STR_ARG(name));
  const struct open_def *outer = &r->open[r->depth - 1];
  return text_printf(r->arena, "%.*s%s.%.*s", STR_ARG(r->defs->items[outer->index].name),
                     outer->is_class ? "" : ".<locals>", STR_ARG(name));
}

/* Opens the definition that a line such as "def f(x):", "async def f(x):" or "class C:" begins.
 * Ignores any other line. */
static void open_def(struct python_reader *r, pprofc_str text, int64_t number, size_t margin) {
  bool is_class = take_keyword(&text, STR("class"));
  if (!is_class) take_keyword(&text, STR("async"));
  if ((!is_class && !take_keyword(&text, STR("def"))) || r->depth == DEPTH_MOST) return;
  const char *name = qualified_name(r, identifier_at(text));
  const struct def def = {str_of(name), r->decorator ? r->decorator : number, number};
  (void)ARRAY_PUSH_IN(r->arena, r->defs->items, r->defs->count, r->capacity, def);
  r->open[r->depth++] = (struct open_def){margin, r->defs->count - 1, is_class};
}

static void read_python_line(struct python_reader *r, pprofc_str line, int64_t number) {
  bool begins = !r->quote && !r->brackets && !r->continues;
  size_t margin = margin_of(line);
  pprofc_str text = str_trim(line);
  if (begins && (!text.size || *text.data == '#')) return;
  if (begins) {
    close_defs(r, margin);
    if (*text.data == '@') {
      if (!r->decorator) r->decorator = number;
    } else {
      open_def(r, text, number, margin);
      r->decorator = 0;
    }
  }
  if (text.size) r->last = number;
  scan_python(r, line);
}

static int def_order(const void *a, const void *b) {
  const struct def *x = a, *y = b;
  int order = str_compare(x->name, y->name);
  return order ? order : (x->first > y->first) - (x->first < y->first);
}

static void defs_read(struct defs *defs, const struct source_file *file, struct arena *arena) {
  struct python_reader r = {.defs = defs, .arena = arena};
  *defs = (struct defs){NULL, 0};
  for (size_t i = 0; i < file->line_count; i++)
    read_python_line(&r, file->lines[i], (int64_t)i + 1);
  close_defs(&r, 0);
  if (defs->count) qsort(defs->items, defs->count, sizeof *defs->items, def_order);
}

/* Returns the first definition with the name `name`, or NULL. Sets *count to the number of
 * definitions with this name. */
static const struct def *defs_find(const struct defs *defs, pprofc_str name, size_t *count) {
  BISECT(first, defs->count, str_compare(defs->items[first].name, name) < 0);
  for (*count = 0; first + *count < defs->count; ++*count)
    if (!str_equal(defs->items[first + *count].name, name)) break;
  return *count ? defs->items + first : NULL;
}

struct code_programs {
  const char *paths[SIDES];
  struct code_comparison comparison;
  struct built *built; /* build information of the programs of base and head; NULL: unknown */
  const char *differs; /* text of the differences that built_compare found, or "" */
  bool good;
};

struct changed_source {
  bool known; /* true if the files of base and head were read */
  struct source_file text[SIDES];
  struct defs defs[SIDES]; /* definitions in the Python file, in base and in head */
};

struct run_code {
  struct revisions revisions;
  struct source_lookup sources;
  struct changed_source *changed; /* array: one element per changed file of the diff; or NULL */
  bool has_sources;
  struct code_programs *items;
  size_t count, capacity;
};

/* ---- sources ----------------------------------------- */

void code_open(struct ci_run *run) {
  const char *base = run_has(run->base_commit) ? run->base_commit : run->options->base_ref;
  pprofc_error why = {0};
  pprofc_report_options options;
  pprofc_report_options_init(&options);
  run->code = arena_zero_array(&run->arena, 1, sizeof *run->code);
  if (!run_has(base)) return;
  pprofc_status status = revisions_open(&run->code->revisions, base, run->mem, &why);
  if (status == PPROFC_OK)
    status = source_lookup_init(&run->code->sources, &options, run->mem, &why);
  run->code->has_sources = status == PPROFC_OK;
  if (status != PPROFC_OK)
    message_note("warning: cannot show the changes of the sources: %s", why.message);
}

void code_close(struct ci_run *run) {
  struct run_code *code = run->code;
  if (!code) return;
  for (size_t i = 0; i < code->count; i++) code_comparison_free(&code->items[i].comparison);
  if (code->sources.mem) source_lookup_free(&code->sources);
  revisions_free(&code->revisions);
  run->code = NULL;
}

struct revisions *code_sources(const struct ci_run *run) {
  return run->code && run->code->has_sources ? &run->code->revisions : NULL;
}

/* Returns a changed file with the text of base and head. The first call reads the files. */
static const struct changed_source *changed_source(struct run_code *code,
                                                   const struct changed_file *file) {
  struct arena *arena = &code->revisions.arena;
  const struct hunks *hunks = &code->revisions.hunks;
  if (!code->changed)
    code->changed = arena_zero_array(arena, hunks->file_count, sizeof *code->changed);
  struct changed_source *source = &code->changed[file - hunks->files];
  for (int side = 0; side < SIDES && !source->known; side++) {
    pprofc_str path = side ? file->head : file->base;
    const struct source_file *text;
    pprofc_error ignored;
    if (!path.size || revisions_text(&code->revisions, &code->sources, (enum diff_side)side, path,
                                     &text, &ignored) != PPROFC_OK)
      continue;
    source->text[side] = *text;
    if (str_ends(path, STR(".py"))) defs_read(&source->defs[side], text, arena);
  }
  source->known = true;
  return source;
}

pprofc_str code_def_name(pprofc_str name) {
  for (;;) {
    size_t dot = str_find_last_char(name, '.');
    pprofc_str outer = str_slice(name, 0, dot);
    if (!str_ends(name, STR(">")) || !str_ends(outer, STR(".<locals>"))) return name;
    name = str_slice(outer, 0, outer.size - STR(".<locals>").size);
  }
}

size_t code_extents(struct ci_run *run, enum diff_side side, const struct changed_file *file,
                    const struct def *function, const struct def **extents, struct def *one) {
  const struct changed_source *source = changed_source(run->code, file);
  size_t count;
  *extents = defs_find(&source->defs[side], code_def_name(function->name), &count);
  if (function->first < 1) return count;
  *one = *function;
  one->last = defs_last_line(&source->text[side], function->first);
  *extents = one;
  return 1;
}

/* ---- one function ------------------------------------ */

/* Position of a function in the profiles of the head, or of the base if the head lacks it. */
struct code_place {
  pprofc_str file;
  /* first line of the function, and first and last line with samples; 0: unknown */
  int64_t start, first, last;
  bool called; /* true if at least one call of the function was not inlined */
  bool own;    /* true if the file of the function is in the repository */
  enum diff_side side;
};

static bool code_has_file(const struct run_code *code, enum diff_side side, pprofc_str file) {
  return code->has_sources && revisions_place(&code->revisions, side, file).size > 0;
}

/* Adds a line of a location to the line range of the function. In callgrind files, a function can
 * have lines of several files, because inlined code has no function of its own. In this case, the
 * range has only lines of the first file that is in the repository. */
static void place_line(const struct run_code *code, struct code_place *place,
                       pprofc_function function, int64_t line, bool called) {
  place->called |= called;
  if (place->file.size && !str_equal(place->file, function.filename)) {
    if (place->own || !code_has_file(code, place->side, function.filename)) return;
    *place = (struct code_place){.side = place->side, .called = place->called};
  }
  if (!place->file.size) place->own = code_has_file(code, place->side, function.filename);
  place->file = function.filename;
  if (function.start_line) place->start = function.start_line;
  if (line > 0 && (!place->first || line < place->first)) place->first = line;
  if (line > place->last) place->last = line;
}

/* Finds the lines and calls of the function in the profiles of base or head. */
static void place_in_profiles(const struct run_code *code, struct code_place *place,
                              const struct judged *j, size_t from, size_t to, pprofc_str name) {
  for (size_t run = from; run < to; run++) {
    const pprofc_profile *p = j->runs.items[run].profile;
    for (uint32_t i = 0; i < p->locations.count; i++) {
      uint32_t end = p->locations.line_from[i + 1];
      for (uint32_t k = p->locations.line_from[i]; k < end; k++) {
        uint32_t index = p->locations.lines[k].function;
        if (index == NONE || !str_equal(profile_string(p, p->functions.name[index]), name))
          continue;
        place_line(code, place, pprofc_profile_function(p, index), p->locations.lines[k].line,
                   k + 1 == end);
      }
    }
  }
}

static struct code_place find_code_place(const struct run_code *code, const struct judged *j,
                                         pprofc_str name) {
  struct code_place place = {.file = STR(""), .side = DIFF_HEAD};
  place_in_profiles(code, &place, j, j->runs.bases, j->runs.count, name);
  if (place.file.size) return place;
  place.side = DIFF_BASE;
  place_in_profiles(code, &place, j, 0, j->runs.bases, name);
  return place;
}

enum source_state { SOURCE_UNKNOWN, SOURCE_SAME, SOURCE_IN_DIFF };

/* True if a hunk of the source diff touches the function. The function begins at the line `first`,
 * and ends at its last line in the source or at its last line with samples, whichever is later. */
static bool is_touched(struct run_code *code, const struct changed_file *changes,
                       const struct code_place *place, int64_t first) {
  int64_t last = place->last;
  size_t ignored;
  int64_t end = defs_last_line(&changed_source(code, changes)->text[place->side], first);
  if (end > last) last = end;
  return hunks_touch(&code->revisions.hunks, changes, place->side, first, last, &ignored) > 0;
}

/* Finds out if a hunk of the source diff touches a function for which the profile has no lines.
 * Finds the function in the source by its name. */
static enum source_state named_state(struct ci_run *run, const struct changed_file *changes,
                                     pprofc_str name) {
  const struct def function = {.name = name}, *found;
  struct def one;
  size_t all = 0, first;
  for (int side = 0; side < SIDES; side++) {
    enum diff_side s = (enum diff_side)side;
    size_t count = code_extents(run, s, changes, &function, &found, &one);
    for (size_t i = 0; i < count; i++)
      if (hunks_touch(&run->code->revisions.hunks, changes, s, found[i].first, found[i].last,
                      &first))
        return SOURCE_IN_DIFF;
    all += count;
  }
  return all ? SOURCE_SAME : SOURCE_UNKNOWN;
}

static enum source_state source_state(struct ci_run *run, const struct code_place *place,
                                      pprofc_str name) {
  struct run_code *code = run->code;
  const struct revisions *r = &code->revisions;
  if (!code->has_sources) return SOURCE_UNKNOWN;
  pprofc_str path = revisions_place(r, place->side, place->file);
  int64_t from = place->start ? place->start : place->first;
  if (!path.size || (!from && !str_ends(path, STR(".py")))) return SOURCE_UNKNOWN;
  const struct changed_file *changes = hunks_file(&r->hunks, place->side, path);
  if (!changes) return SOURCE_SAME;
  if (!from) return named_state(run, changes, name);
  return is_touched(code, changes, place, from) ? SOURCE_IN_DIFF : SOURCE_SAME;
}

/* True if the source diff edits a function that is inlined at a location. In p->locations.lines,
 * the inlined functions have the indices from `first` to own - 1. The function that contains them
 * has the index `own`. */
static bool inlines_edited(struct ci_run *run, const pprofc_profile *p, uint32_t first,
                           uint32_t own, enum diff_side side) {
  for (uint32_t i = first; i < own; i++) {
    const struct line *line = &p->locations.lines[i];
    if (line->function == NONE) continue;
    pprofc_function function = pprofc_profile_function(p, line->function);
    const struct code_place place = {.file = function.filename,
                                     .start = function.start_line,
                                     .first = line->line,
                                     .last = line->line,
                                     .side = side};
    if (source_state(run, &place, function.name) == SOURCE_IN_DIFF) return true;
  }
  return false;
}

/* True if a function that the source diff edits is inlined into the function `name`. */
static bool inlines_diff(struct ci_run *run, const struct judged *j, pprofc_str name) {
  for (size_t r = 0; r < j->runs.count; r++) {
    const pprofc_profile *p = j->runs.items[r].profile;
    enum diff_side side = r < j->runs.bases ? DIFF_BASE : DIFF_HEAD;
    for (uint32_t i = 0; i < p->locations.count; i++) {
      uint32_t first = p->locations.line_from[i], end = p->locations.line_from[i + 1];
      uint32_t index = end > first + 1 ? p->locations.lines[end - 1].function : NONE;
      if (index == NONE || !str_equal(profile_string(p, p->functions.name[index]), name)) continue;
      if (inlines_edited(run, p, first, end - 1, side)) return true;
    }
  }
  return false;
}

static bool is_interpreted(pprofc_str file) {
  return STR_ANY(str_ends, file, ".py", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".java",
                 ".kt", ".scala", ".rb", ".php", ".lua");
}

/* ---- programs ---------------------------------------- */

/* Reads how the programs of base and head were built. If this fails, only the machine code is
 * compared. */
static void read_built(struct ci_run *run, struct code_programs *programs) {
  struct buffer text = ci_buffer();
  pprofc_error ignored;
  struct built *built = arena_array(&run->arena, SIDES, sizeof *built);
  for (int side = 0; side < SIDES; side++)
    if (built_read(&built[side], programs->paths[side], &run->arena, &ignored)) return;
  built_compare(run, built, &text);
  programs->built = built;
  programs->differs = buffer_take(&text, &run->arena).data;
}

/* Returns the comparison of the programs of a pair of profiles, or NULL if there are no programs.
 * The first call makes the comparison, and later calls return it. */
static const struct code_programs *compared_programs(struct ci_run *run,
                                                     const struct run_pair *pair) {
  struct run_code *code = run->code;
  const char *base = pair->programs[SIDE_BASE], *head = pair->programs[SIDE_HEAD];
  pprofc_error error;
  if (!run_has(base) || !run_has(head)) return NULL;
  for (size_t i = 0; i < code->count; i++)
    if (strcmp(code->items[i].paths[SIDE_BASE], base) == 0 &&
        strcmp(code->items[i].paths[SIDE_HEAD], head) == 0)
      return code->items[i].good ? &code->items[i] : NULL;
  (void)ARRAY_PUSH_IN(&run->arena, code->items, code->count, code->capacity,
                      (struct code_programs){.paths = {base, head}, .differs = ""});
  struct code_programs *made = &code->items[code->count - 1];
  made->good = code_compare(&made->comparison, base, head, run->mem, &error) == PPROFC_OK;
  if (!made->good) message_note("warning: %s", error.message);
  if (made->good) read_built(run, made);
  return made->good ? made : NULL;
}

/* True if the samples of a function are in inlined copies, and the head's program has no other copy
 * of the function. */
static bool is_only_inlined(const struct code_function *function, const struct code_place *place) {
  bool lone = !function || (function->lone && place->side == DIFF_HEAD);
  return lone && place->file.size && !place->called;
}

/* Returns the result of code_compared for a function whose machine code is not known to be the same
 * in base and head. `function` is NULL if the programs are unknown or do not contain the function.
 */
static enum compared_code compare_by_source(struct ci_run *run, const struct judged *j,
                                            pprofc_str name, const struct code_function *function,
                                            bool programs) {
  const struct code_place place = find_code_place(run->code, j, name);
  enum source_state source = source_state(run, &place, name);
  if (source == SOURCE_IN_DIFF) return COMPARED_IN_DIFF;
  if (programs && is_only_inlined(function, &place)) return COMPARED_INLINED;
  if (function && function->state == CODE_CHANGED)
    return inlines_diff(run, j, name) ? COMPARED_INLINES : COMPARED_CHANGED;
  bool same = source == SOURCE_SAME && is_interpreted(place.file);
  return same ? COMPARED_SAME : COMPARED_UNKNOWN;
}

enum compared_code code_compared(struct ci_run *run, const struct run_pair *pair,
                                 const struct judged *j, pprofc_str name) {
  if (!run->code) return COMPARED_NOTHING;
  const struct code_programs *programs = compared_programs(run, pair);
  if (!programs && !run->code->has_sources) return COMPARED_NOTHING;
  const struct code_function *function = programs ? code_find(&programs->comparison, name) : NULL;
  if (function && function->state == CODE_SAME) return COMPARED_SAME;
  return compare_by_source(run, j, name, function, programs);
}

bool code_is_same(struct ci_run *run, const struct run_pair *pair, pprofc_str name) {
  const struct code_programs *programs = run->code ? compared_programs(run, pair) : NULL;
  const struct code_function *function = programs ? code_find(&programs->comparison, name) : NULL;
  return function && function->state == CODE_SAME;
}

const char *const compared_words[] = {[COMPARED_NOTHING] = "",
                                      [COMPARED_UNKNOWN] = "unknown",
                                      [COMPARED_SAME] = "same",
                                      [COMPARED_INLINED] = "inlined elsewhere",
                                      [COMPARED_CHANGED] = "changed",
                                      [COMPARED_INLINES] = "inlines this diff",
                                      [COMPARED_IN_DIFF] = "in this diff",
                                      NULL};

/* ---- a pair ------------------------------------------ */

/* Moves functions with changed code to the front of v->because, the list of functions that grew.
 * Keeps the order otherwise. */
static void changed_first(struct pair_verdicts *v) {
  struct change sorted[CHANGES_MOST];
  size_t count = 0;
  for (int turn = 0; turn < 2; turn++)
    for (size_t i = 0; i < v->because_count; i++)
      if ((v->because[i].code >= COMPARED_CHANGED) != turn) sorted[count++] = v->because[i];
  memcpy(v->because, sorted, count * sizeof *sorted);
}

/* True if no function in the profiles has changed code. Checks all functions, because changed code
 * can cause work in other functions, such as the garbage collector. Ignores functions outside the
 * programs, such as functions of shared libraries. */
static bool has_same_code(const struct judged *j, const struct code_comparison *programs) {
  size_t same = 0;
  for (size_t r = 0; r < j->runs.count; r++) {
    const pprofc_profile *p = j->runs.items[r].profile;
    for (uint32_t i = 0; i < p->functions.count; i++) {
      const struct code_function *f = code_find(programs, profile_string(p, p->functions.name[i]));
      if (f && f->state != CODE_SAME) return false;
      same += f != NULL;
    }
  }
  return same > 0;
}

void code_describe(struct ci_run *run, struct run_pair *pair, const struct judged *j) {
  if (!run->code) return;
  for (size_t i = 0; i < pair->comparison_count; i++) {
    struct pair_verdicts *v = &pair->comparisons[i];
    for (size_t k = 0; k < v->row_count; k++)
      v->rows[k].code = code_compared(run, pair, j, str_of(v->rows[k].name));
    for (size_t k = 0; k < v->because_count; k++)
      v->because[k].code = code_compared(run, pair, j, str_of(v->because[k].name));
    changed_first(v);
    v->has_code |= v->row_count && v->rows[0].code;
  }
  run_show_comparison(pair);
  const struct code_programs *programs = compared_programs(run, pair);
  if (!programs || !pair->comparison_count) return;
  pair->built = programs->built;
  pair->comparisons[0].same_code = has_same_code(j, &programs->comparison);
  pair->comparisons[0].moved = programs->comparison.moved;
  pair->comparisons[0].differs = programs->differs;
}

bool code_excuses(const struct ci_run *run, const struct run_pair *pair, struct buffer *why) {
  if (run->options->layout || !pair->comparison_count || !pair->comparisons[0].same_code)
    return false;
  buffer_printf(why,
                "same machine code; it is at another place in memory (%zu functions moved "
                "within their cache line)",
                pair->comparisons[0].moved);
  if (pair->comparisons[0].differs) buffer_add_text(why, pair->comparisons[0].differs);
  return true;
}
