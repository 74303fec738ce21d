/* Creates the rows of a table of functions from a graph. In a comparison, adds the values of base
 * and head. Also lists the functions with the largest cost, which Source and Disassembly show if
 * their search field is empty. */
#include "stacks/stacks.h"
#include "web/views/page.h"

/* Values of base or of head for each row name. */
struct side_values {
  struct interner names;
  struct side_sum {
    int64_t flat, cum;
  } * sums;
  struct view_report report;
  bool opened;
};

static bool side_values_add(struct side_values *side, uint32_t node) {
  const struct graph *g = &side->report.graph;
  size_t before = side->names.count;
  uint32_t id = interner_add(&side->names, graph_name(g, node));
  if (id == MAP_NONE) return false;
  if (id == before) side->sums[id] = (struct side_sum){0, 0};
  side->sums[id].flat = sum_add(side->sums[id].flat, node_flat(&g->nodes[node]));
  side->sums[id].cum = sum_add(side->sums[id].cum, node_cum(&g->nodes[node]));
  return true;
}

/* Reads all nodes of the base or of the head, because a node that is small in one may be large in
 * the other. */
static pprofc_status side_values_read(struct side_values *side, struct view_page *page,
                                      const pprofc_profile *profile,
                                      const struct pipeline_overrides *overrides,
                                      pprofc_error *error) {
  struct pipeline_overrides all = *overrides;
  all.no_trim = true;
  interner_init(&side->names, page->mem);
  side->opened = true;
  pprofc_status status = view_report_open(&side->report, page, profile, &all, error);
  if (!status) status = view_report_graph(&side->report, 0, error);
  if (status) return status;
  const struct graph *g = &side->report.graph;
  side->sums = arena_array(&page->arena, g->shown_count, sizeof *side->sums);
  bool done = side->sums != NULL;
  for (size_t i = 0; done && i < g->shown_count; i++) done = side_values_add(side, g->shown[i]);
  return done ? PPROFC_OK : error_nomem(error);
}

static void side_values_free(struct side_values *side) {
  if (!side->opened) return;
  interner_free(&side->names);
  view_report_close(&side->report);
}

static struct side_sum side_values_get(const struct side_values *side, pprofc_str name) {
  uint32_t id = interner_find(&side->names, name);
  if (id == MAP_NONE) return (struct side_sum){0, 0};
  return side->sums[id];
}

static pprofc_status rows_add_sides(struct view_rows *rows, struct view_page *page,
                                    pprofc_error *error) {
  const struct pipeline_overrides same = {.aggregates = true};
  struct side_values base = {.sums = NULL}, head = {.sums = NULL};
  double bases = page_divisor(page, WEB_BASE), heads = page_divisor(page, WEB_HEAD);
  pprofc_status status = side_values_read(&base, page, page->in->base, &same, error);
  if (!status) status = side_values_read(&head, page, page_compared_head(page), &same, error);
  for (size_t i = 0; !status && i < rows->count; i++) {
    struct view_row *row = &rows->items[i];
    struct side_sum b = side_values_get(&base, row->name), h = side_values_get(&head, row->name);
    row->self = (struct view_sides){(double)b.flat / bases, (double)h.flat / heads};
    row->total = (struct view_sides){(double)b.cum / bases, (double)h.cum / heads};
  }
  side_values_free(&base);
  side_values_free(&head);
  return status;
}

pprofc_status page_judge(struct view_page *page, const pprofc_report_options *options,
                         pprofc_error *error) {
  const struct web_info *info = page->in->info;
  const struct noise_settings settings = noise_settings_of(info->noise);
  const struct noise_side sides[2] = {{page->in->base, info->base.runs, info->base.run_count},
                                      {page->in->head, info->head.runs, info->head.run_count}};
  noise_free(&page->judgement);
  page->judgement = (struct noise_report){.options = options};
  pprofc_status status = noise_judge_sides(&page->judgement, sides, &settings, error);
  page->judgement.options = page->in->options;
  return status;
}

static bool rows_are_functions(const struct view_report *v) {
  const struct granularity *g = &v->report.result.granularity;
  return g->function && !g->file && !g->line && !g->address;
}

/* Adds verdicts if the rows of the report are functions. The report decides this, because a view
 * may override the option granularity. */
