/* The flags of `pprofci run`. */
#include "run/options.h"

#include "commands.h"
#include "gate/settings.h"
#include "noise/gate.h"
#include "run/text.h"

#include <stdio.h>
#include <stdlib.h>

#define FIELD(name) offsetof(struct run_options, name)

enum run_group { RUN_INPUTS, RUN_RECORDING, RUN_SIMULATING, RUN_RESULT };

static const struct flag_group groups[] = {
    [RUN_INPUTS] = {"Inputs", "Without a base nothing is compared: a first run."},
    [RUN_RECORDING] = {"Recording Go benchmarks", NULL},
    [RUN_SIMULATING] = {"Counting instructions", NULL},
    [RUN_RESULT] = {"The result", NULL},
};

/* Stores a value of -pair: the parser calls it for the base, then for the head. */
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
  if (!*text) return NULL; /* check_empty reports it */
  if (o->bench_count[side] == RUN_BENCH_MAX) return "too many; put the files into a folder";
  o->bench_paths[side][o->bench_count[side]++] = text;
  return NULL;
}

static const char *add_fail_on(void *context, const struct flag *flag, const char *text) {
  struct run_options *o = context;
  (void)flag;
  o->fail_on_last = text;
  if (!*text) return NULL; /* check_empty reports it */
  if (o->fail_on_count == RUN_FAIL_ON_MAX) return "too many conditions";
  o->fail_on[o->fail_on_count++] = text;
  return NULL;
}

#define TEXT(flag_name, field, in_group, what, ...)                                                \
  {                                                                                                \
    .name = (flag_name), .kind = FLAG_STRING, .offset = FIELD(field), .group = (in_group),         \
    .argument = (what), __VA_ARGS__                                                                \
  }

static const char *const profile_names[] = {"regressed", "all", NULL};

