/* Defines the flags of `pprofci run`. */
#include "run/run.h"

#include "gate/gate.h"
#include "run/files.h"
#include "verdict/print/print.h"

#define FIELD(name) offsetof(struct run_options, name)

enum run_group { RUN_INPUTS, RUN_RECORDING, RUN_SIMULATING, RUN_TIMING, RUN_RESULT };

static const struct flag_group groups[] = {
    [RUN_INPUTS] = {"Inputs",
                    "Without a base, pprofci run compares nothing and shows only the head."},
    [RUN_RECORDING] = {"Recording Go benchmarks", NULL},
    [RUN_SIMULATING] = {"Counting instructions", NULL},
    [RUN_TIMING] = {"Timing benchmarks of plugins", NULL},
    [RUN_RESULT] = {"The result", NULL},
};

/* Stores a value of -pair. The parser calls this function first for the base, then for the head. */
static const char *add_pair(void *context, const struct flag *flag, const char *text) {
  struct run_options *o = context;
  (void)flag;
  if (!*text) return "missing name of a profile";
  if (o->pair_count == RUN_PAIRS_MAX) return "too many pairs";
  const char **base = &o->pair_bases[o->pair_count];
  if (!*base)
    *base = text;
  else
    o->pair_heads[o->pair_count++] = text;
  return NULL;
}

static const char *add_bench(void *context, const struct flag *flag, const char *text) {
  struct run_options *o = context;
  int side = strcmp(flag->name, "bench-head") == 0;
  *(side ? &o->bench_head : &o->bench_base) = text;
  if (!*text) return NULL; /* Accept an empty value here. check_empty reports it later. */
  if (o->bench_count[side] == RUN_BENCH_MAX) return "too many; put the files into a folder";
  o->bench_paths[side][o->bench_count[side]++] = text;
  return NULL;
}

static const char *add_fail_on(void *context, const struct flag *flag, const char *text) {
  struct run_options *o = context;
  (void)flag;
  o->fail_on_last = text;
  if (!*text) return NULL; /* Accept an empty value here. check_empty reports it later. */
  if (o->fail_on_count == RUN_FAIL_ON_MAX) return "too many conditions";
  o->fail_on[o->fail_on_count++] = text;
  return NULL;
}

static const char *const profile_names[] = {"regressed", "all", NULL};