static pprofc_status rows_add_verdicts(struct view_rows *rows, struct view_page *page,
                                       const struct view_report *v, pprofc_error *error) {
  pprofc_report_options options = v->options;
  if (rows_are_functions(v)) options.granularity = "functions";
  pprofc_status status = page_judge(page, &options, error);
  for (size_t i = 0; !status && i < rows->count; i++) {
    struct view_row *row = &rows->items[i];
    const pprofc_verdict_row *verdict = noise_find(&page->judgement, row->function);
    row->verdict = verdict;
    row->unscaled = !verdict && !page->in->info->by_time && noise_rescales(&page->judgement);
    if (!verdict) continue;
    row->self = (struct view_sides){verdict->flat.base, verdict->flat.head};
    row->total = (struct view_sides){verdict->cum.base, verdict->cum.head};
  }
  return status;
}

struct view_row view_row_of_node(const struct graph *g, uint32_t node) {
  const struct graph_node *n = &g->nodes[node];
  const struct node_info *info = &g->frames.infos[n->info];
  struct view_row row = {
      .name = graph_name(g, node),
      .function = g->frames.texts.items[info->name],
      .file = g->frames.texts.items[info->file],
      .line = info->place->line,
      .flat = node_flat(n),
      .cum = node_cum(n),
      .inlined = g->marks ? (enum inline_mark)g->marks[node] : MARK_NONE,
  };
  if (!row.function.size) row.function = row.name;
  return row;
}

/* Stores the start line of each function, or if that is unknown, its smallest line in the profile,
 * negated. */
static void find_lines(const pprofc_profile *p, int64_t *lines) {
  const struct locations *l = &p->locations;
  for (size_t i = 0; i < p->functions.count; i++)
    lines[i] = p->functions.start_line[i] > 0 ? p->functions.start_line[i] : 0;
  for (size_t i = 0; l->count && i < l->line_from[l->count]; i++) {
    uint32_t function = l->lines[i].function;
    int64_t line = l->lines[i].line;
    if (function == NONE || lines[function] > 0 || line <= 0) continue;
    if (lines[function] == 0 || -line > lines[function]) lines[function] = -line;
  }
}

/* Adds file and line to the rows, because a graph of functions does not have them. If several
 * functions have the same name, takes the first one. */
static bool rows_add_places(struct view_rows *rows, struct view_page *page,
                            const pprofc_profile *p) {
  size_t count = p->functions.count;
  struct interner names;
  uint32_t *first = arena_array(&page->arena, count, sizeof *first);
  int64_t *lines = arena_array(&page->arena, count, sizeof *lines);
  bool done = first && lines;
  if (done) find_lines(p, lines);
  interner_init(&names, page->mem);
  for (uint32_t i = 0; done && i < count; i++) {
    size_t before = names.count;
    uint32_t id = interner_add(&names, profile_string(p, p->functions.name[i]));
    if (id == before) first[id] = i;
    done = id != MAP_NONE;
  }
  for (size_t i = 0; done && i < rows->count; i++) {
    uint32_t id = interner_find(&names, rows->items[i].function);
    if (id == MAP_NONE) continue;
    rows->items[i].file = profile_string(p, p->functions.filename[first[id]]);
    rows->items[i].line = lines[first[id]];
  }
  interner_free(&names);
  return done;
}

static pprofc_status rows_make(struct view_rows *rows, struct view_page *page,
                               const struct view_report *v, pprofc_error *error) {
  const struct graph *g = &v->graph;
  *rows =
      (struct view_rows){.items = arena_array(&page->arena, g->shown_count, sizeof *rows->items)};
  if (!rows->items) return error_nomem(error);
  for (size_t i = 0; i < g->shown_count; i++)
    rows->items[rows->count++] = view_row_of_node(g, g->shown[i]);
  if (rows_are_functions(v) && !rows_add_places(rows, page, v->report.result.profile))
    return error_nomem(error);
  if (!page_is_diff(page)) return PPROFC_OK;
  pprofc_status status = rows_add_sides(rows, page, error);
  if (!status) status = rows_add_verdicts(rows, page, v, error);
  if (!status) page_set_grid(page, rows);
  return status;
}