static const struct flag flags[] = {
    TEXT("base", base, RUN_INPUTS, "DIR",
         .help = "profiles of the base, in any format that pprofc reads; equal names are pairs"),
    TEXT("head", head, RUN_INPUTS, "DIR", .help = "profiles of the head"),
    {.name = "pair",
     .kind = FLAG_PAIR,
     .group = RUN_INPUTS,
     .argument = "FILE",
     .call = add_pair,
     .help = "base and head profile of a pair, whatever their names: -pair BASE HEAD; in folders "
             "each profile is a run; may be repeated"},
    TEXT("program-base", program_base, RUN_INPUTS, "FILE",
         .help =
             "program of the base, an ELF file for x86-64; functions get the column Code, which "
             "shows if their machine code changed"),
    TEXT("program-head", program_head, RUN_INPUTS, "FILE", .help = "program of the head"),
    TEXT("bench-base", bench_base, RUN_INPUTS, "FILE", .call = add_bench,
         .help = "benchmark results of the base, a file or a folder with a file per process; may "
                 "be repeated"),
    TEXT("bench-head", bench_head, RUN_INPUTS, "FILE", .call = add_bench,
         .help = "benchmark results of the head, a file or a folder with a file per process; may "
                 "be repeated"),
    TEXT("bundled", bundled, RUN_INPUTS, "DIR",
         .help = "folder of the profiles to compare if no other input is given"),
    TEXT("record", record, RUN_RECORDING, "PACKAGES",
         .help = "run the benchmarks of Go packages at -base-ref and here; blanks separate "
                 "packages"),
    TEXT("base-ref", base_ref, RUN_RECORDING, "REF",
         .help = "commit to compare with; default: the first parent of a pull request's merge "
                 "commit, or the merge base with the target branch; without -record the commit of "
                 "the profiles of the base"),
    {.name = "all",
     .kind = FLAG_BOOL,
     .offset = FIELD(all),
     .group = RUN_RECORDING,
     .help = "measure everything in every round, also unchanged test binaries and benchmarks that "
             "did not look worse in the first rounds"},
    {.name = "count",
     .kind = FLAG_INT,
     .offset = FIELD(count),
     .group = RUN_RECORDING,
     .argument = "N",
     .initial = "10",
     .help = "number of rounds; each measures both sides"},
    TEXT("bench", bench, RUN_RECORDING, "REGEXP", .initial = ".",
         .help = "benchmarks to run, as in go test"),
    TEXT("benchtime", benchtime, RUN_RECORDING, "TIME",
         .help = "run time of a benchmark, as in go test: 500ms, 1000x; default: 1s in a round, 2s "
                 "in a profile"),
    TEXT("cpu", cpu, RUN_RECORDING, "LIST", .help = "values of GOMAXPROCS, as in go test: 1,4"),
    TEXT("profiles", profiles, RUN_RECORDING, "LIST", .initial = "cpu,mem",
         .help = "kinds of profile to take: cpu, mem, block, mutex"),
    {.name = "profile",
     .kind = FLAG_CHOICE,
     .offset = FIELD(profile),
     .group = RUN_RECORDING,
     .argument = "WHICH",
     .choices = profile_names,
     .help = "benchmarks to profile: regressed or all; -fail-on profiles all"},
    {.name = "profile-runs",
     .kind = FLAG_INT,
     .offset = FIELD(profile_runs),
     .group = RUN_RECORDING,
     .argument = "N",
     .initial = "5",
     .help = "number of profiles per side of a benchmark, apart from the measured rounds; 3 or "
             "more give verdicts of functions, 0 disables profiles"},
    TEXT("simulate", simulate, RUN_SIMULATING, "COMMAND",
         .help = "command whose benchmarks are counted one by one under valgrind: pytest "
                 "--codspeed, cargo codspeed run, a program that marks its benchmarks for "
                 "callgrind, or Go packages such as ./...; split into words like in a shell"),
    TEXT("setup", setup, RUN_SIMULATING, "COMMAND",
         .help = "shell command that builds each commit before -simulate counts; both commits are "
                 "checked out in turn in one folder"),
    TEXT("simulate-toggle", simulate_toggle, RUN_SIMULATING, "FUNCTION",
         .help = "function to count, with its callees, in a program without marks; may be a "
                 "pattern with *"),
    TEXT("simulate-base", simulate_base, RUN_SIMULATING, "COMMAND",
         .help = "command of the base for pprofc -simulate, split into words like in a shell"),
    TEXT("simulate-head", simulate_head, RUN_SIMULATING, "COMMAND",
         .help = "command of the head for pprofc -simulate, which runs once"),
    {.name = "runs",
     .kind = FLAG_INT,
     .offset = FIELD(simulated_runs),
     .group = RUN_SIMULATING,
     .argument = "N",
     .initial = "2",
     .help = "number of runs of the base's command; 2 or more separate functions that vary from "
             "functions that changed"},
    {.name = "simulate-runs",
     .kind = FLAG_INT,
     .offset = FIELD(simulated_runs),
     .group = RUN_SIMULATING,
     .argument = "N",
     .initial = "2",
     .help = "same as -runs"},
    TEXT("out", out, RUN_RESULT, "DIR", .initial = ".docs/artifacts/ci",
         .help = "folder for the artifacts; benchmark tables go to benchdiff next to it"),
    TEXT("threshold", threshold, RUN_RESULT, "PERCENT",
         .help = "smallest significant increase that is a regression; default: THRESHOLD_PERCENT, "
                 "else 5, or 1 with -simulate"),
    {.name = "fail-on",
     .kind = FLAG_STRING,
     .offset = FIELD(fail_on_last),
     .group = RUN_RESULT,
     .argument = "WHAT",
     .call = add_fail_on,
     .help = "growth of a function that is a regression: flat>5%, cum>5%, self>10%, flat>10ms, "
             "name=RE, or flat>5%,name=RE; total>5% and common>5% test the total and all functions "
             "together; may be repeated"},
    {.name = "normalize-by",
     .kind = FLAG_CHOICE,
     .offset = FIELD(normalize_by),
     .group = RUN_RESULT,
     .argument = "WHAT",
     .choices = noise_exposures,
     .help = "divisor of a run's values, as in pprofc: ops, time, total (percent) or none; "
             "default: ops if known, else none"},
    TEXT("ops", ops, RUN_RESULT, "N,N", .help = "operations per run of the base and of the head"),
    TEXT(
        "noise-rules", noise_rules, RUN_RESULT, "FILE",
        .help =
            "JSON file of environment functions, folded frames and accepted changes, as in pprofc"),
    {.name = "one-process",
     .kind = FLAG_BOOL,
     .offset = FIELD(one_process),
     .group = RUN_RESULT,
     .help = "judge results although all samples of a side come from one process"},
    {.name = "any-load",
     .kind = FLAG_BOOL,
     .offset = FIELD(any_load),
     .group = RUN_RESULT,
     .help = "judge times even if the machine was overloaded"},
    {.name = "layout",
     .kind = FLAG_BOOL,
     .offset = FIELD(layout),
     .group = RUN_RESULT,
     .help = "judge times even if only the place of unchanged machine code in memory differs"},
    {.name = "no-fail",
     .kind = FLAG_BOOL,
     .offset = FIELD(no_fail),
     .group = RUN_RESULT,
     .help = "exit with 0 when something regressed"},
    TEXT("links", links, RUN_RESULT, "FILE",
         .help = "links for the page, written by `pprofci push -links FILE`"),
    TEXT("title", title, RUN_RESULT, "TEXT",
         .help = "title of the page: the change, the pull request"),
};

