/* Prints change points as a table and as an issue, and all series as JSON. */
#include "core/json_write.h"
#include "page/numbers.h"
#include "page/page.h"
#include "trend/trend.h"

void trend_put_value(struct buffer *out, double value, pprofc_str unit) {
  if (str_starts(unit, STR("%")))
    buffer_printf(out, "%.3g" PERCENT_FORMAT, value);
  else
    number_amount(out, value, unit);
}

void trend_put_name(struct buffer *out, const struct trend_series *series) {
  if (series->name.group.size) {
    buffer_add_str(out, series->name.group);
    buffer_add_char(out, '.');
  }
  buffer_add_str(out, series->name.name);
  buffer_add_char(out, ' ');
  buffer_add_str(out, series->name.unit);
}

static void trend_put_percent(struct buffer *out, double ratio) {
  double percent = 100 * (ratio - 1);
  buffer_add_text(out, percent < 0 ? MINUS : "+");
  buffer_printf(out, "%.*f", fabs(percent) < 10 ? 1 : 0, fabs(percent));
}

static void trend_put_difference(struct buffer *out, double difference, pprofc_str unit) {
  buffer_add_text(out, difference < 0 ? MINUS : "+");
  trend_put_value(out, fabs(difference), unit);
}

void trend_put_size(struct buffer *out, const struct trend_view *trend,
                    const struct trend_change *change) {
  const struct step *step = &change->step;
  pprofc_str unit = trend->series[change->series].name.unit;
  if (isnan(step->ratio)) {
    trend_put_difference(out, step->difference, unit);
    return;
  }
  trend_put_percent(out, step->ratio);
  buffer_add_text(out, PERCENT);
}

void trend_put_interval(struct buffer *out, const struct trend_view *trend,
                        const struct trend_change *change) {
  const struct step *step = &change->step;
  pprofc_str unit = trend->series[change->series].name.unit;
  if (isnan(step->ratio)) {
    trend_put_difference(out, step->low, unit);
    buffer_add_text(out, " to ");
    trend_put_difference(out, step->high, unit);
    return;
  }
  trend_put_percent(out, step->ratio_low);
  buffer_add_text(out, " to ");
  trend_put_percent(out, step->ratio_high);
  buffer_add_text(out, PERCENT);
}

void trend_put_notes(struct buffer *out, const struct trend_view *trend,
                     const struct trend_change *change) {
  const struct trend_series *series = &trend->series[change->series];
  size_t size = out->size;
  if (change->needed == 1)
    buffer_add_text(out, "suspected, 1 more run decides");
  else if (change->needed)
    buffer_printf(out, "suspected, %zu more runs decide", change->needed);
  if (change->step.drift) {
    pprofc_str last = trend_run(trend, series, change->step.last)->place.commit;
    buffer_printf(out, "a drift, to %.*s: no single commit", STR_ARG(str_slice(last, 0, 12)));
  }
  if (change->unmeasured > 0)
    buffer_printf(out, "%sone of %lld commits: the others before it were not measured",
                  out->size > size ? "; " : "", (long long)change->unmeasured + 1);
  if (change->machine)
    buffer_printf(out, "%smeasured on another machine from here on", out->size > size ? "; " : "");
}

static int table_by_run(const void *a, const void *b) {
  const struct trend_row *x = a, *y = b;
  if (x->run != y->run) return x->run < y->run ? 1 : -1;
  int order = (x->size < y->size) - (x->size > y->size);
  return order ? order : (x->change > y->change) - (x->change < y->change);
}

/* Appends at least two blanks, until the text after `begin` has `width` columns. A column is a code
 * point. */
static void table_pad(struct buffer *out, size_t begin, size_t width) {
  size_t cells = utf8_length(str_slice(buffer_str(out), begin, out->size));
  buffer_add_fill(out, ' ', cells + 2 <= width ? width - cells : 2);
}

/* Appends the id and the time of a commit. If `again` is true, the line above shows the same
 * commit, so appends only blanks. */
static void table_put_commit(struct buffer *out, const struct past_run *run, bool again) {
  size_t begin = out->size;
  if (again) {
    table_pad(out, begin, 32);
    return;
  }
  escape_line(out, str_slice(run->place.commit, 0, 12));
  table_pad(out, begin, 14);
  begin = out->size;
  times_put(out, run->place.time);
  table_pad(out, begin, 18);
}

