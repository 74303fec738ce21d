/* The -list report: the source of the functions that match, with the samples of each line. */
#include "core/array.h"
#include "report/source/listing.h"
#include "report/source/lookup.h"

#include <stdlib.h>

/* Number of lines shown before the first and after the last line with samples. */
#define MARGIN 5

/* A node of the listing. */
struct list_row {
  pprofc_str name, file;
  int64_t line, start_line;
  int64_t flat, cum;
};

struct list_report {
  struct report *report;
  struct output *out;
  struct source_lookup sources;
  struct list_row *rows; /* by name, file, line */
  size_t count, capacity;
};

static int list_compare_rows(const void *a, const void *b) {
  const struct list_row *x = a, *y = b;
  int order = str_compare(x->name, y->name);
  if (!order) order = str_compare(x->file, y->file);
  return order ? order : (x->line > y->line) - (x->line < y->line);
}

enum { LIST_UNKNOWN, LIST_MATCHES, LIST_OTHER };

/* True if the name of a node matches. `known` caches a LIST_* value for each text, because a
 * function has many lines and each line is a node. */
static bool list_matches(const struct list_report *list, const struct graph *graph,
                         const struct node_info *info, uint8_t *known) {
  if (known[info->name] == LIST_UNKNOWN) {
    pprofc_str name = graph->frames.texts.items[info->name];
    bool matches = regex_match(list->report->result.argument, name);
    known[info->name] = matches ? LIST_MATCHES : LIST_OTHER;
  }
  return known[info->name] == LIST_MATCHES;
}

/* Collects the nodes whose name matches. */
static bool collect_rows(struct list_report *list, const struct graph *graph, struct arena *arena) {
  const pprofc_allocator *mem = list->report->mem;
  uint8_t *known = arena_zero_array(arena, graph->frames.texts.count, sizeof *known);
  if (!known) return false;
  for (size_t i = 0; i < graph->shown_count; i++) {
    const struct graph_node *node = &graph->nodes[graph->shown[i]];
    const struct node_info *info = &graph->frames.infos[node->info];
    if (!list_matches(list, graph, info, known)) continue;
    if (!ARRAY_RESERVE(mem, list->rows, list->capacity, list->count + 1)) return false;
    list->rows[list->count++] = (struct list_row){
        .name = graph->frames.texts.items[info->name],
        .file = graph->frames.texts.items[info->file],
        .line = info->place->line,
        .start_line = info->place->start_line,
        .flat = node->flat,
        .cum = node->cum,
    };
  }
  if (list->count) qsort(list->rows, list->count, sizeof *list->rows, list_compare_rows);
  return true;
}

/* Returns the first line to show for a row: the line of its function, or MARGIN lines above
 * the row. */
static int64_t first_line(const struct list_row *row) {
  if (row->start_line) return row->start_line;
  return row->line > MARGIN ? row->line - MARGIN : 1;
}

/* Finds the lines to show for rows of one function and file. */
static void find_window(const struct list_row *rows, size_t count, int64_t *first, int64_t *last) {
  *first = INT64_MAX;
  *last = INT64_MIN;
  for (size_t i = 0; i < count; i++) {
    int64_t line = rows[i].line;
    int64_t from = first_line(&rows[i]);
    int64_t to = line < INT64_MAX - MARGIN ? line + MARGIN : INT64_MAX;
    if (from < *first) *first = from;
    if (to > *last) *last = to;
  }
  if (*first < 1) *first = 1;
}

static void print_lines(struct list_report *list, const struct list_row *rows, size_t count,
                        const struct source_file *file, int64_t first, int64_t last) {
  if (last > (int64_t)file->line_count) last = (int64_t)file->line_count;
  size_t next = 0;
  while (next < count && rows[next].line < first) next++;
  for (int64_t number = first; number <= last; number++) {
    int64_t flat = 0, cum = 0;
    for (; next < count && rows[next].line == number; next++) {
      flat = sum_add(flat, rows[next].flat);
      cum = sum_add(cum, rows[next].cum);
    }
    output_row(list->out, (flat != 0) + (cum != 0), (double)(flat ? flat : cum), 0);
    listing_value(list->report, list->out, flat);
    output_add_char(list->out, ' ');
    listing_value(list->report, list->out, cum);
    output_printf(list->out, " %6lld:", (long long)number);
    listing_text(list->report, list->out, file->lines[number - 1]);
    output_add_char(list->out, '\n');
  }
}