static const struct flag flags[] = {
    FLAG(STRING, RUN_INPUTS, "base", base, "DIR", NULL,
         "profiles of the base, in any format that pprofc reads. Profiles of base and head with "
         "equal names are compared"),
    FLAG(STRING, RUN_INPUTS, "head", head, "DIR", NULL, "profiles of the head"),
    FLAG_CALLS(PAIR, RUN_INPUTS, 0, "pair", "FILE", add_pair,
               "two profiles to compare, with any names: -pair BASE HEAD. If they are folders, "
               "each profile in them is a run. May be repeated"),
    FLAG(STRING, RUN_INPUTS, "program-base", program_base, "FILE", NULL,
         "program of the base, an ELF file for x86-64. The column Code of the page then shows "
         "which functions have other machine code"),
    FLAG(STRING, RUN_INPUTS, "program-head", program_head, "FILE", NULL, "program of the head"),
    FLAG_CALLS(STRING, RUN_INPUTS, FIELD(bench_base), "bench-base", "FILE", add_bench,
               "benchmark results of the base: a file, or a folder with one file per process. May "
               "be repeated"),
    FLAG_CALLS(STRING, RUN_INPUTS, FIELD(bench_head), "bench-head", "FILE", add_bench,
               "benchmark results of the head: a file, or a folder with one file per process. May "
               "be repeated"),
    FLAG(STRING, RUN_INPUTS, "bundled", bundled, "DIR", NULL,
         "folder with the files of this project's testdata (generator_cpu.prof and so on), "
         "compared if "
         "no other input is given"),
    FLAG(STRING, RUN_RECORDING, "record", record, "PACKAGES", NULL,
         "Go packages, separated by blanks, whose benchmarks run at -base-ref and in the checkout"),
    FLAG(STRING, RUN_RECORDING, "base-ref", base_ref, "REF", NULL,
         "commit to compare with. Default: the first parent of a pull request's merge commit, "
         "otherwise the merge base with the target branch. If the inputs are files: the commit of "
         "the base's profiles"),
    SWITCH(RUN_RECORDING, "all", all,
           "measure everything in every round: also packages with an unchanged test binary, and "
           "benchmarks that did not look worse in the first rounds"),
    FLAG(INT, RUN_RECORDING, "count", count, "N", "10",
         "number of rounds; a round measures base and head once"),
    FLAG(STRING, RUN_RECORDING, "bench", bench, "REGEXP", ".", "benchmarks to run, as in go test"),
    FLAG(STRING, RUN_RECORDING, "benchtime", benchtime, "TIME", NULL,
         "run time of a benchmark, as in go test: 500ms, 1000x; default: 1s in a round, 2s in a "
         "profile"),
    FLAG(STRING, RUN_RECORDING, "cpu", cpu, "LIST", NULL,
         "values of GOMAXPROCS, as in go test: 1,4"),
    FLAG(STRING, RUN_RECORDING, "profiles", profiles, "LIST", "cpu,mem",
         "kinds of profile to take: cpu, mem, block, mutex"),
    FLAG_WORDS(CHOICE, RUN_RECORDING, "profile", profile, "WHICH", NULL, profile_names,
               "benchmarks to profile: regressed or all. With -fail-on: all"),
    FLAG(INT, RUN_RECORDING, "profile-runs", profile_runs, "N", "5",
         "number of profiles of base and of head for each benchmark, in addition to the rounds. "
         "Verdicts on functions need 3 or more. 0 disables profiles"),
    FLAG(STRING, RUN_SIMULATING, "simulate", simulate, "COMMAND", NULL,
         "command, split into words as in a shell, whose benchmarks are counted one by one under "
         "valgrind: pytest --codspeed, cargo codspeed run, a program that marks its benchmarks for "
         "callgrind, or Go packages such as ./..."),
    FLAG(STRING, RUN_SIMULATING, "setup", setup, "COMMAND", NULL,
         "shell command that builds each commit in its checkout, before -simulate counts, or "
         "before each round of -walltime. Both commits use one folder in turns"),
    FLAG(STRING, RUN_SIMULATING, "simulate-toggle", simulate_toggle, "FUNCTION", NULL,
         "function to count, with its callees, in a program without marks. It may be a pattern "
         "with *"),
    FLAG(STRING, RUN_SIMULATING, "simulate-base", simulate_base, "COMMAND", NULL,
         "command, split into words as in a shell, that runs the program of the base, to count its "
         "instructions"),
    FLAG(STRING, RUN_SIMULATING, "simulate-head", simulate_head, "COMMAND", NULL,
         "command that runs the program of the head, once"),
    FLAG(INT, RUN_SIMULATING, "runs", simulated_runs, "N", "2",
         "number of runs of the base's command. With 2 or more, functions that vary between runs "
         "do not count as changed"),
    FLAG(INT, RUN_SIMULATING, "simulate-runs", simulated_runs, "N", "2", "same as -runs"),
    FLAG(STRING, RUN_TIMING, "walltime", walltime, "COMMAND", NULL,
         "command whose benchmarks are timed one by one by CodSpeed's plugins: pytest --codspeed, "
         "cargo codspeed run -m walltime, vitest bench. It runs -count times to measure times, "
         "then -profile-runs times under perf. It runs at -base-ref and in the checkout in turns. "
         "With -simulate, the instructions of a benchmark are judged instead of its time"),
    FLAG(STRING, RUN_RESULT, "out", out, "DIR", ".docs/artifacts/ci",
         "folder for the artifacts. Benchmark tables go to the folder benchdiff beside it"),
    FLAG(STRING, RUN_RESULT, "threshold", threshold, "PERCENT", NULL,
         "smallest significant increase that is a regression. Default: THRESHOLD_PERCENT if set, "
         "else 5, or 1 with -simulate"),
    FLAG_CALLS(STRING, RUN_RESULT, FIELD(fail_on_last), "fail-on", "WHAT", add_fail_on,
               "condition that makes the result a regression. May be repeated:\n"
               "total>5%: the total grew\n"
               "common>5%: all functions grew by this common factor\n"
               "flat>5%: the own cost of a function grew by this share of the base's total\n"
               "cum>5%: as flat>5%, for the cost of a function with its callees\n"
               "self>10%: the own cost of a function grew by this share of itself\n"
               "flat>10ms: the own cost of a function grew by this amount\n"
               "name=RE: the own cost of a function whose name matches RE grew by any amount\n"
               "flat>5%,name=RE: as flat>5%, but only for functions whose name matches RE"),
    FLAG_WORDS(
        CHOICE, RUN_RESULT, "normalize-by", normalize_by, "WHAT", NULL, noise_exposures,
        "divide the values of a run by its operations (ops), its seconds (time) or its total "
        "(total). none does not divide; auto (the default) means ops if known, else none"),
    FLAG(STRING, RUN_RESULT, "ops", ops, "N,N", NULL,
         "operations per run of the base and of the head"),
    FLAG(STRING, RUN_RESULT, "noise-rules", noise_rules, "FILE", NULL,
         "JSON file with rules, as in pprofc: functions that are never judged, frames that are "
         "removed, changes that are accepted"),
    SWITCH(RUN_RESULT, "one-process", one_process,
           "judge results even if all samples of base or of head come from one process"),
    SWITCH(RUN_RESULT, "any-load", any_load, "judge times even if the machine was overloaded"),
    SWITCH(RUN_RESULT, "layout", layout,
           "judge times even if the machine code is unchanged and only its addresses differ"),
    SWITCH(RUN_RESULT, "no-fail", no_fail, "exit with 0 when something regressed"),
    FLAG(STRING, RUN_RESULT, "links", links, "FILE", NULL,
         "links for the page, written by `pprofci push -links FILE`"),
    FLAG(STRING, RUN_RESULT, "title", title, "TEXT", NULL,
         "title of the page, such as the name of the pull request"),
    COMMAND_BUDGET(RUN_RESULT),
};

