/* Creates the flags of pprofc from the library's tables, and parses them. */
#include "options.h"

#include "noise/noise.h"
#include "report/report.h"

#define FIELD(name) offsetof(struct command, name)
enum cmd_options_group {
  GROUP_TEXT, /* flags that select formats */
  GROUP_GRAPHVIZ,
  GROUP_VIEWER,
  GROUP_REPORT, /* flags that set report options */
  GROUP_GRANULARITY,
  GROUP_SORT,
  GROUP_SOURCE,
  GROUP_FETCH,
  GROUP_NOISE,
  GROUP_SAMPLE,
  GROUP_MISC,
  GROUP_LIMIT
};

static const struct flag_group groups[] = {
    [GROUP_TEXT] = {"Formats", "Give at most one format. Without a format, pprofc starts a shell."},
    [GROUP_GRAPHVIZ] = {"Formats drawn by graphviz", NULL},
    [GROUP_VIEWER] = {"Formats shown in another program", NULL},
    [GROUP_REPORT] = {"Options", NULL},
    [GROUP_GRANULARITY] = {"Granularity", "These flags choose the entries of a report, such as "
                                          "functions or lines. Give at most one."},
    [GROUP_SORT] = {"Order",
                    "These flags choose the order of a report's entries. Give at most one."},
    [GROUP_SOURCE] = {"Sources", NULL},
    [GROUP_FETCH] = {"Sources over HTTP", NULL},
    [GROUP_NOISE] = {"Noise", "pprofc compares several runs of two versions: the base (-diff_base) "
                              "and the head. Each profile is one run. A folder means all profiles "
                              "in it. share/doc/pprofc/VERDICTS.md explains the results."},
    [GROUP_SAMPLE] = {"Shorthands for the sample value", NULL},
    [GROUP_MISC] = {"Other", NULL},
    [GROUP_LIMIT] = {"Limits", "Sizes are in bytes, and may end with k, M or G, as in 512M."},
};

static const struct flag_note asks[] = {{"sample_index", "sample_types"}, {NULL, NULL}};

/* Flags that are short for -sample_index=INDEX. If several are given, the first flag in this table
 * wins. */
static const struct sample_flag {
  const char *name, *index, *help;
  bool mean;
} sample_flags[] = {
    {"total_delay", "delay", "Same as -sample_index=delay", false},
    {"mean_delay", "delay", "Same as -mean -sample_index=delay", true},
    {"contentions", "contentions", "Same as -sample_index=contentions", false},
    {"inuse_space", "inuse_space", "Same as -sample_index=inuse_space", false},
    {"inuse_objects", "inuse_objects", "Same as -sample_index=inuse_objects", false},
    {"alloc_space", "alloc_space", "Same as -sample_index=alloc_space", false},
    {"alloc_objects", "alloc_objects", "Same as -sample_index=alloc_objects", false},
};

static const char *store_int(void *options, const struct flag *flag, const char *text) {
  int64_t number;
  if (!str_parse_int(str_of(text), 0, &number)) return "parse error";
  if (number < INT32_MIN || number > INT32_MAX) return "value out of range";
  *(int *)(void *)((char *)options + flag->offset) = (int)number;
  return NULL;
}

/* Stores -http. Rejects an empty address, which would look like a missing flag. */
static const char *store_http(void *options, const struct flag *flag, const char *text) {
  *(const char **)(void *)((char *)options + flag->offset) = text;
  ((struct command *)options)->http_on = true;
  return NULL;
}

#define EVERY_LEAST_MS 1000
#define EVERY_MOST_MS  86400000

static const char *store_every(void *options, const struct flag *flag, const char *text) {
  double nanoseconds;
  (void)flag;
  if (!text_is_duration(str_of(text), &nanoseconds)) return "must be a time such as 5s or 1m30s";
  if (!(nanoseconds >= EVERY_LEAST_MS * 1e6)) return "must be at least 1s";
  if (!(nanoseconds <= EVERY_MOST_MS * 1e6)) return "must be at most 24h";
  ((struct command *)options)->every_ms = (int64_t)(nanoseconds / 1e6);
  return NULL;
}

