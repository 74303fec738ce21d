/* Measures the benchmarks of two commits, base and head alternately: first all benchmarks, then
 * only the benchmarks that look worse. */
#include "run/recording.h"

#include "core/child.h"
#include "gate/judge.h"
#include "gate/read/read.h"

struct recorded_text {
  int side;
  size_t package;
  const char *cpu;
  size_t round; /* number of the round, counted from 1 over the whole recording */
  pprofc_str text;
};

/* Removes the suffix "-CPU" that Go appends to a name unless the number of processors is 1. */
static pprofc_str without_cpu(pprofc_str name, const char *cpu) {
  size_t size = strlen(cpu);
  if (strcmp(cpu, "1") == 0 || name.size <= size || name.data[name.size - size - 1] != '-')
    return name;
  return str_ends(name, str_of(cpu)) ? str_slice(name, 0, name.size - size - 1) : name;
}

static void recorded_take_value(pprofc_str value, pprofc_str unit, struct run_measured *to) {
  if (str_equal(unit, STR("ns/op"))) (void)str_parse_float(value, &to->nanoseconds);
  if (str_equal(unit, STR("B/op"))) (void)str_parse_float(value, &to->bytes);
  if (str_equal(unit, STR("allocs/op"))) (void)str_parse_float(value, &to->allocations);
}

static bool recorded_parse(pprofc_str line, const char *cpu, struct recorded_line *out) {
  int64_t iterations;
  pprofc_str name, count, value, unit;
  (void)gate_next_word(&line, &name);
  (void)gate_next_word(&line, &count);
  if (!str_starts(name, STR("Benchmark"))) return false;
  if (!str_parse_int(count, 10, &iterations) || iterations < 0) return false;
  *out = (struct recorded_line){.name = without_cpu(name, cpu), .iterations = (double)iterations};
  while (gate_next_word(&line, &value) && gate_next_word(&line, &unit))
    recorded_take_value(value, unit, &out->measured);
  return true;
}

bool recorded_next(pprofc_str *text, const char *cpu, struct recorded_line *out) {
  pprofc_str line;
  while (text->data && str_next_line(text, &line))
    if (recorded_parse(line, cpu, out)) return true;
  return false;
}

/* Returns the element of a benchmark in r->items, or NULL. `group` and `label` are the import path
 * of its package and its name with the number of processors, as in a row of the gate. */
static struct recorded *recording_find(struct recording *r, pprofc_str group, pprofc_str label) {
  buffer_clear(&r->key);
  gate_noise_key(&r->key, group, label, STR(""));
  uint32_t id = interner_find(&r->keys, buffer_str(&r->key));
  return id == MAP_NONE ? NULL : &r->items[id];
}

/* Returns the element of a benchmark in r->items, and adds it if the benchmark is new. */
static struct recorded *recording_item(struct recording *r, size_t package, const char *cpu,
                                       pprofc_str name) {
  struct ci_run *run = r->run;
  const char *kept = text_keep(&run->arena, name), *label = kept + strlen("Benchmark");
  if (strcmp(cpu, "1") != 0) label = text_printf(&run->arena, "%s-%s", label, cpu);
  pprofc_str path = str_of(r->packages.items[package].path);
  struct recorded *item = recording_find(r, path, str_of(label));
  if (item) return item;
  (void)interner_copy(&r->keys, &run->arena, buffer_str(&r->key));
  const struct recorded new = {.package = package,
                               .cpu = cpu,
                               .name = kept,
                               .label = label,
                               .took = {ci_buffer(), ci_buffer()}};
  (void)ARRAY_PUSH_IN(&run->arena, r->items, r->count, r->capacity, new);
  return &r->items[r->count - 1];
}

/* Returns the time of -benchtime in nanoseconds, 1 s by default. A benchmark that reported no time
 * counts as if it took this long. */
static double asked_nanoseconds(const struct recording *r) {
  double nanoseconds = 1e9;
  if (*r->run->options->benchtime)
    (void)text_is_duration(str_of(r->run->options->benchtime), &nanoseconds);
  return nanoseconds;
}

static void keep_results(struct recording *r, int side, size_t package, const char *cpu,
                         pprofc_str printed) {
  struct recorded_line line;
  pprofc_str rest = printed;
  while (recorded_next(&rest, cpu, &line)) {
    struct recorded *item = recording_item(r, package, cpu, line.name);
    double took = line.measured.nanoseconds;
    if (!(took > 0)) took = asked_nanoseconds(r) / (line.iterations > 0 ? line.iterations : 1);
    buffer_add(&item->took[side], &took, sizeof took);
  }
  struct recorded_text text = {side, package, cpu, r->round, arena_str(&r->run->arena, printed)};
  buffer_add(&r->texts, &text, sizeof text);
}

