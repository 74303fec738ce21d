/* The verdict: the tables of benchstat, the gate over all results, and the instructions that were
 * counted. */
#include "bench/pairs.h"
#include "core/log_guard.h"
#include "gate/print/print.h"
#include "gate/read/files.h"
#include "gate/read/read.h"
#include "parse_bench_regressions/inputs.h"
#include "parse_bench_regressions/options.h"
#include "pprofc/bench.h"
#include "run/files.h"
#include "run/profiles.h"
#include "run/text.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

/* ---- tables ------------------------------------------ */

static int add_to_table(void *context, const void *data, size_t size) {
  struct buffer *buffer = context;
  buffer_add(buffer, data, size);
  return buffer->failed;
}

/* A line of the inputs that cannot be read makes the table wrong. */
static pprofc_status check_messages(const pprofc_bench *set, pprofc_error *error) {
  size_t count;
  const pprofc_bench_message *messages = pprofc_bench_messages(set, &count);
  if (!count) return PPROFC_OK;
  const pprofc_bench_message *last = &messages[count - 1];
  return error_set(error, PPROFC_E_FORMAT, "%.*s:%llu: %.*s",
                   STR_ARG(pprofc_bench_input_path(set, last->input)),
                   (unsigned long long)last->line, STR_ARG(last->text));
}

/* A measurement that is no number cannot be compared. */
static pprofc_status check_numbers(const pprofc_bench_tables *tables, pprofc_error *error) {
  for (size_t i = 0; i < pprofc_bench_table_count(tables); i++) {
    pprofc_bench_table table = pprofc_bench_table_at(tables, i);
    for (size_t k = 0; k < table.cells; k++)
      if (table.cell[k].nan && table.cell[k].baseline != SIZE_MAX)
        return error_set(error, PPROFC_E_FORMAT, "cannot compare %.*s %.*s: a sample holds NaN",
                         STR_ARG(pprofc_bench_row_label(tables, i, table.cell[k].row)),
                         STR_ARG(table.unit));
  }
  return PPROFC_OK;
}

static pprofc_status print_table(const pprofc_bench *set, struct buffer *text,
                                 pprofc_error *error) {
  pprofc_bench_tables *tables;
  pprofc_bench_options options;
  pprofc_bench_options_init(&options);
  pprofc_status status = pprofc_bench_compare(set, &options, &tables, error);
  if (status != PPROFC_OK) return status;
  status = pprofc_bench_print(tables, "text", add_to_table, text, NULL, NULL, error);
  if (status == PPROFC_OK) status = check_numbers(tables, error);
  pprofc_bench_tables_free(tables);
  return status;
}

/* The table of inputs like "base=FILE", as a file beside the page. */
static pprofc_status write_table(struct ci_run *run, const char *name, const char *const *inputs,
                                 size_t count, pprofc_error *error) {
  struct buffer text;
  pprofc_bench *set = pprofc_bench_new(run->mem);
  if (!set || !name || !inputs[0]) {
    pprofc_bench_free(set);
    return error_nomem(error);
  }
  buffer_init(&text, run->mem, SIZE_MAX / 2);
  pprofc_status status = pprofc_bench_read_inputs(set, inputs, count, error);
  if (status == PPROFC_OK) status = check_messages(set, error);
  if (status == PPROFC_OK) status = print_table(set, &text, error);
  if (status == PPROFC_OK) status = files_put(run, true, name, buffer_str(&text), error);
  if (status == PPROFC_OK) {
    run->benchstat = buffer_keep(&text, &run->arena);
    if (!run->benchstat.data && text.size) status = error_nomem(error);
  }
  buffer_free(&text);
  pprofc_bench_free(set);
  return status;
}

static const char *labelled(struct ci_run *run, const char *label, int side) {
  return text_printf(&run->arena, "%s=%s", label, run->bench[side]);
}

/* bench_head.txt and head.txt are bench_head.diff. */
static const char *table_name(struct ci_run *run) {
  const char *stem = run_stem(run, run->bench[SIDE_HEAD]);
  if (!stem) return NULL;
  pprofc_str name = str_of(stem);
  if (str_starts(name, STR("bench_"))) name = str_slice(name, strlen("bench_"), name.size);
  size_t dot = str_find_last_char(name, '.');
  return text_printf(&run->arena, "bench_%.*s.diff", STR_ARG(str_slice(name, 0, dot)));
}

static pprofc_status write_tables(struct ci_run *run, pprofc_error *error) {
  const char *both[SIDES] = {labelled(run, "base", SIDE_BASE), labelled(run, "head", SIDE_HEAD)};
  const char *again[SIDES] = {both[SIDE_BASE], labelled(run, "again", SIDE_BASE)};
  if (!both[0] || !both[1] || !again[1]) return error_nomem(error);
  if (!*run->bench[SIDE_BASE]) return write_table(run, table_name(run), both + 1, 1, error);
  if (!run->options->is_bundled) return write_table(run, table_name(run), both, SIDES, error);
  /* The base against itself is the control of the tables. */
  pprofc_status status = write_table(run, "bench_original.diff", again, SIDES, error);
  if (status != PPROFC_OK) return status;
  return write_table(run, "bench_optimized.diff", both, SIDES, error);
}

