/* Defines the flags of parse_bench_regressions. */
#include "options.h"

#include "gate/print/print.h"

enum { GROUP_INPUT, GROUP_JUDGE, GROUP_OUTPUT, GROUP_MISC };

static const struct flag_group groups[] = {
    {"Input", NULL},
    {"Judgement", NULL},
    {"Output", NULL},
    {"Miscellaneous", NULL},
};

static const char *const test_names[] = {"both", "welch", "utest", "none", NULL};
static const char *const time_names[] = {"auto", "wall", "cpu", NULL};
static const char *const correction_names[] = {"bh", "holm", "none", NULL};
const char *const format_names[] = {"text",  "github", "markdown", "json",
                                    "junit", "gitlab", "csv",      NULL};

/* Units with their better direction, which completion suggests. Other units are also valid. */
static const char *const direction_words[] = {
    "sec/op=lower",       "B/op=lower", "allocs/op=lower",         "instructions=lower",
    "cache-misses=lower", "B/s=higher", "items_per_second=higher", NULL};
static const char *const out_words[] = {
    "text=", "github=", "markdown=", "json=", "junit=", "gitlab=", "csv=", NULL};

static const char *add_direction(void *options, const struct flag *flag, const char *text) {
  struct gate_options *o = options;
  const char *equals = strrchr(text, '=');
  (void)flag;
  if (!equals || equals == text ||
      (strcmp(equals, "=lower") != 0 && strcmp(equals, "=higher") != 0))
    return "must be UNIT=lower or UNIT=higher";
  if (o->direction_count == LIST_MAX) return "too many";
  o->directions[o->direction_count++] = text;
  return NULL;
}

static const char *add_side(void *options, const struct flag *flag, const char *text) {
  struct gate_options *o = options;
  int side = strcmp(flag->name, "head") == 0;
  if (!*text) return "is empty";
  if (o->side_count[side] == LIST_MAX) return "too many; put the files into a folder";
  o->sides[side][o->side_count[side]++] = text;
  return NULL;
}

static const char *add_out(void *options, const struct flag *flag, const char *text) {
  struct gate_options *o = options;
  const char *equals = strchr(text, '=');
  (void)flag;
  if (!equals || !equals[1]) return "must be FORMAT=FILE";
  pprofc_str name = {text, (size_t)(equals - text)};
  if (!gate_format_find(name))
    return "the format must be text, github, markdown, json, junit, gitlab or csv";
  if (o->out_count == LIST_MAX) return "too many";
  o->outs[o->out_count++] = text;
  return NULL;
}

#define FIELD(member) offsetof(struct gate_options, member)

