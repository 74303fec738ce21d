/* Tests flags with Go's rules, and the texts made from a table of flags: help, manual,
 * completion. */
#include "common/flags.h"

#include "common/terminal.h"
#include "common/text.h"
#include "core/buffer.h"
#include "unit.h"

#include <stdlib.h>
#include <unistd.h>

struct options {
  bool cum, trim;
  int64_t nodecount;
  double nodefraction;
  const char *focus, *output;
  int color, granularity;
  int called;
};

enum { FUNCTIONS, LINES, FILES };

static const char *call_mean_delay(void *options, const struct flag *flag, const char *text) {
  (void)flag, (void)text;
  ((struct options *)options)->called++;
  return NULL;
}

static const char *call_even(void *options, const struct flag *flag, const char *text) {
  (void)options, (void)flag;
  return strcmp(text, "2") == 0 ? NULL : "must be even";
}

static const char *const colours[] = {"auto", "always", "never", NULL};
#define FIELD(name) offsetof(struct options, name)

static const struct flag flags[] = {
    {.name = "cum", .kind = FLAG_BOOL, .offset = FIELD(cum), .help = "sort by cumulative weight"},
    {.name = "trim",
     .kind = FLAG_BOOL,
     .offset = FIELD(trim),
     .initial = "true",
     .help = "honour the limits below"},
    {.name = "nodecount",
     .kind = FLAG_INT,
     .offset = FIELD(nodecount),
     .argument = "N",
     .initial = "-1",
     .help = "at most N nodes, of which the largest are shown and the others are left out of the "
             "report"},
    {.name = "nodefraction",
     .kind = FLAG_FLOAT,
     .offset = FIELD(nodefraction),
     .argument = "F",
     .initial = "0.005",
     .help = "leave nodes below F * total out"},
    {.name = "focus",
     .kind = FLAG_STRING,
     .offset = FIELD(focus),
     .group = 1,
     .argument = "RE",
     .help = "only stacks with a frame that matches: 'a|b' [regexp]"},
    {.name = "output",
     .kind = FLAG_STRING,
     .offset = FIELD(output),
     .group = 1,
     .argument = "FILE",
     .help = "file to write"},
    {.name = "color",
     .kind = FLAG_CHOICE,
     .offset = FIELD(color),
     .group = 1,
     .argument = "WHEN",
     .choices = colours,
     .initial = "auto",
     .help = "colour in the report"},
    {.name = "lines",
     .kind = FLAG_SET,
     .offset = FIELD(granularity),
     .value = LINES,
     .help = "by line"},
    {.name = "files",
     .kind = FLAG_SET,
     .offset = FIELD(granularity),
     .value = FILES,
     .help = "by file"},
    {.name = "mean_delay",
     .kind = FLAG_BOOL,
     .group = 1,
     .help = "mean delay",
     .call = call_mean_delay},
    {.name = "even",
     .kind = FLAG_STRING,
     .group = 1,
     .argument = "N",
     .help = "an even number",
     .call = call_even},
    {.name = "secret", .kind = FLAG_BOOL, .offset = FIELD(cum), .hidden = true, .help = "hidden"},
};

static const struct flag_table table = {
    .program = "prog",
    .summary = "does things to profiles",
    .usage = (const char *const[]){"[options] source ...", NULL},
    .details = (const char *const[]){"One paragraph.", NULL},
    .groups = (const struct flag_group[]){{"Limits", NULL}, {"Other", "Each may come once."}},
    .group_count = 2,
    .flags = flags,
    .flag_count = sizeof flags / sizeof *flags,
    .examples = (const struct flag_note[]){{"prog -cum x.pb.gz", "sorted"}, {NULL, NULL}},
    .environment = (const struct flag_note[]){{"PROG_TOOLS", "where the tools are"}, {NULL, NULL}},
    .statuses = (const struct flag_note[]){{"0", "done"}, {NULL, NULL}},
};

/* Parses the words after the program's name. */
#define PARSE(...) parse((const char *const[]){"prog", __VA_ARGS__, NULL})
static struct options options;
static struct flags_parsed parsed;
static pprofc_error error;