#define ARGUMENTS_MOST 16

void recording_go(struct recording *r, int side, size_t index, const char *cpu,
                  const char *const *arguments, struct program *test) {
  const struct go_package *package = &r->packages.items[index];
  const char *of_cpu = text_printf(&r->run->arena, "-test.cpu=%s", cpu);
  const char *argv[ARGUMENTS_MOST] = {package->programs[side], "-test.run=^$", of_cpu};
  size_t count = 3;
  while (*arguments && count + 1 < ARGUMENTS_MOST) argv[count++] = *arguments++;
  argv[count] = NULL;
  *test = (struct program){.argv = argv, .folder = package->folders[side]};
  program_run(test);
  if (test->status != 0)
    ci_fail("the benchmarks of %s (%s) failed: %.*s", package->path, side_names[side],
            STR_ARG(program_last_line(test)));
  test->argv = NULL;
}

/* Runs a package's benchmarks, chosen by the argument `bench`, and stores the results. */
static void recording_measure(struct recording *r, int side, size_t package, const char *cpu,
                              const char *bench) {
  const char *benchtime = r->run->options->benchtime, *time = NULL;
  if (*benchtime) time = text_printf(&r->run->arena, "-test.benchtime=%s", benchtime);
  const char *const arguments[] = {bench, "-test.benchmem", time, NULL};
  struct program test;
  recording_go(r, side, package, cpu, arguments, &test);
  keep_results(r, side, package, cpu, buffer_str(&test.printed));
  program_end(&test);
}

/* Benchmarks to measure in a round. */
struct recorded_round {
  const char *name;     /* name of the package or benchmark, for progress messages */
  const char *bench;    /* argument that selects the benchmarks: "-test.bench=." */
  size_t number, count; /* number of the round in its stage, and number of rounds of the stage */
};

/* Runs the programs of base and head, each in a separate process. The side that is first changes
 * with each round. */
static void measure_both(struct recording *r, size_t package, const char *cpu,
                         const struct recorded_round *round) {
  int first = r->round % 2 ? SIDE_BASE : SIDE_HEAD;
  for (int turn = 0; turn < SIDES; turn++) {
    int side = turn ? SIDE_HEAD - first : first;
    if (!r->packages.items[package].programs[side]) continue;
    run_progress(++r->steps, r->all_steps, "measuring %s %s (round %zu of %zu)", side_names[side],
                 round->name, round->number, round->count);
    recording_measure(r, side, package, cpu, round->bench);
  }
}

/* Runs the programs of a package for each number of processors, base and head alternately. */
static void measure_package(struct recording *r, size_t index, int64_t number) {
  const struct run_options *o = r->run->options;
  const struct recorded_round round = {.name = r->packages.items[index].name,
                                       .bench =
                                           text_printf(&r->run->arena, "-test.bench=%s", o->bench),
                                       .number = (size_t)number,
                                       .count = (size_t)o->count};
  pprofc_str rest = str_of(r->cpus), cpu;
  while (str_next(&rest, ',', &cpu)) measure_both(r, index, text_keep(&r->run->arena, cpu), &round);
}

/* Measures base and head once, and records the load of the machine. */
static void measure_round(struct recording *r, int64_t round) {
  struct round_load begin = load_now();
  r->round++;
  for (size_t i = 0; i < r->packages.count; i++)
    if (!r->packages.items[i].same) measure_package(r, i, round);
  load_add(r->run, &begin);
}

/* Measures all benchmarks in the rounds `first` to `last`, with base and head in alternation. */
static void recording_rounds(struct recording *r, int64_t first, int64_t last) {
  size_t programs = 0, cpus = 1;
  for (size_t i = 0; i < r->packages.count; i++)
    for (int side = 0; side < SIDES && !r->packages.items[i].same; side++)
      programs += r->packages.items[i].programs[side] != NULL;
  for (const char *c = r->cpus; *c; c++) cpus += *c == ',';
  r->steps = (size_t)(first - 1) * programs * cpus;
  r->all_steps = (size_t)last * programs * cpus;
  for (int64_t i = first; i <= last; i++) measure_round(r, i);
}

static bool recording_is_number(pprofc_str text) {
  uint64_t number;
  return str_parse_uint(text, 10, &number) && number > 0;
}