/* ---- measurements for the page ----------------------- */

static bool is_row_of(const struct gate_row *row, const struct pairs *pairs,
                      const struct pair *pair, struct arena *arena) {
  pprofc_str unit = escape_line_keep(pairs_text(pairs, pair->unit), arena);
  if (!str_equal(row->unit, unit)) return false;
  pprofc_str name = escape_line_keep(pprofc_bench_string(pairs->set, pair->name), arena);
  pprofc_str group = escape_line_keep(pairs_text(pairs, pair->package), arena);
  return str_equal(row->name, name) && str_equal(row->group, group);
}

/* The rounds of a side; all 0 when no measurement has one. */
static uint32_t *rounds_of(struct ci_run *run, const struct pairs *pairs,
                           const struct pair_side *from) {
  if (!pairs->rounds) return arena_zero_array(&run->arena, from->count, sizeof(uint32_t));
  return arena_copy(&run->arena, pairs->rounds + from->first, from->count * sizeof(uint32_t));
}

/* Rows are made of pairs, in their order; a pair that is bad has none. */
static bool keep_samples(struct ci_run *run, const struct pairs *pairs) {
  size_t count, next = 0;
  const struct gate_row *rows = gate_rows(&run->gate, &count);
  for (size_t i = 0; i < pairs->count && next < count; i++) {
    const struct pair *pair = &pairs->items[i];
    if (pair->bad || !is_row_of(&rows[next], pairs, pair, &run->arena)) continue;
    for (int side = 0; side < SIDES; side++) {
      const struct pair_side *from = &pair->sides[side];
      struct run_samples samples = {
          arena_copy(&run->arena, pairs->values + from->first, from->count * sizeof(double)),
          rounds_of(run, pairs, from), from->count};
      if (from->count && (!samples.values || !samples.rounds)) return false;
      buffer_add(&run->plots[side], &samples, sizeof samples);
    }
    next++;
  }
  return !run->plots[SIDE_BASE].failed && !run->plots[SIDE_HEAD].failed;
}

static pprofc_status plot_rows(struct ci_run *run, const pprofc_bench *set, pprofc_error *error) {
  struct pairs pairs;
  bool good = pairs_make(&pairs, set, "head", run->mem) && keep_samples(run, &pairs);
  pairs_free(&pairs);
  return good ? PPROFC_OK : error_nomem(error);
}

/* ---- the gate ---------------------------------------- */

/* Settings: -threshold of this program, then the variables of the gate. */
static pprofc_status set_up_gate(struct ci_run *run, struct gate_options *options,
                                 struct flags_parsed *parsed, struct inputs *inputs,
                                 pprofc_error *error) {
  const struct flag *threshold = flags_find(&options_table, STR("threshold"));
  pprofc_str rules;
  pprofc_status status = flags_defaults(&options_table, options, error);
  if (status == PPROFC_OK && threshold) {
    parsed->seen[threshold - options_table.flags] = true;
    status = flag_set(threshold, options, run->options->threshold, error);
  }
  if (status == PPROFC_OK) status = options_environment(options, parsed, error);
  if (status == PPROFC_OK)
    status = ages_init(&inputs->ages, options->since, options->max_age, error);
  if (status == PPROFC_OK && *options->rules) {
    status = inputs_file(inputs, options->rules, &rules, error);
    if (status == PPROFC_OK)
      status = gate_read_rules(&run->gate, str_of(options->rules), rules, error);
  }
  if (status == PPROFC_OK) status = options_apply(options, parsed, &run->gate, error);
  if (status == PPROFC_OK && *options->noise_from)
    status = gate_read_noise(&run->gate, options->noise_from, error);
  return status;
}

static const char *verdict_today(const struct gate_options *options, char *out, size_t size) {
  time_t now = time(NULL);
  struct tm parts;
  if (*options->today) return options->today;
  return gmtime_r(&now, &parts) && strftime(out, size, "%Y-%m-%d", &parts) ? out : "";
}

static pprofc_status judge_inputs(struct ci_run *run, struct inputs *inputs, read_rows_fn read,
                                  void *context, pprofc_error *error) {
  struct gate_options *options = arena_zero_array(&run->arena, 1, sizeof *options);
  struct flags_parsed parsed = {0};
  char day[32];
  if (!options) return error_nomem(error);
  pprofc_status status = set_up_gate(run, options, &parsed, inputs, error);
  if (status == PPROFC_OK) status = read(run, inputs, context, error);
  if (status == PPROFC_OK)
    status = gate_judge(&run->gate, verdict_today(options, day, sizeof day), error);
  if (status == PPROFC_OK) gate_interval_settle(&run->gate); /* the page shows all rows */
  return status;
}

