/* Implements the tool source, which shows the lines of a function with their values. Also shows the
 * text of the lines if the file is below the folders of the server. */
#include "mcp/mcp.h"
#include "unit/unit.h"

/* Number of lines of text before and after a line with a value. */
#define CONTEXT_LINES 3

#define SOURCE_MOST ((size_t)8 << 20)

pprofc_status lines_graph(const pprofc_profile *profile, const pprofc_report_options *options,
                          pprofc_graph **graph, pprofc_error *error) {
  pprofc_report_options o = *options;
  o.granularity = "lines";
  o.trim = false;
  return graph_nodes_new(profile, &o, graph, error);
}

const pprofc_graph_node *lines_hottest(const pprofc_graph *graph, pprofc_str function,
                                       double sign) {
  size_t count;
  const pprofc_graph_node *nodes = pprofc_graph_nodes(graph, &count), *best = NULL;
  for (size_t i = 0; i < count; i++) {
    if (!nodes[i].line || !str_equal(nodes[i].function, function)) continue;
    if ((double)nodes[i].flat * sign <= 0) continue;
    if (!best || (double)nodes[i].flat * sign > (double)best->flat * sign) best = &nodes[i];
  }
  return best;
}

struct source_line {
  int64_t line, flat, cum;
};

struct source_report {
  struct source_line *lines; /* the function's lines with values, sorted by line number */
  size_t count;
  pprofc_str unit, file, function;
  pprofc_str *text; /* lines of the file, line 1 at index 0; NULL if the file is not available */
  size_t text_count;
};

static int source_by_line(const void *a, const void *b) {
  const struct source_line *x = a, *y = b;
  return (x->line > y->line) - (x->line < y->line);
}

/* Returns the file to which most of the function's value belongs. */
static pprofc_str source_file_of(const pprofc_graph *graph, pprofc_str function) {
  size_t count;
  const pprofc_graph_node *nodes = pprofc_graph_nodes(graph, &count), *best = NULL;
  for (size_t i = 0; i < count; i++) {
    if (!str_equal(nodes[i].function, function) || !nodes[i].file.size) continue;
    if (!best || llabs(nodes[i].cum) > llabs(best->cum)) best = &nodes[i];
  }
  return best ? best->file : STR("");
}

static bool source_collect(struct source_report *r, const pprofc_graph *graph,
                           struct arena *arena) {
  size_t count;
  const pprofc_graph_node *nodes = pprofc_graph_nodes(graph, &count);
  r->file = source_file_of(graph, r->function);
  r->lines = arena_array(arena, count, sizeof *r->lines);
  if (!r->lines) return false;
  for (size_t i = 0; i < count; i++) {
    const pprofc_graph_node *n = &nodes[i];
    if (n->line && str_equal(n->function, r->function) && str_equal(n->file, r->file))
      r->lines[r->count++] = (struct source_line){n->line, n->flat, n->cum};
  }
  if (r->count) qsort(r->lines, r->count, sizeof *r->lines, source_by_line);
  return true;
}

/* Reads the file. First tries its path, then shorter and shorter suffixes of the path. */
static bool source_read(const struct files *files, pprofc_str name, struct buffer *data) {
  pprofc_error error;
  while (name.size) {
    if (files_read(files, name, data, &error) == PPROFC_OK) return true;
    data->failed = false;
    buffer_clear(data);
    name = str_slice(name, str_find_char(name, '/') + 1, name.size);
  }
  return false;
}

static bool source_split(struct source_report *r, pprofc_str data, struct arena *arena) {
  pprofc_str rest = data, line;
  size_t count = 1;
  for (size_t i = 0; i < data.size; i++) count += data.data[i] == '\n';
  r->text = arena_zero_array(arena, count + 1, sizeof *r->text);
  if (!r->text) return false;
  while (r->text_count < count && rest.data && str_next_line(&rest, &line))
    r->text[++r->text_count] = line;
  return true;
}

static void source_put_value(struct output *out, int64_t value, pprofc_str unit) {
  char text[UNIT_LABEL_MAX];
  pprofc_str label = value ? unit_label(value, unit, STR("auto"), text) : STR(".");
  output_add_padded(out, label, 10);
}