static const char *const usage[] = {
    "-base DIR -head DIR [-bench-base FILE -bench-head FILE] [flags]",
    "-record PACKAGES [-base-ref REF] [flags]",
    "-simulate COMMAND [-base-ref REF -setup COMMAND] [flags]",
    "-simulate-base COMMAND -simulate-head COMMAND [flags]",
    "-walltime COMMAND [-base-ref REF -setup COMMAND] [flags]",
    NULL};

static const char *const details[] = {
    "Compares the base (before a change) with the head (after it). Writes tables and flame graphs "
    "of base, head and difference for each pair of profiles, a page with all of them, and a "
    "summary. The exit status is the verdict on the benchmarks.",
    NULL};

static const struct flag_note environment[] = {
    {"PPROFC_BIN", "folder of pprofc, for -simulate-head; default: the folder of pprofci"},
    {"THRESHOLD_PERCENT", "default of -threshold"},
    {"GITHUB_STEP_SUMMARY", "file to which the command appends summary.md"},
    {"GITHUB_OUTPUT", "file to which the command appends verdict=..."},
    {"GITHUB_ACTIONS", "if true, the command prints annotations of regressions on standard output"},
    {"GITHUB_REPOSITORY, CI_PROJECT_PATH, BITBUCKET_REPO_FULL_NAME",
     "repository that the page names and links"},
    {"GITHUB_SHA, CI_COMMIT_SHA, GIT_COMMIT", "commit for manifest.json if git is not available"},
    {NULL, NULL}};