static void rows_select(const struct view_rows *rows, struct view_page *page) {
  for (size_t i = 0; page->selected.function.size && i < rows->count; i++) {
    const struct view_row *row = &rows->items[i];
    if (!str_equal(row->function, page->selected.function)) continue;
    page->selected = *row;
    page->selected.name = arena_str(&page->arena, row->name);
    page->selected.function = arena_str(&page->arena, row->function);
    page->selected.file = arena_str(&page->arena, row->file);
    if (!page->selected.name.data || !page->selected.function.data || !page->selected.file.data)
      page->failed = true;
    page->selected_found = true;
    return;
  }
}

pprofc_status view_rows_open(struct view_rows *rows, struct view_report *v, struct view_page *page,
                             const struct pipeline_overrides *overrides, unsigned wanted,
                             pprofc_error *error) {
  pprofc_status status = view_report_open(v, page, page->in->profile, overrides, error);
  if (!status) status = view_report_graph(v, wanted, error);
  if (!status) status = rows_make(rows, page, v, error);
  if (!status) rows_select(rows, page);
  return status;
}

static void rows_fill_sides(struct view_page *page, const struct view_row *row, bool by_cum) {
  static const char *const names[2][4] = {
      {"data-self", "data-base-self", "data-head-self", "data-self-verdict"},
      {"data-total", "data-base-total", "data-head-total", "data-total-verdict"}};
  const struct view_sides *s = by_cum ? &row->total : &row->self;
  page_amount_change(page, names[by_cum][0], s);
  page_amount(page, names[by_cum][1], s->base);
  page_amount(page, names[by_cum][2], s->head);
  if (row->verdict) page_verdict(page, names[by_cum][3], row, by_cum);
}

void view_row_fill_line(struct view_page *page, const struct view_row *row, const char *name) {
  if (!row->line) return;
  buffer_printf(fill_text(&page->fill, name), "%lld%s", llabs((long long)row->line),
                row->line < 0 ? LINE_SEEN : "");
}

static void rows_fill_place(struct view_page *page, const struct view_row *row) {
  pprofc_str selected = page->selected.function;
  fill_pack(&page->fill, "data-name:S data-file:S", row->function, row->file);
  view_row_fill_line(page, row, "data-line");
  fill_flag(&page->fill, "selected", selected.size && str_equal(selected, row->function));
}

void view_row_fill_sides(struct view_page *page, const struct view_row *row) {
  rows_fill_place(page, row);
  rows_fill_sides(page, row, false);
  rows_fill_sides(page, row, true);
}

void view_row_fill(struct view_page *page, const struct report *report,
                   const struct view_row *row) {
  rows_fill_place(page, row);
  fill_pack(&page->fill, "flat:i cum:i", (int64_t)row->flat, (int64_t)row->cum);
  page_fill_value(page, "data-self", report, row->flat);
  page_fill_value(page, "data-total", report, row->cum);
  page_fill_share(page, "data-share", row->cum, report->result.total);
}

void page_fill_name(struct view_page *page, const struct view_row *row) {
  static const char *const marks[] = {"", " (inline)", " (partial-inline)"};
  page_name_link(page, "peek", row->function, row->name);
  fill_words(&page->fill, "mark", marks[row->inlined]);
}

pprofc_status page_function_list(struct view_page *page, struct buffer *out, pprofc_error *error) {
  static const struct pipeline_overrides overrides = {
      .granularity = "functions", .all_nodes = true, .aggregates = true};
  struct view_report v;
  struct view_rows rows;
  const pprofc_report_options given = page->options;
  page->options.nodecount = LISTED_FUNCTIONS;
  page->options.nodefraction = 0; /* a small total may hide a large self value */
  pprofc_status status = view_rows_open(&rows, &v, page, &overrides, 0, error);
  if (!status) {
    page_note_report(page, &v);
    fill_number(&page->fill, "listed", (int64_t)rows.count);
    for (size_t i = 0; i < rows.count; i++) {
      fill_begin(&page->fill, "functions");
      view_row_fill(page, &v.report, &rows.items[i]);
      page_name_link(page, page->view->path, rows.items[i].function, rows.items[i].name);
      fill_end(&page->fill);
    }
    page_put(page, out, "function-list");
  }
  page->options = given;
  view_report_close(&v);
  return status;
}

pprofc_status page_select_function(struct view_page *page, pprofc_error *error) {
  static const struct pipeline_overrides overrides = {
      .granularity = "functions", .no_trim = true, .aggregates = true};
  struct view_report v;
  struct view_rows rows;
  pprofc_status status = view_rows_open(&rows, &v, page, &overrides, 0, error);
  view_report_close(&v);
  return status;
}