/* The rows of one function in one file. */
static bool list_print_routine(struct list_report *list, const struct list_row *rows,
                               size_t count) {
  struct output *out = list->out;
  const pprofc_allocator *mem = list->report->mem;
  output_no_row(out);
  const struct source_file *file = source_lookup_file(&list->sources, rows->file);
  if (!file) return false;
  int64_t flat = 0, cum = 0;
  for (size_t i = 0; i < count; i++) {
    flat = sum_add(flat, rows[i].flat);
    cum = sum_add(cum, rows[i].cum);
  }
  output_add_text(out, "ROUTINE ======================== ");
  report_text(out, mem, rows->name);
  output_add_text(out, " in ");
  report_text(out, mem, rows->file);
  output_add_char(out, '\n');
  listing_sums(list->report, out, flat, cum);
  output_add_char(out, '\n');
  int64_t first, last;
  find_window(rows, count, &first, &last);
  if (first > last) return true; /* as in pprof, do not search for the file */
  if (file->failure.size) {
    output_add_text(out, " Error: ");
    report_text(out, mem, file->failure);
    output_add_char(out, '\n');
  } else {
    print_lines(list, rows, count, file, first, last);
  }
  return true;
}

/* Rows of one function. Rows without a file come first. */
static bool print_function(struct list_report *list, const struct list_row *rows, size_t count) {
  size_t from = 0, to;
  while (from < count && !rows[from].file.size) from++;
  if (from == count) {
    output_add_text(list->out, "No source information for ");
    report_text(list->out, list->report->mem, rows->name);
    output_add_char(list->out, '\n');
  }
  for (; from < count; from = to) {
    for (to = from + 1; to < count && str_equal(rows[to].file, rows[from].file);) to++;
    if (!list_print_routine(list, rows + from, to - from)) return false;
  }
  return true;
}

static pprofc_status list_print_all(struct list_report *list, pprofc_error *error) {
  size_t from, to;
  const pprofc_report_options *o = list->report->options;
  pprofc_status status =
      source_lookup_init(&list->sources, list->report->mem, o->source_path, o->trim_path, error);
  list->sources.closed = o->safe;
  if (status == PPROFC_OK) listing_total(list->report, list->out);
  for (from = 0; status == PPROFC_OK && from < list->count && !list->out->failed; from = to) {
    for (to = from + 1; to < list->count && str_equal(list->rows[to].name, list->rows[from].name);)
      to++;
    if (!print_function(list, list->rows + from, to - from)) status = error_nomem(error);
  }
  source_lookup_free(&list->sources);
  return status;
}

pprofc_status report_list(struct report *report, struct output *out, pprofc_error *error) {
  const char *refs = report->options->source_diff;
  if (refs && *refs) return report_list_diff(report, out, error);
  struct list_report list = {.report = report, .out = out};
  struct graph graph;
  struct arena arena;
  arena_init(&arena, report->mem);
  pprofc_status status = listing_graph(report, true, &graph, error);
  if (status == PPROFC_OK && !collect_rows(&list, &graph, &arena)) status = error_nomem(error);
  if (status == PPROFC_OK && regex_tripped(report->result.argument))
    status = error_set(error, PPROFC_E_LIMIT, "the expression takes too long to match");
  if (status == PPROFC_OK && !list.count) status = listing_no_match(report, "regexp:", error);
  if (status == PPROFC_OK) status = list_print_all(&list, error);
  mem_free(report->mem, list.rows, list.capacity, sizeof *list.rows);
  graph_free(&graph);
  arena_free(&arena);
  return status;
}
