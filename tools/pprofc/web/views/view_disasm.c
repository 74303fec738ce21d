/* Creates the view Disassembly. It shows the lines of -disasm in one section per function, sorted
 * by cost. The user can collapse a section. */
#include "report/source/listing.h"
#include "web/views/page.h"

/* Number of functions shown, as in pprof. */
#define DISASM_FUNCTIONS 50

struct disasm_line {
  pprofc_str text;
  int64_t cum; /* total of an instruction; 0 for other lines */
};

struct disasm_function {
  pprofc_str name;
  int64_t flat;
  size_t first, end; /* indexes of its lines: the first line, and after the last line */
};

struct disasm_page {
  struct view_page *page;
  struct view_report v;
  struct disasm_line *lines;
  struct disasm_function *functions;
  size_t line_count, line_capacity, count, capacity;
  bool failed;  /* true when out of memory */
  int64_t most; /* largest total of an instruction; it gets the strongest color */
};

static void disasm_take_function(void *context, pprofc_str name, int64_t flat) {
  struct disasm_page *d = context;
  pprofc_str kept = arena_str(&d->page->arena, name);
  d->failed |= !kept.data || !ARRAY_RESERVE(d->page->mem, d->functions, d->capacity, d->count + 1);
  if (d->failed) return;
  d->functions[d->count++] = (struct disasm_function){kept, flat, d->line_count, d->line_count};
}

/* Lines before the first function become remarks. */
static void disasm_take_line(void *context, pprofc_str line, const int64_t *cum) {
  struct disasm_page *d = context;
  if (!line.size || d->failed) return;
  if (!d->count) {
    fill_pack(&d->page->fill, "remarks:{line:S}", line);
    return;
  }
  pprofc_str kept = arena_str(&d->page->arena, line);
  d->failed |=
      !kept.data || !ARRAY_RESERVE(d->page->mem, d->lines, d->line_capacity, d->line_count + 1);
  if (d->failed) return;
  d->lines[d->line_count++] = (struct disasm_line){kept, cum ? *cum : 0};
  d->functions[d->count - 1].end = d->line_count;
}

static int disasm_compare(const void *a, const void *b) {
  const struct disasm_function *x = a, *y = b;
  int64_t left = number_abs(x->flat), right = number_abs(y->flat);
  if (left != right) return left > right ? -1 : 1;
  return x->first < y->first ? -1 : 1;
}

static void disasm_fill(struct disasm_page *d, const struct disasm_function *function, bool open) {
  struct fill *fill = &d->page->fill;
  fill_pack(fill, "functions:{open:b data-name:S", open, function->name);
  page_name_link(d->page, "peek", function->name, STR("Callers and callees"));
  for (size_t i = function->first; i < function->end; i++)
    fill_pack(fill, "lines:{heat:s text:S}", html_heat((double)d->lines[i].cum, (double)d->most),
              d->lines[i].text);
  fill_end(fill);
}

static void disasm_print(struct disasm_page *d, struct buffer *out) {
  size_t shown = d->count < DISASM_FUNCTIONS ? d->count : DISASM_FUNCTIONS;
  qsort(d->functions, d->count, sizeof *d->functions, disasm_compare);
  for (size_t i = 0; i < shown; i++)
    for (size_t k = d->functions[i].first; k < d->functions[i].end; k++)
      if (number_abs(d->lines[k].cum) > d->most) d->most = number_abs(d->lines[k].cum);
  for (size_t i = 0; i < shown; i++) disasm_fill(d, &d->functions[i], i < 10);
  page_cut(d->page, shown, d->count);
  page_put(d->page, out, "disasm");
}

static pprofc_status disasm_make(struct disasm_page *d, pprofc_error *error) {
  static const struct pipeline_overrides overrides = {.granularity = "addresses",
                                                      .inlines = INLINES_HIDDEN,
                                                      .no_trim = true,
                                                      .takes_argument = true};
  const struct disasm_visitor visitor = {d, disasm_take_function, disasm_take_line};
  struct view_page *page = d->page;
  page->options.argument = page->argument.data;
  pprofc_status status = view_report_open(&d->v, page, page->in->profile, &overrides, error);
  if (status) return status;
  page_note_report(page, &d->v);
  status = disasm_walk(&d->v.report, &visitor, error);
  return !status && d->failed ? error_nomem(error) : status;
}

pprofc_status view_disasm(struct view_page *page, struct buffer *out, pprofc_error *error) {
  struct disasm_page d = {.page = page};
  if (!page->argument.size) return page_function_list(page, out, error);
  pprofc_status status = disasm_make(&d, error);
  if (!status) disasm_print(&d, out);
  view_report_close(&d.v);
  ARRAY_FREE(page->mem, d.lines, d.line_capacity);
  ARRAY_FREE(page->mem, d.functions, d.capacity);
  return status;
}