static void table_put_row(struct buffer *out, const struct trend_view *trend,
                          const struct trend_change *change, bool again) {
  static const char *const words[] = {"better", "", "worse"};
  const struct trend_series *series = &trend->series[change->series];
  table_put_commit(out, trend_run(trend, series, change->step.index), again);
  size_t begin = out->size;
  buffer_add_text(out, words[trend_worse(trend, change) + 1]);
  table_pad(out, begin, 8);
  begin = out->size;
  trend_put_size(out, trend, change);
  table_pad(out, begin, 10);
  begin = out->size;
  trend_put_interval(out, trend, change);
  table_pad(out, begin, 22);
  begin = out->size;
  trend_put_value(out, change->step.before, series->name.unit);
  buffer_add_text(out, " " ARROW " ");
  trend_put_value(out, change->step.after, series->name.unit);
  table_pad(out, begin, 24);
  struct buffer name = ci_buffer();
  trend_put_name(&name, series);
  escape_line(out, buffer_str(&name));
  buffer_clear(&name);
  trend_put_notes(&name, trend, change);
  if (name.size) buffer_printf(out, "  (%.*s)", STR_ARG(buffer_str(&name)));
  buffer_free(&name);
  buffer_add_char(out, '\n');
}

static void table_put_end(struct buffer *out, const struct trend_view *trend) {
  size_t few = 0;
  for (size_t i = 0; i < trend->series_count; i++) few += trend->series[i].count < 10;
  size_t decided = trend->change_count - trend->suspected;
  buffer_printf(out, "%zu change point%s", decided, decided == 1 ? "" : "s");
  if (trend->suspected) buffer_printf(out, " and %zu suspected", trend->suspected);
  buffer_printf(out, " in %zu series, %zu runs", trend->series_count, trend->past.run_count);
  if (*trend->branch) buffer_add_text(out, " of ");
  escape_line(out, str_of(trend->branch));
  buffer_printf(out, ", by %s of the commit\n", trend->past.by_order ? "the number" : "the time");
  if (trend->unlisted)
    buffer_printf(out, "skipped %zu runs: their commits are not listed\n", trend->unlisted);
  if (few)
    buffer_printf(out, "%zu series have fewer than 10 values: too few for a change point\n", few);
}

/* Returns the changes, sorted by run (newest first), then by size. The caller frees change_count
 * rows. */
static struct trend_row *trend_rows(const struct trend_view *trend) {
  struct trend_row *rows = mem_array(&ci_mem, trend->change_count, sizeof *rows);
  for (size_t i = 0; i < trend->change_count; i++) {
    const struct trend_change *change = &trend->changes[i];
    const struct trend_series *series = &trend->series[change->series];
    rows[i] = (struct trend_row){series->runs[change->step.index], (uint32_t)i,
                                 fabs(log(change->step.ratio))};
    if (isnan(rows[i].size)) rows[i].size = 0;
  }
  if (trend->change_count) qsort(rows, trend->change_count, sizeof *rows, table_by_run);
  return rows;
}

static void table_flush(struct output *out, struct buffer *line) {
  output_add_str(out, buffer_str(line));
  buffer_clear(line);
}

void trend_print_table(struct output *out, const struct trend_view *trend) {
  struct buffer line = ci_buffer();
  struct trend_row *rows = trend_rows(trend);
  if (trend->change_count) {
    output_add_text(out, "first commit  time              change            interval 95 %        "
                         "before " ARROW " after          series\n");
  }
  bool again = false;
  for (size_t i = 0; i < trend->change_count; i++) {
    const struct trend_change *change = &trend->changes[rows[i].change];
    again = !out->brief && i && rows[i].run == rows[i - 1].run;
    output_row(out, trend_worse(trend, change), 0, 0);
    table_put_row(&line, trend, change, again);
    table_flush(out, &line);
  }
  output_no_row(out);
  table_put_end(&line, trend);
  table_flush(out, &line);
  buffer_free(&line);
  mem_free(&ci_mem, rows, trend->change_count, sizeof *rows);
}

static void trend_json_change(struct json_writer *json, const struct trend_view *trend,
                              const struct trend_change *change) {
  const struct trend_series *series = &trend->series[change->series];
  const struct step *step = &change->step;
  json_pack(json, "{commit:S previous:S", trend_run(trend, series, step->index)->place.commit,
            trend_run(trend, series, step->index - 1)->place.commit);
  static const char *const kinds[] = {"step", "drift", "suspected"};
  json_pack(json, "kind:s runs_needed:u", kinds[change->needed ? 2 : step->drift],
            (uint64_t)change->needed);
  if (step->drift)
    json_string(json_key(json, "last"), trend_run(trend, series, step->last)->place.commit);
  json_pack(json,
            "worse:i before:f after:f difference:f low:f high:f ratio:f ratio_low:f ratio_high:f "
            "p:f permuted_p:f unmeasured:i machine_changed:b}",
            (int64_t)trend_worse(trend, change), step->before, step->after, step->difference,
            step->low, step->high, step->ratio, step->ratio_low, step->ratio_high, step->p,
            step->permuted_p, change->unmeasured, change->machine);
}

static void trend_json_series(struct json_writer *json, const struct trend_view *trend,
                              const struct trend_series *series) {
  json_pack(json, "\n{group:S benchmark:S unit:S latest:f values:u changes:[", series->name.group,
            series->name.name, series->name.unit, series->values[series->count - 1],
            (uint64_t)series->count);
  for (size_t i = 0; i < series->changes; i++)
    trend_json_change(json, trend, &trend->changes[series->first_change + i]);
  json_pack(json, "]}");
}

