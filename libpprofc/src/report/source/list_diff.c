/* Prints the report -list with the option source_diff. It has the lines of matching functions that
 * changed or have a cost, with the costs in base and head. */
#include "report/source/listing.h"
#include "report/source/revisions.h"

#define CONTEXT 3 /* number of lines that are shown around a line with a cost or a change */
#define COLUMN  10

/* A line of a function that has a cost or a change. */
struct list_diff_row {
  pprofc_str path; /* path of the file in head; "" for a file outside of the repository */
  int64_t place;   /* index of the line among all lines of the file in base and head; NO_PLACE if
                      unknown */
  int64_t cum[DIFF_SIDES];
};

#define NO_PLACE (-1)

struct list_diff {
  struct report *report;
  struct output *out;
  struct line_costs costs;
  struct source_lookup sources;
  struct revisions revisions;
  struct list_diff_row *rows; /* rows of the current function */
  size_t count, capacity;
};

static bool list_diff_wants(void *context, pprofc_str name) {
  return regex_match(context, name);
}

/* ---- rows -------------------------------------------- */

static int list_diff_order(const void *a, const void *b) {
  const struct list_diff_row *x = a, *y = b;
  int order = str_compare(x->path, y->path);
  return order ? order : (x->place > y->place) - (x->place < y->place);
}

/* Returns the changed file that has the path *path in base or in head (`side`). Sets *path to its
 * path in head if head has the file. */
static const struct changed_file *follow_file(const struct list_diff *l, enum diff_side side,
                                              pprofc_str *path) {
  const struct changed_file *file = hunks_file(&l->revisions.hunks, side, *path);
  if (file && file->head.size) *path = file->head;
  return file;
}

static bool add_line_cost(struct list_diff *l, const struct line_cost *cost, enum diff_side side) {
  if (!cost->cum[side]) return true;
  if (!ARRAY_RESERVE(l->report->mem, l->rows, l->capacity, l->count + 1)) return false;
  struct list_diff_row *row = &l->rows[l->count++];
  *row = (struct list_diff_row){.path = revisions_place(&l->revisions, side, cost->file),
                                .place = NO_PLACE};
  row->cum[side] = cost->cum[side];
  const struct changed_file *file = follow_file(l, side, &row->path);
  const struct hunks *hunks = &l->revisions.hunks;
  if (cost->line < 1 || cost->line > INT32_MAX || !row->path.size) return true;
  row->place = side == DIFF_BASE ? hunks_place_of_base(hunks, file, cost->line)
                                 : hunks_place_of_head(hunks, file, cost->line);
  return true;
}

static void join_rows(struct list_diff *l) {
  size_t kept = 0;
  if (l->count) qsort(l->rows, l->count, sizeof *l->rows, list_diff_order);
  for (size_t i = 1; i < l->count; i++) {
    struct list_diff_row *row = &l->rows[i];
    if (list_diff_order(&l->rows[kept], row)) {
      l->rows[++kept] = *row;
      continue;
    }
    for (int side = 0; side < DIFF_SIDES; side++)
      l->rows[kept].cum[side] = sum_add(l->rows[kept].cum[side], row->cum[side]);
  }
  if (l->count) l->count = kept + 1;
}

/* ---- lines ------------------------------------------- */

static void put_number(struct output *out, int64_t number) {
  if (number)
    output_printf(out, " %6lld", (long long)number);
  else
    output_add_text(out, "       ");
}

static void put_costs(const struct list_diff *l, const int64_t cum[DIFF_SIDES]) {
  listing_value(l->report, l->out, cum[DIFF_BASE]);
  output_add_char(l->out, ' ');
  listing_value(l->report, l->out, cum[DIFF_HEAD]);
}

/* A window: a range of lines of a file from which lines are printed, and the rows in this range. */
struct list_diff_file {
  const struct source_file *text;
  const struct changed_file *changes; /* changes of the file, or NULL */
  const struct list_diff_row *rows;
  size_t count;
  /* indices in the listing of the file: first line and last line of the window, and end of the
   * file */
  int64_t from, to, end;
};

/* Prints the line at `place` of the listing (revisions.h). `row` has the costs of the line, or is
 * NULL if it has no cost. */
static void put_line(const struct list_diff *l, const struct list_diff_file *f, int64_t place,
                     const struct list_diff_row *row) {
  static const int64_t nothing[DIFF_SIDES];
  struct diff_line line = hunks_line(&l->revisions.hunks, f->changes, place);
  if (line.mark == ' ') line.text = f->text->lines[line.head - 1];
  put_costs(l, row ? row->cum : nothing);
  put_number(l->out, line.base);
  put_number(l->out, line.head);
  output_printf(l->out, " %c", line.mark);
  listing_text(l->report, l->out, line.text);
  output_add_char(l->out, '\n');
}

/* Returns the place (index in the listing) of the first changed line at or after `place`, or
 * INT64_MAX if all changed lines are before. */
