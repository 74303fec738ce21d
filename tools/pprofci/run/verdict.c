/* Writes the benchmark tables. Determines the verdict from benchmark results and instruction
 * counts. */
#include "bench/pairs.h"
#include "gate/judge.h"
#include "gate/print/print.h"
#include "parse_bench_regressions/options.h"
#include "run/code.h"
#include "run/profiles.h"
#include "run/recording.h"

/* Fails if an input has an unreadable line, because the benchmark table would then be wrong. */
static void check_messages(const pprofc_bench *set) {
  size_t count;
  const pprofc_bench_message *messages = pprofc_bench_messages(set, &count);
  if (!count) return;
  const pprofc_bench_message *last = &messages[count - 1];
  ci_fail("%.*s:%llu: %.*s", STR_ARG(pprofc_bench_input_path(set, last->input)),
          (unsigned long long)last->line, STR_ARG(last->text));
}

/* Fails if a measurement that the benchmark table compares is NaN. */
static void check_numbers(const pprofc_bench_tables *tables) {
  for (size_t i = 0; i < pprofc_bench_table_count(tables); i++) {
    pprofc_bench_table table = pprofc_bench_table_at(tables, i);
    for (size_t k = 0; k < table.cells; k++)
      if (table.cell[k].nan && table.cell[k].baseline != SIZE_MAX)
        ci_fail("cannot compare %.*s %.*s: a sample holds NaN",
                STR_ARG(pprofc_bench_row_label(tables, i, table.cell[k].row)), STR_ARG(table.unit));
  }
}

static void print_table(const pprofc_bench *set, struct buffer *text) {
  pprofc_bench_tables *tables;
  pprofc_bench_options options;
  pprofc_bench_options_init(&options);
  options.ignore = "round"; /* results of all rounds belong to one benchmark */
  ci_need(pprofc_bench_compare(set, &options, &tables, &ci_error));
  ci_need(pprofc_bench_print(tables, "text", buffer_write, text, NULL, NULL, &ci_error));
  check_numbers(tables);
  pprofc_bench_tables_free(tables);
}

/* Sets run->measured_on from the keys "goos", "goarch" and "cpu" of the results. */
static void describe_machine(struct ci_run *run, const pprofc_bench *set) {
  static const char *const keys[] = {"goos", "goarch", "cpu"};
  struct buffer out = ci_buffer();
  size_t count;
  (void)pprofc_bench_results(set, &count);
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    pprofc_str value = STR("");
    for (size_t k = 0; k < count && !value.size; k++)
      value = pprofc_bench_result_config(set, k, str_of(keys[i]));
    if (out.size && value.size) buffer_add_text(&out, i == 1 ? " " : ", ");
    buffer_add_str(&out, value);
  }
  run->measured_on = buffer_take(&out, &run->arena);
}

/* Compares inputs such as "base=FILE", and writes the comparison table to the folder of benchmark
 * tables. */
static void write_table(struct ci_run *run, const char *name, const char *const *inputs,
                        size_t count) {
  struct buffer text = ci_buffer();
  pprofc_bench *set = pprofc_bench_new(run->mem);
  ci_need(pprofc_bench_read_inputs(set, inputs, count, &ci_error));
  check_messages(set);
  print_table(set, &text);
  files_put(run, true, name, buffer_str(&text));
  run->benchstat = buffer_take(&text, &run->arena);
  describe_machine(run, set);
  pprofc_bench_free(set);
}

static struct inputs_side verdict_side(const struct ci_run *run, int side) {
  const struct run_options *o = run->options;
  if (o->bench_count[side] > 1)
    return (struct inputs_side){o->bench_paths[side], o->bench_count[side]};
  return (struct inputs_side){&run->bench[side], 1};
}

/* Adds "LABEL=FILE" for each file of base or head. */
static void add_labelled(struct ci_run *run, const char *label, int side, struct gate_paths *list) {
  struct gate_paths files;
  struct inputs inputs;
  inputs_init(&inputs, &run->gate);
  ci_need(inputs_expand(&inputs, verdict_side(run, side), &files, &ci_error));
  for (size_t i = 0; i < files.count; i++)
    (void)ARRAY_PUSH_IN(&run->arena, list->items, list->count, list->capacity,
                        text_printf(&run->arena, "%s=%s", label, files.items[i]));
  inputs_free(&inputs);
}

