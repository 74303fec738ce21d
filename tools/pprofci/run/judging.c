/* Judges the functions of a pair of profiles, and converts the verdicts for the page. */
#include "run/code.h"

#include "core/brief.h"
#include "noise/noise.h"
#include "pipeline/pipeline.h"
#include "run/files.h"
#include "run/profiles.h"
#include "verdict/print/print.h"

#define ROWS_MOST 30
/* Minimum growth, as a share of the base's total, at which the page lists a function that cannot be
 * tested. */
#define LEAST_SHARE 0.01
/* Maximum number of names in a list of functions whose changes cancel out. */
#define INSIDE_MOST 8
#define NAME_MOST   160 /* maximum length in bytes of a name in a sentence */
#define SUMS_MOST   3   /* maximum number of groups of functions whose sums a sentence lists */

struct filling {
  struct ci_run *run;
  const struct judged *judged;
  const struct noise_report *report;
  struct blame blame;
  struct pair_verdicts *to;
};

/* ---- one function ------------------------------------ */

/* Finds the file and line of a function, in the head's profiles first. */
static void judged_row_place(const struct filling *f, pprofc_str name, struct change *change) {
  const struct noise_runs *runs = &f->judged->runs;
  change->file = "";
  for (size_t i = 0; i < runs->count; i++) {
    const pprofc_profile *profile = runs->items[(i + runs->bases) % runs->count].profile;
    for (uint32_t k = 0; k < pprofc_profile_function_count(profile); k++) {
      pprofc_function function = pprofc_profile_function(profile, k);
      if (!function.filename.size || !str_equal(function.name, name)) continue;
      change->file = text_keep(&f->run->arena, function.filename);
      change->line = function.start_line;
      return;
    }
  }
}

static const char *judged_row_text(const struct filling *f, pprofc_str name) {
  if (!name.size) return "<unknown>";
  return text_shown(&f->run->arena, name);
}

static bool judged_row_changed(const struct noise_report *report, const pprofc_verdict_row *row) {
  return row->relation || pprofc_verdict_is_change(row->flat.verdict) ||
         noise_domain_moved(report, row);
}

struct change judged_estimate(const struct noise_report *report, const pprofc_verdict_estimate *e) {
  struct change change = {.base = e->base,
                          .head = e->head,
                          .delta = e->delta,
                          .low = (double)NAN,
                          .high = (double)NAN,
                          .q = e->q,
                          .verdict = pprofc_verdict_name(e->verdict),
                          .changed = pprofc_verdict_is_change(e->verdict),
                          .certain = pprofc_verdict_is_certain(e->verdict)};
  if (report->summary.lone) change.q = (double)NAN;
  if (isnan(e->p) || report->summary.lone) return change;
  change.low = e->low;
  change.high = e->high;
  return change;
}

struct change judged_with_callees(const struct noise_report *report,
                                  const pprofc_verdict_row *row) {
  struct change change = judged_estimate(report, &row->cum);
  const pprofc_verdict_domain *domain = pprofc_verdicts_calls_of(report->verdicts, row);
  if (!domain || !(domain->net.delta > 0) || domain->net.delta >= row->cum.delta) return change;
  change.moved = row->cum.delta - domain->net.delta;
  change.delta -= change.moved;
  change.low -= change.moved;
  change.high -= change.moved;
  return change;
}

/* Converts a verdict row into `change`, for the page. */
static void judged_row_take(const struct filling *f, const pprofc_verdict_row *row,
                            struct change *change) {
  *change = judged_estimate(f->report, &row->flat);
  change->name = judged_row_text(f, row->name);
  change->share = blame_share(&f->blame, row->flat.delta);
  change->changed = judged_row_changed(f->report, row);
  judged_row_place(f, row->name, change);
  if (row->relation) {
    change->verdict = pprofc_verdict_relation_name(row->relation);
    change->partner = judged_row_text(f, f->report->rows[row->partner].name);
  }
}

/* ---- cost that moved --------------------------------- */

/* Returns the names of the functions of a domain (a group whose changes cancel out). */
static const char *judged_domain_names(const struct filling *f,
                                       const pprofc_verdict_domain *domain) {
  struct buffer names = ci_buffer();
  for (size_t i = 0; i < domain->row_count && i < INSIDE_MOST; i++) {
    pprofc_str name = f->report->rows[domain->rows[i]].name;
    buffer_add_text(&names, i ? ", " : "");
    brief_function(&names, escape_line_keep(name, &f->run->arena), NAME_MOST);
  }
  if (domain->row_count > INSIDE_MOST)
    buffer_printf(&names, " and %zu more", domain->row_count - INSIDE_MOST);
  return buffer_take(&names, &f->run->arena).data;
}