static int64_t next_change(const struct list_diff *l, const struct list_diff_file *f,
                           int64_t place) {
  size_t count = f->changes ? f->changes->count : 0;
  const struct hunk *hunks = count ? &l->revisions.hunks.hunks[f->changes->first] : NULL;
  BISECT(at, count, hunks[at].place + hunks[at].base_count + hunks[at].head_count <= place);
  if (at == count) return INT64_MAX;
  int64_t first = hunks[at].place;
  return first > place ? first : place;
}

/* Prints a header such as "@@ -41,5 +41,6 @@" for the lines from..to of the listing. */
static void put_hunk_header(const struct list_diff *l, const struct list_diff_file *f, int64_t from,
                            int64_t to) {
  int64_t first[DIFF_SIDES] = {0, 0}, lines[DIFF_SIDES] = {0, 0};
  for (int64_t place = from; place <= to; place++) {
    struct diff_line line = hunks_line(&l->revisions.hunks, f->changes, place);
    const int64_t numbers[DIFF_SIDES] = {line.base, line.head};
    for (int side = 0; side < DIFF_SIDES; side++) {
      if (numbers[side] && !first[side]) first[side] = numbers[side];
      lines[side] += numbers[side] != 0;
    }
  }
  output_printf(l->out, "@@ -%lld,%lld +%lld,%lld @@\n", (long long)first[DIFF_BASE],
                (long long)lines[DIFF_BASE], (long long)first[DIFF_HEAD],
                (long long)lines[DIFF_HEAD]);
}

/* Returns the place (index in the listing) of the first line in the window, at or after `place`,
 * with a cost or a change. Returns INT64_MAX if there is no such line. `row` is the index of the
 * first row at or after `place`. */
static int64_t next_place(const struct list_diff *l, const struct list_diff_file *f, int64_t place,
                          size_t row) {
  int64_t next = next_change(l, f, place);
  if (row < f->count && f->rows[row].place < next) next = f->rows[row].place;
  return next <= f->to ? next : INT64_MAX;
}

static void put_group(const struct list_diff *l, const struct list_diff_file *f, int64_t from,
                      int64_t to, size_t row) {
  put_hunk_header(l, f, from, to);
  for (; from <= to; from++) {
    const struct list_diff_row *cost = NULL;
    if (row < f->count && f->rows[row].place == from) cost = &f->rows[row++];
    put_line(l, f, from, cost);
  }
}

/* Prints the lines of a window that have a cost or a change, and CONTEXT lines around them. */
static void put_window(const struct list_diff *l, const struct list_diff_file *f) {
  size_t row = 0;
  int64_t at = f->from, place;
  while (!l->out->failed && (place = next_place(l, f, at, row)) != INT64_MAX) {
    int64_t from = place - CONTEXT > at ? place - CONTEXT : at, last = place;
    size_t first = row;
    while (place != INT64_MAX && place - last <= 2 * CONTEXT) {
      last = place;
      while (row < f->count && f->rows[row].place <= last) row++;
      place = next_place(l, f, last + 1, row);
    }
    at = (last + CONTEXT < f->end ? last + CONTEXT : f->end - 1) + 1;
    put_group(l, f, from, at - 1, first);
  }
}

/* ---- functions --------------------------------------- */

static void add_rows(const struct list_diff_row *rows, size_t count, int64_t cum[DIFF_SIDES]) {
  for (size_t i = 0; i < count; i++)
    for (int side = 0; side < DIFF_SIDES; side++) cum[side] = sum_add(cum[side], rows[i].cum[side]);
}

/* Prints the sum of the costs of rows whose lines cannot be shown, and the reason `why`. Prints
 * nothing if there are no such rows. */
static void put_elsewhere(const struct list_diff *l, const struct list_diff_row *rows, size_t count,
                          const char *why) {
  int64_t cum[DIFF_SIDES] = {0, 0};
  if (!count) return;
  add_rows(rows, count, cum);
  put_costs(l, cum);
  output_printf(l->out, "               %s\n", why);
}

/* Sets the window of a function. It begins at the start of the function or CONTEXT lines before the
 * first row (list_diff_row), whichever is earlier. It ends CONTEXT lines after the last row. */
static void find_places(const struct list_diff *l, struct list_diff_file *f, int64_t start_line) {
  f->from = f->rows[0].place - CONTEXT;
  if (f->from < 0) f->from = 0;
  f->to = f->rows[f->count - 1].place + CONTEXT;
  if (f->to >= f->end) f->to = f->end - 1;
  if (start_line < 1) return;
  int64_t start = hunks_place_of_head(&l->revisions.hunks, f->changes, start_line);
  if (start < f->from) f->from = start;
}

