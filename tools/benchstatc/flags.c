/* The flags of benchstatc, by the rules of Go's flag package. */
#include "flags.h"

#include "base/str.h"
#include "bench/number.h"

#include <stdio.h>

enum flag_kind { FLAG_STRING, FLAG_FLOAT, FLAG_BOOL };

struct flag {
  const char *name;
  enum flag_kind kind;
  size_t offset;        /* of the value in struct settings */
  const char *argument; /* what help calls the value */
  const char *help;
  const char *initial; /* as help shows it; NULL for none */
};

#define AT(member) offsetof(struct settings, member)

/* By name, as help lists them. */
static const struct flag flags[] = {
    {"alpha", FLAG_FLOAT, AT(compare.alpha), "\xCE\xB1",
     "consider change significant if p < \xCE\xB1", "0.05"},
    {"col", FLAG_STRING, AT(compare.col), "projection",
     "split results into columns by distinct values of projection", "\".file\""},
    {"confidence", FLAG_FLOAT, AT(compare.confidence), "level", "confidence level for ranges",
     "0.95"},
    {"csv", FLAG_BOOL, AT(csv), "", "classic: print results in CSV form", NULL},
    {"delta-test", FLAG_STRING, AT(delta_test), "test",
     "significance test to apply to delta: utest, ttest, or none", "\"utest\""},
    {"filter", FLAG_STRING, AT(compare.filter), "query",
     "use only benchmarks matching benchfilter query", "\"*\""},
    {"format", FLAG_STRING, AT(format), "format",
     "print results in format:\n"
     "  text     - plain text\n"
     "  csv      - comma-separated values (warnings will be written to stderr)\n"
     "  markdown - tables for comments and job summaries\n"
     "  json     - everything, unrounded\n"
     "  html     - a page\n"
     "  classic  - the table of earlier versions: name, old time/op, new time/op, delta\n",
     "\"text\""},
    {"geomean", FLAG_BOOL, AT(geomean), "", "classic: print the geometric mean of each file", NULL},
    {"html", FLAG_BOOL, AT(html), "", "classic: print results as an HTML table", NULL},
    {"ignore", FLAG_STRING, AT(compare.ignore), "keys", "ignore variations in keys", NULL},
    {"norange", FLAG_BOOL, AT(no_range), "", "classic: suppress range columns (CSV only)", NULL},
    {"row", FLAG_STRING, AT(compare.row), "projection",
     "split results into rows by distinct values of projection", "\".fullname\""},
    {"sort", FLAG_STRING, AT(sort), "order", "classic: sort by order: [-]delta, [-]name, none",
     "\"none\""},
    {"split", FLAG_STRING, AT(split), "labels", "classic: split benchmarks by labels",
     "\"pkg,goos,goarch\""},
    {"table", FLAG_STRING, AT(compare.table), "projection",
     "split results into tables by distinct values of projection", "\".config\""},
};
#define FLAG_COUNT (sizeof flags / sizeof *flags)

void settings_init(struct settings *settings) {
  *settings = (struct settings){
      .format = "text", .delta_test = "utest", .split = "pkg,goos,goarch", .sort = "none"};
  pprofc_bench_options_init(&settings->compare);
}

void flags_usage(void) {
  fputs("Usage: benchstatc [flags] inputs...\n"
        "\n"
        "benchstatc computes statistical summaries and A/B comparisons of benchmarks.\n"
        "It shows benchmark medians in a table with a row for each benchmark and a\n"
        "column for each input file. If there is more than one input file, it also\n"
        "shows A/B comparisons between the files. If a difference is likely to be\n"
        "noise, it shows \"~\".\n"
        "\n"
        "Inputs are files, label=file, or - for standard input: the output of go test\n"
        "-bench (also with -json), JSON of Google Benchmark, hyperfine, pytest-benchmark,\n"
        "JMH or criterion, or CSV with the columns name, unit, value.\n",
        stderr);
  for (size_t i = 0; i < FLAG_COUNT; i++) {
    const struct flag *flag = &flags[i];
    fprintf(stderr, "  -%s%s%s\n    \t", flag->name, *flag->argument ? " " : "", flag->argument);
    for (const char *p = flag->help; *p; p++) {
      fputc(*p, stderr);
      if (*p == '\n') fputs("    \t", stderr);
    }
    if (flag->initial) fprintf(stderr, " (default %s)", flag->initial);
    fputc('\n', stderr);
  }
}

/* ---- parsing ----------------------------------------------------------------------------------
 */

static const struct flag *find_flag(pprofc_str name) {
  for (size_t i = 0; i < FLAG_COUNT; i++)
    if (str_equal(name, str_of(flags[i].name))) return &flags[i];
  return NULL;
}

/* What Go's strconv.ParseBool takes. */
static bool parse_bool(const char *text, bool *value) {
  static const char *const words[] = {"1", "t", "T", "TRUE",  "true",  "True",
                                      "0", "f", "F", "FALSE", "false", "False"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strcmp(text, words[i]) != 0) continue;
    *value = i < 6;
    return true;
  }
  return false;
}

/* Stores a value; returns what is wrong with it. */
static const char *store(struct settings *settings, const struct flag *flag, const char *text) {
  void *target = (char *)settings + flag->offset;
  switch (flag->kind) {
  case FLAG_STRING:
    *(const char **)target = text;
    return NULL;
  case FLAG_BOOL:
    return parse_bool(text, target) ? NULL : "parse error";
  case FLAG_FLOAT:
    switch (number_parse(str_of(text), target)) {
    case NUMBER_OK:
      return NULL;
    case NUMBER_RANGE:
      return "value out of range";
    default:
      return "parse error";
    }
  }
  return "parse error";
}

/* Handles the flag argv[*i] and moves behind it and its value. */
static int parse_flag(struct settings *settings, int argc, char **argv, int *i) {
  const char *argument = argv[(*i)++];
  const char *start = argument + (argument[1] == '-' ? 2 : 1);
  if (*start == '\0' || *start == '-' || *start == '=') {
    fprintf(stderr, "bad flag syntax: %s\n", argument);
    return -1;
  }
  pprofc_str name = str_of(start);
  const char *value = strchr(start, '=');
  if (value) name.size = (size_t)(value++ - start);
  const struct flag *flag = find_flag(name);
  if (!flag) {
    if (str_equal(name, STR("h")) || str_equal(name, STR("help"))) return -2;
    fprintf(stderr, "flag provided but not defined: -%.*s\n", STR_ARG(name));
    return -1;
  }
  if (!value && flag->kind == FLAG_BOOL) value = "true";
  if (!value) {
    if (*i == argc) {
      fprintf(stderr, "flag needs an argument: -%s\n", flag->name);
      return -1;
    }
    value = argv[(*i)++];
  }
  const char *wrong = store(settings, flag, value);
  if (!wrong) return 0;
  fprintf(stderr,
          flag->kind == FLAG_BOOL ? "invalid boolean value \"%s\" for -%s: %s\n"
                                  : "invalid value \"%s\" for flag -%s: %s\n",
          value, flag->name, wrong);
  return -1;
}

int flags_parse(struct settings *settings, int argc, char **argv) {
  int i = 1, result = 0;
  while (i < argc && argv[i][0] == '-' && argv[i][1] && result == 0) {
    if (strcmp(argv[i], "--") == 0) return i + 1;
    result = parse_flag(settings, argc, argv, &i);
  }
  if (result == 0) return i;
  flags_usage();
  return result;
}
