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
  json_pack(json, "all_functions:{change:f low:f high:f p:f verdict:s}", s->common_change,
            s->common_low, s->common_high, s->common_p, pprofc_verdict_name(s->common_verdict));
}

static void noise_json_advice(struct json_writer *json, const struct noise_report *report) {
  const pprofc_verdict_summary *s = &report->summary;
  if (s->largest == PPROFC_VERDICT_NO_ROW) return;
  json_pack(json, "advice:{function:S visible:f runs_for_5_percent:f samples_for_5_percent:f}",
            report->rows[s->largest].name, s->visible, s->runs_for_5, s->samples_for_5);
}

static void noise_json_summary(struct json_writer *json, const struct noise_report *report) {
  const pprofc_verdict_summary *s = &report->summary;
  json_pack(json, "noise:{method:s runs:[u u]", noise_is_pair(s) ? "pair" : "runs",
            (uint64_t)s->base_runs, (uint64_t)s->head_runs);
  if (*report->benchmark) json_text(json_key(json, "benchmark"), report->benchmark);
  json_text(json_key(json, "normalize_by"), noise_exposures[s->exposure]);
  noise_json_common(json, s);
  json_pack(json,
            "between_run_cv:f prior_df:f dispersion:f tested:u changed:u cum_changed:u "
            "as_everything_did:u alpha:f",
            s->between_run_cv, s->prior_degrees, s->dispersion, (uint64_t)s->tested,
            (uint64_t)s->changed, (uint64_t)s->cum_changed, (uint64_t)s->shared, s->alpha);
  if (report->fcr) json_double(json_key(json, "fcr_level"), s->interval_level);
  noise_json_advice(json, report);
  json_end(json);
}

static void noise_json_total(struct json_writer *json, const pprofc_verdict_summary *s) {
  blame_json_begin_total(json, s);
  json_pack(json, "p:f verdict:s}", s->total_p, pprofc_verdict_name(s->total_verdict));
}

/* Writes an estimate. The estimate has no interval if it was not tested, or if exact counts have
 * only one run of base or of head. */
static void noise_json_estimate(struct json_writer *json, const struct noise_report *report,
                                const pprofc_verdict_estimate *e) {
  bool known = !isnan(e->p) && !report->summary.lone;
  double low = known ? e->low : (double)NAN;
  double high = known ? e->high : (double)NAN;
  json_pack(json, "base:f head:f delta:f low:f high:f p:f q:f verdict:s by_itself:s with_all:s",
            e->base, e->head, e->delta, low, high, e->p, e->q, pprofc_verdict_name(e->verdict),
            pprofc_verdict_name(e->own), pprofc_verdict_name(report->summary.common_verdict));
}

static bool noise_json_skips(const struct noise_report *report, const pprofc_verdict_row *row) {
  if (noise_hides(report, row)) return true;
  return strcmp(report->show, "changed") == 0 && !pprofc_verdict_is_certain(row->flat.verdict) &&
         !pprofc_verdict_is_change(row->cum.verdict);
}

static void noise_json_row(struct json_writer *json, const struct noise_report *report,
                           const pprofc_verdict_row *row) {
  output_row(json->out, pprofc_verdict_is_certain(row->flat.verdict), row->flat.delta,
             (long double)row->flat.delta);
  json_pack(json, "\n{name:S", row->name);
  noise_json_estimate(json, report, &row->flat);
  if (row->relation) {
    json_pack(json, "relation:s partner:S", pprofc_verdict_relation_name(row->relation),
              report->rows[row->partner].name);
  }
  const pprofc_verdict_domain *domain = pprofc_verdicts_domain_of(report->verdicts, row);
  if (domain) {
    size_t count;
    json_uint(json_key(json, "domain"),
              (uint64_t)(domain - pprofc_verdicts_domains(report->verdicts, &count)));
  }
  json_begin_object(json_key(json, "cum"));
  noise_json_estimate(json, report, &row->cum);
  json_pack(json, "via_callee:b}}", row->via_callee);
}

/* Writes each pair of functions whose changes cancel: first the function that shrank, then the
 * function that grew. */
static void noise_json_pairs(struct json_writer *json, const struct noise_report *report) {
  json_begin_array(json_key(json, "moved"));
  for (size_t i = 0; i < report->row_count; i++) {
    const pprofc_verdict_row *row = &report->rows[i];
    if (!row->relation || row->flat.delta > 0) continue;
    const pprofc_verdict_row *to = &report->rows[row->partner];
    json_pack(json, "{from:S to:S kind:s balance:f}", row->name, to->name,
              pprofc_verdict_relation_name(row->relation), row->flat.delta + to->flat.delta);
  }
  json_end(json);
}

static void noise_json_domains(struct json_writer *json, const struct noise_report *report) {
  size_t count;
  const pprofc_verdict_domain *domains = pprofc_verdicts_domains(report->verdicts, &count);
  json_begin_array(json_key(json, "domains"));
  for (size_t i = 0; i < count; i++) {
    const pprofc_verdict_domain *d = &domains[i];
    json_pack(json, "\n{kind:s name:S", noise_domain_kind(d->kind), d->name);
    if (d->kind == PPROFC_DOMAIN_RENAMED) json_string(json_key(json, "renamed"), d->renamed);
    json_bool(json_key(json, "moved"), d->moved);
    noise_json_estimate(json, report, &d->net);
    json_begin_array(json_key(json, "functions"));
    for (size_t k = 0; k < d->row_count; k++) json_string(json, report->rows[d->rows[k]].name);
    json_pack(json, "]}");
  }
  json_end(json);
}

static void noise_json_explained(struct json_writer *json, const struct noise_report *report) {
  const pprofc_verdict_summary *s = &report->summary;
  json_pack(json, "explained:{part:f low:f high:f}", s->part, s->part_low, s->part_high);
}

/* Writes the stacks. The parent of a stack is an index in this array. The root has no parent. */
static void noise_json_stacks(struct json_writer *json, const struct noise_report *report) {
  size_t count;
  const pprofc_verdict_stack *stacks = pprofc_verdicts_stacks(report->verdicts, &count);
  json_begin_array(json_key(json, "stacks"));
  for (size_t i = 0; i < count; i++) {
    output_row(json->out, -1, 0, 0);
    json_pack(json, "\n{name:S parent:", stacks[i].name);
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
  json_pack(&json, "{version:2 sentence:S type:S unit:S", report->summary.sentence,
            report->summary.type, report->summary.unit);
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