/* Returns the name of the other function if a domain (group) consists of two functions whose
 * changes cancel out, and has the name of one of them. Otherwise returns "". */
static pprofc_str judged_domain_other(const struct noise_report *report,
                                      const pprofc_verdict_domain *domain) {
  const pprofc_verdict_row *first = &report->rows[domain->rows[0]];
  if (domain->row_count != 2 || !first->relation) return STR("");
  const pprofc_verdict_row *second = &report->rows[first->partner];
  if (str_equal(domain->name, first->name)) return second->name;
  return str_equal(domain->name, second->name) ? first->name : STR("");
}

/* Converts a domain, a group of functions whose changes cancel out, into one line. */
static void judged_domain_take(const struct filling *f, const pprofc_verdict_domain *domain,
                               struct change *change) {
  *change = judged_estimate(f->report, &domain->net);
  change->name = judged_row_text(f, domain->name);
  change->file = "";
  change->share = (double)NAN;
  change->changed = true;
  change->verdict = noise_domain_word(domain);
  pprofc_str partner = domain->kind == PPROFC_DOMAIN_RENAMED
                           ? domain->renamed
                           : judged_domain_other(f->report, domain);
  if (partner.size) change->partner = judged_row_text(f, partner);
  if (!partner.size || domain->row_count > 2) change->inside = judged_domain_names(f, domain);
}

/* ---- all functions ----------------------------------- */

/* Adds the rows of changed functions if `changed` is true. Otherwise adds the rows of unchanged
 * functions whose self values differ between base and head. */
static void judged_take(struct filling *f, bool changed) {
  struct pair_verdicts *to = f->to;
  for (size_t i = 0; i < f->report->row_count; i++) {
    const pprofc_verdict_row *row = &f->report->rows[i];
    if (judged_row_changed(f->report, row) != changed) continue;
    if (!changed && row->flat.delta == 0) continue;
    const pprofc_verdict_domain *domain = noise_domain_moved(f->report, row);
    if (domain && domain->rows[0] != i) continue;
    if (to->row_count == ROWS_MOST)
      to->left_out++;
    else if (domain)
      judged_domain_take(f, domain, &to->rows[to->row_count++]);
    else
      judged_row_take(f, row, &to->rows[to->row_count++]);
  }
}

/* True if the page lists the function as a reason for growth. A function that grew by a smaller
 * percentage than all functions together is not a reason. Lock contention cannot be tested with one
 * run each of base and head, so every function that grew by LEAST_SHARE is a reason. */
static bool judged_is_reason(const struct filling *f, const pprofc_verdict_row *row) {
  const pprofc_verdict_estimate *e = &row->flat;
  const pprofc_verdict_domain *domain = pprofc_verdicts_domain_of(f->report->verdicts, row);
  if (row->relation || !(e->delta > 0)) return false;
  if (domain && (domain->moved || !(domain->net.delta > 0))) return false;
  if (e->verdict == PPROFC_VERDICT_UNKNOWN)
    return e->delta >= LEAST_SHARE * f->report->summary.total_base;
  return pprofc_verdict_is_change(e->verdict) && e->verdict != PPROFC_VERDICT_FELL &&
         e->verdict != PPROFC_VERDICT_GREW_LESS;
}

/* Lists the functions that explain growth. The rows are sorted by size of the change. */
static void judged_blame(struct filling *f) {
  struct pair_verdicts *to = f->to;
  for (size_t i = 0; i < f->report->row_count && to->because_count < CHANGES_MOST; i++) {
    const pprofc_verdict_row *row = &f->report->rows[i];
    if (judged_is_reason(f, row)) judged_row_take(f, row, &to->because[to->because_count++]);
  }
}

/* ---- sentences --------------------------------------- */

/* Returns the sentence about the comparison. Appends the sum of each domain (a group of functions)
 * whose sum changed: "Grew inside svc.f: net +353 ±64 of 894." */
