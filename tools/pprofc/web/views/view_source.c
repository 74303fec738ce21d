/* Creates the view Source. It shows the lines of -weblist, starting with the functions and files
 * with the largest cost. A click on a line shows its instructions. report/source finds and reads
 * the files. */
#include "report/source/lookup.h"
#include "report/source/weblist_data.h"
#include "unit/unit.h"
#include "web/views/page.h"

/* Number of files shown, as in pprof. */
#define SOURCE_FILES 50
/* Maximum number of missing files for which the view suggests flags that may find the file. */
#define SOURCE_SUGGESTIONS 20

struct source_page {
  struct view_page *page;
  struct view_report v;
  struct web_data data;
  struct source_lookup sources;
  int64_t most;     /* largest cost of a visible line; it gets the strongest colour */
  bool missing;     /* true if a file was unreadable */
  size_t suggested; /* number of missing files so far */
};

/* Entries of `places` that belong to one file, from index `first` to before `end`. `flat` is the
 * sum of their self values. */
struct source_extent {
  size_t first, end;
  int64_t flat;
};

static void source_add_value(const struct source_page *s, int64_t value, struct buffer *out) {
  char text[UNIT_LABEL_MAX];
  html_right(out, value ? html_value_text(&s->v.report, value, text) : STR("."), 10);
}

static void source_fill_cost(struct source_page *s, int64_t flat, int64_t cum) {
  struct buffer *cost = fill_text(&s->page->fill, "cost");
  source_add_value(s, flat, cost);
  buffer_add_char(cost, ' ');
  source_add_value(s, cum, cost);
}

static void source_line_cost(void *context, int64_t flat, int64_t cum) {
  struct source_page *s = context;
  fill_words(&s->page->fill, "heat", html_heat((double)cum, (double)s->most));
  source_fill_cost(s, flat, cum);
}

static void source_code(void *context, pprofc_str code, size_t depth, pprofc_str around) {
  struct source_page *s = context;
  (void)around;
  buffer_add_fill(fill_text(&s->page->fill, "indent"), ' ', 4 * (depth < 16 ? depth : 16));
  fill_str(&s->page->fill, "code", code);
}

/* Returns the largest total of a line in the entries of `places` from `first` to before `end`. */
static int64_t source_hottest(const struct source_page *s, size_t first, size_t end) {
  int64_t most = 0;
  for (size_t i = first, next; i < end; i = next) {
    int64_t flat = 0, cum = 0;
    for (next = i; next < end && s->data.places[next].line == s->data.places[i].line;) next++;
    weblist_sum(&s->data, s->data.places + i, next - i, &flat, &cum);
    if (number_abs(cum) > most) most = number_abs(cum);
  }
  return most;
}

/* Sets the reason why lines of a file are missing, and a hint about how to find the file. */
static void source_fill_failure(struct source_page *s, pprofc_str name) {
  const struct source_file *file = source_lookup_file(&s->sources, name);
  if (!file || !file->failure.size) return;
  fill_str(&s->page->fill, "failure", file->failure);
  s->missing = !s->sources.closed;
  struct buffer *flags = fill_text(&s->page->fill, "flags");
  if (s->suggested++ < SOURCE_SUGGESTIONS) source_lookup_suggest(&s->sources, name, flags);
}

static void source_fill_head(struct source_page *s, const struct weblist_run *run) {
  const struct web_place *first = s->data.places + run->first;
  struct view_row row = {.name = run->name,
                         .function = run->name,
                         .file = first->file,
                         .line = first->line,
                         .flat = run->flat,
                         .cum = run->cum};
  fill_begin(&s->page->fill, "functions");
  view_row_fill(s->page, &s->v.report, &row);
  source_fill_cost(s, run->flat, run->cum);
  source_fill_failure(s, first->file);
  page_name_link(s->page, "peek", run->name, STR("Callers and callees"));
}

static void source_run(struct source_page *s, const struct weblist_run *run) {
  const struct weblist_lines lines = {&s->data, &s->sources,      &s->page->fill,
                                      s,        source_line_cost, source_code};
  if (run->cum == 0) return;
  source_fill_head(s, run);
  weblist_fill_run(&lines, run);
  fill_end(&s->page->fill);
}

static int source_compare_extents(const void *a, const void *b) {
  const struct source_extent *x = a, *y = b;
  int64_t left = number_abs(x->flat), right = number_abs(y->flat);
  if (left != right) return left > right ? -1 : 1;
  return x->first < y->first ? -1 : 1;
}

static size_t source_find_files(const struct source_page *s, struct source_extent *files) {
  const struct web_data *data = &s->data;
  size_t count = 0;
  for (size_t first = 0, end; first < data->place_count; first = end) {
    struct source_extent file = {.first = first};
    int64_t cum = 0;
    for (end = first + 1; end < data->place_count; end++)
      if (!str_equal(data->places[end].file, data->places[first].file)) break;
    file.end = end;
    weblist_sum(data, data->places + first, end - first, &file.flat, &cum);
    files[count++] = file;
  }
  qsort(files, count, sizeof *files, source_compare_extents);
  return count;
}

static bool source_print(struct source_page *s) {
  struct arena *arena = &s->data.arena;
  struct weblist_run *runs = arena_array(arena, s->data.place_count, sizeof *runs);
  struct source_extent *files = arena_array(arena, s->data.place_count, sizeof *files);
  if (!runs || !files) return false;
  size_t count = source_find_files(s, files), shown = count < SOURCE_FILES ? count : SOURCE_FILES;
  for (size_t i = 0; i < shown; i++) {
    int64_t most = source_hottest(s, files[i].first, files[i].end);
    if (most > s->most) s->most = most;
  }
  for (size_t i = 0; i < shown; i++) {
    size_t in_file = weblist_make_runs(&s->data, files[i].first, files[i].end, runs);
    for (size_t k = 0; k < in_file; k++) source_run(s, &runs[k]);
  }
  fill_flag(&s->page->fill, "missing", s->missing);
  page_cut(s->page, shown, count);
  return true;
}

static pprofc_status source_make(struct source_page *s, pprofc_error *error) {
  static const struct pipeline_overrides overrides = {.granularity = "addresses",
                                                      .inlines = INLINES_SHOWN,
                                                      .no_trim = true,
                                                      .takes_argument = true};
  struct view_page *page = s->page;
  page->options.argument = page->argument.data;
  pprofc_status status = view_report_open(&s->v, page, page->in->profile, &overrides, error);
  if (status) return status;
  page_note_report(page, &s->v);
  status = web_data_collect(&s->data, &s->v.report, error);
  if (!status) {
    status = source_lookup_init(&s->sources, &page->options, page->mem, error);
    if (!status && !source_print(s)) status = error_nomem(error);
    source_lookup_free(&s->sources);
  }
  web_data_free(&s->data);
  return status;
}

pprofc_status view_source(struct view_page *page, struct buffer *out, pprofc_error *error) {
  struct source_page s = {.page = page};
  if (!page->argument.size) return page_function_list(page, out, error);
  pprofc_status status = source_make(&s, error);
  if (!status) page_put(page, out, "source");
  view_report_close(&s.v);
  return status;
}
