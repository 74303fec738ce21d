/* Implements the tool compare. The answer lists the changed functions, each with its line, interval
 * and verdict. The table of -top -noise follows. */
#include "mcp/mcp.h"
#include "noise/noise.h"
#include "report/report.h"
#include "verdict/print/print.h"

#define COMPARED_RUNS PROFILES_OPEN
#define CULPRITS      4

struct comparing {
  struct call *call;
  pprofc_verdict_run items[COMPARED_RUNS];
  const char *paths[COMPARED_RUNS];
  struct noise_runs runs; /* the first of `items`, each from the file with the same index in
                             `paths` */
  pprofc_profile *difference;
  pprofc_graph *lines; /* graph of the difference, with source lines as nodes */
  struct command command;
  struct noise_report report;
};

static pprofc_status compare_open(struct comparing *c, pprofc_error *error) {
  pprofc_status status =
      call_files(c->call, "base", "profiles", c->paths, &c->runs.count, COMPARED_RUNS, error);
  c->runs.bases = c->runs.count;
  c->runs.items = c->items;
  if (!status)
    status =
        call_files(c->call, "head", "profiles", c->paths, &c->runs.count, COMPARED_RUNS, error);
  for (size_t i = 0; i < c->runs.count && !status; i++) {
    pprofc_profile *profile;
    status = call_profile(c->call, str_of(c->paths[i]), &profile, error);
    c->items[i] = (pprofc_verdict_run){.profile = profile, .name = c->paths[i]};
  }
  return status;
}

static void compare_free(struct comparing *c) {
  for (size_t i = 0; i < c->runs.count; i++)
    pprofc_profile_release((pprofc_profile *)(uintptr_t)c->items[i].profile);
  pprofc_graph_free(c->lines);
  pprofc_profile_release(c->difference);
  pprofc_verdicts_free(c->report.verdicts);
}

static pprofc_status compare_lines(struct comparing *c, pprofc_error *error) {
  pprofc_status status = runs_difference(&c->runs, true, &c->difference, error);
  pprofc_report_options options = c->command.report;
  options.granularity = "lines";
  options.trim = false;
  return status ? status : pprofc_graph_new(c->difference, &options, &c->lines, error);
}

static pprofc_status compare_judge(struct comparing *c, pprofc_error *error) {
  struct noise_settings settings;
  noise_settings_init(&settings);
  c->report = (struct noise_report){.options = &c->command.report, .show = c->command.noise.show};
  return noise_judge_runs(&c->report, &c->runs, &settings, error);
}

static void compare_put_amount(struct comparing *c, double value, bool plus) {
  struct amount_unit unit = noise_unit_for(&c->report, fabs(value));
  char text[AMOUNT_TEXT];
  buffer_add_str(&c->call->head, amount_text(&unit, value, plus, text));
}

/* Appends the line that changed most: ", hot.go:42". */
static void compare_put_place(struct comparing *c, const pprofc_verdict_row *row) {
  const pprofc_graph_node *line = lines_hottest(c->lines, row->name, row->flat.delta);
  if (!line) return;
  buffer_add_text(&c->call->head, ", ");
  call_put_name(&c->call->head, line->file);
  buffer_printf(&c->call->head, ":%lld", (long long)line->line);
}

/* Appends the caller with the largest part of the change: "; called by main.count, shop.go:153". */
static void compare_put_caller(struct comparing *c, const pprofc_verdict_row *row) {
  size_t node_count, count;
  const pprofc_graph_node *nodes = pprofc_graph_nodes(c->lines, &node_count), *best = NULL;
  const pprofc_graph_edge *edges = pprofc_graph_edges(c->lines, &count);
  double most = 0;
  for (size_t i = 0; i < count; i++) {
    const pprofc_graph_node *from = &nodes[edges[i].source], *into = &nodes[edges[i].target];
    double change = copysign((double)edges[i].weight, (double)edges[i].weight * row->flat.delta);
    if (change <= most || !str_equal(into->function, row->name) ||
        str_equal(from->function, row->name))
      continue;
    most = change;
    best = from;
  }
  if (!best) return;
  buffer_add_text(&c->call->head, "; called by ");
  call_put_name(&c->call->head, best->function);
  if (!best->file.size) return;
  buffer_add_text(&c->call->head, ", ");
  call_put_name(&c->call->head, best->file);
  buffer_printf(&c->call->head, ":%lld", (long long)best->line);
}

/* Appends "main.parse grew by +1.2s [+1.1s, +1.3s], parse.go:42, more than noise (q=0.001)". */
static void compare_put_culprit(struct comparing *c, const pprofc_verdict_row *row) {
  const pprofc_verdict_estimate *e = &row->flat;
  struct buffer *to = &c->call->head;
  buffer_add_text(to, "- ");
  call_put_name(to, row->name);
  buffer_printf(to, ": %s, ", pprofc_verdict_name(e->verdict));
  compare_put_amount(c, e->delta, true);
  if (!isnan(e->p) && !c->report.summary.lone) {
    buffer_add_text(to, " [");
    compare_put_amount(c, e->low, true);
    buffer_add_text(to, ", ");
    compare_put_amount(c, e->high, true);
    buffer_printf(to, "], q=%.2g", e->q);
  }
  compare_put_place(c, row);
  compare_put_caller(c, row);
  buffer_add_char(to, '\n');
}