static const char *judged_sentence(const struct filling *f) {
  const pprofc_verdict_summary *s = &f->report->summary;
  struct buffer out = ci_buffer();
  size_t count, added = 0;
  const pprofc_verdict_domain *domains = pprofc_verdicts_domains(f->report->verdicts, &count);
  buffer_add_str(&out, s->sentence);
  for (size_t i = 0; i < count && added < SUMS_MOST; i++) {
    const pprofc_verdict_estimate *net = &domains[i].net;
    char text[DOMAIN_TEXT];
    if (domains[i].moved || !pprofc_verdict_is_change(net->verdict)) continue;
    struct amount_unit unit = amount_unit_for(s->unit, STR(""), 1, fmax(net->base, net->head) / 10);
    noise_domain_text(&domains[i], &unit, s->lone, text);
    buffer_printf(&out, " %c%s.", *text - ('a' - 'A'), text + 1); /* begin with a capital */
    added++;
  }
  pprofc_str whole = buffer_take(&out, &f->run->arena);
  return text_shown(&f->run->arena, whole);
}

/* Returns "smallest detectable change: 31% (main.work); 5% needs 70 runs of each version". */
static const char *judged_visible(const struct filling *f) {
  const pprofc_verdict_summary *s = &f->report->summary;
  struct arena *arena = &f->run->arena;
  if (!f->to->largest) return "";
  if (!isfinite(s->visible))
    return text_printf(arena, "no change of %s of any size can be detected", f->to->largest);
  const char *seen = text_printf(arena, "smallest detectable change: %.0f%% (%s)",
                                 ceil(100 * s->visible), f->to->largest);
  if (!isfinite(s->runs_for_5)) return seen;
  return text_printf(arena, "%s; 5%% needs %.0f runs of each version", seen, s->runs_for_5);
}

static const char *judged_note(const struct filling *f) {
  const pprofc_verdict_summary *s = &f->report->summary;
  if (s->tested || s->changed) return "";
  return text_printf(&f->run->arena, "nothing to judge: %.0f samples", noise_samples(f->report));
}

static void command_option(struct buffer *out, const char *name, const char *value) {
  buffer_printf(out, " -%s=", name);
  escape_shell(out, str_of(value));
}

/* Appends " -OPTION=PATH", or " PATH" if `option` is NULL, quoted for the shell. The path consists
 * of `folder`, `name` and `rest`. */
static void command_path(struct buffer *out, const char *option, const char *folder,
                         const char *name, const char *rest) {
  struct buffer path = ci_buffer();
  buffer_printf(&path, "%s%s%s", folder, name, rest);
  buffer_add_char(out, ' ');
  if (option) buffer_printf(out, "-%s=", option);
  escape_shell(out, buffer_str(&path));
  buffer_free(&path);
}

static void command_exposure(struct buffer *out, const struct filling *f,
                             const struct run_pair *pair) {
  const pprofc_verdict_run *first = &f->judged->runs.items[0];
  int normalize_by = f->run->options->normalize_by;
  if (normalize_by) buffer_printf(out, " -normalize_by=%s", noise_exposures[normalize_by]);
  if (*f->run->options->ops) {
    command_option(out, "ops", f->run->options->ops);
    return;
  }
  if (first->per_operation > 0 && pair->kept) {
    command_path(out, "bench_base", pair->kept, "", "/base.txt");
    command_path(out, "bench_head", pair->kept, "", "/head.txt");
  } else if (first->operations > 0) {
    buffer_printf(out, " -ops=%.0f,%.0f", first->operations, first->operations);
  }
}

/* Returns the command that prints the verdicts. The command runs in the folder of the page. */
static const char *judged_command(const struct filling *f, const struct run_pair *pair,
                                  const char *index) {
  struct buffer out = ci_buffer();
  buffer_add_text(&out, "pprofc -blame");
  if (run_has(index)) buffer_printf(&out, " -sample_index=%s", index);
  if (run_has(pair->hide)) command_option(&out, "hide", pair->hide);
  command_exposure(&out, f, pair);
  if (pair->kept) {
    command_path(&out, "diff_base", pair->kept, "", "/base");
    command_path(&out, NULL, pair->kept, "", "/head");
  } else {
    command_path(&out, "diff_base", "profiles/", pair->names[SIDE_BASE], ".pb.gz");
    command_path(&out, NULL, "profiles/", pair->names[SIDE_HEAD], ".pb.gz");
  }
  return buffer_take(&out, &f->run->arena).data;
}

/* ---- the whole comparison ---------------------------- */

static void judged_summary(struct filling *f) {
  const pprofc_verdict_summary *s = &f->report->summary;
  struct pair_verdicts *to = f->to;
  to->summary = *s;
  to->environment = f->blame.environment;
  to->rest = f->blame.rest;
  to->rest_count = f->blame.rest_count;
  to->per_operation = s->exposure == PPROFC_EXPOSURE_OPS;
  to->weak = !s->exact && noise_is_pair(s);
}