/* Returns the name of the benchmark table: "bench_head.diff" for bench_head.txt and for
 * head.txt. */
static const char *table_name(struct ci_run *run) {
  pprofc_str name = str_of(run_stem(run, run->bench[SIDE_HEAD]));
  if (str_starts(name, STR("bench_"))) name = str_slice(name, strlen("bench_"), name.size);
  size_t dot = str_find_last_char(name, '.');
  return text_printf(&run->arena, "bench_%.*s.diff", STR_ARG(str_slice(name, 0, dot)));
}

static void write_tables(struct ci_run *run) {
  struct gate_paths both = {NULL, 0, 0}, again = {NULL, 0, 0};
  bool compares = *run->bench[SIDE_BASE];
  if (compares) add_labelled(run, "base", SIDE_BASE, &both);
  add_labelled(run, "head", SIDE_HEAD, &both);
  if (run->options->is_bundled) {
    /* Add the base again, because the control table compares the base with itself to show the
     * noise. */
    add_labelled(run, "base", SIDE_BASE, &again);
    add_labelled(run, "again", SIDE_BASE, &again);
    write_table(run, "bench_original.diff", again.items, again.count);
  }
  const char *name = run->options->is_bundled ? "bench_optimized.diff" : table_name(run);
  write_table(run, name, both.items, both.count);
}

static bool is_row_of(const struct gate_row *row, const struct pairs *pairs,
                      const struct pair *pair, struct arena *arena) {
  pprofc_str unit = escape_line_keep(pairs_text(pairs, pair->unit), arena);
  if (!str_equal(row->unit, unit)) return false;
  pprofc_str name = escape_line_keep(pprofc_bench_string(pairs->set, pair->name), arena);
  pprofc_str group = escape_line_keep(pairs_text(pairs, pair->package), arena);
  return str_equal(row->name, name) && str_equal(row->group, group);
}

/* Returns the rounds of the measurements. Returns zeros if the results have no rounds. */
static uint32_t *rounds_of(struct ci_run *run, const struct pairs *pairs,
                           const struct pair_side *from) {
  if (!pairs->rounds) return arena_zero_array(&run->arena, from->count, sizeof(uint32_t));
  return arena_copy(&run->arena, pairs->rounds + from->first, from->count * sizeof(uint32_t));
}

/* Saves the measurements of each row. The rows are in the order of `pairs` (base and head of one
 * benchmark and unit). An invalid pair has no row, and a geometric mean has no pair. */
static void keep_samples(struct ci_run *run, const struct pairs *pairs) {
  static const struct run_samples empty = {NULL, NULL, 0};
  size_t count, at = 0;
  const struct gate_row *rows = gate_rows(&run->gate, &count);
  for (size_t i = 0; i < count; i++) {
    size_t k = rows[i].whole ? pairs->count : at;
    while (k < pairs->count &&
           (pairs->items[k].bad || !is_row_of(&rows[i], pairs, &pairs->items[k], &run->arena)))
      k++;
    bool found = k < pairs->count;
    if (found) at = k + 1;
    for (int side = 0; side < SIDES; side++) {
      const struct pair_side *from = found ? &pairs->items[k].sides[side] : NULL;
      struct run_samples samples = empty;
      if (from)
        samples = (struct run_samples){
            arena_copy(&run->arena, pairs->values + from->first, from->count * sizeof(double)),
            rounds_of(run, pairs, from), from->count};
      buffer_add(&run->plots[side], &samples, sizeof samples);
    }
  }
}

static void plot_rows(struct ci_run *run, const pprofc_bench *set) {
  struct pairs pairs;
  (void)pairs_make(&pairs, set, "head", run->mem);
  keep_samples(run, &pairs);
  pairs_free(&pairs);
}