static const char *store_call_stacks(void *options, const struct flag *flag, const char *text) {
  static const char *const names[] = {[PPROFC_STACKS_PROPORTIONAL] = "proportional",
                                      [PPROFC_STACKS_EDGES] = "edges",
                                      [PPROFC_STACKS_FLAT] = "flat",
                                      NULL};
  int found = str_index(str_of(text), names);
  if (found < 0) return "must be proportional, edges or flat";
  *(pprofc_call_stacks *)(void *)((char *)options + flag->offset) = (pprofc_call_stacks)found;
  return NULL;
}

/* Stores a value of -header, a flag that may be repeated. */
static const char *store_header(void *options, const struct flag *flag, const char *text) {
  struct command *command = options;
  (void)flag;
  if (command->header_count == MAX_HEADERS)
    return "too many headers; put them into the file of -header_file";
  command->headers[command->header_count++] = text;
  return NULL;
}

static const char *source_list_add(struct source_list *list, const char *text) {
  if (!ARRAY_RESERVE(&mem_default, list->items, list->capacity, list->count + 1))
    return "out of memory";
  list->items[list->count++] = text;
  return NULL;
}

/* Adds a base to the list of bases. The field of the flag itself keeps the first value. */
static const char *store_base(void *options, const struct flag *flag, const char *text) {
  struct command *command = options;
  const char **first = (const char **)(void *)((char *)options + flag->offset);
  if (!*text) return "empty, perhaps from an unset variable; pass a profile";
  if (!**first) *first = text;
  return source_list_add(&command->bases, text);
}

static const char *store_list(void *options, const struct flag *flag, const char *text) {
  struct source_list *list = (void *)((char *)options + flag->offset);
  return *text ? source_list_add(list, text) : NULL;
}

/* ---- the table --------------------------------------- */

static void add_flag(struct command_flags *flags, struct flag flag) {
  if (flags->table.flag_count < FLAGS_MAX) flags->items[flags->table.flag_count++] = flag;
}

static size_t format_group(const pprofc_format_info *info) {
  if (info->viewer) return GROUP_VIEWER;
  return info->graphviz ? GROUP_GRAPHVIZ : GROUP_TEXT;
}

static enum flag_kind format_kind(const pprofc_format_info *info) {
  if (info->argument) return FLAG_STRING;
  return info->variants ? FLAG_WORD : FLAG_BOOL;
}

static void add_formats(struct command_flags *flags) {
  const pprofc_format_info *info;
  for (size_t i = 0; i < MAX_FORMATS && (info = pprofc_format_at(i)); i++) {
    struct flag flag = {.name = info->name,
                        .help = info->help,
                        .group = format_group(info),
                        .kind = format_kind(info),
                        .argument = info->argument,
                        .choices = info->variants};
    if (flag.kind == FLAG_BOOL)
      flag.offset = FIELD(format_on) + i * sizeof(bool);
    else
      flag.offset = FIELD(format_argument) + i * sizeof(const char *);
    add_flag(flags, flag);
  }
}

/* Adds a flag for each value of an option, such as -cum and -lines. */
static void add_choices(struct command_flags *flags, const pprofc_option_info *info) {
  size_t group = strcmp(info->name, "sort") == 0 ? GROUP_SORT : GROUP_GRANULARITY;
  for (const char *const *name = info->choices; *name; name++) {
    if (!**name || flags->choice_count == MAX_CHOICES) continue;
    size_t index = flags->choice_count++;
    flags->choices[index] = (struct choice){*name, FIELD(report) + info->offset};
    add_flag(flags, (struct flag){.name = *name,
                                  .kind = FLAG_BOOL,
                                  .offset = FIELD(choice_on) + index * sizeof(bool),
                                  .group = group,
                                  .help = ""});
  }
}

/* Returns the values that completion offers for an option, or NULL. */
static const char *const *offered_words(const char *name) {
  static const char *const colors[] = {"hot", "change", "origin", "package", NULL};
  static const char *const units[] = {"minimum", "auto", "ns", "us", "ms", "s",  "min",
                                      "hrs",     "B",    "kB", "MB", "GB", "TB", NULL};
  if (strcmp(name, "colors") == 0) return colors;
  return strcmp(name, "unit") == 0 ? units : NULL;
}

static const char *const symbolize_modes[] = {
    "none",          "local",         "fastlocal",          "remote", "force",
    "demangle=full", "demangle=none", "demangle=templates", NULL};
