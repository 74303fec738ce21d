/* The tool compare: the sentence, the functions that changed with line, interval and verdict, then
 * the table of -top -noise. */
#include "mcp/call.h"
#include "mcp/lines.h"
#include "noise/noise.h"
#include "profile/profile.h"

#include "pprofc/transform.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define COMPARED_RUNS PROFILES_OPEN
#define CULPRITS      4

struct comparing {
  struct call *call;
  pprofc_verdict_run runs[COMPARED_RUNS]; /* bases first */
  const char *paths[COMPARED_RUNS];
  size_t count, bases;
  pprofc_profile *difference;
  pprofc_graph *lines; /* graph of the difference by lines */
  struct command command;
  struct noise_report report;
};

/* ---- runs -------------------------------------------- */

static bool compare_add(void *context, pprofc_str path, const struct stat *info) {
  struct comparing *c = context;
  (void)info;
  if (c->count == COMPARED_RUNS) return false;
  const char *kept = arena_str(c->call->arena, path).data;
  c->paths[c->count++] = kept;
  return kept != NULL;
}

/* Adds the runs of a side: files, and the files of folders. */
static pprofc_status compare_side(struct comparing *c, const char *name, pprofc_error *error) {
  const struct node *items[COMPARED_RUNS];
  size_t before = c->count, given = call_texts(c->call, name, items, COMPARED_RUNS);
  for (size_t i = 0; i < given; i++) {
    struct stat info;
    pprofc_str path = items[i]->text;
    int fd = files_find(&c->call->mcp->files, path, &info, error);
    if (fd >= 0) close(fd);
    bool good = fd >= 0 ? compare_add(c, path, &info)
                        : files_visit(&c->call->mcp->files, path, COMPARED_RUNS, compare_add, c);
    if (!good && fd < 0 && c->count < COMPARED_RUNS) return error->status;
    if (!good) return error_set(error, PPROFC_E_LIMIT, "more than %d profiles", COMPARED_RUNS);
  }
  if (c->count == before)
    return error_set(error, PPROFC_E_INVALID, "\"%s\" names no profile", name);
  return PPROFC_OK;
}

static pprofc_status compare_open(struct comparing *c, pprofc_error *error) {
  pprofc_status status = compare_side(c, "base", error);
  c->bases = c->count;
  if (!status) status = compare_side(c, "head", error);
  for (size_t i = 0; i < c->count && !status; i++) {
    pprofc_profile *profile;
    status = call_profile(c->call, str_of(c->paths[i]), &profile, error);
    c->runs[i] = (pprofc_verdict_run){.profile = profile, .name = c->paths[i]};
  }
  return status;
}

static void compare_free(struct comparing *c) {
  for (size_t i = 0; i < c->count; i++)
    pprofc_profile_release((pprofc_profile *)(uintptr_t)c->runs[i].profile);
  pprofc_graph_free(c->lines);
  pprofc_profile_release(c->difference);
  pprofc_verdicts_free(c->report.verdicts);
}

/* ---- verdicts ---------------------------------------- */

static pprofc_status compare_add_up(const pprofc_verdict_run *runs, size_t count,
                                    pprofc_profile **sum, pprofc_error *error) {
  const pprofc_profile *profiles[COMPARED_RUNS];
  for (size_t i = 0; i < count; i++) profiles[i] = runs[i].profile;
  return pprofc_merge(profiles, count, sum, error);
}

/* Finds the changes of lines. Sides with different numbers of runs are compared per run. */
static pprofc_status compare_lines(struct comparing *c, pprofc_error *error) {
  pprofc_profile *base = NULL, *head = NULL, *scaled = NULL;
  size_t heads = c->count - c->bases;
  double ratios[64];
  pprofc_status status = compare_add_up(c->runs, c->bases, &base, error);
  if (!status) status = compare_add_up(c->runs + c->bases, heads, &head, error);
  if (!status && heads != c->bases && head->type_count <= 64) {
    for (size_t t = 0; t < head->type_count; t++) ratios[t] = (double)c->bases / (double)heads;
    status = pprofc_scale(head, ratios, &scaled, error);
    if (!status) {
      pprofc_profile_release(head);
      head = scaled;
    }
  }
  if (!status) status = pprofc_diff(head, base, PPROFC_COMPARE, false, &c->difference, error);
  if (!status) status = lines_graph(c->difference, &c->command.report, &c->lines, error);
  pprofc_profile_release(base);
  pprofc_profile_release(head);
  return status;
}