/* Smallest change in bytes that counts for the bundled profiles' benchmarks. Smaller changes come
 * from buffers that grow. */
#define BUNDLED_FLOOR 64

static void set_up_sides(struct ci_run *run) {
  struct gate_settings *s = &run->gate.settings;
  s->one_process = run->options->one_process || run->options->is_bundled;
  s->any_load = run->options->any_load;
  s->overloaded = run->overloaded;
  if (run->options->is_bundled) s->floor.bytes = BUNDLED_FLOOR;
}

/* Sets the options of the gate. -threshold overrides the environment variables that set a
 * threshold. */
static pprofc_status set_up_gate(struct ci_run *run, struct gate_options *options,
                                 struct flags_parsed *parsed, struct inputs *inputs,
                                 pprofc_error *error) {
  const struct flag *threshold = flags_find(&options_table, STR("threshold"));
  pprofc_status status = flags_defaults(&options_table, options, error);
  if (status == PPROFC_OK && threshold) {
    parsed->seen[threshold - options_table.flags] = true;
    status = flag_set(threshold, options, run->options->threshold, error);
  }
  if (status == PPROFC_OK) status = options_environment(options, parsed, error);
  if (status == PPROFC_OK) status = inputs_prepare(inputs, options, error);
  set_up_sides(run);
  if (status == PPROFC_OK) status = options_apply(options, parsed, &run->gate, error);
  if (status == PPROFC_OK && *options->noise_from)
    status = gate_read_noise(&run->gate, options->noise_from, error);
  return status;
}

static pprofc_status judge_inputs(struct ci_run *run, struct inputs *inputs, read_rows_fn read,
                                  void *context, pprofc_error *error) {
  struct gate_options *options = arena_zero_array(&run->arena, 1, sizeof *options);
  struct flags_parsed parsed = {0};
  char day[OPTIONS_DAY];
  pprofc_status status = set_up_gate(run, options, &parsed, inputs, error);
  if (status == PPROFC_OK) status = read(run, inputs, context, error);
  if (status == PPROFC_OK) status = gate_judge(&run->gate, options_today(options, day), error);
  return status;
}

/* Marks the rows of benchmarks that -record did not measure again (run->screened). */
static void mark_screened(struct ci_run *run) {
  size_t count;
  struct gate_row *rows = gate_rows(&run->gate, &count);
  struct buffer key = ci_buffer();
  for (size_t i = 0; i < count && run->screened.count; i++) {
    buffer_clear(&key);
    gate_noise_key(&key, rows[i].group, rows[i].name, STR(""));
    rows[i].screened = interner_find(&run->screened, buffer_str(&key)) != MAP_NONE;
  }
  buffer_free(&key);
}

/* Reads the results of base and head and keeps the samples for the page. */
static pprofc_status read_results(struct ci_run *run, struct inputs *inputs, void *context,
                                  pprofc_error *error) {
  (void)context;
  const struct inputs_side sides[SIDES] = {verdict_side(run, SIDE_BASE),
                                           verdict_side(run, SIDE_HEAD)};
  pprofc_status status = inputs_raw(inputs, sides, error);
  if (status == PPROFC_OK) mark_screened(run);
  if (status == PPROFC_OK && inputs->set) plot_rows(run, inputs->set);
  return status;
}

/* Reads the results for an interim judgement. Screening, which selects benchmarks to measure again,
 * has its own settings. */
static pprofc_status read_preview(struct ci_run *run, struct inputs *inputs, void *context,
                                  pprofc_error *error) {
  const bool *screening = context;
  const struct inputs_side sides[SIDES] = {{&run->bench[SIDE_BASE], 1},
                                           {&run->bench[SIDE_HEAD], 1}};
  if (*screening) gate_screen_settings(&run->gate.settings);
  pprofc_status status = inputs_raw(inputs, sides, error);
  if (status == PPROFC_OK) mark_screened(run);
  return status;
}