/* Sets r->cpus to Go's default number of processors. Base and head both use this number. */
static void find_cpus(struct recording *r) {
  static const char source[] =
      "package main\n\nimport \"runtime\"\n\nfunc main() { print(runtime.GOMAXPROCS(0)) }\n";
  struct ci_run *run = r->run;
  r->cpus = run->options->cpu;
  if (*r->cpus) return;
  const char *path = text_printf(&run->arena, "%s/cpus.go", run->work);
  ci_need(save_append(path, str_of(source), &ci_error));
  struct program go = {.argv =
                           TEXT_LIST("env", "GOFLAGS=", "GO111MODULE=off", "go", "run", "cpus.go"),
                       .folder = run->work};
  program_run(&go);
  pprofc_str said = program_last_line(&go);
  if (go.status == 0 && recording_is_number(said))
    r->cpus = text_keep(&run->arena, said);
  else
    r->cpus = text_printf(&run->arena, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
  program_end(&go);
}

/* ---- stages ----------------------------------------- */

static const struct recorded_text *texts_of(const struct recording *r, size_t *count) {
  *count = r->texts.size / sizeof(struct recorded_text);
  return (const struct recorded_text *)(const void *)r->texts.data;
}

/* Appends the output of a program in the first stage. Skips the results of benchmarks that the
 * second stage measures again. */
static void add_unselected(struct recording *r, const struct recorded_text *from,
                           struct buffer *out) {
  pprofc_str rest = from->text, line;
  while (rest.data && str_next_line(&rest, &line)) {
    struct recorded_line result;
    pprofc_str one = line;
    if (recorded_next(&one, from->cpu, &result) &&
        recording_item(r, from->package, from->cpu, result.name)->selected)
      continue;
    buffer_add_str(out, line);
    buffer_add_char(out, '\n');
  }
}

static void texts_add(struct recording *r, int side, struct buffer *out) {
  size_t count;
  const struct recorded_text *texts = texts_of(r, &count);
  for (size_t i = 0; i < count; i++) {
    if (texts[i].side != side) continue;
    buffer_printf(out, "round: %zu\n", texts[i].round);
    if (i < r->first_texts)
      add_unselected(r, &texts[i], out);
    else
      buffer_add_str(out, texts[i].text);
  }
}

/* Writes the results of base or head to a file and makes the file an input of the verdict. */
static void texts_write(struct recording *r, int side, const char *name) {
  struct ci_run *run = r->run;
  struct buffer text = ci_buffer();
  const char *path = text_printf(&run->arena, "%s/%s_%s.txt", run->work, name, side_names[side]);
  texts_add(r, side, &text);
  ci_need(save_append(path, buffer_str(&text), &ci_error));
  buffer_free(&text);
  run->bench[side] = path;
}

static size_t count_measured(const struct recording *r, int side) {
  size_t found = 0;
  for (size_t i = 0; i < r->count; i++) found += r->items[i].took[side].size > 0;
  return found;
}

/* Writes the results to files, which later steps read like input files of the user. */
static void stages_write(struct recording *r) {
  struct ci_run *run = r->run;
  run->has_base = count_measured(r, SIDE_BASE) > 0;
  run->bench[SIDE_BASE] = "";
  if (!count_measured(r, SIDE_HEAD)) ci_fail("the base has benchmarks, but the head does not");
  texts_write(r, SIDE_HEAD, "bench");
  if (run->has_base) texts_write(r, SIDE_BASE, "bench");
}

static void take_selected(void *context, const struct gate_row *row) {
  struct recorded *item = recording_find(context, row->group, row->name);
  if (item && gate_screen_selects(row)) item->selected = true;
}

static void take_regressed(void *context, const struct gate_row *row) {
  struct recorded *item = recording_find(context, row->group, row->name);
  if (item && row->verdict == PPROFC_GATE_REGRESSED) item->regressed = true;
}

static void take_looked(void *context, const struct gate_row *row) {
  struct recording *r = context;
  struct recorded *item = recording_find(r, row->group, row->name);
  if (!item) return;
  item->judged = true;
  item->open |= !gate_look_decides(row, r->rounds);
}

/* Writes the results of base and head so far. `name` is a prefix of the file names. */
static void write_sides(struct recording *r, const char *name) {
  texts_write(r, SIDE_BASE, name);
  texts_write(r, SIDE_HEAD, name);
}

/* Judges the results so far of the second stage. Returns true if the verdict on each selected
 * benchmark is decided. */
static bool look(struct recording *r, size_t round) {
  for (size_t i = 0; i < r->count; i++) r->items[i].judged = r->items[i].open = false;
  write_sides(r, text_printf(&r->run->arena, "look%zu", round));
  verdict_preview(r->run, false, take_looked, r);
  bool decided = true;
  for (size_t i = 0; i < r->count; i++)
    if (r->items[i].selected) decided &= r->items[i].judged && !r->items[i].open;
  return decided;
}

static void measure_further(struct recording *r, size_t selected, size_t rounds) {
  bool decided = false;
  r->steps = 0;
  r->all_steps = 2 * rounds * selected;
  r->rounds = rounds;
  (void)texts_of(r, &r->first_texts);
  for (size_t round = 1; round <= rounds && !decided; round++) {
    struct round_load begin = load_now();
    r->round++;
    for (size_t i = 0; i < r->count; i++) {
      const struct recorded *item = &r->items[i];
      if (!item->selected) continue;
      const struct recorded_round turn = {item->name, recording_only(r, item), round, rounds};
      measure_both(r, item->package, item->cpu, &turn);
    }
    load_add(r->run, &begin);
    if (round == rounds || round % GATE_LOOK_ROUNDS) continue;
    decided = look(r, round);
    if (decided)
      message_note("%zu more rounds decide about %s: %zu are not needed", round,
                   selected == 1 ? "this benchmark" : "these benchmarks", rounds - round);
  }
}

/* Adds to run->screened the benchmarks that are measured only in the first rounds. */
static void keep_screened(struct recording *r) {
  for (size_t i = 0; i < r->count; i++)
    if (!r->items[i].selected) (void)interner_add(&r->run->screened, r->keys.items[i]);
}

static size_t count_selected(struct recording *r, size_t *both) {
  size_t selected = 0;
  *both = 0;
  for (size_t i = 0; i < r->count; i++) {
    struct recorded *item = &r->items[i];
    bool pair = item->took[SIDE_BASE].size && item->took[SIDE_HEAD].size;
    item->selected &= pair;
    selected += item->selected;
    *both += pair;
  }
  return selected;
}

static void stages_measure(struct recording *r) {
  const struct run_options *o = r->run->options;
  bool two = !o->all && o->count >= GATE_SCREEN_LEAST;
  size_t both;
  recording_rounds(r, 1, two ? GATE_SCREEN_ROUNDS : o->count);
  if (!two || !r->count) return;
  write_sides(r, "first");
  verdict_preview(r->run, true, take_selected, r);
  size_t selected = count_selected(r, &both);
  struct gate_screen_plan plan = gate_screen_plan_of(selected, both, (size_t)o->count);
  if (plan.all) {
    recording_rounds(r, GATE_SCREEN_ROUNDS + 1, o->count);
    return;
  }
  message_note("%zu of %zu benchmarks look worse or are too noisy to judge: %zu more rounds",
               selected, both, plan.rounds);
  keep_screened(r);
  measure_further(r, selected, plan.rounds);
}

/* ---- the recording ----------------------------------- */

static void recording_check(struct ci_run *run) {
  pprofc_str rest = str_of(run->options->record), word;
  while (str_next(&rest, ' ', &word))
    if (str_starts(word, STR("-"))) ci_fail("'%.*s' is not a package (-record)", STR_ARG(word));
  if (!child_exists("go")) ci_fail("-record needs go, which is not installed");
  if (!*GIT_LINE(&run->arena, "rev-parse", "--git-dir")) ci_fail("-record needs a git checkout");
}

static void recording_build(struct recording *r) {
  const char *base = checkouts_make(r->run);
  checkouts_build(r->run, SIDE_BASE, base, &r->packages);
  checkouts_build(r->run, SIDE_HEAD, files_here(r->run), &r->packages);
  if (!r->packages.count) ci_fail("no benchmarks in %s", r->run->options->record);
}

static void recording_free(struct recording *r) {
  for (size_t i = 0; i < r->count; i++)
    for (int side = 0; side < SIDES; side++) buffer_free(&r->items[i].took[side]);
  buffer_free(&r->texts);
  buffer_free(&r->key);
  interner_free(&r->keys);
  ARRAY_FREE(r->run->mem, r->packages.items, r->packages.capacity);
}

static void record_all(struct recording *r) {
  struct ci_run *run = r->run;
  recording_build(r);
  find_cpus(r);
  same_find(run, &r->packages);
  if (run->same_count == r->packages.count) return;
  stages_measure(r);
  if (!r->count)
    ci_fail("no benchmark in %s ran (-bench %s)", run->options->record, run->options->bench);
  load_check(run);
  stages_write(r);
  if (run->has_base) verdict_preview(run, false, take_regressed, r);
  recording_profile(r);
}

void record_benchmarks(struct ci_run *run) {
  files_temporary(&run->arena, &run->work);
  if (!*run->options->record) return;
  /* A go command that is stopped does not remove its temporary folder. This setting puts that
   * folder into the run's folder, which the run removes. */
  if (setenv("GOTMPDIR", run->work, 0) != 0) ci_fail("out of memory");
  struct recording r = {.run = run,
                        .packages = {.patterns = run->options->record},
                        .key = ci_buffer(),
                        .texts = ci_buffer()};
  interner_init(&r.keys, run->mem);
  recording_check(run);
  record_all(&r);
  recording_free(&r);
}