static const struct flag flags[] = {
    FLAG_CALLS(STRING, GROUP_INPUT, 0, "base", "FILE", add_side,
               "Benchmark results before the change: a file, or a folder with one file per "
               "process. May be repeated"),
    FLAG_CALLS(STRING, GROUP_INPUT, 0, "head", "FILE", add_side,
               "Benchmark results after the change: a file, or a folder with one file per process. "
               "May be repeated"),
    FLAG(STRING, GROUP_INPUT, "rules", rules, "FILE", NULL,
         "JSON file with rules for some benchmarks or units: thresholds, smallest changes "
         "(-floor), accepted regressions"),
    FLAG(STRING, GROUP_INPUT, "noise-from", noise_from, "DIR", NULL,
         "Folder or store with benchmark results of earlier runs of the base. A regression must "
         "also exceed the noise between these runs"),
    FLAG(STRING, GROUP_INPUT, "since", since, "FILE", NULL,
         "Reject inputs that are older than this file. Create the file at the start of the "
         "pipeline"),
    FLAG(STRING, GROUP_INPUT, "max-age", max_age, "AGE", NULL,
         "Reject inputs that are older than AGE, such as 90m, 36h or 7d. Default: 24h for files "
         "in a folder, and no limit for other files"),
    FLAG(STRING, GROUP_JUDGE, "threshold", threshold, "PERCENT", "5",
         "Smallest increase that is a regression, in percent"),
    FLAG(STRING, GROUP_JUDGE, "alpha", alpha, "P", "0.05",
         "Significance level: largest adjusted p-value of a significant change"),
    FLAG_WORDS(CHOICE, GROUP_JUDGE, "test", test, "TEST", NULL, test_names,
               "Test that decides if a difference is significant. Tables of benchstat already have "
               "p-values, which decide instead of a test:\n"
               "welch: Welch's t-test of means\n"
               "utest: the Mann-Whitney U test of medians\n"
               "both (the default): welch, then utest, then a t-test of trimmed means; stops when "
               "one test finds a change\n"
               "none: no test; every difference is significant, also in tables of benchstat"),
    FLAG_WORDS(CHOICE, GROUP_JUDGE, "correction", correction, "METHOD", NULL, correction_names,
               "Correction of p-values for the number of comparisons:\n"
               "bh (the default): Benjamini-Hochberg\n"
               "holm: Holm-Bonferroni\n"
               "none: no correction"),
    FLAG_WORDS(
        CHOICE, GROUP_JUDGE, "time", time, "TIME", NULL, time_names,
        "Time to compare, if a benchmark has both wall time and CPU time:\n"
        "auto (the default): CPU time; wall time if the benchmark has several threads or waits\n"
        "wall: wall time\n"
        "cpu: CPU time"),
    FLAG(INT, GROUP_JUDGE, "min-samples", min_samples, "N", "4",
         "Minimum number of samples of base, and of head, for a verdict on a benchmark"),
    FLAG(STRING, GROUP_JUDGE, "floor", floor, "SIZE", NULL,
         "Smallest absolute change that can be a regression: a time, a size, or a number for other "
         "units. May have several values, such as \"1us or 16 B\": 1us limits times, and 16 B "
         "limits sizes"),
    {"direction", FLAG_STRING, 0, GROUP_JUDGE, "UNIT=lower|higher",
     "Direction in which the values of a unit get better: widgets/op=higher means that more "
     "widgets/op are better. May be repeated",
     NULL, direction_words, 0, false, add_direction},
    SWITCH(GROUP_JUDGE, "strict", strict,
           "Exit with 3 if no benchmark regressed, but one has no reliable verdict: it is "
           "inconclusive, missing, suspiciously fast, or too noisy to show a change as large as "
           "the threshold"),
    SWITCH(GROUP_JUDGE, "one-process", one_process,
           "Accept results even if all samples of base or of head come from one process"),
    SWITCH(GROUP_JUDGE, "any-load", any_load,
           "Report a longer time as a regression even if the machine was overloaded"),
    FLAG(STRING, GROUP_JUDGE, "today", today, "DATE", NULL,
         "Date that decides if a rule has expired, such as 2027-01-31; default: the current date"),
    FLAG_WORDS(CHOICE, GROUP_OUTPUT, "format", format, "FORMAT", NULL, format_names,
               "Format of the output:\n"
               "text: lines for people\n"
               "github: annotations for GitHub, and a summary of the step\n"
               "markdown: a comment\n"
               "json: all data\n"
               "junit: XML of JUnit\n"
               "gitlab: a code quality report for GitLab\n"
               "csv: rows for a spreadsheet"),
    {"out", FLAG_STRING, 0, GROUP_OUTPUT, "FORMAT=FILE",
     "Also write the result in another format to a file, such as junit=bench.xml. May be repeated",
     NULL, out_words, 0, false, add_out},
    BRIEF_FLAG(
        GROUP_OUTPUT,
        "Maximum length of text, markdown or json on standard output in bytes; 0: no limit. The "
        "program drops the least important verdicts of a longer output, and prints their number"),
    SWITCH(GROUP_OUTPUT, "all", all, "Also list benchmarks that did not change"),
    SWITCH(GROUP_MISC, "selftest", selftest,
           "Test the gate itself: generate results with known regressions, and check that the gate "
           "finds them"),
    SWITCH(GROUP_MISC, "aa", aa,
           "Compare two runs of the same program. Print for each benchmark its noise, and a "
           "threshold that is safe from false alarms"),
    ABOUT_FLAGS(GROUP_MISC)};

static const char *const usage[] = {"[flags] [FILE | DIR] ...", "[flags] -base OLD -head NEW",
                                    "-selftest | -help | -version", NULL};
static const char *const details[] = {
    "FILE is a table that benchstat or benchstatc printed, as text, CSV, Markdown or JSON. From a "
    "folder DIR, the program reads the files bench_*.diff; the default DIR is "
    ".docs/artifacts/benchdiff. OLD and NEW (or two FILEs) are benchmark results in any format "
    "that benchstatc reads.",
    "A benchmark regressed if it got worse by at least the threshold, and if the difference is "
    "significant after a correction for the number of comparisons. The last line always reads \"N "
    "compared, M significant, K "
    "regressed, J missing\".",
    NULL};

static const struct flag_note examples[] = {
    {"THRESHOLD_PERCENT=5 parse_bench_regressions",
     "judges .docs/artifacts/benchdiff/bench_*.diff"},
    {"parse_bench_regressions -base old.txt -head new.txt", "tests the samples of two runs"},
    {"parse_bench_regressions -base old.txt -head new.txt -format github -out junit=bench.xml",
     "annotates a pull request and writes a report"},
    {"parse_bench_regressions -rules gate.json -noise-from nightly -strict diffs",
     "with rules; inconclusive results fail"},
    {NULL, NULL},
};

