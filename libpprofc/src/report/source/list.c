/* Prints the report -list: the source of matching functions, with the samples of each line. */
#include "report/source/listing.h"
#include "report/source/lookup.h"

/* ---- shared functions ------------------------------- */

#define COLUMN 10

pprofc_status listing_graph(const struct report *report, bool any_order, struct graph *graph,
                            pprofc_error *error) {
  const pprofc_report_options *o = report->options;
  struct graph_options options = {
      .frames = {.object_names = true, .trim_path = o->trim_path, .source_path = o->source_path},
      .value_index = report->result.value_index,
      .mean = report->result.mean,
      .drop_negative = o->drop_negative,
      .any_order = any_order,
      .threads = o->threads ? o->threads : report->result.profile->threads,
  };
  return graph_build(graph, report->result.profile, &options, error);
}

void listing_total(const struct report *report, struct output *out) {
  char text[UNIT_LABEL_MAX];
  output_add_text(out, "Total: ");
  output_add_str(out, report_value(report, report->result.total, text));
}

void listing_value(const struct report *report, struct output *out, int64_t value) {
  if (value)
    report_padded(report, out, value, COLUMN);
  else
    output_add_padded(out, STR("."), COLUMN);
}

void listing_sums(const struct report *report, struct output *out, int64_t flat, int64_t cum) {
  char text[32];
  report_padded(report, out, flat, COLUMN);
  output_add_char(out, ' ');
  report_padded(report, out, cum, COLUMN);
  output_add_text(out, " (flat, cum) ");
  output_add_str(out, unit_percentage(cum, report->result.total, text));
  output_add_text(out, " of Total");
}

void listing_text(const struct report *report, struct output *out, pprofc_str line) {
  pprofc_str piece;
  for (bool first = true; str_next(&line, '\t', &piece); first = false) {
    if (!first) output_add_char(out, '\t');
    report_text(out, report->mem, piece);
  }
}

/* Number of lines that are shown above the first line with samples, and below the last line with
 * samples. */
#define MARGIN 5

struct list_row {
  pprofc_str name, file;
  int64_t line, start_line;
  int64_t flat, cum;
};

struct list_report {
  struct report *report;
  const struct listing_visitor *visitor;
  bool out_of_memory;
  struct source_lookup sources;
  struct list_row *rows; /* rows sorted by name, file and line */
  size_t count, capacity;
};

static int list_compare_rows(const void *a, const void *b) {
  const struct list_row *x = a, *y = b;
  int order = str_compare(x->name, y->name);
  if (!order) order = str_compare(x->file, y->file);
  return order ? order : (x->line > y->line) - (x->line < y->line);
}

enum { LIST_UNKNOWN, LIST_MATCHES, LIST_OTHER };

/* True if a node's name matches the argument of -list. `known` caches the answer (LIST_*) for each
 * name, because many nodes have the same name. */
static bool list_matches(const struct list_report *list, const struct graph *graph,
                         const struct node_info *info, uint8_t *known) {
  if (known[info->name] == LIST_UNKNOWN) {
    pprofc_str name = graph->frames.texts.items[info->name];
    bool matches = regex_match(list->report->result.argument, name);
    known[info->name] = matches ? LIST_MATCHES : LIST_OTHER;
  }
  return known[info->name] == LIST_MATCHES;
}

static bool collect_rows(struct list_report *list, const struct graph *graph, struct arena *arena) {
  const pprofc_allocator *mem = list->report->mem;
  uint8_t *known = arena_zero_array(arena, graph->frames.texts.count, sizeof *known);
  if (!known) return false;
  for (size_t i = 0; i < graph->shown_count; i++) {
    const struct graph_node *node = &graph->nodes[graph->shown[i]];
    const struct node_info *info = &graph->frames.infos[node->info];
    if (!list_matches(list, graph, info, known)) continue;
    if (!ARRAY_PUSH(mem, list->rows, list->count, list->capacity,
                    (struct list_row){
                        .name = graph->frames.texts.items[info->name],
                        .file = graph->frames.texts.items[info->file],
                        .line = info->place->line,
                        .start_line = info->place->start_line,
                        .flat = node->flat,
                        .cum = node->cum,
                    }))
      return false;
  }
  if (list->count) qsort(list->rows, list->count, sizeof *list->rows, list_compare_rows);
  return true;
}

/* Returns the first line that is shown for a row. This is the first line of the function if it is
 * known, else the line that is MARGIN lines above the row. */
static int64_t first_line(const struct list_row *row) {
  if (row->start_line) return row->start_line;
  return row->line > MARGIN ? row->line - MARGIN : 1;
}

/* Finds the lines that are shown for the rows of a function in a file. */
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

static bool list_visit_lines(struct list_report *list, const struct list_row *rows, size_t count,
                             const struct source_file *file, int64_t first, int64_t last) {
  if (last > (int64_t)file->line_count) last = (int64_t)file->line_count;
  size_t next = 0;
  while (next < count && rows[next].line < first) next++;
  for (int64_t number = first; number <= last; number++) {
    pprofc_source_line line = {.number = number, .text = file->lines[number - 1]};
    for (; next < count && rows[next].line == number; next++) {
      line.flat = sum_add(line.flat, rows[next].flat);
      line.cum = sum_add(line.cum, rows[next].cum);
    }
    if (!list->visitor->line(list->visitor->context, &line)) return false;
  }
  return true;
}