static const struct flag_note statuses[] = {
    {"0", "nothing regressed"},
    {"1", "failed, or -fail-on had nothing to judge"},
    {"2",
     "a benchmark regressed, the program of the head executes more instructions, or a condition of "
     "-fail-on is true"},
    {"3", "with PPROFC_STRICT=1: nothing regressed, but not everything could be judged"},
    {NULL, NULL}};

const struct flag_table run_table = {
    FLAG_TABLE("pprofci run", "makes tables, flame graphs, a page and a verdict"),
    .environment = environment};

static bool run_seen(const struct flags_parsed *parsed, const char *name) {
  const struct flag *flag = flags_find(&run_table, str_of(name));
  return flag && parsed->seen[flag - flags];
}

static const char *run_text(const struct run_options *o, size_t offset) {
  const char *text;
  memcpy(&text, (const char *)o + offset, sizeof text);
  return text;
}

/* Rejects empty values, because an empty value usually comes from a variable that is not set. */
static void check_empty(const struct run_options *o, const struct flags_parsed *parsed) {
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
    if (flags[i].kind != FLAG_STRING || flags[i].call == brief_store || !parsed->seen[i]) continue;
    if (!*run_text(o, flags[i].offset)) ci_fail("-%s is empty", flags[i].name);
  }
}

/* True for a list such as "1,4" of whole numbers above 0. */
static bool is_cpu_list(pprofc_str list) {
  pprofc_str item;
  while (str_next(&list, ',', &item)) {
    uint64_t number;
    if (!str_parse_uint(item, 10, &number) || number < 1 || number > 100000) return false;
  }
  return true;
}

static bool is_kind_list(pprofc_str list) {
  pprofc_str item;
  while (str_next(&list, ',', &item))
    if (!STR_ANY(str_equal, item, "cpu", "mem", "block", "mutex")) return false;
  return true;
}

static void check_how_often(const struct run_options *o) {
  if (o->count < 1 || o->count > 999999)
    ci_fail("-count must be a whole number from 1 up, not '%lld'", (long long)o->count);
  if (o->profile_runs < 0 || o->profile_runs > RUN_PROFILE_RUNS_MAX)
    ci_fail("-profile-runs must be a whole number from 0 to %d, not '%lld'", RUN_PROFILE_RUNS_MAX,
            (long long)o->profile_runs);
  if (o->simulated_runs < 1 || o->simulated_runs > RUN_SIMULATED_MAX)
    ci_fail("-runs must be a whole number from 1 to %d, not '%lld'", RUN_SIMULATED_MAX,
            (long long)o->simulated_runs);
}

static void check_values(const struct run_options *o) {
  const char *benchtime = o->benchtime;
  check_how_often(o);
  for (size_t i = 0; i < o->fail_on_count; i++)
    ci_need(noise_condition_check("fail-on", o->fail_on[i], &ci_error));
  if (*benchtime && !text_is_iterations(str_of(benchtime), NULL) &&
      !text_is_duration(str_of(benchtime), NULL))
    ci_fail("-benchtime must be a time or a number of iterations, as 500ms or 1000x, not '%s'",
            benchtime);
  if (*o->cpu && !is_cpu_list(str_of(o->cpu)))
    ci_fail("-cpu must be numbers with commas, not '%s'", o->cpu);
  if (!is_kind_list(str_of(o->profiles)))
    ci_fail("-profiles must be of cpu, mem, block and mutex, not '%s'", o->profiles);
}

static const struct {
  size_t base, head;
  const char *prefix; /* text before "base" and "head" in the flags */
} sides[] = {{FIELD(base), FIELD(head), ""},
             {FIELD(bench_base), FIELD(bench_head), "bench-"},
             {FIELD(program_base), FIELD(program_head), "program-"},
             {FIELD(simulate_base), FIELD(simulate_head), "simulate-"}};