/* Prefix of environment variables. The name of a flag follows it. Old variable names have no
 * prefix, so other programs may use the same names. */
#define PREFIX "PPROFC_"

static const struct flag_note environment[] = {
    {"THRESHOLD_PERCENT",
     "value of -threshold. A flag overrides its variable. A variable overrides -rules"},
    {PREFIX "ALPHA", "value of -alpha"},
    {PREFIX "TEST", "value of -test"},
    {PREFIX "CORRECTION", "value of -correction"},
    {PREFIX "MIN_SAMPLES", "value of -min-samples"},
    {PREFIX "FLOOR", "value of -floor"},
    {PREFIX "STRICT", "value of -strict: 1, true, 0 or false"},
    {PREFIX "RULES", "value of -rules"},
    {PREFIX "NOISE_FROM", "value of -noise-from"},
    {PREFIX "MAX_AGE", "value of -max-age"},
    {PREFIX "DIRECTION", "values of -direction, separated by blanks"},
    {PREFIX "FORMAT", "value of -format"},
    {"ALPHA, TEST, ...",
     "old names of PPROFC_ALPHA, PPROFC_TEST and so on. The program uses them with a warning"},
    {"GITHUB_STEP_SUMMARY", "file to which -format=github appends its table"},
    {NULL, NULL},
};

static const struct flag_note statuses[] = {
    {"0", "no benchmark regressed. The result is a pass, or inconclusive if more than a fifth of "
          "the benchmarks got no verdict"},
    {"1", "no result: wrong usage, an unreadable or malformed input, nothing to compare, or output "
          "of a failed benchmark run"},
    {"2", "a benchmark regressed"},
    {"3",
     "with -strict: no benchmark regressed, but one is inconclusive, missing, suspiciously fast or "
     "too noisy. With -aa: the gate reported a regression between two runs of the same program"},
    {NULL, NULL},
};

const struct flag_table options_table = {
    FLAG_TABLE("parse_bench_regressions", "fails when benchmarks got slower"), .examples = examples,
    .environment = environment};

static size_t index_of(const struct flag *flag) {
  return (size_t)(flag - flags);
}

bool options_given(const struct flags_parsed *parsed, const char *name) {
  const struct flag *flag = flags_find(&options_table, str_of(name));
  return flag && parsed->seen[index_of(flag)];
}

/* Copies a text such as "widgets=higher latency=lower". Adds each word of it as a direction. */
static const char *set_directions(struct gate_options *options, const struct flag *flag,
                                  const char *text) {
  char *copy = options->direction_text;
  size_t size = strlen(text);
  if (size >= sizeof options->direction_text) return "too long";
  memcpy(copy, text, size + 1);
  for (char *word = copy; *word;) {
    char *end = word + strcspn(word, " ");
    char *next = *end ? end + 1 : end;
    *end = '\0';
    const char *wrong = *word ? add_direction(options, flag, word) : NULL;
    if (wrong) return wrong;
    word = next;
  }
  return NULL;
}

/* Sets a flag from an environment variable. Returns NULL, or the error message. */
static const char *environment_set(struct gate_options *options, const struct flag *flag,
                                   const char *text, pprofc_error *error) {
  if (flag->call) return set_directions(options, flag, text);
  return flag_set(flag, options, text, error) == PPROFC_OK ? NULL : error->message;
}

/* Sets a flag from its old environment variable, without PREFIX. Ignores an invalid value. */
static bool environment_set_old(struct gate_options *options, const struct flag *flag,
                                const char *variable) {
  pprofc_error error;
  const char *old = variable + strlen(PREFIX), *text = getenv(old);
  if (!text || !*text) return false;
  const char *wrong = environment_set(options, flag, text, &error);
  if (wrong)
    message_note("warning: the variable %s=%.100s is ignored: it is not a value of -%s", old, text,
                 flag->name);
  else
    message_note("warning: the variable %s=%.100s sets -%s; its name is now %s", old, text,
                 flag->name, variable);
  return !wrong;
}

/* Returns the flag that an environment variable sets, or NULL. For example, PPROFC_MIN_SAMPLES sets
 * -min-samples. `renamed` is true if `variable` begins with PPROFC_. Of the variables without
 * PPROFC_, only THRESHOLD_PERCENT sets a flag. */