/* Returns the rank of a series for -budget, which keeps rows of a higher rank longer. A series that
 * got worse has the highest rank, and a series without a change has the lowest. */
static int trend_json_rank(const struct trend_view *trend, const struct trend_series *series) {
  int rank = 0;
  for (size_t i = 0; i < series->changes; i++) {
    int worse = trend_worse(trend, &trend->changes[series->first_change + i]);
    if (worse + 2 > rank) rank = worse + 2;
  }
  return rank;
}

void trend_print_json(struct output *out, const struct trend_view *trend) {
  struct json_writer json;
  json_init(&json, out, &ci_mem);
  json_pack(&json, "{branch:s order:S runs:u series:[", trend->branch,
            trend->past.by_order ? STR("number") : STR("time"), (uint64_t)trend->past.run_count);
  for (size_t i = 0; i < trend->series_count; i++) {
    output_row(out, trend_json_rank(trend, &trend->series[i]), 0, 0);
    trend_json_series(&json, trend, &trend->series[i]);
  }
  output_no_row(out);
  json_end(&json);
  output_note(out);
  (void)json_finish_file(&json);
}

/* maximum number of rows, because code hosts limit an issue to 65536 bytes */
#define ISSUE_ROWS 100

/* Appends "[0123456789ab](URL) 2027-01-31 10:00, [page](URL)". */
static void issue_put_commit(struct buffer *out, const struct past_run *run,
                             const struct trend_query *query) {
  pprofc_str commit = run->place.commit, shown = str_slice(commit, 0, 12);
  if (*query->commit_url) buffer_add_char(out, '[');
  md_name(out, shown);
  if (*query->commit_url) {
    buffer_add_text(out, "](");
    trend_put_url(out, query->commit_url, commit);
    buffer_add_char(out, ')');
  }
  buffer_add_char(out, ' ');
  times_put(out, run->place.time);
  if (!*query->page_url) return;
  buffer_add_text(out, ", [page](");
  trend_put_url(out, query->page_url, commit);
  buffer_add_char(out, ')');
}

static void issue_put_row(struct buffer *out, const struct trend_view *trend,
                          const struct trend_query *query, const struct trend_change *change,
                          bool again) {
  const struct trend_series *series = &trend->series[change->series];
  struct buffer text = ci_buffer();
  buffer_add_text(out, "| ");
  if (!again) issue_put_commit(out, trend_run(trend, series, change->step.index), query);
  buffer_add_text(out, " | **");
  trend_put_size(out, trend, change);
  buffer_add_text(out, "** (");
  trend_put_interval(out, trend, change);
  buffer_add_text(out, ") | ");
  trend_put_value(out, change->step.before, series->name.unit);
  buffer_add_text(out, " \xE2\x86\x92 ");
  trend_put_value(out, change->step.after, series->name.unit);
  buffer_add_text(out, " | ");
  trend_put_name(&text, series);
  md_name(out, buffer_str(&text));
  buffer_clear(&text);
  trend_put_notes(&text, trend, change);
  if (text.size) buffer_printf(out, " (%.*s)", STR_ARG(buffer_str(&text)));
  buffer_free(&text);
  buffer_add_text(out, " |\n");
}

static void issue_put_head(struct buffer *out, const struct trend_view *trend,
                           const struct trend_query *query, size_t worse) {
  buffer_printf(out, "### %zu benchmark%s got slower or larger in the last %zu runs", worse,
                worse == 1 ? "" : "s", 2 * query->steps.least);
  if (*trend->branch) {
    buffer_add_text(out, " of ");
    md_name(out, str_of(trend->branch));
  }
  buffer_add_text(out, "\n\n| first commit | change | before \xE2\x86\x92 after | series |\n"
                       "|---|--:|--:|---|\n");
}

void trend_print_issue(struct buffer *out, const struct trend_view *trend,
                       const struct trend_query *query) {
  size_t worse = 0, shown = 0;
  for (size_t i = 0; i < trend->change_count; i++)
    worse += trend_is_recent(trend, query, &trend->changes[i]);
  if (!trend_got_worse(trend, query)) return;
  struct trend_row *rows = trend_rows(trend);
  issue_put_head(out, trend, query, worse);
  uint32_t last = UINT32_MAX;
  for (size_t i = 0; i < trend->change_count && shown < ISSUE_ROWS; i++) {
    const struct trend_change *change = &trend->changes[rows[i].change];
    if (!trend_is_recent(trend, query, change)) continue;
    issue_put_row(out, trend, query, change, rows[i].run == last);
    last = rows[i].run;
    shown++;
  }
  if (shown < worse) buffer_printf(out, "\n%zu more are not shown.\n", worse - shown);
  mem_free(&ci_mem, rows, trend->change_count, sizeof *rows);
}