/* Prints the lines of a function whose file is in the repository. */
static pprofc_status put_diff_lines(struct list_diff *l, int64_t start_line,
                                    const struct list_diff_row *rows, size_t count,
                                    pprofc_error *error) {
  static const struct source_file deleted;
  const struct hunks *hunks = &l->revisions.hunks;
  struct list_diff_file f = {.text = &deleted};
  pprofc_status status = PPROFC_OK;
  f.changes = hunks_file(hunks, DIFF_HEAD, rows->path);
  if (!f.changes) f.changes = hunks_file(hunks, DIFF_BASE, rows->path);
  if (!f.changes || f.changes->head.size)
    status = revisions_text(&l->revisions, &l->sources, DIFF_HEAD, rows->path, &f.text, error);
  if (status != PPROFC_OK) return status;
  if (f.text->failure.size) {
    output_add_text(l->out, " Error: ");
    report_text(l->out, l->report->mem, f.text->failure);
    output_add_char(l->out, '\n');
  }
  f.end = hunks_place_of_head(hunks, f.changes, (int64_t)f.text->line_count + 1);
  size_t lost = 0, late = count;
  while (lost < count && rows[lost].place < 0) lost++;
  while (late > lost && rows[late - 1].place >= f.end) late--;
  f.rows = rows + lost;
  f.count = late - lost;
  if (f.count) {
    find_places(l, &f, start_line);
    put_window(l, &f);
  }
  put_elsewhere(l, rows, lost, "on unknown lines");
  put_elsewhere(l, rows + late, count - late, "on lines that the revisions do not have");
  return PPROFC_OK;
}

static pprofc_status put_routine(struct list_diff *l, pprofc_str name, int64_t start_line,
                                 const struct list_diff_row *rows, size_t count,
                                 pprofc_error *error) {
  int64_t cum[DIFF_SIDES] = {0, 0};
  output_add_text(l->out, "ROUTINE ======================== ");
  report_text(l->out, l->report->mem, name);
  if (rows->path.size) output_add_text(l->out, " in ");
  report_text(l->out, l->report->mem, rows->path);
  output_add_char(l->out, '\n');
  add_rows(rows, count, cum);
  put_costs(l, cum);
  output_add_text(l->out, " (base, head)\n");
  if (rows->path.size) return put_diff_lines(l, start_line, rows, count, error);
  put_elsewhere(l, rows, count, "in files that the repository does not have");
  return PPROFC_OK;
}

/* Prints the function whose costs are costs[from, to). */
static pprofc_status list_diff_function(struct list_diff *l, size_t from, size_t to,
                                        pprofc_error *error) {
  int64_t start_line = 0;
  l->count = 0;
  for (size_t i = from; i < to; i++) {
    const struct line_cost *cost = &l->costs.items[i];
    if (!add_line_cost(l, cost, DIFF_BASE) || !add_line_cost(l, cost, DIFF_HEAD))
      return error_nomem(error);
    if (cost->cum[DIFF_HEAD]) start_line = cost->start_line;
  }
  join_rows(l);
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0, end; status == PPROFC_OK && i < l->count; i = end) {
    for (end = i + 1; end < l->count && str_equal(l->rows[end].path, l->rows[i].path);) end++;
    status = put_routine(l, l->costs.items[from].name, start_line, l->rows + i, end - i, error);
  }
  return status;
}

static pprofc_status list_diff_print(struct list_diff *l, pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  const struct line_cost *costs = l->costs.items;
  listing_total(l->report, l->out);
  output_add_char(l->out, '\n');
  for (size_t from = 0, to; status == PPROFC_OK && from < l->costs.count && !l->out->failed;
       from = to) {
    for (to = from + 1; to < l->costs.count && str_equal(costs[to].name, costs[from].name);) to++;
    status = list_diff_function(l, from, to, error);
  }
  return status;
}

/* Rejects a profile that is not a difference of base and head. */
static pprofc_status list_diff_check(const struct report *report, pprofc_error *error) {
  if (report->options->safe)
    return error_set(error, PPROFC_E_INVALID, "source files are not opened (-safe)");
  if (report->result.mean)
    return error_set(error, PPROFC_E_INVALID, "source_diff and mean cannot be combined");
  if (!profile_has_base(report->result.profile))
    return error_set(error, PPROFC_E_INVALID,
                     "source_diff needs the profile of a base: give -diff_base");
  return profile_need_stacks(report->result.profile, error);
}

pprofc_status report_list_diff(struct report *report, struct output *out, pprofc_error *error) {
  const pprofc_report_options *o = report->options;
  const struct pipeline_result *result = &report->result;
  struct list_diff l = {.report = report, .out = out};
  const struct line_costs_choice choice = {.want = list_diff_wants, .context = result->argument};
  pprofc_status status = list_diff_check(report, error);
  if (status == PPROFC_OK) status = source_lookup_init(&l.sources, o, report->mem, error);
  if (status == PPROFC_OK)
    status = revisions_open(&l.revisions, o->source_diff, report->mem, error);
  if (status == PPROFC_OK &&
      !line_costs_add_up(&l.costs, result->profile, result->value_index, &choice, report->mem))
    status = error_nomem(error);
  if (status == PPROFC_OK && regex_tripped(result->argument))
    status = error_set(error, PPROFC_E_LIMIT, "the expression takes too long to match");
  if (status == PPROFC_OK && !l.costs.count)
    status = report_no_match(report, "regexp:", NULL, error);
  if (status == PPROFC_OK) status = list_diff_print(&l, error);
  mem_free(report->mem, l.rows, l.capacity, sizeof *l.rows);
  line_costs_free(&l.costs);
  revisions_free(&l.revisions);
  if (l.sources.mem) source_lookup_free(&l.sources);
  return status;
}