static const char *const usage[] = {
    "-base DIR -head DIR [-bench-base FILE -bench-head FILE] [flags]",
    "-record PACKAGES [-base-ref REF] [flags]",
    "-simulate COMMAND [-base-ref REF -setup COMMAND] [flags]",
    "-simulate-base COMMAND -simulate-head COMMAND [flags]", NULL};

static const char *const details[] = {
    "Makes the artifacts of a pull request: tables and flame graphs of base, head and difference "
    "for each pair of profiles, a page with all of them, a summary, and the verdict of the "
    "benchmarks.",
    NULL};

static const struct flag_note environment[] = {
    {"PPROFC_BIN", "folder of pprofc, for -simulate-head; default: the folder of pprofci"},
    {"THRESHOLD_PERCENT", "default of -threshold"},
    {"GITHUB_STEP_SUMMARY", "summary.md is added to this file"},
    {"GITHUB_OUTPUT", "verdict=... is added to this file"},
    {"GITHUB_ACTIONS", "when it is true, regressions are annotated on standard output"},
    {"GITHUB_SHA, CI_COMMIT_SHA, GIT_COMMIT", "commit for manifest.json if git is not available"},
    {NULL, NULL}};

static const struct flag_note statuses[] = {
    {"0", "nothing regressed"},
    {"1", "failed, or -fail-on had nothing to judge"},
    {"2", "a benchmark regressed, the program executes more, or -fail-on found a function"},
    {"3", "with PPROFC_STRICT=1: nothing regressed, but not everything could be judged"},
    {NULL, NULL}};

const struct flag_table run_table = {
    .program = "pprofci run",
    .summary = "makes tables, flame graphs, a page and a verdict",
    .usage = usage,
    .details = details,
    .groups = groups,
    .group_count = sizeof groups / sizeof *groups,
    .flags = flags,
    .flag_count = sizeof flags / sizeof *flags,
    .environment = environment,
    .statuses = statuses,
};

/* ---- values ------------------------------------------ */

static bool run_seen(const struct flags_parsed *parsed, const char *name) {
  const struct flag *flag = flags_find(&run_table, str_of(name));
  return flag && parsed->seen[flag - flags];
}

