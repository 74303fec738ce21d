/* pprofci: processes profiles and benchmarks in a CI pipeline. Each command has its own flags. */
#include "commands.h"
#include "common/about.h"
#include "common/elsewhere.h"
#include "common/terminal.h"

struct main_options {
  bool version, manual;
  const char *completion;
};

#define FIELD(name) offsetof(struct main_options, name)

static const struct flag_group groups[] = {{"Other", NULL}};

static const struct flag flags[] = {
    {.name = "version", .kind = FLAG_BOOL, .offset = FIELD(version), .help = "print the version"},
    {.name = "completion",
     .kind = FLAG_STRING,
     .offset = FIELD(completion),
     .argument = "SHELL",
     .help = "print a completion script for bash, zsh or fish"},
    {.name = "manual",
     .kind = FLAG_BOOL,
     .offset = FIELD(manual),
     .help = "print the options as in the manual page"},
};

static const struct {
  const char *name;
  int (*run)(int argc, char **argv);
} runs[] = {{"init", init_main},       {"run", run_main},     {"merge", merge_main},
            {"publish", publish_main}, {"store", store_main}, {"history", history_main},
            {"trend", trend_main},     {"fsck", fsck_main},   {"leaks", leaks_main},
            {"capture", capture_main}, {"push", push_main}};

static const struct flag_command commands[] = {
    {"init", &init_table},       {"run", &run_table},     {"merge", &merge_table},
    {"publish", &publish_table}, {"store", &store_table}, {"history", &history_table},
    {"trend", &trend_table},     {"fsck", &fsck_table},   {"leaks", &leaks_table},
    {"capture", &capture_table}, {"push", &push_table},   {NULL, NULL}};

static const char *const usage[] = {"COMMAND [flags]", "COMMAND -help", "-help | -version", NULL};

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
    {"0", "nothing regressed"}, {"1", "failed"}, {"2", "something regressed"}, {NULL, NULL}};

static const struct flag_table main_table = {
    .program = "pprofci",
    .summary = "compares the profiles and benchmarks of a change with its base",
    .usage = usage,
    .groups = groups,
    .group_count = sizeof groups / sizeof *groups,
    .flags = flags,
    .flag_count = sizeof flags / sizeof *flags,
    .examples = examples,
    .statuses = statuses,
    .commands = commands,
};

static int run_command(const char *name, int argc, char **argv) {
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
    if (strcmp(runs[i].name, name) == 0) return runs[i].run(argc, argv);
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

/* Runs `pprofci help [COMMAND]`. */
static int run_help(int argc, char **argv) {
  if (argc < 3) return command_help(&main_table);
  char help[] = "-help";
  char *command[] = {argv[2], help, NULL};
  return run_command(argv[2], 2, command);
}

int main(int argc, char **argv) {
  struct main_options options = {.completion = ""};
  struct flags_parsed parsed = {0};
  pprofc_error error;
  flags_accept_words(argc, argv);
  if (argc > 1 && strcmp(argv[1], "-help") == 0) return run_help(argc, argv);
  if (argc > 1 && argv[1][0] != '-') return run_command(argv[1], argc - 1, argv + 1);
  if (flags_defaults(&main_table, &options, &error) != PPROFC_OK ||
      flags_parse(&main_table, &options, argc, argv, &parsed, &error) != PPROFC_OK)
    return command_misused(&main_table, &parsed, error.message);
  if (parsed.help) return command_help(&main_table);
  if (!options.version && !options.manual && !*options.completion) {
    message_error("pprofci: no command (see pprofci -help)");
    return EXIT_FAILED;
  }
  pprofc_status status = about_print(&main_table, options.completion, options.manual, &error);
  return status == PPROFC_OK ? EXIT_PASSED : command_fail(error.message);
}