static const char *const formats_forms[] = {"text", "markdown", NULL};
static const char *const http_reloads[] = {"ask", "auto", "off", NULL};
static const char *const call_stack_ways[] = {"proportional", "edges", "flat", NULL};

static void add_options(struct command_flags *flags) {
  static const struct flag kinds[] = {
      [PPROFC_OPTION_BOOL] = {.kind = FLAG_BOOL},
      [PPROFC_OPTION_INT] = {.kind = FLAG_INT, .argument = "N", .call = store_int},
      [PPROFC_OPTION_FLOAT] = {.kind = FLAG_FLOAT, .argument = "F"},
      [PPROFC_OPTION_STRING] = {.kind = FLAG_STRING, .argument = "TEXT"},
  };
  const pprofc_option_info *info;
  for (size_t i = 0; (info = pprofc_option_at(i)); i++) {
    if (info->kind == PPROFC_OPTION_CHOICE) {
      add_choices(flags, info);
      continue;
    }
    struct flag flag = kinds[info->kind];
    flag.name = info->name;
    flag.offset = FIELD(report) + info->offset;
    flag.group = GROUP_REPORT;
    flag.help = info->help;
    flag.initial = info->default_text;
    flag.choices = offered_words(info->name);
    add_flag(flags, flag);
  }
}

#define LIMIT(name, field, argument, initial, store, help)                                         \
  {                                                                                                \
    name, FLAG_STRING, FIELD(limits.field), GROUP_LIMIT, argument, help, initial, NULL, 0, false,  \
        store                                                                                      \
  }

