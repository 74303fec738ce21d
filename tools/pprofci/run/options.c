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
         "folder with profiles of the base, in any format that pprofc reads. pprofci compares each "
         "profile with the head's profile of the same name"),
    FLAG(STRING, RUN_INPUTS, "head", head, "DIR", NULL,
         "folder with profiles of the head, with the same file names as in -base"),
    FLAG_CALLS(PAIR, RUN_INPUTS, 0, "pair", "FILE", add_pair,
               "two profiles to compare: -pair BASE HEAD. Their names may differ. If BASE and HEAD "
               "are folders, each profile in them is one run. May be repeated"),
    FLAG(STRING, RUN_INPUTS, "program-base", program_base, "FILE", NULL,
         "program of the base: an ELF file for x86-64. With -program-base and -program-head, the "
         "page marks functions whose machine code differs"),
    FLAG(STRING, RUN_INPUTS, "program-head", program_head, "FILE", NULL,
         "program of the head: an ELF file for x86-64"),
    FLAG_CALLS(STRING, RUN_INPUTS, FIELD(bench_base), "bench-base", "FILE", add_bench,
               "benchmark results of the base: a file, or a folder with one file per process. May "
               "be repeated"),
    FLAG_CALLS(STRING, RUN_INPUTS, FIELD(bench_head), "bench-head", "FILE", add_bench,
               "benchmark results of the head: a file, or a folder with one file per process. May "
               "be repeated"),
    FLAG(STRING, RUN_INPUTS, "bundled", bundled, "DIR", NULL,
         "folder with a copy of pprofc's testdata, such as generator_cpu.prof. pprofci compares "
         "these example profiles if you pass no other input"),
    FLAG(STRING, RUN_RECORDING, "record", record, "PACKAGES", NULL,
         "Go packages, separated by blanks. pprofci runs their benchmarks at the base commit and "
         "in the current checkout"),
    FLAG(STRING, RUN_RECORDING, "base-ref", base_ref, "REF", NULL,
         "commit of the base. In a pull request, the default is the first parent of its merge "
         "commit. In other runs, it is the merge base with the target branch. With input files, "
         "this flag names the commit at which the base was measured"),
    SWITCH(RUN_RECORDING, "all", all,
           "measure all benchmarks in all rounds. Without -all, pprofci skips packages whose test "
           "binary did not change. With 10 rounds or more, it measures after the first 5 rounds "
           "only benchmarks that look slower or have too much noise"),
    FLAG(INT, RUN_RECORDING, "count", count, "N", "10",
         "number of rounds. In each round, pprofci measures base and head once"),
    FLAG(STRING, RUN_RECORDING, "bench", bench, "REGEXP", ".", "benchmarks to run, as in go test"),
    FLAG(STRING, RUN_RECORDING, "benchtime", benchtime, "TIME", NULL,
         "run time of a benchmark (500ms) or its number of iterations (1000x), as in go test. The "
         "default is 1s in a round, and 2s while pprofci takes a profile"),
    FLAG(STRING, RUN_RECORDING, "cpu", cpu, "LIST", NULL,
         "values of GOMAXPROCS, as in go test: with 1,4, each benchmark runs with GOMAXPROCS=1 and "
         "with GOMAXPROCS=4"),
    FLAG(STRING, RUN_RECORDING, "profiles", profiles, "LIST", "cpu,mem",
         "kinds of profile to take, separated by commas: cpu, mem, block or mutex"),
    FLAG_WORDS(CHOICE, RUN_RECORDING, "profile", profile, "WHICH", NULL, profile_names,
               "benchmarks that pprofci profiles after the rounds:\n"
               "regressed (the default): only benchmarks that got worse\n"
               "all: every benchmark; -fail-on also has this effect"),
    FLAG(INT, RUN_RECORDING, "profile-runs", profile_runs, "N", "5",
         "number of profiles to take of base, and of head, for each profiled benchmark. Verdicts "
         "on functions need 3 or more. 0 disables profiles"),
    FLAG(STRING, RUN_SIMULATING, "simulate", simulate, "COMMAND", NULL,
         "command that runs the benchmarks. pprofci runs it under valgrind, and counts the "
         "instructions of each benchmark. COMMAND is one of these:\n"
         "pytest --codspeed, cargo codspeed run or another plugin of CodSpeed\n"
         "a program that marks its benchmarks for callgrind, such as by count.h\n"
         "Go packages, such as ./..."),
    FLAG(STRING, RUN_SIMULATING, "setup", setup, "COMMAND", NULL,
         "shell command that builds a commit in its checkout, such as 'pip install .'. With "
         "-simulate, pprofci runs it once for each commit. With -walltime, pprofci runs it again "
         "before each measurement"),
    FLAG(STRING, RUN_SIMULATING, "simulate-toggle", simulate_toggle, "FUNCTION", NULL,
         "function to count, with its callees, for a program that does not mark its benchmarks. "
         "The name may contain the wildcard *"),
    SWITCH(
        RUN_SIMULATING, "simulate-bytes", simulate_bytes,
        "also count the bytes that each benchmark allocates. pprofci then runs the command twice "
        "as often, and needs a C compiler ($CC or cc). Go benchmarks need no flag"),
    FLAG(STRING, RUN_SIMULATING, "simulate-base", simulate_base, "COMMAND", NULL,
         "command that runs the program of the base. pprofci runs it under callgrind, and counts "
         "all its instructions"),
    FLAG(STRING, RUN_SIMULATING, "simulate-head", simulate_head, "COMMAND", NULL,
         "command that runs the program of the head. pprofci runs it once under callgrind, and "
         "compares the counts with -simulate-base"),
    FLAG(INT, RUN_SIMULATING, "runs", simulated_runs, "N", "2",
         "number of counted runs of the base. From 2 runs on, pprofci ignores changes of functions "
         "whose counts differ between these runs"),
    FLAG(INT, RUN_SIMULATING, "simulate-runs", simulated_runs, "N", "2", "the same as -runs"),
    FLAG(STRING, RUN_TIMING, "walltime", walltime, "COMMAND", NULL,
         "command that runs the benchmarks with a plugin of CodSpeed, such as pytest --codspeed or "
         "vitest bench. The plugin measures the time of each benchmark. pprofci runs base and head "
         "alternately: -count times for the times, then -profile-runs times for profiles of all "
         "benchmarks by perf. "
         "With -simulate, the instructions decide the verdict instead of the times"),
    FLAG(STRING, RUN_RESULT, "out", out, "DIR", ".docs/artifacts/ci",
         "folder for the results. pprofci writes tables of benchmarks to the folder benchdiff next "
         "to it"),
    FLAG(STRING, RUN_RESULT, "threshold", threshold, "PERCENT", NULL,
         "smallest significant increase that is a regression, in percent. The default is the "
         "variable THRESHOLD_PERCENT. Without this variable, it is 5, or 1 with -simulate"),
    FLAG_CALLS(STRING, RUN_RESULT, FIELD(fail_on_last), "fail-on", "WHAT", add_fail_on,
               "condition that makes the result a regression. " NOISE_CONDITIONS),
    FLAG_WORDS(CHOICE, RUN_RESULT, "normalize-by", normalize_by, "WHAT", NULL, noise_exposures,
               "number by which pprofci divides the values of each run:\n"
               "ops: the run's number of operations\n"
               "time: the run's duration in seconds\n"
               "total: the run's total\n"
               "none: no division\n"
               "auto (the default): ops if the number of operations is known, none in other cases"),
    FLAG(STRING, RUN_RESULT, "ops", ops, "N,N", NULL,
         "number of operations in a run of the base, and in a run of the head"),
    FLAG(STRING, RUN_RESULT, "noise-rules", noise_rules, "FILE", NULL,
         "JSON file with rules on functions, as in pprofc: functions to ignore, frames to remove, "
         "changes to accept"),
    SWITCH(RUN_RESULT, "one-process", one_process,
           "accept results even if all samples of base or of head come from one process"),
    SWITCH(RUN_RESULT, "any-load", any_load,
           "report a longer time as a regression even if the machine was overloaded"),
    SWITCH(
        RUN_RESULT, "layout", layout,
        "report a longer time as a regression even if only addresses in the machine code changed"),
    SWITCH(RUN_RESULT, "no-fail", no_fail, "exit with 0 instead of 2 after a regression"),
    FLAG(STRING, RUN_RESULT, "links", links, "FILE", NULL,
         "file with links for the page, from `pprofci push -links FILE`"),
    FLAG(STRING, RUN_RESULT, "title", title, "TEXT", NULL,
         "title of the page, such as the title of the pull request"),
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
    "Compares the base (before a change) with the head (after it). For each pair of profiles, "
    "writes tables and flame graphs of base, head and difference. Writes one page with all "
    "results, and a summary. The exit status is the verdict on the benchmarks.",
    NULL};