static pprofc_status parse(const char *const *words) {
  int count = 0;
  while (words[count]) count++;
  options = (struct options){0};
  error = (pprofc_error){.message = ""};
  CU_ASSERT_EQUAL(flags_defaults(&table, &options, &error), PPROFC_OK);
  return flags_parse(&table, &options, count, (char *const *)(uintptr_t)words, &parsed, &error);
}

#define FAILS(text, ...)                                                                           \
  do {                                                                                             \
    CU_ASSERT_EQUAL(PARSE(__VA_ARGS__), PPROFC_E_INVALID);                                         \
    CU_ASSERT_STRING_EQUAL(error.message, text);                                                   \
  } while (0)

TEST(test_defaults_come_from_the_table) {
  CU_ASSERT_EQUAL(PARSE("x"), PPROFC_OK);
  CU_ASSERT_TRUE(options.trim);
  CU_ASSERT_FALSE(options.cum);
  CU_ASSERT_EQUAL(options.nodecount, -1);
  CU_ASSERT_EQUAL(options.nodefraction, 0.005);
  CU_ASSERT_STRING_EQUAL(options.focus, "");
  CU_ASSERT_EQUAL(options.called, 0);
  CU_ASSERT_EQUAL(parsed.rest, 1);
}

TEST(test_one_dash_or_two_with_equals_or_without) {
  CU_ASSERT_EQUAL(
      PARSE("-nodecount", "5", "--nodefraction=0x1p-3", "--focus", "-x", "-cum", "a", "-lines"),
      PPROFC_OK);
  CU_ASSERT_EQUAL(options.nodecount, 5);
  CU_ASSERT_EQUAL(options.nodefraction, 0.125);
  CU_ASSERT_STRING_EQUAL(options.focus, "-x");
  CU_ASSERT_TRUE(options.cum);
  CU_ASSERT_EQUAL(options.granularity, FUNCTIONS);
  CU_ASSERT_EQUAL(parsed.rest, 7);
  CU_ASSERT_TRUE(parsed.seen[0]);
  CU_ASSERT_FALSE(parsed.seen[1]);
}

TEST(test_hyphens_and_underscores_are_the_same_letter) {
  const struct flag named[] = {{.name = "sample_index"}, {.name = "no-fail"}, {.name = "no"}};
  const struct flag_table names = {.flags = named, .flag_count = 3};
  CU_ASSERT_PTR_EQUAL(flags_find(&names, STR("sample_index")), &named[0]);
  CU_ASSERT_PTR_EQUAL(flags_find(&names, STR("sample-index")), &named[0]);
  CU_ASSERT_PTR_EQUAL(flags_find(&names, STR("no_fail")), &named[1]);
  CU_ASSERT_PTR_NULL(flags_find(&names, STR("no.fail")));
}

TEST(test_the_last_of_a_repeated_flag_counts) {
  CU_ASSERT_EQUAL(PARSE("-focus=a", "-focus=b=c", "-lines", "-files", "-lines=false", "-trim=F"),
                  PPROFC_OK);
  CU_ASSERT_STRING_EQUAL(options.focus, "b=c");
  CU_ASSERT_EQUAL(options.granularity, FILES);
  CU_ASSERT_FALSE(options.trim);
}

TEST(test_two_dashes_or_a_lone_one_end_the_flags) {
  CU_ASSERT_EQUAL(PARSE("-cum", "--", "-trim=false"), PPROFC_OK);
  CU_ASSERT_EQUAL(parsed.rest, 3);
  CU_ASSERT_TRUE(options.trim);
  CU_ASSERT_EQUAL(PARSE("-cum", "-", "-trim=false"), PPROFC_OK);
  CU_ASSERT_EQUAL(parsed.rest, 2);
}

TEST(test_numbers_are_literals_of_go) {
  CU_ASSERT_EQUAL(PARSE("-nodecount=0x_1f"), PPROFC_OK);
  CU_ASSERT_EQUAL(options.nodecount, 31);
  CU_ASSERT_EQUAL(PARSE("-nodecount=-0b101"), PPROFC_OK);
  CU_ASSERT_EQUAL(options.nodecount, -5);
  CU_ASSERT_EQUAL(PARSE("-nodecount=010"), PPROFC_OK);
  CU_ASSERT_EQUAL(options.nodecount, 8);
  CU_ASSERT_EQUAL(PARSE("-nodefraction=Inf"), PPROFC_OK);
  CU_ASSERT_TRUE(options.nodefraction > 1e308);
}