/* Sets the name of the function with the largest value. Sets no name if the pair of profiles was
 * not judged or a function changed. */
static void judged_largest(struct filling *f) {
  const pprofc_verdict_summary *s = &f->report->summary;
  if (s->changed || s->cum_changed || !s->tested || isnan(s->visible) ||
      s->largest == PPROFC_VERDICT_NO_ROW)
    return;
  struct buffer name = ci_buffer();
  brief_function(&name, f->report->rows[s->largest].name, NAME_MOST);
  f->to->largest = judged_row_text(f, buffer_take(&name, &f->run->arena));
}

/* Sample types with their units, and the benchmark measurements of the same quantity. */
static const struct judged_measure {
  const char *type, *unit;
  const char *measure; /* unit of the measurement */
  size_t offset;       /* offset of the measurement in struct run_measured, in bytes */
} judged_measures[] = {
    {"cpu", "nanoseconds", "sec/op", offsetof(struct run_measured, nanoseconds)},
    {"alloc_space", "bytes", "B/op", offsetof(struct run_measured, bytes)},
    {"alloc_objects", "count", "allocs/op", offsetof(struct run_measured, allocations)},
};

static void judged_fill(struct ci_run *run, const struct run_pair *pair,
                        const struct judged *judged, const struct noise_report *report,
                        const char *index, struct pair_verdicts *to) {
  const pprofc_verdict_summary *s = &report->summary;
  struct filling f = {run, judged, report, blame_of(report), to};
  *to = (struct pair_verdicts){.rows = NULL};
  to->rows = arena_zero_array(&run->arena, ROWS_MOST, sizeof *to->rows);
  to->type = text_shown(&run->arena, s->type);
  to->unit = text_shown(&run->arena, s->unit);
  to->sentence = judged_sentence(&f);
  const struct judged_measure *measure = STR_ROW(s->type, judged_measures);
  if (pair->benchmark && measure) to->measure = measure->measure;
  judged_summary(&f);
  judged_take(&f, true);
  judged_take(&f, false);
  judged_blame(&f);
  judged_largest(&f);
  to->visible_text = judged_visible(&f);
  to->note = judged_note(&f);
  to->command = judged_command(&f, pair, index);
}

/* Maximum ratio between the value of a profile and the benchmark's measurement of the same work.
 * Above this ratio the profile contains work that the benchmark does not measure, such as set-up
 * before the timer starts, waiting, or work on several processors. */
#define AGREES_WITHIN 1.25

static pprofc_status judging_read(struct ci_run *run, const struct run_pair *pair, struct judged *j,
                                  pprofc_error *error) {
  size_t all = pair->run_count[SIDE_BASE] + pair->run_count[SIDE_HEAD];
  const pprofc_allocator *mem = budget_allocator(j->budget);
  pprofc_status status = PPROFC_OK;
  struct noise_runs *runs = &j->runs;
  runs->items = arena_zero_array(&run->arena, all, sizeof *runs->items);
  runs->bases = pair->run_count[SIDE_BASE];
  while (runs->count < all && status == PPROFC_OK) {
    int side = runs->count < runs->bases ? SIDE_BASE : SIDE_HEAD;
    pprofc_profile *profile;
    const char *path = pair->runs[side][runs->count - (side == SIDE_HEAD ? runs->bases : 0)];
    status = source_read(path, mem, &profile, error);
    if (status != PPROFC_OK) break;
    runs->items[runs->count++] = (pprofc_verdict_run){.profile = profile, .name = path};
    run_check_stopped();
  }
  return status;
}

/* Sets *total to the sum of the sample type that `index` selects. Sets *measure to the benchmark
 * measurement of the same quantity, or NULL. Returns false if the profile lacks the sample type. */
static bool judging_total(const pprofc_profile *profile, const char *index, double *total,
                          const struct judged_measure **measure) {
  size_t value;
  pprofc_samples_view samples;
  if (value_select(profile, str_of(index), &value, NULL) != PPROFC_OK) return false;
  pprofc_str type = profile_type(profile, value);
  pprofc_str unit = profile_unit(profile, value);
  *measure = STR_ROW(type, judged_measures);
  if (*measure && !str_equal(unit, str_of((*measure)->unit))) *measure = NULL;
  pprofc_profile_samples(profile, &samples);
  *total = 0;
  for (size_t i = 0; i < samples.count; i++)
    *total += (double)samples.values[i * samples.types + value];
  return true;
}