void verdict_preview(struct ci_run *run, bool screening, take_row_fn *take, void *context) {
  struct gate kept = run->gate;
  struct inputs inputs;
  pprofc_error ignored; /* ignored, because the final verdict reports this error */
  size_t count;
  gate_init(&run->gate, run->mem);
  inputs_init(&inputs, &run->gate);
  pprofc_status status = judge_inputs(run, &inputs, read_preview, &screening, &ignored);
  const struct gate_row *rows = gate_rows(&run->gate, &count);
  for (size_t i = 0; i < count && status == PPROFC_OK; i++) take(context, &rows[i]);
  inputs_free(&inputs);
  gate_free(&run->gate);
  run->gate = kept;
}

/* Copies the texts of the rows into the run's arena, before inputs_free frees the originals. */
static void keep_texts(struct ci_run *run) {
  size_t count;
  struct gate_row *rows = gate_rows(&run->gate, &count);
  for (size_t i = 0; i < count; i++) {
    pprofc_str *const texts[] = {&rows[i].group, &rows[i].name, &rows[i].unit, &rows[i].file,
                                 &rows[i].text};
    text_keep_all(&run->arena, texts, sizeof texts / sizeof *texts);
  }
}

const char *const run_verdicts[] = {[RUN_PASSED] = "no regression",
                                    [RUN_GATE_FAILED] = "the gate failed",
                                    [RUN_REGRESSED] = "REGRESSION",
                                    [RUN_INCONCLUSIVE] = "inconclusive",
                                    [RUN_NOT_COMPARED] = "no benchmarks were compared",
                                    [RUN_NO_BASE] = "no comparison: no base",
                                    [RUN_UNREAD] = "not all profiles could be read",
                                    NULL};

/* True if the row measures time and the pair of profiles belongs to its benchmark. */
static bool is_time_of(const struct run_pair *pair, const struct gate_row *row) {
  return pair->benchmark && strcmp(pair->kind, "cpu") == 0 && str_ends(row->unit, STR("sec/op")) &&
         str_equal(row->name, str_of(pair->benchmark)) &&
         str_equal(row->group, str_of(pair->package));
}

/* Excuses times that got worse although all sampled functions have the same machine code. An
 * excused row does not count as a regression. */
static void excuse_rows(struct ci_run *run) {
  size_t count;
  struct gate_row *rows = gate_rows(&run->gate, &count);
  for (size_t i = 0; i < count; i++) {
    if (rows[i].verdict != PPROFC_GATE_REGRESSED) continue;
    for (size_t k = 0; k < run->pair_count; k++) {
      struct buffer why = ci_buffer();
      if (is_time_of(&run->pairs[k], &rows[i]) && code_excuses(run, &run->pairs[k], &why)) {
        gate_excuse(&run->gate, &rows[i]);
        buffer_printf(&run->gate_text, "%.*s %.*s: %.*s\n", STR_ARG(rows[i].name),
                      STR_ARG(rows[i].unit), STR_ARG(buffer_str(&why)));
        run->excused++;
      }
      buffer_free(&why);
    }
  }
}

/* Changes a success to an inconclusive result if a slower time was excused (excuse_rows). */
static void note_excused(struct ci_run *run) {
  if (!run->excused || run->status == 1 || run->status == 2) return;
  run->verdict = RUN_INCONCLUSIVE;
  if (!*run->doubt)
    run->doubt = "A time grew, but the machine code of all sampled functions is the same: only its "
                 "addresses differ.";
}

static void print_gate(struct ci_run *run) {
  excuse_rows(run);
  pprofc_str rest = buffer_str(&run->gate.problems), line;
  while (rest.data && str_next_line(&rest, &line))
    if (line.size) buffer_printf(&run->gate_text, "parse_bench_regressions: %.*s\n", STR_ARG(line));
  gate_print_text(&run->gate_text, &run->gate, false);
  run->status = gate_exit_status(&run->gate);
  run->verdict = (enum run_verdict)run->status;
  if (run->status == 0 && gate_is_inconclusive(&run->gate)) run->verdict = RUN_INCONCLUSIVE;
  run->judged = true;
}

/* Judges the rows by the gate (the code that judges benchmark results). If the gate cannot start,
 * the page shows a failure. */