TEST(test_errors_are_worded_as_in_go) {
  FAILS("flag provided but not defined: -bogus (see prog -help)", "-bogus");
  FAILS("flag provided but not defined: -bogus (see prog -help)", "--bogus=1");
  FAILS("flag provided but not defined: -focuss (did you mean -focus?)", "-focuss=a");
  FAILS("flag needs an argument: -nodecount", "-nodecount");
  FAILS("invalid value \"zz\" for flag -nodecount: parse error", "-nodecount=zz");
  FAILS("invalid value \"\" for flag -nodecount: parse error", "-nodecount=");
  FAILS("invalid value \"1_\" for flag -nodecount: parse error", "-nodecount=1_");
  FAILS("invalid value \"99999999999999999999\" for flag -nodecount: value out of range",
        "-nodecount=99999999999999999999");
  FAILS("invalid value \"0xfffffffffffffffff\" for flag -nodecount: value out of range",
        "-nodecount=0xfffffffffffffffff");
  FAILS("invalid value \"1e999\" for flag -nodefraction: value out of range",
        "-nodefraction=1e999");
  FAILS("invalid value \"1e\" for flag -nodefraction: parse error", "-nodefraction=1e");
  FAILS("invalid boolean value \"maybe\" for -cum: parse error", "-cum=maybe");
  FAILS("invalid boolean value \"\" for -lines: parse error", "-lines=");
  FAILS("bad flag syntax: ---x", "---x");
  FAILS("bad flag syntax: -=x", "-=x");
  FAILS("invalid value \"sometimes\" for flag -color: must be auto, always or never", "-color",
        "sometimes");
  FAILS("invalid value \"3\" for flag -even: must be even", "-even=3");
}