static bool list_visit_routine(struct list_report *list, const struct list_row *rows,
                               size_t count) {
  int64_t first = 1, last = 0;
  pprofc_source_routine routine = {.function = rows->name, .file = rows->file};
  const struct source_file *file = NULL;
  for (size_t i = 0; i < count; i++) {
    routine.flat = sum_add(routine.flat, rows[i].flat);
    routine.cum = sum_add(routine.cum, rows[i].cum);
  }
  if (rows->file.size) {
    file = source_lookup_file(&list->sources, rows->file);
    if (!file) {
      list->out_of_memory = true;
      return false;
    }
    find_window(rows, count, &first, &last);
    /* The failure does not matter if no line is shown. */
    if (first <= last) routine.failure = file->failure;
  }
  if (!list->visitor->routine(list->visitor->context, &routine)) return false;
  return first > last || list_visit_lines(list, rows, count, file, first, last);
}

/* Visits the rows of a function. Skips rows without a file if other rows have a file. Rows without
 * a file come first in `rows`. */
static bool list_visit_function(struct list_report *list, const struct list_row *rows,
                                size_t count) {
  size_t from = 0, to;
  while (from < count && !rows[from].file.size) from++;
  if (from == count) return list_visit_routine(list, rows, count);
  for (; from < count; from = to) {
    for (to = from + 1; to < count && str_equal(rows[to].file, rows[from].file);) to++;
    if (!list_visit_routine(list, rows + from, to - from)) return false;
  }
  return true;
}

static pprofc_status list_visit_all(struct list_report *list, pprofc_error *error) {
  size_t from, to;
  const struct report *r = list->report;
  pprofc_status status = source_lookup_init(&list->sources, r->options, r->mem, error);
  for (from = 0; status == PPROFC_OK && from < list->count; from = to) {
    for (to = from + 1; to < list->count && str_equal(list->rows[to].name, list->rows[from].name);)
      to++;
    if (!list_visit_function(list, list->rows + from, to - from)) break;
  }
  source_lookup_free(&list->sources);
  return list->out_of_memory ? error_nomem(error) : status;
}

pprofc_status listing_walk(struct report *report, const struct listing_visitor *visitor,
                           pprofc_error *error) {
  struct list_report list = {.report = report, .visitor = visitor};
  struct graph graph;
  struct arena arena = arena_make(report->mem);
  pprofc_status status = listing_graph(report, true, &graph, error);
  if (status == PPROFC_OK && !collect_rows(&list, &graph, &arena)) status = error_nomem(error);
  if (status == PPROFC_OK && regex_tripped(report->result.argument))
    status = error_set(error, PPROFC_E_LIMIT, "the expression takes too long to match");
  if (status == PPROFC_OK && !list.count) status = report_no_match(report, "regexp:", NULL, error);
  if (status == PPROFC_OK) status = list_visit_all(&list, error);
  mem_free(report->mem, list.rows, list.capacity, sizeof *list.rows);
  graph_free(&graph);
  arena_free(&arena);
  return status;
}

/* ---- printing ---------------------------------------- */

struct list_printer {
  struct report *report;
  struct output *out;
  bool has_total; /* true if the line "Total: ..." was printed */
};

static bool list_print_line(void *context, const pprofc_source_line *line) {
  const struct list_printer *p = context;
  int64_t flat = line->flat, cum = line->cum;
  output_row(p->out, (flat != 0) + (cum != 0), (double)(flat ? flat : cum), 0);
  listing_value(p->report, p->out, flat);
  output_add_char(p->out, ' ');
  listing_value(p->report, p->out, cum);
  output_printf(p->out, " %6lld:", (long long)line->number);
  listing_text(p->report, p->out, line->text);
  output_add_char(p->out, '\n');
  return !p->out->failed;
}

static void list_print_text(const struct list_printer *p, const char *before, pprofc_str text) {
  output_add_text(p->out, before);
  report_text(p->out, p->report->mem, text);
}

static bool list_print_routine(void *context, const pprofc_source_routine *routine) {
  struct list_printer *p = context;
  if (!p->has_total) {
    listing_total(p->report, p->out);
    output_add_char(p->out, '\n');
  }
  p->has_total = true;
  if (!routine->file.size) {
    list_print_text(p, "No source information for ", routine->function);
    output_add_char(p->out, '\n');
    return !p->out->failed;
  }
  output_no_row(p->out);
  list_print_text(p, "ROUTINE ======================== ", routine->function);
  list_print_text(p, " in ", routine->file);
  output_add_char(p->out, '\n');
  listing_sums(p->report, p->out, routine->flat, routine->cum);
  output_add_char(p->out, '\n');
  if (routine->failure.size) {
    list_print_text(p, " Error: ", routine->failure);
    output_add_char(p->out, '\n');
  }
  return !p->out->failed;
}

pprofc_status report_list(struct report *report, struct output *out, pprofc_error *error) {
  const char *refs = report->options->source_diff;
  if (refs && *refs) return report_list_diff(report, out, error);
  struct list_printer printer = {.report = report, .out = out};
  const struct listing_visitor visitor = {&printer, list_print_routine, list_print_line};
  return listing_walk(report, &visitor, error);
}
