/* Defines the flags of benchstatc. */
#include "options.h"

#include <strings.h>

enum { GROUP_COMPARE, GROUP_OUTPUT, GROUP_CLASSIC, GROUP_MISC };

static const struct flag_group groups[] = {
    {"Comparison", "A projection is a list of keys of results: .config, .name, .fullname, .file, "
                   "/part (a part of the benchmark's name) or a configuration key such as goos. "
                   "After a key, @alpha, @num or @(value value ...) sets the order of its values."},
    {"Output", NULL},
    {"The earlier table", "These flags need -format=classic, the table of benchstat before 2021."},
    {"Miscellaneous", NULL},
};

#define FIELD(member) offsetof(struct benchstat_options, member)

static const char *const test_words[] = {"utest", "ttest", "none", NULL};
static const char *const format_words[] = {"text", "csv",     "markdown", "json",
                                           "html", "classic", NULL};
static const char *const sort_words[] = {"none", "name", "delta", "-name", "-delta", NULL};

static const struct flag flags[] = {
    FLAG(STRING, GROUP_COMPARE, "table", table, "PROJECTION", ".config",
         "Split results into tables by the values of these keys"),
    FLAG(STRING, GROUP_COMPARE, "row", row, "PROJECTION", ".fullname",
         "Split results into rows by the values of these keys"),
    FLAG(STRING, GROUP_COMPARE, "col", col, "PROJECTION", ".file",
         "Split results into columns by the values of these keys. The other columns are compared "
         "with the first column"),
    FLAG(STRING, GROUP_COMPARE, "ignore", ignore, "KEYS", NULL,
         "Keys to ignore. Results that differ only in these keys become samples of one benchmark"),
    FLAG(STRING, GROUP_COMPARE, "filter", filter, "QUERY", "*",
         "Use only results that match this query, such as goos:linux AND (/size:4k OR .unit:/^B/)"),
    FLAG(FLOAT, GROUP_COMPARE, "alpha", alpha, "P", "0.05",
         "Significance level: largest p-value of a significant difference"),
    FLAG(FLOAT, GROUP_COMPARE, "confidence", confidence, "LEVEL", "0.95",
         "Confidence level of the intervals that the table prints"),
    FLAG_WORDS(STRING, GROUP_COMPARE, "delta-test", delta_test, "TEST", "utest", test_words,
               "Test that decides if a difference is significant:\n"
               "utest: the Mann-Whitney U test of medians\n"
               "ttest: Welch's t-test of means\n"
               "none: no test"),
    FLAG_WORDS(STRING, GROUP_OUTPUT, "format", format, "FORMAT", "text", format_words,
               "Format of the output:\n"
               "text, markdown, html: a table\n"
               "csv: rows for a spreadsheet, with warnings on standard error\n"
               "json: numbers that are not rounded\n"
               "classic: the table of benchstat before 2021"),
    {"budget", FLAG_STRING, FIELD(brief_bytes), GROUP_OUTPUT, "BYTES",
     "Maximum length of text, markdown or json in bytes; 0: no limit. benchstatc drops the rows "
     "that changed least from a longer output, and prints their number",
     "0", NULL, 0, false, brief_store},
    SWITCH(GROUP_CLASSIC, "geomean", geomean, "Print a row with the geometric mean of each file"),
    FLAG(STRING, GROUP_CLASSIC, "split", split, "LABELS", "pkg,goos,goarch",
         "Split benchmarks into groups by these labels, separated by commas"),
    FLAG_WORDS(STRING, GROUP_CLASSIC, "sort", sort, "ORDER", "none", sort_words,
               "Order of the rows: name, delta (the change) or none (the order in the input). A "
               "minus in front reverses the order"),
    SWITCH(GROUP_CLASSIC, "html", html, "Print an HTML table"),
    SWITCH(GROUP_CLASSIC, "csv", csv, "Print CSV"),
    SWITCH(GROUP_CLASSIC, "norange", norange, "With -csv: omit the columns with ranges"),
    ABOUT_FLAGS(GROUP_MISC)};

static const char *const usage[] = {"[flags] INPUT ...", "-help | -version", NULL};
static const char *const details[] = {
    "INPUT is a file, LABEL=FILE, or - for standard input: the output of go test -bench, also with "
    "-json; JSON of Google Benchmark, hyperfine, pytest-benchmark, JMH or criterion; CSV with the "
    "columns name, unit and value.",
    "The table has a row for each benchmark and a column for each input. A cell has the median and "
    "its confidence interval. From the second column on, it also has the difference from the first "
    "column, or \"~\" if the difference may be noise.",
    NULL};

static const struct flag_note examples[] = {
    {"benchstatc old.txt new.txt", "what changed"},
    {"benchstatc -col /format@(gob json) new.txt",
     "two variants in one file, with gob as the base"},
    {"benchstatc -filter '.unit:ns/op' -format=markdown base=old.txt head=new.txt",
     "a table for a comment"},
    {"benchstatc -format=classic -delta-test=ttest old.txt new.txt",
     "the table of versions before 2021"},
    {NULL, NULL},
};

static const struct flag_note statuses[] = {
    {"0", "success"},
    {"1", "an input or one of its lines is unreadable, an input has no results, or a flag has an "
          "invalid value"},
    {"2", "wrong usage"},
    {NULL, NULL},
};

const struct flag_table options_table = {
    FLAG_TABLE("benchstatc", "summarizes and compares benchmark results, like benchstat"),
    .examples = examples};

struct test_name {
  const char *name;
  pprofc_bench_test test;
};

static const struct test_name test_names[] = {
    {"utest", PPROFC_BENCH_UTEST}, {"u", PPROFC_BENCH_UTEST}, {"u-test", PPROFC_BENCH_UTEST},
    {"ttest", PPROFC_BENCH_TTEST}, {"t", PPROFC_BENCH_TTEST}, {"t-test", PPROFC_BENCH_TTEST},
    {"none", PPROFC_BENCH_NONE},
};

bool options_test(const struct benchstat_options *options, pprofc_bench_test *test) {
  for (size_t i = 0; i < sizeof test_names / sizeof *test_names; i++) {
    if (strcasecmp(options->delta_test, test_names[i].name) != 0) continue;
    *test = test_names[i].test;
    return true;
  }
  return false;
}

bool options_sort_is_known(const struct benchstat_options *options) {
  const char *order = options->sort + (options->sort[0] == '-');
  return strcmp(order, "none") == 0 || strcmp(order, "name") == 0 || strcmp(order, "delta") == 0;
}

const char *options_needs_classic(const struct flags_parsed *parsed) {
  for (size_t i = 0; i < COUNT(flags); i++)
    if (parsed->seen[i] && flags[i].group == GROUP_CLASSIC) return flags[i].name;
  return NULL;
}

void options_compare(const struct benchstat_options *options, pprofc_bench_options *compare) {
  pprofc_bench_options_init(compare);
  compare->table = options->table;
  compare->row = options->row;
  compare->col = options->col;
  compare->ignore = options->ignore;
  compare->filter = options->filter;
  compare->alpha = options->alpha;
  compare->confidence = options->confidence;
  (void)options_test(options, &compare->test);
}

void options_classic(const struct benchstat_options *options,
                     pprofc_bench_classic_options *classic) {
  pprofc_bench_classic_options_init(classic);
  (void)options_test(options, &classic->test);
  classic->alpha = options->alpha;
  classic->geomean = options->geomean;
  classic->no_range = options->norange;
  classic->split = options->split;
  classic->sort = options->sort;
}