/* Flags of pprofc itself, which are not in the library's tables. */
static const struct flag own_flags[] = {
    FLAG_CALLS(STRING, GROUP_SOURCE, FIELD(base), "base", "SOURCE", store_base,
               "Profile to subtract from the sources. If repeated, pprofc subtracts the sum of "
               "these profiles"),
    FLAG_CALLS(STRING, GROUP_SOURCE, FIELD(diff_base), "diff_base", "SOURCE", store_base,
               "Profile to compare the sources with: the base. Percentages are shares of the "
               "base's total. If repeated, the base is the sum of these profiles"),
    FLAG_CALLS(STRING, GROUP_SOURCE, FIELD(time_range), "time_range", "FROM,TO", time_range_store,
               "Use only the samples between two times of the recording, such as 2.1s,3.4s. FROM "
               "or TO may be empty"),
    FLAG_CALLS(STRING, GROUP_SOURCE, FIELD(diff_time_range), "diff_time_range", "FROM,TO",
               time_range_store,
               "Compare with another part of the same recording: the base. Percentages are shares "
               "of the base's total"),
    FLAG(STRING, GROUP_SOURCE, "add_comment", add_comment, "TEXT", NULL,
         "Comment that pprofc adds to the profile"),
    FLAG(STRING, GROUP_SOURCE, "buildid", buildid, "ID", NULL,
         "Build ID of the main binary, if the profile has no build ID"),
    FLAG_WORDS(STRING, GROUP_SOURCE, "symbolize", symbolize, "MODE", NULL, symbolize_modes,
               "How pprofc finds names for addresses. Colons separate several words:\n"
               "local: names and lines from binaries\n"
               "fastlocal: only names from binaries\n"
               "remote: names from the server of the profile\n"
               "none: no search\n"
               "force: replace existing names\n"
               "demangle=none, demangle=full, demangle=templates: form of C++ names"),
    FLAG_CALLS(STRING, GROUP_SOURCE, FIELD(source_maps), "source_map", "FILE", store_list,
               "Source map of a script: a file with its original names, files and lines. May be "
               "repeated. If SCRIPT.map is next to the profile, pprofc finds it without this flag"),
    FLAG(STRING, GROUP_SOURCE, "tools", tools, "PATH", NULL,
         "Folders in which pprofc searches for addr2line, nm and objdump"),
    {"callgrind_stacks", FLAG_STRING, FIELD(call_stacks), GROUP_SOURCE, "WAY",
     "How pprofc makes stacks from callgrind's call graph:\n"
     "proportional: whole stacks; each caller gets a share in proportion to the cost of its calls\n"
     "edges: stacks of a function and its caller\n"
     "flat: stacks of a function alone",
     "proportional", call_stack_ways, 0, false, store_call_stacks},
    FLAG(STRING, GROUP_SOURCE, "benchmark", benchmark, "REGEXP", NULL,
         "Use only benchmarks with a matching name. A benchmark is a named part of callgrind's "
         "output"),
    SWITCH(GROUP_SOURCE, "frames", frames,
           "Read several profiles from standard input. Before each profile come 4 bytes with its "
           "length, big-endian"),
    FLAG(STRING, GROUP_SOURCE, "sums", sums, "FILE", NULL,
         "Also write a file for a later -noise: for each function, the sum and the sum of squares "
         "over all sources"),
    SWITCH(GROUP_SOURCE, "simulate", simulate,
           "Run a program once under valgrind, and report its instructions and cache misses"),
    SWITCH(GROUP_SOURCE, "all_frames", all_frames,
           "Keep the frames that the field drop_frames of the profile would remove"),
    FLAG(INT, GROUP_FETCH, "seconds", seconds, "N", "-1",
         "Number of seconds for which the server collects samples. -1: the value in the URL, "
         "or the default of the server if the URL has no value"),
    FLAG(INT, GROUP_FETCH, "timeout", timeout, "N", "-1",
         "Time limit of a request in seconds. pprofc adds 5 s to this limit. -1: 60, or 1.5 times "
         "the value of -seconds"),
    FLAG_CALLS(STRING, GROUP_FETCH, 0, "header", "HEADER", store_header,
               "HTTP header to send, as NAME: VALUE. After a redirect to another host, pprofc does "
               "not send it. May be repeated"),
    FLAG(STRING, GROUP_FETCH, "header_file", header_file, "FILE", NULL,
         "File with HTTP headers to send, one per line"),
    FLAG(STRING, GROUP_FETCH, "tls_cert", tls_cert, "FILE", NULL,
         "File with your TLS certificate, by which the server identifies you"),
    FLAG(STRING, GROUP_FETCH, "tls_key", tls_key, "FILE", NULL,
         "File with the private key of the certificate of -tls_cert"),
    FLAG(STRING, GROUP_FETCH, "tls_ca", tls_ca, "FILE", NULL,
         "File with the certificate authorities to trust; default: the authorities of the system"),
    SWITCH(GROUP_FETCH, "no_save", no_save, "Do not keep copies of fetched profiles"),
    FLAG(STRING, GROUP_FETCH, "collect", collect, "DIR", NULL,
         "Save the CPU, heap, goroutine, mutex and block profiles of each server in this folder"),
    SWITCH(GROUP_MISC, "e", stop_on_error,
           "In the shell: stop at the first command that fails, and exit with 2"),
    SWITCH(GROUP_MISC, "no_pager", no_pager,
           "In the shell: print long reports without the program in $PAGER"),
    FLAG_CALLS(STRING, GROUP_MISC, FIELD(http), "http", "HOST:PORT", store_http,
               "Serve the profile as a web page at this address. A single colon means a free port "
               "of localhost"),
    SWITCH(GROUP_MISC, "lsp", lsp,
           "Show the costs of source lines in an editor. pprofc speaks the Language Server "
           "Protocol on standard input and output"),
    SWITCH(GROUP_MISC, "quickfix", quickfix,
           "Print the costs of source lines as file:line:column: text, for the error list of an "
           "editor"),
    SWITCH(GROUP_MISC, "mcp", mcp,
           "Answer a coding agent over the Model Context Protocol on standard input and output. "
           "pprofc then reads only files below the given folders, by default below the current "
           "folder"),
    SWITCH(GROUP_MISC, "no_browser", no_browser, "Do not start a browser for -http"),
    FLAG_WORDS(CHOICE, GROUP_MISC, "http_reload", http_reload, "WHEN", "ask", http_reloads,
               "Action of -http after the file of a profile changed:\n"
               "ask: offer the new version\n"
               "auto: show the new version\n"
               "off: keep the old version"),
    FLAG_CALLS(STRING, GROUP_MISC, 0, "every", "TIME", store_every,
               "With -http and a URL: fetch the profile repeatedly, and show the newest one. TIME "
               "is the pause after each reply, at least 1s"),
    BRIEF_FLAG(
        GROUP_MISC,
        "Maximum length of a text or JSON report in bytes; 0: no limit. pprofc drops the least "
        "important rows of a longer report, and prints their number"),
    FLAG(STRING, GROUP_MISC, "output", output, "FILE", NULL, "Write the report to this file"),
    FLAG(INT, GROUP_MISC, "threads", threads, "N", "0",
         "Number of threads that pprofc uses; 0: one per CPU"),
    FLAG(STRING, GROUP_MISC, "completion", completion, "SHELL", NULL,
         "Print a completion script for bash, zsh or fish"),
    FLAG_WORDS(WORD, GROUP_MISC, "formats", formats, NULL, NULL, formats_forms,
               "List the supported formats, with their tools, the data that pprofc keeps, and the "
               "data that it loses"),
    SWITCH(GROUP_MISC, "version", version, "Print the version and the build options"),
    SWITCH(GROUP_MISC, "help", help, "Print this text"),
    {"h", FLAG_BOOL, FIELD(help), GROUP_MISC, NULL, "", NULL, NULL, 0, true, NULL},
    {"manual", FLAG_BOOL, FIELD(manual), GROUP_MISC, NULL, "", NULL, NULL, 0, true, NULL},
    {"sample_types", FLAG_BOOL, FIELD(sample_types), GROUP_MISC, NULL, "", NULL, NULL, 0, true,
     NULL},
    LIMIT("max_input", input_bytes, "BYTES", "2G", limit_store_u64,
          "Maximum size of a source (a profile to read)"),
    LIMIT("max_inflated", inflated_bytes, "BYTES", "8G", limit_store_u64,
          "Maximum size of a source (a profile to read) after decompression"),
    LIMIT("max_ratio", inflate_ratio, "N", "400", limit_store_u32,
          "Maximum ratio of a profile's decompressed size to its file size. The ratio of memory to "
          "file size has the same limit. Plain text from a pipe has no limit"),
    LIMIT("max_memory", memory_bytes, "BYTES", "0", limit_store_u64,
          "Maximum memory for all profiles and the report; 0: half of the memory of the machine or "
          "container, but at most 16G"),
    LIMIT("max_depth", stack_depth, "N", "65536", limit_store_u32,
          "Maximum number of frames in a stack"),
    LIMIT("max_labels", labels, "N", "4096", limit_store_u32,
          "Maximum number of labels of a sample"),
    LIMIT("max_string", string_bytes, "BYTES", "64M", limit_store_u32,
          "Maximum size of a string in a profile")};