static void source_put_line(const struct source_report *r, struct output *out,
                            const struct source_line *line) {
  int64_t most = line->flat ? line->flat : line->cum;
  output_row(out, (line->flat != 0) + (line->cum != 0), (double)most, 0);
  source_put_value(out, line->flat, r->unit);
  source_put_value(out, line->cum, r->unit);
  output_printf(out, " %6lld:", (long long)line->line);
  if (line->line >= 1 && (uint64_t)line->line <= r->text_count) {
    struct buffer shorter, safe;
    buffer_init(&shorter, &mem_default, SIZE_MAX);
    buffer_init(&safe, &mem_default, SIZE_MAX);
    escape_terminal(&safe, output_shorten(out, r->text[line->line], &shorter), true);
    output_add_char(out, ' ');
    output_add_str(out, buffer_str(&safe));
    buffer_free(&safe);
    buffer_free(&shorter);
  }
  output_add_char(out, '\n');
}

/* Writes lines of text before lines[next]: at most CONTEXT_LINES lines after the last written line,
 * and at most CONTEXT_LINES lines before lines[next]. Sets *at to the line after lines[next]. */
static void source_put_context(const struct source_report *r, struct output *out, size_t next,
                               int64_t *at) {
  int64_t target = r->lines[next].line, from = target - CONTEXT_LINES;
  int64_t after = next ? r->lines[next - 1].line + CONTEXT_LINES : 0;
  for (int64_t line = *at; line < target; line++) {
    if (line < from && line > after) line = from;
    if (line >= 1 && (uint64_t)line <= r->text_count)
      source_put_line(r, out, &(struct source_line){line, 0, 0});
  }
  *at = target + 1;
}

static pprofc_status source_render(const void *context, pprofc_write_fn write, void *to,
                                   pprofc_error *error) {
  const struct source_report *r = context;
  struct output out;
  output_init(&out, write, to);
  output_add_text(&out, "      flat       cum   line\n");
  int64_t at = r->lines[0].line > CONTEXT_LINES ? r->lines[0].line - CONTEXT_LINES : 1;
  for (size_t i = 0; i < r->count; i++) {
    if (r->text) source_put_context(r, &out, i, &at);
    source_put_line(r, &out, &r->lines[i]);
  }
  return output_flush(&out, error);
}

static void source_put_head(struct call *call, const struct source_report *r) {
  call_put_name(&call->head, r->function);
  buffer_add_text(&call->head, " in ");
  call_put_name(&call->head, r->file.size ? r->file : STR("a file that the profile does not name"));
  if (!r->text) buffer_add_text(&call->head, " (its text is not below the folders of this server)");
  buffer_add_char(&call->head, '\n');
}

static pprofc_status source_show(struct call *call, struct source_report *r, pprofc_error *error) {
  const struct brief kind = {.kind = BRIEF_ROWS};
  struct buffer data = buffer_make(budget_allocator(call->budget), SOURCE_MOST);
  pprofc_status status = PPROFC_OK;
  if (source_read(&call->mcp->files, r->file, &data) &&
      !source_split(r, buffer_str(&data), call->arena))
    status = error_nomem(error);
  source_put_head(call, r);
  if (!status && !r->count)
    buffer_add_text(&call->text, "the profile has no line numbers of this function\n");
  else if (!status)
    status = call_report(call, &kind, call_room(call), source_render, r, error);
  buffer_free(&data);
  return status;
}

pprofc_status tool_source(struct call *call, pprofc_error *error) {
  struct profile_view *view;
  const pprofc_graph *graph;
  struct source_report r = {.count = 0};
  pprofc_status status = view_of_call(call, &view, error);
  if (!status) status = call_function(call, view->profile, &r.function, error);
  if (!status) status = view_lines(call, view, &graph, error);
  if (status) return status;
  r.unit = pprofc_graph_totals_of(graph).unit;
  call_next_function(call, "callers", r.function);
  return source_collect(&r, graph, call->arena) ? source_show(call, &r, error) : error_nomem(error);
}
