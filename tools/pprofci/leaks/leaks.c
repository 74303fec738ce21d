/* Implements `pprofci leaks`: finds memory and goroutines that grow without bound. */
#include "leaks/command.h"

enum { GROUP_JUDGE, GROUP_OUTPUT };

static const struct flag_group groups[] = {{"Judgement", NULL}, {"Output", NULL}};

static const char *add_ignore(void *options, const struct flag *flag, const char *text) {
  struct leaks_command *command = options;
  (void)flag;
  if (command->ignore_count == IGNORES_MAX) return "too many";
  command->ignore[command->ignore_count++] = text;
  return NULL;
}

#define FIELD(name) offsetof(struct leaks_command, name)

static const struct flag flags[] = {
    FLAG(FLOAT, 0, "floor", floor_kb, "KB", "512",
         "smallest growth of heap memory to report, in units of 1024 bytes"),
    FLAG(FLOAT, 0, "floor-count", floor_count, "N", "10",
         "smallest growth of the number of goroutines (or of another count) to report"),
    FLAG(INT, 0, "warmup", warmup, "N", "-1",
         "number of first profiles of each kind to skip. -1: skip 1 profile if there are at least "
         "6"),
    FLAG(FLOAT, 0, "kept", kept, "PERCENT", "80",
         "a growing stack is a leak only if it keeps at least this percentage of the memory that "
         "it allocated"),
    FLAG(FLOAT, 0, "alpha", alpha, "P", "0.05",
         "largest accepted probability that at least one stack of a kind of profile is a false "
         "alarm"),
    FLAG_CALLS(STRING, 0, 0, "ignore", "RE", add_ignore,
               "skip stacks with a function that matches this regexp, in addition to a built-in "
               "list of functions. May be repeated"),
    SWITCH(GROUP_OUTPUT, "list-ignored", list_ignored,
           "print the built-in list of functions to skip, and exit"),
    SWITCH(GROUP_OUTPUT, "json", json, "print all results as JSON"),
    FLAG(STRING, GROUP_OUTPUT, "folded", folded, "FILE", NULL,
         "write the growth of the leaks as folded stacks, for a flame graph"),
    FLAG(STRING, GROUP_OUTPUT, "html", html, "FILE", NULL,
         "write an HTML page with a chart of each leak and a flame graph of the growth, in one "
         "file"),
    FLAG(INT, GROUP_OUTPUT, "top", top, "N", "20", "maximum number of leaks to print"),
    COMMAND_BUDGET(GROUP_OUTPUT),
};

static const char *const usage[] = {"[flags] DIR | FILE ...", NULL};

static const char *const details[] = {
    "Finds stacks whose memory, goroutines or other counts grow without end. The profiles must "
    "come from one running program. The command needs at least 3 profiles of a kind, and 5 to test "
    "for a trend. It orders profiles by their times, or without times by name. It reads a DIR with "
    "its subfolders, except folders named warmup. In a profile of kind goroutineleak, each sample "
    "is a leak.",
    NULL};

static const struct flag_note examples[] = {
    {"pprofci leaks profiles/", "what leaks in a folder of profiles"},
    {"pprofci leaks -html leaks.html profiles/", "a page with charts and flame graphs"},
    {NULL, NULL}};

static const struct flag_note environment[] = {
    {"PPROF_BINARY_PATH", "where binaries are, for profiles without names"}, {NULL, NULL}};

static const struct flag_note statuses[] = {
    {"0", "nothing leaks"},
    {"1", "failed, or there were too few profiles to find leaks"},
    {"2", "something leaks"},
    {NULL, NULL}};

const struct flag_table leaks_table = {
    FLAG_TABLE("pprofci leaks", "finds leaking memory and goroutines in profiles over time"),
    .examples = examples, .environment = environment};

static void leaks_check_numbers(const struct leaks_command *c) {
  if (!(c->floor_kb >= 0 && c->floor_kb <= 1e15)) ci_fail("-floor must be at least 0 KiB");
  if (!(c->floor_count >= 1 && c->floor_count <= 1e15)) ci_fail("-floor-count must be at least 1");
  if (c->warmup < -1 || c->warmup > LEAK_PROFILES)
    ci_fail("-warmup must be from -1 to %d", LEAK_PROFILES);
  if (!(c->kept >= 0 && c->kept <= 100)) ci_fail("-kept must be from 0 to 100 percent");
  if (!(c->alpha > 0 && c->alpha <= 0.5)) ci_fail("-alpha must be above 0 and at most 0.5");
  if (c->top < 1) ci_fail("-top must be at least 1");
}

static void leaks_check(void *options, const struct command_line *line) {
  const struct leaks_command *command = options;
  leaks_check_numbers(command);
  if (!line->count && !command->list_ignored) ci_fail("no DIR or FILE given");
}

static void leaks_print_ignored(struct output *out) {
  static const char *const lists[LEAK_LISTS] = {"heap", "counts", "skipped at the leaf"};
  const struct leak_name *row;
  for (size_t i = 0; (row = leak_name_at(i)); i++)
    output_printf(out, "%s: %s\n    %s\n", lists[row->list], row->why, row->pattern);
}

static void leaks_save_page(const struct leaks_command *command, const struct leaks *leaks) {
  struct buffer page = ci_buffer();
  leaks_print_page(leaks, (size_t)command->top, &page);
  ci_need(save_text(command->html, buffer_str(&page), &ci_error));
  buffer_free(&page);
}

static void leaks_print(const struct leaks_command *command, const struct leaks *leaks,
                        struct output *out) {
  if (command->json)
    leaks_print_json(leaks, out);
  else
    leaks_print_text(leaks, (size_t)command->top, out);
  if (*command->folded)
    ci_need(save_printed(command->folded, leaks_print_folded, leaks, &ci_error));
  if (*command->html) leaks_save_page(command, leaks);
}

static struct leak_options leaks_settings(const struct leaks_command *command) {
  struct leak_options options;
  leak_options_init(&options);
  options.alpha = command->alpha;
  options.heap_floor = command->floor_kb * 1024;
  options.count_floor = command->floor_count;
  options.kept = command->kept / 100;
  options.warmup = (int)command->warmup;
  options.ignore = command->ignore;
  options.ignore_count = command->ignore_count;
  return options;
}

static int leaks_run(void *options, const struct command_line *line) {
  const struct leaks_command *command = options;
  struct leaks_inputs inputs;
  struct leaks leaks;
  const struct leak_options settings = leaks_settings(command);
  if (command->list_ignored) {
    leaks_print_ignored(line->out);
    return EXIT_PASSED;
  }
  signals_watch("pprofci", EXIT_FAILED);
  leaks_load(&inputs, line->words, line->count);
  ci_need(leaks_judge(&leaks, &mem_default, &settings, inputs.items, inputs.count, &ci_error));
  leaks_print(command, &leaks, line->out);
  int code = leaks.judged ? EXIT_PASSED : EXIT_FAILED;
  if (leaks.leaks) code = EXIT_REGRESSED;
  leaks_free(&leaks);
  leaks_inputs_free(&inputs);
  return code;
}

COMMAND(leaks, struct leaks_command, COMMAND_WORDS, leaks_check, leaks_run, true);