/* Appends two functions whose changes cancel each other out: "- inlined, main.sum to main.add: net
 * -4ms of 19ms". */
static void compare_put_pair(struct comparing *c, const pprofc_verdict_row *row) {
  const pprofc_verdict_row *other = &c->report.rows[row->partner];
  const pprofc_verdict_row *fell = row->flat.delta < 0 ? row : other;
  const pprofc_verdict_row *rose = fell == row ? other : row;
  struct buffer *to = &c->call->head;
  buffer_printf(to, "%s, ", pprofc_verdict_relation_name(row->relation));
  call_put_name(to, fell->name);
  buffer_add_text(to, " to ");
  call_put_name(to, rose->name);
  compare_put_place(c, rose);
  buffer_add_text(to, ": net ");
  compare_put_amount(c, fell->flat.delta + rose->flat.delta, true);
  buffer_add_text(to, " of ");
  compare_put_amount(c, fell->flat.base, false);
}

/* Appends groups of functions that only moved cost to each other: "- moved inside svc: net +3 ±20
 * of 900". */
static void compare_put_moved(struct comparing *c) {
  const pprofc_verdict_domain *listed[CULPRITS];
  size_t shown = 0, groups = 0;
  struct buffer *to = &c->call->head;
  for (size_t i = 0; i < c->report.row_count && shown < CULPRITS; i++) {
    const pprofc_verdict_row *row = &c->report.rows[i];
    const pprofc_verdict_domain *domain = noise_domain_moved(&c->report, row);
    char text[DOMAIN_TEXT];
    bool again = !domain && (!row->relation || row->partner < i);
    for (size_t k = 0; k < groups; k++) again |= domain && listed[k] == domain;
    if (again) continue;
    buffer_add_text(to, shown++ ? "- " : "moved, without more cost:\n- ");
    if (domain) {
      struct amount_unit unit = noise_unit_up_to(&c->report, fabs(domain->net.base));
      listed[groups++] = domain;
      noise_domain_text(domain, &unit, c->report.summary.lone, text);
      call_put_name(to, str_of(text));
    } else {
      compare_put_pair(c, row);
    }
    buffer_add_char(to, '\n');
  }
}

static const pprofc_verdict_row *compare_put_culprits(struct comparing *c) {
  const pprofc_verdict_row *first = NULL;
  size_t shown = 0;
  for (size_t i = 0; i < c->report.row_count && shown < CULPRITS; i++) {
    const pprofc_verdict_row *row = &c->report.rows[i];
    if (!pprofc_verdict_is_change(row->flat.verdict) || row->relation ||
        noise_domain_moved(&c->report, row))
      continue;
    if (!shown++)
      buffer_add_text(&c->call->head, "self cost changed by more than noise, largest first:\n");
    compare_put_culprit(c, row);
    if (!first) first = row;
  }
  if (!shown) buffer_add_text(&c->call->head, "No self cost changed by more than noise.\n");
  compare_put_moved(c);
  return first;
}

static pprofc_status compare_render(const void *context, pprofc_write_fn write, void *to,
                                    pprofc_error *error) {
  const struct comparing *c = context;
  return noise_write(&c->command, write, to, error);
}

static pprofc_status compare_show(struct comparing *c, pprofc_error *error) {
  const struct brief kind = {.kind = BRIEF_ROWS};
  const pprofc_verdict_row *first = compare_put_culprits(c);
  pprofc_str name = first ? arena_str(c->call->arena, first->name) : STR("");
  const char *base = c->paths[0], *head = c->paths[c->runs.bases];
  if (name.size) {
    call_next(c->call, "source", "profile", head, "base", base, "function", name.data, NULL);
    call_next(c->call, "callers", "profile", head, "base", base, "function", name.data, NULL);
  } else {
    call_next(c->call, "top", "profile", head, "base", base, NULL);
  }
  c->command.verdicts = &c->report;
  return call_report(c->call, &kind, call_room(c->call), compare_render, c, error);
}

pprofc_status tool_compare(struct call *call, pprofc_error *error) {
  struct comparing *c = arena_zero_array(call->arena, 1, sizeof *c);
  if (!c) return error_nomem(error);
  c->call = call;
  c->command = *call->mcp->command;
  c->command.noise.show = "all";
  call_options(call, &c->command.report);
  c->command.format = &report_format_find("top")->info;
  pprofc_status status = compare_open(c, error);
  if (!status) status = compare_judge(c, error);
  if (!status) status = compare_lines(c, error);
  if (!status) status = compare_show(c, error);
  compare_free(c);
  return status;
}
