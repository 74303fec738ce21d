/* Writes verdicts as JSON. docs/JSON.md has the schema. */
#include "core/json_write.h"
#include "verdict/print/print.h"

const char *const noise_exposures[] = {
    [PPROFC_EXPOSURE_AUTO] = "auto", [PPROFC_EXPOSURE_OPS] = "ops",
    [PPROFC_EXPOSURE_TIME] = "time", [PPROFC_EXPOSURE_TOTAL] = "total",
    [PPROFC_EXPOSURE_NONE] = "none", NULL,
};

static void noise_json_common(struct json_writer *json, const pprofc_verdict_summary *s) {
  json_begin_array(json_key(json, "common"));
  size_t runs = s->common ? s->base_runs + s->head_runs : 0;
  for (size_t r = 0; r < runs; r++) json_double(json, s->common[r]);
  json_end(json);
}

/* Writes the member "all_functions": the change that all functions share. */
static void noise_json_all(struct json_writer *json, const pprofc_verdict_summary *s) {
  json_begin_object(json_key(json, "all_functions"));
  json_double(json_key(json, "change"), s->common_change);
  json_double(json_key(json, "low"), s->common_low);
  json_double(json_key(json, "high"), s->common_high);
  json_double(json_key(json, "p"), s->common_p);
  json_text(json_key(json, "verdict"), pprofc_verdict_name(s->common_verdict));
  json_end(json);
}

static void noise_json_advice(struct json_writer *json, const struct noise_report *report) {
  const pprofc_verdict_summary *s = &report->summary;
  if (s->largest == PPROFC_VERDICT_NO_ROW) return;
  json_begin_object(json_key(json, "advice"));
  json_string(json_key(json, "function"), report->rows[s->largest].name);
  json_double(json_key(json, "visible"), s->visible);
  json_double(json_key(json, "runs_for_5_percent"), s->runs_for_5);
  json_double(json_key(json, "samples_for_5_percent"), s->samples_for_5);
  json_end(json);
}

static void noise_json_summary(struct json_writer *json, const struct noise_report *report) {
  const pprofc_verdict_summary *s = &report->summary;
  json_begin_object(json_key(json, "noise"));
  json_text(json_key(json, "method"), noise_is_pair(s) ? "pair" : "runs");
  json_begin_array(json_key(json, "runs"));
  json_uint(json, s->base_runs);
  json_uint(json, s->head_runs);
  json_end(json);
  if (*report->benchmark) json_text(json_key(json, "benchmark"), report->benchmark);
  json_text(json_key(json, "normalize_by"), noise_exposures[s->exposure]);
  noise_json_common(json, s);
  json_double(json_key(json, "between_run_cv"), s->between_run_cv);
  json_double(json_key(json, "prior_df"), s->prior_degrees);
  json_double(json_key(json, "dispersion"), s->dispersion);
  json_uint(json_key(json, "tested"), s->tested);
  json_uint(json_key(json, "changed"), s->changed);
  json_uint(json_key(json, "cum_changed"), s->cum_changed);
  json_uint(json_key(json, "as_everything_did"), s->shared);
  json_double(json_key(json, "alpha"), s->alpha);
  if (report->fcr) json_double(json_key(json, "fcr_level"), s->interval_level);
  noise_json_advice(json, report);
  json_end(json);
}

static void noise_json_total(struct json_writer *json, const pprofc_verdict_summary *s) {
  blame_json_begin_total(json, s);
  json_double(json_key(json, "p"), s->total_p);
  json_text(json_key(json, "verdict"), pprofc_verdict_name(s->total_verdict));
  json_end(json);
}

/* Writes an estimate. The estimate has no interval if it was not tested, or if exact counts have
 * only one run of base or of head. */
static void noise_json_estimate(struct json_writer *json, const struct noise_report *report,
                                const pprofc_verdict_estimate *e) {
  bool known = !isnan(e->p) && !report->summary.lone;

  json_double(json_key(json, "base"), e->base);
  json_double(json_key(json, "head"), e->head);
  json_double(json_key(json, "delta"), e->delta);
  json_double(json_key(json, "low"), known ? e->low : (double)NAN);
  json_double(json_key(json, "high"), known ? e->high : (double)NAN);
  json_double(json_key(json, "p"), e->p);
  json_double(json_key(json, "q"), e->q);
  json_text(json_key(json, "verdict"), pprofc_verdict_name(e->verdict));
  json_text(json_key(json, "by_itself"), pprofc_verdict_name(e->own));
  json_text(json_key(json, "with_all"), pprofc_verdict_name(report->summary.common_verdict));
}

static bool noise_json_skips(const struct noise_report *report, const pprofc_verdict_row *row) {
  return strcmp(report->show, "changed") == 0 && !pprofc_verdict_is_certain(row->flat.verdict) &&
         !pprofc_verdict_is_change(row->cum.verdict);
}