static const struct flag_note environment[] = {
    {"PPROFC_BIN",
     "folder with the program pprofc, which -simulate-head starts; default: the folder of pprofci"},
    {"THRESHOLD_PERCENT", "default of -threshold"},
    {"GITHUB_STEP_SUMMARY", "file to which the command appends summary.md"},
    {"GITHUB_OUTPUT", "file to which the command appends its verdict, such as verdict=REGRESSION"},
    {"GITHUB_ACTIONS", "if true, the command prints annotations of regressions on standard output"},
    {"GITHUB_REPOSITORY, CI_PROJECT_PATH, BITBUCKET_REPO_FULL_NAME",
     "name of the repository, for links on the page"},
    {"GITHUB_SHA, CI_COMMIT_SHA, GIT_COMMIT", "id of the head's commit, if git is not available"},
    {NULL, NULL}};

static const struct flag_note statuses[] = {
    {"0", "no regression"},
    {"1", "failed, or the command could not check a condition of -fail-on"},
    {"2", "a benchmark regressed, a condition of -fail-on is true, or (with -simulate-head) the "
          "head executes more instructions"},
    {"3", "with PPROFC_STRICT=1: nothing regressed, but a benchmark got no reliable verdict"},
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
} belongings[] = {{"all", "record", "record"},
                  {"count", "record", "walltime"},
                  {"bench", "record", "simulate"},
                  {"benchtime", "record", "record"},
                  {"cpu", "record", "record"},
                  {"profiles", "record", "record"},
                  {"profile", "record", "record"},
                  {"profile-runs", "record", "walltime"},
                  {"setup", "simulate", "walltime"},
                  {"simulate-toggle", "simulate", "simulate"},
                  {"simulate-bytes", "simulate", "simulate"}};

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
  const char *usual = *o->simulate ? "1" : "5";
  double number;
  if (!*o->threshold) o->threshold = ci_variable("THRESHOLD_PERCENT", usual);
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
  o->has_inputs = run_is_given(o);
  if (o->has_inputs) return;
  if (!*o->bundled)
    ci_fail("nothing to compare: pass -base and -head, -bench-base and -bench-head, "
            "-record, -simulate, -walltime, or -simulate-base and -simulate-head");
  o->is_bundled = true;
  o->has_base = true;
}