/* Returns the benchmark's measurement of a run, or 0 if the profile's value differs from the
 * measurement by more than the factor AGREES_WITHIN. */
static double judging_measured(const struct run_pair *pair, const struct noise_runs *runs,
                               size_t index, const char *sample_index) {
  int side = index < runs->bases ? SIDE_BASE : SIDE_HEAD;
  size_t at = index - (side == SIDE_HEAD ? runs->bases : 0);
  const struct judged_measure *of;
  double total, measured;
  if (!pair->measured[side] || !(pair->iterations > 0)) return 0;
  if (!judging_total(runs->items[index].profile, sample_index, &total, &of) || !of) return 0;
  memcpy(&measured, (const char *)&pair->measured[side][at] + of->offset, sizeof measured);
  double each = total / pair->iterations;
  bool agrees = measured > 0 && each > measured / AGREES_WITHIN && each < measured * AGREES_WITHIN;
  return agrees ? measured : 0;
}

/* Chooses the data for values per operation: -ops if it is set, else the benchmark's results if all
 * runs have them, else the number of iterations. */
static void judging_expose(const struct ci_run *run, const struct run_pair *pair,
                           const struct noise_runs *runs, const char *index) {
  const char *ops = run->options->ops;
  bool all = true;
  for (size_t i = 0; i < runs->count && !*ops; i++) {
    runs->items[i].per_operation = judging_measured(pair, runs, i, index);
    runs->items[i].operations = 0;
    all &= runs->items[i].per_operation > 0;
  }
  for (size_t i = 0; i < runs->count && !*ops && !all; i++) {
    runs->items[i].per_operation = 0;
    runs->items[i].operations = pair->iterations;
  }
  ci_need(noise_set_ops(ops, runs, &ci_error));
}

/* Adds one comparison. If the comparison fails, adds a note with the reason. */
static void judging_add(struct ci_run *run, struct run_pair *pair, struct judged *j,
                        const pprofc_report_options *options, const char *index) {
  struct noise_report *report = &j->reports[pair->comparison_count];
  struct pair_verdicts *to = &pair->comparisons[pair->comparison_count];
  struct noise_settings settings;
  pprofc_error why;
  judging_expose(run, pair, &j->runs, index);
  noise_settings_init(&settings);
  settings.how.sample_index = index;
  settings.how.normalize_by = (pprofc_verdict_exposure)run->options->normalize_by;
  settings.how.rules = run->noise_rules.data;
  settings.how.rules_size = run->noise_rules.size;
  settings.how.rules_name = run->options->noise_rules;
  report->options = options;
  if (noise_judge_runs(report, &j->runs, &settings, &why))
    ci_need(noise_settle(report, budget_allocator(j->budget), &why, &ci_error));
  if (!report->verdicts && pair->comparison_count) return;
  pair->comparison_count++;
  if (report->verdicts) {
    judged_fill(run, pair, j, report, index, to);
    return;
  }
  *to = (struct pair_verdicts){.type = "", .unit = "", .visible_text = "", .command = ""};
  to->note = text_shown(&run->arena, str_of(report->reason));
}

void judging_run(struct ci_run *run, struct run_pair *pair, const pprofc_report_options *options,
                 struct judged *j) {
  pprofc_limits limits;
  *j = (struct judged){.budget = NULL};
  if (!pair->diff) return;
  pprofc_limits_init(&limits);
  j->budget = budget_new(&mem_default, limits.memory_bytes);
  pair->comparisons = arena_zero_array(&run->arena, JUDGED_TYPES, sizeof *pair->comparisons);
  if (!j->budget) ci_fail("out of memory");
  pprofc_status status = judging_read(run, pair, j, &ci_error);
  ci_need(budget_status(budget_allocator(j->budget), status, &ci_error));
  const char *first = options->sample_index ? options->sample_index : "";
  judging_add(run, pair, j, options, first);
  if (strcmp(first, "alloc_space") == 0) judging_add(run, pair, j, options, "alloc_objects");
  run_show_comparison(pair);
  code_describe(run, pair, j);
  failing_find(run, pair, j);
}

void judging_free(struct judged *j) {
  for (size_t i = 0; i < JUDGED_TYPES; i++) pprofc_verdicts_free(j->reports[i].verdicts);
  for (size_t i = 0; i < j->runs.count; i++) {
    /* The cast drops const, which is safe because the run owns the profile. */
    pprofc_profile_release((pprofc_profile *)(uintptr_t)j->runs.items[i].profile);
  }
  if (j->budget) budget_release(j->budget);
}