static void noise_json_row(struct json_writer *json, const struct noise_report *report,
                           const pprofc_verdict_row *row) {
  output_row(json->out, pprofc_verdict_is_certain(row->flat.verdict), row->flat.delta,
             (long double)row->flat.delta);
  json_line_break(json);
  json_begin_object(json);
  json_string(json_key(json, "name"), row->name);
  noise_json_estimate(json, report, &row->flat);
  if (row->relation) {
    json_text(json_key(json, "relation"), pprofc_verdict_relation_name(row->relation));
    json_string(json_key(json, "partner"), report->rows[row->partner].name);
  }
  const pprofc_verdict_domain *domain = pprofc_verdicts_domain_of(report->verdicts, row);
  if (domain) {
    size_t count;
    json_uint(json_key(json, "domain"),
              (uint64_t)(domain - pprofc_verdicts_domains(report->verdicts, &count)));
  }
  json_begin_object(json_key(json, "cum"));
  noise_json_estimate(json, report, &row->cum);
  json_bool(json_key(json, "via_callee"), row->via_callee);
  json_end(json);
  json_end(json);
}

/* Writes each pair of functions whose changes cancel: first the function that shrank, then the
 * function that grew. */
static void noise_json_pairs(struct json_writer *json, const struct noise_report *report) {
  json_begin_array(json_key(json, "moved"));
  for (size_t i = 0; i < report->row_count; i++) {
    const pprofc_verdict_row *row = &report->rows[i];
    if (!row->relation || row->flat.delta > 0) continue;
    const pprofc_verdict_row *to = &report->rows[row->partner];
    json_begin_object(json);
    json_string(json_key(json, "from"), row->name);
    json_string(json_key(json, "to"), to->name);
    json_text(json_key(json, "kind"), pprofc_verdict_relation_name(row->relation));
    json_double(json_key(json, "balance"), row->flat.delta + to->flat.delta);
    json_end(json);
  }
  json_end(json);
}

static void noise_json_domains(struct json_writer *json, const struct noise_report *report) {
  size_t count;
  const pprofc_verdict_domain *domains = pprofc_verdicts_domains(report->verdicts, &count);
  json_begin_array(json_key(json, "domains"));
  for (size_t i = 0; i < count; i++) {
    const pprofc_verdict_domain *d = &domains[i];
    json_line_break(json);
    json_begin_object(json);
    json_text(json_key(json, "kind"), noise_domain_kind(d->kind));
    json_string(json_key(json, "name"), d->name);
    if (d->kind == PPROFC_DOMAIN_RENAMED) json_string(json_key(json, "renamed"), d->renamed);
    json_bool(json_key(json, "moved"), d->moved);
    noise_json_estimate(json, report, &d->net);
    json_begin_array(json_key(json, "functions"));
    for (size_t k = 0; k < d->row_count; k++) json_string(json, report->rows[d->rows[k]].name);
    json_end(json);
    json_end(json);
  }
  json_end(json);
}

static void noise_json_explained(struct json_writer *json, const struct noise_report *report) {
  const pprofc_verdict_summary *s = &report->summary;
  json_begin_object(json_key(json, "explained"));
  json_double(json_key(json, "part"), s->part);
  json_double(json_key(json, "low"), s->part_low);
  json_double(json_key(json, "high"), s->part_high);
  json_end(json);
}

/* Writes the stacks. The parent of a stack is an index in this array. The root has no parent. */
static void noise_json_stacks(struct json_writer *json, const struct noise_report *report) {
  size_t count;
  const pprofc_verdict_stack *stacks = pprofc_verdicts_stacks(report->verdicts, &count);
  json_begin_array(json_key(json, "stacks"));
  for (size_t i = 0; i < count; i++) {
    output_row(json->out, -1, 0, 0);
    json_line_break(json);
    json_begin_object(json);
    json_string(json_key(json, "name"), stacks[i].name);
    json_key(json, "parent");
    if (stacks[i].parent == PPROFC_VERDICT_NO_ROW)
      json_double(json, (double)NAN);
    else
      json_uint(json, stacks[i].parent);
    noise_json_estimate(json, report, &stacks[i].total);
    json_end(json);
  }
  output_no_row(json->out);
  json_end(json);
}

/* Writes the first rows; -nodecount limits their number. */
static void noise_json_rows(struct json_writer *json, const struct noise_report *report) {
  int most = report->options->nodecount;
  size_t left = most > 0 ? (size_t)most : SIZE_MAX;
  json_begin_array(json_key(json, "functions"));
  for (size_t i = 0; i < report->row_count && left; i++) {
    if (noise_json_skips(report, &report->rows[i])) continue;
    noise_json_row(json, report, &report->rows[i]);
    left--;
  }
  output_no_row(json->out);
  json_end(json);
}

pprofc_status noise_json(const struct noise_report *report, struct output *out,
                         pprofc_error *error) {
  struct json_writer json;
  json_init(&json, out, mem_or_default(NULL));
  json_begin_object(&json);
  json_int(json_key(&json, "version"), 2);
  json_string(json_key(&json, "sentence"), report->summary.sentence);
  json_string(json_key(&json, "type"), report->summary.type);
  json_string(json_key(&json, "unit"), report->summary.unit);
  noise_json_summary(&json, report);
  noise_json_total(&json, &report->summary);
  noise_json_all(&json, &report->summary);
  noise_json_explained(&json, report);
  noise_json_pairs(&json, report);
  noise_json_domains(&json, report);
  noise_blame_json(report, &json);
  noise_json_rows(&json, report);
  if (report->stacks) noise_json_stacks(&json, report);
  output_note(out);
  return json_finish_file(&json) ? PPROFC_OK : error_nomem(error);
}