static const char *const noise_shows[] = {"all",    "changed", "rows", "significant", "grew",
                                          "shrank", "new",     "gone", NULL};
static const char *const commons[] = {"auto", "off", NULL};
static const char *const noise_corrections[] = {"bh", "by", NULL};

#define NOISE(name, kind, field, argument, initial, choices, call, help)                           \
  { name, kind, FIELD(noise.field), GROUP_NOISE, argument, help, initial, choices, 0, false, call }

static const struct flag noise_flags[] = {
    NOISE("noise", FLAG_WORD, show, NULL, NULL, noise_shows, NULL,
          "With -diff_base: show for each function if its change is more than noise (a verdict). "
          "Works with -top, -text, -json, -flame and -flamegraph. The value chooses the functions "
          "to list:\n"
          "all (the default): all functions\n"
          "changed: only functions that changed by more than noise\n"
          "rows: these functions, and functions whose cost moved to or from another function\n"
          "significant: only functions that changed by more than noise, and not only by the common "
          "factor; with -cum, with their callees\n"
          "grew, shrank, new, gone: only functions with this change, even if it may be noise"),
    NOISE(
        "blame", FLAG_BOOL, blame, NULL, NULL, NULL, NULL,
        "Like -top -noise, but list how much each function contributes to the change of the total"),
    NOISE(
        "alpha", FLAG_FLOAT, how.alpha, "F", "0.05", NULL, NULL,
        "False discovery rate: largest expected share of false alarms among the reported changes"),
    NOISE("noise_cv", FLAG_FLOAT, how.noise_cv, "F", "0.05", NULL, NULL,
          "Assumed noise between runs, as a fraction, if base and head have only one run each"),
    NOISE("min_samples", FLAG_FLOAT, how.min_samples, "N", "10", NULL, NULL,
          "Give a verdict only to functions with at least this number of samples in all runs "
          "together. 0: to functions with enough samples to find a doubling of their cost"),
    NOISE("normalize_by", FLAG_CHOICE, normalize_by, "WHAT", NULL, noise_exposures, NULL,
          "Number by which pprofc divides the values of each run:\n"
          "ops: the run's number of operations\n"
          "time: the run's duration in seconds\n"
          "total: the run's total\n"
          "none: no division\n"
          "auto (the default): ops if the number of operations is known, time for mutex and block "
          "profiles with a duration, none in other cases"),
    NOISE("ops", FLAG_STRING, ops, "N,N", NULL, NULL, NULL,
          "Number of operations in each run of the base, and in each run of the head. If the runs "
          "differ, give one number for each run, the base's runs first"),
    NOISE("bench_base", FLAG_STRING, bench_base, "FILE", NULL, NULL, NULL,
          "Benchmark results of the base. pprofc uses them to compute values per operation. There "
          "must be one result per run"),
    NOISE("bench_head", FLAG_STRING, bench_head, "FILE", NULL, NULL, NULL,
          "Benchmark results of the head, one result per run"),
    NOISE("bench", FLAG_STRING, bench, "RE", NULL, NULL, NULL,
          "Regexp for the name of the profiled benchmark, if -bench_base and -bench_head have "
          "several benchmarks"),
    NOISE("common", FLAG_CHOICE, common, "WHAT", NULL, commons, NULL,
          "Correction for runs in which all functions are faster or slower:\n"
          "auto: correct\n"
          "off: do not correct"),
    NOISE("correction", FLAG_CHOICE, correction, "WHAT", NULL, noise_corrections, NULL,
          "Correction of p-values for the number of functions:\n"
          "bh: Benjamini-Hochberg\n"
          "by: Benjamini-Yekutieli, which is valid for any dependence between functions"),
    NOISE("fcr", FLAG_BOOL, how.fcr, NULL, NULL, NULL, NULL,
          "Widen the intervals of changed functions, so that 95 % of these intervals contain the "
          "true change"),
    NOISE("noise_stacks", FLAG_BOOL, how.stacks, NULL, NULL, NULL, NULL,
          "With -json: also give verdicts to stacks, the boxes of a flame graph"),
    NOISE("noise_rules", FLAG_STRING, rules, "FILE", NULL, NULL, NULL,
          "JSON file with rules on functions: functions to ignore, frames to remove, changes to "
          "accept"),
    NOISE("fail_on", FLAG_STRING, fail_on, "WHAT", NULL, NULL, store_list,
          "Condition under which the exit status is 2. " NOISE_CONDITIONS),
    NOISE("strict", FLAG_BOOL, strict, NULL, NULL, NULL, NULL,
          "With -fail_on: exit with 3 if noise may hide a growth by the limit, or if base or head "
          "has fewer than 3 runs"),
};

