/* pprofci: processes profiles and benchmarks in a CI pipeline. Each command has its own flags. */
#include "commands.h"

#define FIELD(name) offsetof(struct about, name)

static const struct flag_group groups[] = {{"Other", NULL}};

static const struct flag flags[] = {
    SWITCH(0, "version", version, "print the version"),
    FLAG(STRING, 0, "completion", completion, "SHELL", NULL,
         "print a completion script for bash, zsh or fish"),
    SWITCH(0, "manual", manual, "print the options as in the manual page"),
};

#define ROW(name) {#name, &name##_table},
static const struct flag_command commands[] = {COMMANDS(ROW){NULL, NULL}};
#undef ROW

/* Table of the commands, in the order of `commands`. */
#define ROW(name) &name##_command,
static const struct ci_command *const runs[] = {COMMANDS(ROW)};
#undef ROW

static const char *const usage[] = {"COMMAND [flags]", "COMMAND -help", "-help | -version", NULL};

static const char *const details[] = {NULL};

static const struct flag_note examples[] = {
    {"pprofci init", "a workflow for the project in this folder"},
    {"pprofci run -record ./pkg/... -base-ref main", "Go benchmarks of two commits, measured here"},
    {"pprofci run -base base/ -head head/ -bench-base base.txt -bench-head head.txt",
     "profiles and results of any language"},
    {"pprofci merge -out all/ci linux/ci windows/ci", "one verdict of several jobs"},
    {"pprofci publish -to comment,check", "the result, on the pull request"},
    {"pprofci store -to history .docs/artifacts/ci", "the result, by commit"},
    {"pprofci trend history", "which commits changed which benchmark"},
    {"pprofci leaks profiles/", "what grows without end"},
    {NULL, NULL}};

static const struct flag_note statuses[] = {
    {"0", "no regression"}, {"1", "failed"}, {"2", "a regression"}, {NULL, NULL}};

static const struct flag_table main_table = {
    FLAG_TABLE("pprofci", "compares the profiles and benchmarks of a change with its base"),
    .examples = examples, .commands = commands};

static int main_run(const char *name, int argc, char **argv) {
  const struct flag_command *found = flags_command(&main_table, name);
  if (found) return command_main(runs[found - commands], argc, argv);
  const char *advice = elsewhere_find("pprofci", name);
  const char *nearest = flags_nearest_command(&main_table, str_of(name));
  if (advice)
    message_error("pprofci: unknown command %s (type pprofci %s)", name, advice);
  else if (nearest)
    message_error("pprofci: unknown command %s (did you mean %s?)", name, nearest);
  else
    message_error("pprofci: unknown command %s (see pprofci -help)", name);
  return EXIT_FAILED;
}

static int run_help(int argc, char **argv) {
  if (argc < 3) return command_help(&main_table);
  char help[] = "-help";
  char *command[] = {argv[2], help, NULL};
  return main_run(argv[2], 2, command);
}

int main(int argc, char **argv) {
  struct about about = {.completion = ""};
  struct flags_parsed parsed = {0};
  pprofc_status status;
  pprofc_error error;
  flags_accept_words(argc, argv);
  if (argc > 1 && strcmp(argv[1], "-help") == 0) return run_help(argc, argv);
  if (argc > 1 && argv[1][0] != '-') return main_run(argv[1], argc - 1, argv + 1);
  if (flags_defaults(&main_table, &about, &error) != PPROFC_OK ||
      flags_parse(&main_table, &about, argc, argv, &parsed, &error) != PPROFC_OK)
    return command_misused(&main_table, error.message);
  if (!about_print(&main_table, parsed.help, &about, &status, &error))
    return command_fail("no command (see pprofci -help)");
  return status == PPROFC_OK ? EXIT_PASSED : command_fail(error.message);
}