/* Rejects empty values: usually a variable that was never set. */
static pprofc_status check_empty(const struct run_options *o, const struct flags_parsed *parsed,
                                 pprofc_error *error) {
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
    if (flags[i].kind != FLAG_STRING || !parsed->seen[i]) continue;
    const char *text;
    memcpy(&text, (const char *)o + flags[i].offset, sizeof text);
    if (!*text) return error_set(error, PPROFC_E_INVALID, "-%s is empty", flags[i].name);
  }
  return PPROFC_OK;
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
  static const char *const kinds[] = {"cpu", "mem", "block", "mutex"};
  pprofc_str item;
  while (str_next(&list, ',', &item)) {
    bool known = false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
      known |= str_equal(item, str_of(kinds[i]));
    if (!known) return false;
  }
  return true;
}

static pprofc_status check_how_often(const struct run_options *o, pprofc_error *error) {
  if (o->count < 1 || o->count > 999999)
    return error_set(error, PPROFC_E_INVALID, "-count must be a whole number from 1 up, not '%lld'",
                     (long long)o->count);
  if (o->profile_runs < 0 || o->profile_runs > RUN_PROFILE_RUNS_MAX)
    return error_set(error, PPROFC_E_INVALID,
                     "-profile-runs must be a whole number from 0 to %d, not '%lld'",
                     RUN_PROFILE_RUNS_MAX, (long long)o->profile_runs);
  if (o->simulated_runs < 1 || o->simulated_runs > RUN_SIMULATED_MAX)
    return error_set(error, PPROFC_E_INVALID,
                     "-runs must be a whole number from 1 to %d, not '%lld'", RUN_SIMULATED_MAX,
                     (long long)o->simulated_runs);
  return PPROFC_OK;
}

static pprofc_status check_values(const struct run_options *o, pprofc_error *error) {
  const char *benchtime = o->benchtime;
  pprofc_status status = check_how_often(o, error);
  for (size_t i = 0; i < o->fail_on_count && status == PPROFC_OK; i++)
    status = noise_condition_check("fail-on", o->fail_on[i], error);
  if (status != PPROFC_OK) return status;
  if (*benchtime && !text_is_iterations(str_of(benchtime), NULL) &&
      !text_is_duration(str_of(benchtime), NULL))
    return error_set(error, PPROFC_E_INVALID,
                     "-benchtime must be a time or a number of iterations, as 500ms or 1000x, not "
                     "'%s'",
                     benchtime);
  if (*o->cpu && !is_cpu_list(str_of(o->cpu)))
    return error_set(error, PPROFC_E_INVALID, "-cpu must be numbers with commas, not '%s'", o->cpu);
  if (!is_kind_list(str_of(o->profiles)))
    return error_set(error, PPROFC_E_INVALID,
                     "-profiles must be of cpu, mem, block and mutex, not '%s'", o->profiles);
  return PPROFC_OK;
}

/* ---- what belongs together --------------------------- */

static const struct {
  size_t base, head;
  const char *prefix; /* common prefix of both names */
} sides[] = {{FIELD(base), FIELD(head), ""},
             {FIELD(bench_base), FIELD(bench_head), "bench-"},
             {FIELD(program_base), FIELD(program_head), "program-"},
             {FIELD(simulate_base), FIELD(simulate_head), "simulate-"}};

static const char *run_text(const struct run_options *o, size_t offset) {
  const char *text;
  memcpy(&text, (const char *)o + offset, sizeof text);
  return text;
}

static pprofc_status check_both_sides(const struct run_options *o, pprofc_error *error) {
  for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
    const char *prefix = sides[i].prefix, *lacks = NULL;
    bool base = *run_text(o, sides[i].base), head = *run_text(o, sides[i].head);
    if (base && !head) lacks = "head";
    if (head && !base && o->has_base) lacks = "base";
    if (lacks)
      return error_set(error, PPROFC_E_INVALID, "-%sbase and -%shead go together: -%s%s is missing",
                       prefix, prefix, prefix, lacks);
  }
  return PPROFC_OK;
}