void command_flags_init(struct command_flags *flags) {
  memset(flags, 0, sizeof *flags);
  flags->table = (struct flag_table){
      .program = "pprofc",
      .summary = "shows, compares and converts profiles, like pprof",
      .groups = groups,
      .group_count = COUNT(groups),
      .flags = flags->items,
      .value_flags = asks,
  };
  add_formats(flags);
  add_options(flags);
  for (size_t i = 0; i < COUNT(sample_flags); i++)
    add_flag(flags, (struct flag){.name = sample_flags[i].name,
                                  .kind = FLAG_BOOL,
                                  .offset = FIELD(sample_on) + i * sizeof(bool),
                                  .group = GROUP_SAMPLE,
                                  .help = sample_flags[i].help});
  for (size_t i = 0; i < COUNT(own_flags); i++) add_flag(flags, own_flags[i]);
  for (size_t i = 0; i < COUNT(noise_flags); i++) add_flag(flags, noise_flags[i]);
}

/* ---- combinations of flags --------------------------- */

/* Sets options from flags such as -cum, whose name is a value of an option. Two values of the same
 * option are an error. */
static pprofc_status apply_choices(const struct command_flags *flags, struct command *command,
                                   pprofc_error *error) {
  const struct choice *choices = flags->choices;
  for (size_t i = 0; i < flags->choice_count; i++) {
    if (!command->choice_on[i]) continue;
    for (size_t j = 0; j < i; j++)
      if (command->choice_on[j] && choices[j].target == choices[i].target)
        return error_set(error, PPROFC_E_INVALID, "conflicting options set: [%s %s]",
                         choices[j].name, choices[i].name);
    *(const char **)(void *)((char *)command + choices[i].target) = choices[i].name;
  }
  return PPROFC_OK;
}