/* The results of both sides, and what the page shows of them. */
static pprofc_status read_results(struct ci_run *run, struct inputs *inputs, void *context,
                                  pprofc_error *error) {
  (void)context;
  pprofc_status status = inputs_raw(inputs, run->bench[SIDE_BASE], run->bench[SIDE_HEAD], error);
  if (status == PPROFC_OK && inputs->set) status = plot_rows(run, inputs->set, error);
  return status;
}

/* Rows of the gate point into what was read; their texts are copies of its arena when they are not
 * clean, so all of them are kept. */
static bool keep_texts(struct ci_run *run) {
  size_t count;
  struct gate_row *rows = gate_rows(&run->gate, &count);
  for (size_t i = 0; i < count; i++) {
    pprofc_str *const texts[] = {&rows[i].group, &rows[i].name, &rows[i].unit, &rows[i].file,
                                 &rows[i].text};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
      *texts[k] = arena_str(&run->arena, *texts[k]);
      if (!texts[k]->data) return false;
    }
  }
  return true;
}

static void print_gate(struct ci_run *run) {
  static const char *const verdicts[] = {"no regression", "the gate failed", "REGRESSION"};
  int status = gate_exit_status(&run->gate);
  pprofc_str rest = buffer_str(&run->gate.problems), line;
  while (rest.data && str_next_line(&rest, &line))
    if (line.size) buffer_printf(&run->gate_text, "parse_bench_regressions: %.*s\n", STR_ARG(line));
  gate_print_text(&run->gate_text, &run->gate, false);
  run->status = status == 0 || status == 2 ? status : 1;
  run->verdict = verdicts[run->status];
  run->judged = true;
}

/* A gate that cannot be set up has failed; the page is made all the same. */
pprofc_status judge_rows(struct ci_run *run, read_rows_fn read, void *context,
                         pprofc_error *error) {
  struct inputs inputs;
  inputs_init(&inputs, &run->gate);
  inputs.keeps_results = true; /* the plots show them */
  pprofc_status status = judge_inputs(run, &inputs, read, context, error);
  if (status == PPROFC_OK && !keep_texts(run)) status = error_nomem(error);
  if (status == PPROFC_OK) {
    print_gate(run);
  } else if (status != PPROFC_E_NOMEM) {
    buffer_printf(&run->gate_text, "parse_bench_regressions: %s\n", error->message);
    buffer_add_text(&run->gate_text, "0 compared, 0 significant, 0 regressed, 0 missing\n");
    run->status = 1;
    run->verdict = "the gate failed";
    status = PPROFC_OK;
  }
  run->totals = text_keep(&run->arena, text_last_line(buffer_str(&run->gate_text)));
  inputs_free(&inputs);
  if (status == PPROFC_OK && (run->gate_text.failed || !run->totals)) return error_nomem(error);
  return status;
}

/* ---- instructions ------------------------------------ */

/* Instructions are the same in every run: the difference of one pair is judged as it is. */
static pprofc_status judge_instructions(struct ci_run *run, const struct run_pair *pair,
                                        pprofc_error *error) {
  double threshold = 0;
  double base = (double)source_total(pair->paths[SIDE_BASE], "Ir");
  double head = (double)source_total(pair->paths[SIDE_HEAD], "Ir");
  double change = base > 0 ? (head - base) / base : 0;
  const char *word = "unchanged";
  (void)gate_parse_percent(str_of(run->options->threshold), &threshold);
  if (change > 0 && change >= threshold) word = "regressed";
  if (change < 0 && -change >= threshold) word = "improved";
  run->instructions = text_printf(
      &run->arena, "%s: instructions %.0f \xE2\x86\x92 %.0f  %+.2f%% (threshold %.6g%%)", word,
      base, head, 100 * change, 100 * threshold);
  if (!run->instructions) return error_nomem(error);
  if (run->status == 1) return PPROFC_OK;
  if (strcmp(word, "regressed") == 0) run->status = 2;
  run->verdict = run->status == 2 ? "REGRESSION" : "no regression";
  return PPROFC_OK;
}

static pprofc_status count_instructions(struct ci_run *run, pprofc_error *error) {
  for (size_t i = 0; i < run->pair_count; i++) {
    const struct run_pair *pair = &run->pairs[i];
    if (strcmp(pair->kind, "instructions") != 0 || !pair->paths[SIDE_HEAD]) continue;
    if (pair->paths[SIDE_BASE]) return judge_instructions(run, pair, error);
    run->instructions = text_printf(&run->arena, "instructions: %lld",
                                    (long long)source_total(pair->paths[SIDE_HEAD], "Ir"));
    return run->instructions ? PPROFC_OK : error_nomem(error);
  }
  return PPROFC_OK;
}

pprofc_status judge_results(struct ci_run *run, pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  if (!run->has_base) run->verdict = "no comparison: there is no base";
  if (run_has(run->bench[SIDE_HEAD])) status = write_tables(run, error);
  if (status == PPROFC_OK && run_has(run->bench[SIDE_BASE]))
    status = judge_rows(run, read_results, NULL, error);
  if (status == PPROFC_OK) status = count_instructions(run, error);
  if (status == PPROFC_OK) failing_judge(run);
  return status;
}