/* Flags that need one of two flags. */
static const struct {
  const char *name, *of, *or_of;
} belongings[] = {{"all", "record", "record"},       {"count", "record", "record"},
                  {"bench", "record", "simulate"},   {"benchtime", "record", "record"},
                  {"cpu", "record", "record"},       {"profiles", "record", "record"},
                  {"profile", "record", "record"},   {"profile-runs", "record", "record"},
                  {"setup", "simulate", "simulate"}, {"simulate-toggle", "simulate", "simulate"}};

/* -record and -simulate measure both sides; other inputs would be a second answer. */
static pprofc_status check_makers(const struct run_options *o, pprofc_error *error) {
  bool given = *o->base || *o->head || *o->bench_base || *o->bench_head;
  if (given && (*o->record || *o->simulate))
    return error_set(error, PPROFC_E_INVALID,
                     "-%s does not go with -base, -head, -bench-base and -bench-head",
                     *o->record ? "record" : "simulate");
  if (*o->simulate && (*o->record || *o->simulate_base || *o->simulate_head))
    return error_set(error, PPROFC_E_INVALID,
                     "-simulate does not go with -record, -simulate-base and -simulate-head");
  return PPROFC_OK;
}

static pprofc_status check_together(const struct run_options *o, const struct flags_parsed *parsed,
                                    pprofc_error *error) {
  pprofc_status status = check_makers(o, error);
  for (size_t i = 0; i < sizeof belongings / sizeof *belongings && status == PPROFC_OK; i++)
    if (run_seen(parsed, belongings[i].name) && !run_seen(parsed, belongings[i].of) &&
        !run_seen(parsed, belongings[i].or_of))
      status =
          error_set(error, PPROFC_E_INVALID, "-%s needs -%s", belongings[i].name, belongings[i].of);
  return status;
}

static bool run_names_base(struct run_options *o) {
  o->counts_base = *o->simulate && (*o->base_ref || *o->setup);
  return *o->base || *o->bench_base || *o->simulate_base || *o->record || o->pair_count ||
         o->counts_base;
}

pprofc_status run_options_settle(struct run_options *o, pprofc_error *error) {
  const char *variable = getenv("THRESHOLD_PERCENT");
  const char *usual = *o->simulate ? "1" : "5";
  double number;
  if (!*o->threshold) o->threshold = variable && *variable ? variable : usual;
  if (gate_parse_percent(str_of(o->threshold), &number)) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID, "-threshold must be a percentage, not '%s'",
                   o->threshold);
}

/* True if any input was given. */
static bool run_is_given(const struct run_options *o) {
  return o->has_base || *o->head || *o->bench_head || *o->simulate_head || *o->simulate;
}

pprofc_status run_options_read(struct run_options *o, int argc, char **argv,
                               struct flags_parsed *parsed, pprofc_error *error) {
  memset(o, 0, sizeof *o); /* what a call before has added */
  pprofc_status status = flags_defaults(&run_table, o, error);
  o->bench_base = "";
  o->bench_head = "";
  if (status == PPROFC_OK) status = flags_parse(&run_table, o, argc, argv, parsed, error);
  if (status != PPROFC_OK || parsed->help) return status;
  if (parsed->rest < argc)
    return error_set(error, PPROFC_E_INVALID, "unexpected argument '%s': pass inputs with flags",
                     argv[parsed->rest]);
  status = check_empty(o, parsed, error);
  if (status == PPROFC_OK) status = check_values(o, error);
  if (status == PPROFC_OK) status = check_together(o, parsed, error);
  if (status == PPROFC_OK) status = run_options_settle(o, error);
  o->has_base = run_names_base(o);
  if (status == PPROFC_OK) status = check_both_sides(o, error);
  if (status != PPROFC_OK || run_is_given(o)) return status;
  if (!*o->bundled)
    return error_set(error, PPROFC_E_INVALID,
                     "nothing to compare: pass -base and -head, -bench-base and -bench-head, "
                     "-record, -simulate, or -simulate-base and -simulate-head");
  o->is_bundled = true;
  o->has_base = true;
  return PPROFC_OK;
}