void judge_rows(struct ci_run *run, read_rows_fn read, void *context) {
  struct inputs inputs;
  inputs_init(&inputs, &run->gate);
  inputs.keeps_results = true; /* the plots need the benchmark results */
  pprofc_status status = judge_inputs(run, &inputs, read, context, &ci_error);
  if (status == PPROFC_E_NOMEM) ci_need(status);
  if (status == PPROFC_OK) {
    keep_texts(run);
    print_gate(run);
  } else {
    buffer_printf(&run->gate_text, "parse_bench_regressions: %s\n", ci_error.message);
    gate_print_totals(&run->gate_text, &run->gate);
    run->status = 1;
    run->verdict = RUN_GATE_FAILED;
  }
  struct buffer totals = ci_buffer();
  gate_print_totals(&totals, &run->gate);
  run->totals = text_keep(&run->arena, str_trim(buffer_str(&totals)));
  buffer_free(&totals);
  inputs_free(&inputs);
}

void judge_counts(struct ci_run *run, bool regressed) {
  run->counts_regressed = regressed;
  if (run->status == 1) return;
  if (regressed) run->status = 2;
  if (regressed || !run->judged) run->verdict = regressed ? RUN_REGRESSED : RUN_PASSED;
}

/* Judges the instruction counts, which are the same in every run. */
static void judge_instructions(struct ci_run *run, const struct run_pair *pair) {
  double threshold = 0;
  double base = (double)source_instructions(run_path(pair, SIDE_BASE));
  double head = (double)source_instructions(run_path(pair, SIDE_HEAD));
  double change = base > 0 ? (head - base) / base : 0;
  pprofc_gate_verdict verdict = PPROFC_GATE_UNCHANGED;
  (void)gate_parse_percent(str_of(run->options->threshold), &threshold);
  if (change > 0 && change >= threshold) verdict = PPROFC_GATE_REGRESSED;
  if (change < 0 && -change >= threshold) verdict = PPROFC_GATE_IMPROVED;
  run->instructions = text_printf(
      &run->arena, "%s: instructions %.0f \xE2\x86\x92 %.0f  %+.2f%% (threshold %.6g%%)",
      pprofc_gate_verdict_name(verdict), base, head, 100 * change, 100 * threshold);
  judge_counts(run, verdict == PPROFC_GATE_REGRESSED);
}

static void count_instructions(struct ci_run *run) {
  for (size_t i = 0; i < run->pair_count; i++) {
    const struct run_pair *pair = &run->pairs[i];
    bool whole = run_is_counted(pair) && !pair->benchmark;
    if (!whole || !pair->run_count[SIDE_HEAD]) continue;
    if (pair->run_count[SIDE_BASE])
      judge_instructions(run, pair);
    else
      run->instructions = text_printf(&run->arena, "instructions: %lld",
                                      (long long)source_instructions(run_path(pair, SIDE_HEAD)));
    return;
  }
}

/* Fails the run if it has no regression but some of its profiles are unreadable. */
static void judge_unread(struct ci_run *run) {
  if (!run->unread_count) return;
  const char *doubt = text_printf(&run->arena, "%zu profile%s cannot be read.", run->unread_count,
                                  run->unread_count == 1 ? "" : "s");
  buffer_add_str(&run->gate_text, buffer_str(&run->unread));
  if (!*run->doubt) run->doubt = doubt;
  if (run->status != 0) return;
  run->status = 1;
  run->verdict = RUN_UNREAD;
}

void judge_results(struct ci_run *run) {
  if (!run->has_base) run->verdict = RUN_NO_BASE;
  for (size_t i = 0; i < run->same_count; i++)
    buffer_printf(&run->gate_text, "unchanged: same binary: %s\n", run->same[i]);
  if (same_is_all(run)) run->verdict = RUN_PASSED;
  if (run_has(run->bench[SIDE_HEAD])) write_tables(run);
  if (run_has(run->bench[SIDE_BASE])) judge_rows(run, read_results, NULL);
  count_instructions(run);
  failing_judge(run);
  note_excused(run);
  judge_unread(run);
}