static void check_both_sides(const struct run_options *o) {
  for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
    const char *prefix = sides[i].prefix, *lacks = NULL;
    bool base = *run_text(o, sides[i].base), head = *run_text(o, sides[i].head);
    if (base && !head) lacks = "head";
    if (head && !base && o->has_base) lacks = "base";
    if (lacks)
      ci_fail("-%sbase and -%shead go together: -%s%s is missing", prefix, prefix, prefix, lacks);
  }
}

/* Flags that are valid only together with at least one of two other flags. */
static const struct {
  const char *name, *of, *or_of;
} belongings[] = {{"all", "record", "record"},       {"count", "record", "walltime"},
                  {"bench", "record", "simulate"},   {"benchtime", "record", "record"},
                  {"cpu", "record", "record"},       {"profiles", "record", "record"},
                  {"profile", "record", "record"},   {"profile-runs", "record", "walltime"},
                  {"setup", "simulate", "walltime"}, {"simulate-toggle", "simulate", "simulate"}};

/* Rejects two flags that each make pprofci measure base and head, such as -record and -walltime. */
static void check_one_maker(const struct run_options *o) {
  bool others = *o->record || *o->simulate_base || *o->simulate_head;
  if (*o->walltime && others)
    ci_fail("-walltime cannot be combined with -record, -simulate-base and -simulate-head");
  if (*o->simulate && others)
    ci_fail("-simulate cannot be combined with -record, -simulate-base and -simulate-head");
}

/* Rejects a flag such as -record, which makes pprofci measure, together with input files. */
static void check_makers(const struct run_options *o) {
  bool given = *o->base || *o->head || *o->bench_base || *o->bench_head;
  const char *maker = *o->record ? "record" : NULL;
  if (*o->simulate) maker = "simulate";
  if (*o->walltime) maker = "walltime";
  if (given && maker)
    ci_fail("-%s cannot be combined with -base, -head, -bench-base and -bench-head", maker);
  check_one_maker(o);
}

static void check_together(const struct run_options *o, const struct flags_parsed *parsed) {
  check_makers(o);
  for (size_t i = 0; i < sizeof belongings / sizeof *belongings; i++)
    if (run_seen(parsed, belongings[i].name) && !run_seen(parsed, belongings[i].of) &&
        !run_seen(parsed, belongings[i].or_of))
      ci_fail("-%s needs -%s", belongings[i].name, belongings[i].of);
}

static bool run_names_base(struct run_options *o) {
  bool named = *o->base_ref || *o->setup;
  o->counts_base = *o->simulate && named;
  return *o->base || *o->bench_base || *o->simulate_base || *o->record || o->pair_count ||
         o->counts_base || (*o->walltime && named);
}

void run_options_settle(struct run_options *o) {
  const char *variable = getenv("THRESHOLD_PERCENT");
  const char *usual = *o->simulate ? "1" : "5";
  double number;
  if (!*o->threshold) o->threshold = variable && *variable ? variable : usual;
  if (!gate_parse_percent(str_of(o->threshold), &number))
    ci_fail("-threshold must be a percentage, not '%s'", o->threshold);
}

static bool run_is_given(const struct run_options *o) {
  return o->has_base || *o->head || *o->bench_head || *o->simulate_head || *o->simulate ||
         *o->walltime;
}

void run_check(void *options, const struct command_line *line) {
  struct run_options *o = options;
  const struct flags_parsed *parsed = &line->parsed;
  if (!o->bench_base) o->bench_base = "";
  if (!o->bench_head) o->bench_head = "";
  if (line->count) ci_fail("unexpected argument '%s': pass inputs with flags", line->words[0]);
  check_empty(o, parsed);
  check_values(o);
  check_together(o, parsed);
  run_options_settle(o);
  o->has_base = run_names_base(o);
  check_both_sides(o);
  if (run_is_given(o)) return;
  if (!*o->bundled)
    ci_fail("nothing to compare: pass -base and -head, -bench-base and -bench-head, "
            "-record, -simulate, -walltime, or -simulate-base and -simulate-head");
  o->is_bundled = true;
  o->has_base = true;
}