static pprofc_status compare_judge(struct comparing *c, pprofc_error *error) {
  pprofc_verdict_options options;
  pprofc_filter_options filter = noise_filter(&c->command.report);
  pprofc_verdict_options_init(&options);
  options.filter = &filter;
  options.sample_index = c->command.report.sample_index;
  c->report.command = &c->command;
  pprofc_status status =
      pprofc_verdicts_new(c->runs, c->bases, c->runs + c->bases, c->count - c->bases, &options,
                          &c->report.verdicts, error);
  if (!status) noise_take(&c->report);
  return status;
}

/* ---- words ------------------------------------------- */

static void compare_put_amount(struct comparing *c, double value) {
  struct amount_unit unit = noise_unit_for(&c->report, fabs(value));
  char text[AMOUNT_TEXT];
  buffer_add_str(&c->call->head, amount_text(&unit, value, true, text));
}

/* Appends ", hot.go:42". */
static void compare_put_place(struct comparing *c, const pprofc_verdict_row *row) {
  const pprofc_graph_node *line = lines_hottest(c->lines, row->name, row->flat.delta);
  if (!line) return;
  buffer_add_text(&c->call->head, ", ");
  call_put_name(&c->call->head, line->file);
  buffer_printf(&c->call->head, ":%lld", (long long)line->line);
}

/* Appends "main.parse grew by +1.2s [+1.1s, +1.3s], parse.go:42, more than noise (q=0.001)". */
static void compare_put_culprit(struct comparing *c, const pprofc_verdict_row *row) {
  const pprofc_verdict_estimate *e = &row->flat;
  struct buffer *to = &c->call->head;
  buffer_add_text(to, "- ");
  call_put_name(to, row->name);
  buffer_printf(to, ": %s, ", pprofc_verdict_name(e->verdict));
  compare_put_amount(c, e->delta);
  if (!isnan(e->p) && !c->report.summary.lone) {
    buffer_add_text(to, " [");
    compare_put_amount(c, e->low);
    buffer_add_text(to, ", ");
    compare_put_amount(c, e->high);
    buffer_printf(to, "], q=%.2g", e->q);
  }
  compare_put_place(c, row);
  if (row->relation) {
    buffer_printf(to, "; %s %s ", pprofc_verdict_relation_name(row->relation),
                  e->delta < 0 ? "to" : "from");
    call_put_name(to, c->report.rows[row->partner].name);
  }
  buffer_add_char(to, '\n');
}

static const pprofc_verdict_row *compare_put_culprits(struct comparing *c) {
  const pprofc_verdict_row *first = NULL;
  size_t shown = 0;
  for (size_t i = 0; i < c->report.row_count && shown < CULPRITS; i++) {
    const pprofc_verdict_row *row = &c->report.rows[i];
    if (!pprofc_verdict_is_change(row->flat.verdict)) continue;
    if (!shown++)
      buffer_add_text(&c->call->head, "changed by themselves, more than noise, largest first:\n");
    compare_put_culprit(c, row);
    if (!first) first = row;
  }
  if (!shown)
    buffer_add_text(&c->call->head, "No function changed by itself by more than noise.\n");
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
  const char *base = c->paths[0], *head = c->paths[c->bases];
  if (name.size) {
    call_next(c->call, "source", "profile", head, "base", base, "function", name.data, NULL);
    call_next(c->call, "callers", "profile", head, "base", base, "function", name.data, NULL);
  } else {
    call_next(c->call, "top", "profile", head, NULL);
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
  for (size_t i = 0; !c->command.format; i++)
    if (strcmp(pprofc_format_at(i)->name, "top") == 0) c->command.format = pprofc_format_at(i);
  pprofc_status status = compare_open(c, error);
  if (!status) status = compare_judge(c, error);
  if (!status) status = compare_lines(c, error);
  if (!status) status = compare_show(c, error);
  compare_free(c);
  return status;
}