static const struct flag *environment_flag(const char *variable, bool renamed) {
  char name[32];
  size_t size = 0;
  if (!renamed)
    return strcmp(variable, "THRESHOLD_PERCENT") ? NULL
                                                 : flags_find(&options_table, STR("threshold"));
  for (variable += strlen(PREFIX); variable[size]; size++)
    name[size] = variable[size] == '_' ? '-' : (char)(variable[size] + ('a' - 'A'));
  return flags_find(&options_table, (pprofc_str){name, size});
}

pprofc_status options_environment(struct gate_options *options, struct flags_parsed *parsed,
                                  pprofc_error *error) {
  for (const struct flag_note *note = environment; note->name; note++) {
    const char *variable = note->name, *text = getenv(variable);
    bool renamed = strncmp(variable, PREFIX, strlen(PREFIX)) == 0;
    const struct flag *flag = environment_flag(variable, renamed);
    if (!flag || parsed->seen[index_of(flag)]) continue;
    if (!text || !*text) {
      parsed->seen[index_of(flag)] = renamed && environment_set_old(options, flag, variable);
      continue;
    }
    const char *wrong = environment_set(options, flag, text, error);
    if (wrong && flag->call)
      return error_set(error, PPROFC_E_INVALID, "invalid value \"%s\" of %s: %s", text, variable,
                       wrong);
    if (wrong) {
      error_prefix(error, "%s: ", variable);
      return error->status;
    }
    parsed->seen[index_of(flag)] = true;
  }
  return PPROFC_OK;
}

static pprofc_status apply_numbers(const struct gate_options *o, const struct flags_parsed *parsed,
                                   struct gate_settings *s, pprofc_error *error) {
  if (options_given(parsed, "threshold") &&
      !gate_parse_percent(str_of(o->threshold), &s->threshold))
    return error_set(error, PPROFC_E_INVALID,
                     "the threshold must be a percentage from 0 up, not \"%s\"", o->threshold);
  if (options_given(parsed, "alpha") &&
      (!str_parse_float(str_of(o->alpha), &s->alpha) || !(s->alpha >= 0 && s->alpha <= 1)))
    return error_set(error, PPROFC_E_INVALID, "alpha must be from 0 to 1, not \"%s\"", o->alpha);
  return PPROFC_OK;
}

static pprofc_status apply_least(const struct gate_options *o, const struct flags_parsed *parsed,
                                 struct gate_settings *s, pprofc_error *error) {
  if (options_given(parsed, "min-samples") && o->min_samples < 1)
    return error_set(error, PPROFC_E_INVALID, "-min-samples must be at least 1");
  if (options_given(parsed, "floor") && !gate_parse_floor(str_of(o->floor), &s->floor))
    return error_set(error, PPROFC_E_INVALID, "the floor must be like \"1us or 16 B\", not \"%s\"",
                     o->floor);
  return PPROFC_OK;
}

static pprofc_status check_today(const struct gate_options *o, const struct flags_parsed *parsed,
                                 pprofc_error *error) {
  if (!options_given(parsed, "today") || gate_is_date(str_of(o->today))) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID, "the day must be a date like 2027-01-31, not \"%s\"",
                   o->today);
}

pprofc_status options_apply(const struct gate_options *o, const struct flags_parsed *parsed,
                            struct gate *gate, pprofc_error *error) {
  struct gate_settings *s = &gate->settings;
  pprofc_status status = apply_numbers(o, parsed, s, error);
  if (status == PPROFC_OK) status = apply_least(o, parsed, s, error);
  if (status == PPROFC_OK) status = check_today(o, parsed, error);
  if (status != PPROFC_OK) return status;
  if (options_given(parsed, "test")) s->test = (pprofc_gate_test)o->test;
  if (options_given(parsed, "correction")) s->correction = (pprofc_gate_correction)o->correction;
  if (options_given(parsed, "time")) s->time = (pprofc_gate_time)o->time;
  if (options_given(parsed, "min-samples")) s->min_samples = (size_t)o->min_samples;
  if (options_given(parsed, "strict")) s->strict = o->strict;
  s->one_process |= o->one_process;
  s->any_load |= o->any_load;
  for (size_t i = 0; i < o->direction_count; i++) {
    pprofc_str text = str_of(o->directions[i]);
    size_t equals = str_find_last_char(text, '=');
    int direction = str_ends(text, STR("=lower")) ? -1 : 1;
    if (!gate_add_direction(gate, str_slice(text, 0, equals), direction)) return error_nomem(error);
  }
  return PPROFC_OK;
}

const char *options_today(const struct gate_options *options, char out[OPTIONS_DAY]) {
  time_t now = time(NULL);
  struct tm parts;
  if (*options->today) return options->today;
  return gmtime_r(&now, &parts) && strftime(out, OPTIONS_DAY, "%Y-%m-%d", &parts) ? out : "";
}