/* Sets the format from its flag. A flag with an empty value (-peek=) does not select a format. */
static pprofc_status choose_format(struct command *command, pprofc_error *error) {
  const pprofc_format_info *info;
  for (size_t i = 0; i < MAX_FORMATS && (info = pprofc_format_at(i)); i++) {
    const char *argument = command->format_argument[i];
    if (!command->format_on[i] && !(argument && *argument)) continue;
    if (command->format)
      return error_set(error, PPROFC_E_INVALID, "must set at most one output format");
    command->format = info;
    command->report.format = info->name;
    command->report.argument = argument;
  }
  return PPROFC_OK;
}

static void apply_sample_flags(struct command *command) {
  pprofc_report_options *report = &command->report;
  for (size_t i = 0; i < COUNT(sample_flags); i++) {
    if (!command->sample_on[i]) continue;
    if (report->sample_index && *report->sample_index)
      message_error("Multiple value selections, ignoring -%s", sample_flags[i].name);
    else
      report->sample_index = sample_flags[i].index;
    if (sample_flags[i].mean) report->mean = true;
  }
}

/* Sets defaults that depend on the machine or the environment. Stores the operands as sources, or
 * with -simulate as the program to run. */
static void complete_command(struct command *command, char **operands, size_t count) {
  apply_sample_flags(command);
  noise_complete(&command->noise);
  if (!command->limits.memory_bytes) command->limits.memory_bytes = memory_default();
  command->report.threads = (unsigned)command->threads;
  const char *tools = getenv("PPROF_TOOLS");
  if (!*command->tools && tools) command->tools = tools;
  command->report.tools = command->tools;
  command->brief_more = "";
  command->sources = (const char **)(uintptr_t)operands;
  command->source_count = command->simulate ? 0 : count;
  if (command->simulate && count) command->program = command->sources;
  if (!command->simulate && !command->noise.blame) return;
  if (!command->format) command->format = &report_format_find("top")->info;
  command->report.format = command->format->name;
}

bool command_is_about(const struct command *command) {
  return command->help || command->version || command->manual || *command->formats ||
         *command->completion;
}

pprofc_status command_parse(const struct command_flags *flags, struct command *command, int argc,
                            char **argv, struct flags_parsed *parsed, pprofc_error *error) {
  memset(command, 0, sizeof *command);
  command->base = "";
  command->diff_base = "";
  pprofc_report_options_init(&command->report);
  pprofc_limits_init(&command->limits);
  pprofc_verdict_options_init(&command->noise.how);
  pprofc_status status = flags_defaults(&flags->table, command, error);
  if (status == PPROFC_OK) status = flags_parse(&flags->table, command, argc, argv, parsed, error);
  if (status != PPROFC_OK) return status;
  if (command_is_about(command)) return status;
  status = apply_choices(flags, command, error);
  if (status == PPROFC_OK) status = choose_format(command, error);
  if (status != PPROFC_OK) return status;
  complete_command(command, argv + parsed->rest, (size_t)(argc - parsed->rest));
  status = command_check(command, error);
  if (status == PPROFC_OK && !time_range_add_bases(command)) status = error_nomem(error);
  return status;
}

struct command command_without_base(const struct command *command) {
  struct command alone = *command;
  alone.base = alone.diff_base = "";
  alone.bases.count = 0;
  alone.report.normalize = false;
  return alone;
}

void command_free(struct command *command) {
  ARRAY_FREE(&mem_default, command->bases.items, command->bases.capacity);
  ARRAY_FREE(&mem_default, command->source_maps.items, command->source_maps.capacity);
  ARRAY_FREE(&mem_default, command->noise.fail_on.items, command->noise.fail_on.capacity);
}