TEST(test_an_unknown_flag_has_a_nearest_one) {
  static const struct {
    const char *typed, *meant;
  } cases[] = {{"nodecout", "nodecount"},   {"nodcount", "nodecount"},   {"cmu", "cum"},
               {"focsu", "focus"},          {"node-count", "nodecount"}, {"Lines", "lines"},
               {"nodefrac", "nodefraction"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct flag *nearest = flags_nearest(&table, str_of(cases[i].typed));
    CU_ASSERT_PTR_NOT_NULL_FATAL(nearest);
    CU_ASSERT_STRING_EQUAL(nearest->name, cases[i].meant);
  }
  CU_ASSERT_PTR_NULL(flags_nearest(&table, STR("bogus")));
  CU_ASSERT_PTR_NULL(flags_nearest(&table, STR("secre")));
  CU_ASSERT_PTR_NULL(flags_nearest(&table, STR("x")));
}

TEST(test_arguments_that_are_no_inputs_are_refused) {
  static const struct flag_table ours = {.program = "benchstatc"};
  static const struct {
    const char *words[3], *message;
  } cases[] = {
      {{"a", "b"}, NULL},
      {{"a", "-"}, NULL},
      {{"a", "-cum"}, "'-cum' comes after the first input; type flags before it"},
      {{"a", ""}, "input 2 is empty, perhaps from an unset variable; pass a file"},
      {{"compare", "a"}, "'compare' is not a file (type benchstatc BASE HEAD)"},
      {{"a", "compare"}, NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pprofc_status status = flags_check_inputs(&ours, cases[i].words, 2, "input", &error);
    CU_ASSERT_EQUAL(status, cases[i].message ? PPROFC_E_INVALID : PPROFC_OK);
    if (cases[i].message) CU_ASSERT_STRING_EQUAL(error.message, cases[i].message);
  }
  CU_ASSERT_EQUAL(flags_check_inputs(&ours, NULL, 0, "input", &error), PPROFC_OK);
}

TEST(test_help_stops_the_parser) {
  CU_ASSERT_EQUAL(PARSE("-cum", "-h", "-bogus"), PPROFC_OK);
  CU_ASSERT_TRUE(parsed.help);
  CU_ASSERT_EQUAL(PARSE("--help"), PPROFC_OK);
  CU_ASSERT_TRUE(parsed.help);
  CU_ASSERT_EQUAL(PARSE("-h=foo", "-bogus"), PPROFC_OK);
  CU_ASSERT_TRUE(parsed.help);
}

TEST(test_a_call_is_told_only_when_its_flag_is_on) {
  CU_ASSERT_EQUAL(PARSE("-mean_delay=false"), PPROFC_OK);
  CU_ASSERT_EQUAL(options.called, 0);
  CU_ASSERT_EQUAL(PARSE("-mean_delay"), PPROFC_OK);
  CU_ASSERT_EQUAL(options.called, 1);
}

/* ---- texts made from the table ----------------------- */

static struct buffer text;
static struct output out;

static void begin(void) {
  buffer_init(&text, &mem_default, 1 << 20);
  output_init(&out, buffer_write, &text);
}

/* Returns the printed text, NUL-terminated. The caller frees it with buffer_free(&text). */
static const char *printed(void) {
  CU_ASSERT_EQUAL(output_flush(&out, NULL), PPROFC_OK);
  buffer_add_char(&text, '\0');
  CU_ASSERT_FALSE_FATAL(text.failed);
  return text.data;
}

TEST(test_help_is_grouped_and_wrapped) {
  begin();
  help_print(&table, &out, 60);
  CU_ASSERT_STRING_EQUAL(printed(), "prog: does things to profiles\n"
                                    "\n"
                                    "Usage:\n"
                                    "  prog [options] source ...\n"
                                    "\n"
                                    "One paragraph.\n"
                                    "\n"
                                    "Limits:\n"
                                    "  -cum                  sort by cumulative weight\n"
                                    "  -trim                 honour the limits below (default\n"
                                    "                        true)\n"
                                    "  -nodecount=N          at most N nodes, of which the\n"
                                    "                        largest are shown and the others are\n"
                                    "                        left out of the report (default -1)\n"
                                    "  -nodefraction=F       leave nodes below F * total out\n"
                                    "                        (default 0.005)\n"
                                    "  -lines                by line\n"
                                    "  -files                by file\n"
                                    "\n"
                                    "Other:\n"
                                    "  Each may come once.\n"
                                    "  -focus=RE             only stacks with a frame that\n"
                                    "                        matches: 'a|b' [regexp]\n"
                                    "  -output=FILE          file to write\n"
                                    "  -color=WHEN           colour in the report (auto, always,\n"
                                    "                        never) (default auto)\n"
                                    "  -mean_delay           mean delay\n"
                                    "  -even=N               an even number\n"
                                    "\n"
                                    "Examples:\n"
                                    "  prog -cum x.pb.gz\n"
                                    "      sorted\n"
                                    "\n"
                                    "Environment:\n"
                                    "  PROG_TOOLS            where the tools are\n"
                                    "\n"
                                    "Exit status:\n"
                                    "  0                     done\n");
  buffer_free(&text);
}

TEST(test_no_line_of_the_help_is_wider_than_asked) {
  for (size_t width = 40; width <= 110; width += 7) {
    begin();
    help_print(&table, &out, width);
    pprofc_str rest = str_of(printed()), line;
    while (str_next_line(&rest, &line)) CU_ASSERT(line.size <= width);
    buffer_free(&text);
  }
}

TEST(test_the_manual_lists_what_the_help_lists) {
  begin();
  manual_print_options(&table, &out);
  CU_ASSERT_STRING_EQUAL(
      printed(), "## Options\n"
                 "\n"
                 "### Limits\n"
                 "\n"
                 "- `-cum`\n"
                 "  sort by cumulative weight\n"
                 "- `-trim`\n"
                 "  honour the limits below (default `true`)\n"
                 "- `-nodecount`=*N*\n"
                 "  at most N nodes, of which the largest are shown and the others are left "
                 "out of the report (default `-1`)\n"
                 "- `-nodefraction`=*F*\n"
                 "  leave nodes below F `*` total out (default `0.005`)\n"
                 "- `-lines`\n"
                 "  by line\n"
                 "- `-files`\n"
                 "  by file\n"
                 "\n"
                 "### Other\n"
                 "\n"
                 "Each may come once.\n"
                 "\n"
                 "- `-focus`=*RE*\n"
                 "  only stacks with a frame that matches: 'a|b' [regexp]\n"
                 "- `-output`=*FILE*\n"
                 "  file to write\n"
                 "- `-color`=*WHEN*\n"
                 "  colour in the report (`auto`, `always`, `never`) (default `auto`)\n"
                 "- `-mean_delay`\n"
                 "  mean delay\n"
                 "- `-even`=*N*\n"
                 "  an even number\n"
                 "\n"
                 "## Environment\n"
                 "\n"
                 "- `PROG_TOOLS`\n"
                 "  where the tools are\n"
                 "\n"
                 "## Exit status\n"
                 "\n"
                 "- `0`\n"
                 "  done\n");
  buffer_free(&text);
}

TEST(test_every_shell_completes_every_flag) {
  static const char *const shells[] = {"bash", "zsh", "fish"};
  for (size_t i = 0; i < 3; i++) {
    begin();
    CU_ASSERT_EQUAL(completion_print(&table, str_of(shells[i]), &out, &error), PPROFC_OK);
    const char *script = printed();
    for (size_t k = 0; k < table.flag_count; k++) {
      bool named = strstr(script, flags[k].name) != NULL;
      CU_ASSERT_EQUAL(named, !flags[k].hidden);
    }
    CU_ASSERT_PTR_NOT_NULL(strstr(script, "auto always never"));
    buffer_free(&text);
  }
  begin();
  CU_ASSERT_EQUAL(completion_print(&table, STR("csh"), &out, &error), PPROFC_E_INVALID);
  CU_ASSERT_STRING_EQUAL(error.message, "no completion for shell 'csh': must be bash, zsh or fish");
}

/* Runs the bash completion script, and checks its proposals for the command line `words`. */
static void expect_completion(const char *words, const char *expected) {
  char path[] = "/tmp/test_flags_XXXXXX", command[256], line[512] = "";
  int fd = mkstemp(path);
  CU_ASSERT_FATAL(fd >= 0);
  FILE *file = fdopen(fd, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(file);
  begin();
  CU_ASSERT_EQUAL(completion_print(&table, STR("bash"), &out, &error), PPROFC_OK);
  fprintf(
      file,
      "%s\nCOMP_WORDS=(%s)\nCOMP_CWORD=$((${#COMP_WORDS[@]}-1))\n_prog\necho \"${COMPREPLY[*]}\"\n",
      printed(), words);
  fclose(file);
  buffer_free(&text);
  snprintf(command, sizeof command, "bash %s 2>&1", path);
  FILE *pipe = popen(command, "r");
  CU_ASSERT_PTR_NOT_NULL_FATAL(pipe);
  size_t size = fread(line, 1, sizeof line - 1, pipe);
  line[size] = '\0';
  CU_ASSERT_EQUAL(pclose(pipe), 0);
  unlink(path);
  if (strcmp(line, expected) != 0) printf("    %s: %s", words, line);
  CU_ASSERT_STRING_EQUAL(line, expected);
}

TEST(test_bash_runs_the_completion) {
  if (system("command -v bash >/dev/null") != 0) return;
  expect_completion("prog -node", "-nodecount= -nodefraction=\n");
  expect_completion("prog -color = a", "auto always\n");
  expect_completion("prog -color =", "auto always never\n");
  expect_completion("prog -color n", "never\n");
  expect_completion("prog -focus = x", "\n");
  expect_completion("prog -output = /etc/hostnam", "/etc/hostname\n");
  expect_completion("prog -cum /etc/hostnam", "/etc/hostname\n");
}

/* ---- messages ---------------------------------------- */

TEST(test_text_is_quoted_as_go_does) {
  static const struct {
    const char *text, *quoted;
  } cases[] = {{"", "\"\""},
               {"a\"b\\c\n\t", "\"a\\\"b\\\\c\\n\\t\""},
               {"\x01\x7f\xff", "\"\\x01\\x7f\\xff\""},
               {"caf\xc3\xa9 \xe6\x97\xa5", "\"caf\xc3\xa9 \xe6\x97\xa5\""},
               {"\xc2\xa0\xe2\x80\xae", "\"\\u00a0\\u202e\""}};
  char quoted[QUOTE_MAX];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    quote_go(str_of(cases[i].text), quoted);
    CU_ASSERT_STRING_EQUAL(quoted, cases[i].quoted);
  }
  static char big[4 * QUOTE_MAX];
  memset(big, '\xff', sizeof big - 1);
  quote_go(str_of(big), quoted);
  CU_ASSERT(strlen(quoted) < QUOTE_MAX);
  CU_ASSERT(str_ends(str_of(quoted), STR("...\"")));
}

TEST(test_messages_are_lines_without_controls_and_commands) {
  int saved = dup(STDERR_FILENO), ends[2];
  char got[256] = "";
  CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
  dup2(ends[1], STDERR_FILENO);
  message_error("cannot read '%s': no", "\033[2Jx");
  message_note("two\nlines\n");
  message_error("%s", "::error::x\n ::error::##[group]x\ty");
  message_error_lines(STR("a\n\t::b\n"));
  struct progress progress;
  progress_start(&progress, "reading");
  progress_step(&progress, "writing");
  progress_end(&progress);
  dup2(saved, STDERR_FILENO);
  close(saved);
  close(ends[1]);
  CU_ASSERT(read(ends[0], got, sizeof got - 1) > 0);
  CU_ASSERT_STRING_EQUAL(got, "cannot read '\\x1b[2Jx': no\ntwo\\x0alines\n"
                              ":\\x3aerror::x\\x0a ::error::##\\x5bgroup]x\ty\na\n\t:\\x3ab\n");
  CU_ASSERT_FALSE(terminal_is(ends[0]));
  CU_ASSERT_EQUAL(terminal_width(ends[0]), 80);
  close(ends[0]);
}

/* ---- pairs and commands ------------------------------ */

struct pair_options {
  const char *told[4];
  int count;
};

static const char *take_pair(void *context, const struct flag *flag, const char *value) {
  struct pair_options *pairs = context;
  (void)flag;
  if (!*value) return "empty";
  if (pairs->count < 4) pairs->told[pairs->count++] = value;
  return NULL;
}

static const struct flag pair_flags[] = {{.name = "pair",
                                          .kind = FLAG_PAIR,
                                          .argument = "FILE",
                                          .call = take_pair,
                                          .help = "two files"}};
static const struct flag_table inner_table = {.program = "outer inner",
                                              .summary = "takes pairs",
                                              .usage = (const char *const[]){"[flags]", NULL},
                                              .groups = (const struct flag_group[]){{"All", NULL}},
                                              .group_count = 1,
                                              .flags = pair_flags,
                                              .flag_count = 1};
static const struct flag_command inner_commands[] = {{"inner", &inner_table}, {NULL, NULL}};

TEST(test_a_flag_can_take_two_values) {
  char *argv[] = {"x", "-pair", "a", "-b", "-pair=c", "d", "rest"};
  struct pair_options pairs = {.count = 0};
  CU_ASSERT_EQUAL(flags_defaults(&inner_table, &pairs, &error), PPROFC_OK);
  CU_ASSERT_EQUAL(flags_parse(&inner_table, &pairs, 7, argv, &parsed, &error), PPROFC_OK);
  CU_ASSERT_EQUAL(parsed.rest, 6);
  CU_ASSERT_STRING_EQUAL(pairs.told[1], "-b");
  CU_ASSERT_STRING_EQUAL(pairs.told[2], "c");
  CU_ASSERT_STRING_EQUAL(pairs.told[3], "d");
  CU_ASSERT_EQUAL(flags_parse(&inner_table, &pairs, 3, argv, &parsed, &error), PPROFC_E_INVALID);
  CU_ASSERT_STRING_EQUAL(error.message, "flag needs two arguments: -pair");
  argv[3] = "";
  CU_ASSERT_EQUAL(flags_parse(&inner_table, &pairs, 4, argv, &parsed, &error), PPROFC_E_INVALID);
  CU_ASSERT_STRING_EQUAL(error.message, "invalid value \"\" for flag -pair: empty");
}

TEST(test_commands_are_in_the_help) {
  const struct flag_table outer = {.program = "outer",
                                   .summary = "has commands",
                                   .usage = (const char *const[]){"COMMAND", NULL},
                                   .commands = inner_commands};
  CU_ASSERT_PTR_EQUAL(flags_command(&outer, "inner"), &inner_commands[0]);
  CU_ASSERT_PTR_NULL(flags_command(&outer, "other"));
  CU_ASSERT_PTR_NULL(flags_command(&inner_table, "inner"));
}
