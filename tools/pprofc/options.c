/* Creates the flags of pprofc from the library's tables, and parses them. */
#include "options.h"

#include "noise/noise.h"
#include "report/report.h"

#define FIELD(name)  offsetof(struct command, name)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

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
    [GROUP_REPORT] = {"Options", "If an explanation begins with names of formats and a colon, only "
                                 "these formats use the option."},
    [GROUP_GRANULARITY] = {"Granularity", "Kind of a report's entries. Give at most one."},
    [GROUP_SORT] = {"Order", "Order of a report's entries. Give at most one of these flags."},
    [GROUP_SOURCE] = {"Sources", NULL},
    [GROUP_FETCH] = {"Sources over HTTP", NULL},
    [GROUP_NOISE] = {"Noise",
                     "Each profile is a run of the program; a folder means all profiles in it. "
                     "share/doc/pprofc/VERDICTS.md explains the verdicts."},
    [GROUP_SAMPLE] = {"Shorthands for the sample value", NULL},
    [GROUP_MISC] = {"Other", NULL},
    [GROUP_LIMIT] = {"Limits", "A size may end with k, M or G."},
};

static const char *const usage[] = {"FORMAT [flags] [binary] SOURCE ...",
                                    "[flags] [binary] SOURCE ...",
                                    "-collect=DIR [flags] URL ...",
                                    "-mcp [flags] [FOLDER ...]",
                                    "[FORMAT] -simulate [flags] -- PROGRAM [ARGUMENT ...]",
                                    "-help | -version",
                                    NULL};

static const char *const details[] = {
    "SOURCE is a profile: a file, gzip'd or not, - for standard input, or a URL such as "
    "http://HOST:PORT/debug/pprof/heap; HOST:PORT alone is a CPU profile. The report shows the sum "
    "of all sources. The first of several may be the program that was profiled.",
    "Flags precede the first source, with one dash or two. A flag that is on or off takes its "
    "value after =: -trim=false.",
    NULL};

static const struct flag_note examples[] = {
    {"pprofc -top cpu.pb.gz", "where the time goes"},
    {"pprofc cpu.pb.gz", "a shell: reports of the profile, one after the other"},
    {"pprofc -top -cum -focus=Parse cpu.pb.gz",
     "stacks through Parse, sorted by value with callees"},
    {"pprofc -top -diff_base=old.pb.gz new.pb.gz", "what got slower and faster"},
    {"pprofc -top -time_range=2s,3s app.cpuprofile", "one second of a recording"},
    {"pprofc -top -alloc_space heap.pb.gz", "what allocates"},
    {"pprofc -proto -output=all.pb.gz one.pb.gz two.pb.gz", "two profiles merged into one"},
    {"pprofc -top -seconds=5 localhost:6060", "where a running Go service spends its time"},
    {"pprofc -collect=today http://localhost:6060",
     "all profiles of a service, as files in a folder"},
    {"pprofc -speedscope -output=cpu.json cpu.pb.gz", "a file for www.speedscope.app"},
    {"pprofc -simulate -- ./bench 100", "instructions and cache misses of one run, by valgrind"},
    {NULL, NULL}};

static const struct flag_note environment[] = {
    {"PPROF_BINARY_PATH", "search path for binaries; default: $HOME/pprof/binaries"},
    {"PPROF_TOOLS", "the same as -tools"},
    {"BROWSER", "the browser of -web and -weblist"},
    {"TMPDIR", "folder for files shown in viewers; default: /tmp"},
    {"PAGER", "pager of the shell for long reports; default: less"},
    {"XDG_STATE_HOME", "folder of the shell's history; default: $HOME/.local/state"},
    {"PPROF_TMPDIR", "folder for copies of fetched profiles; default: $HOME/pprof"},
    {"HTTP_PROXY", "proxy for http; also http_proxy"},
    {"HTTPS_PROXY", "proxy for https; also https_proxy"},
    {"NO_PROXY", "hosts without a proxy, separated by commas; also no_proxy"},
    {"SSL_CERT_FILE", "file of trusted certificate authorities; default: the system's"},
    {"SSL_CERT_DIR", "folder of trusted certificate authorities"},
    {"NO_COLOR", "if set, do not print messages in red"},
    {NULL, NULL}};

static const struct flag_note asks[] = {{"sample_index", "sample_types"}, {NULL, NULL}};

static const struct flag_note statuses[] = {
    {"0", "done"},
    {"1", "-fail_on: there was nothing to judge"},
    {"2", "failed, a file was unreadable, or -fail_on found a regression"},
    {"3", "-fail_on -strict: a side has fewer than 3 runs"},
    {NULL, NULL}};

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
                                      [PPROFC_STACKS_FLAT] = "flat"};
  for (size_t i = 0; i < COUNT(names); i++)
    if (strcmp(text, names[i]) == 0) {
      *(pprofc_call_stacks *)(void *)((char *)options + flag->offset) = (pprofc_call_stacks)i;
      return NULL;
    }
  return "must be proportional, edges or flat";
}

/* Stores a value of -header, a flag that may be repeated. */
static const char *store_header(void *options, const struct flag *flag, const char *text) {
  struct command *command = options;
  (void)flag;
  if (command->header_count == MAX_HEADERS)
    return "too many headers; -header_file has room for more";
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
               "Profile to subtract. If repeated, the sum of these profiles"),
    FLAG_CALLS(STRING, GROUP_SOURCE, FIELD(diff_base), "diff_base", "SOURCE", store_base,
               "Profile to compare with. Percentages are shares of its total. If repeated, the sum "
               "of these profiles"),
    FLAG_CALLS(STRING, GROUP_SOURCE, FIELD(time_range), "time_range", "FROM,TO", time_range_store,
               "Use only this part of the recording, such as 2.1s,3.4s; FROM or TO may be empty"),
    FLAG_CALLS(STRING, GROUP_SOURCE, FIELD(diff_time_range), "diff_time_range", "FROM,TO",
               time_range_store,
               "Part of the same recording to compare with. Percentages are shares of the total of "
               "this part"),
    FLAG(STRING, GROUP_SOURCE, "add_comment", add_comment, "TEXT", NULL,
         "Comment to add to the profile"),
    FLAG(STRING, GROUP_SOURCE, "buildid", buildid, "ID", NULL,
         "Build ID of the main binary, if the profile has no build ID"),
    FLAG_WORDS(
        STRING, GROUP_SOURCE, "symbolize", symbolize, "MODE", NULL, symbolize_modes,
        "Source of function names, and form of the names; colons separate several words:\n"
        "none, local (binaries), fastlocal (binaries, but no lines), remote (server): the source\n"
        "force: replace existing names\n"
        "demangle=none, demangle=full, demangle=templates: form of C++ names"),
    FLAG_CALLS(STRING, GROUP_SOURCE, FIELD(source_maps), "source_map", "FILE", store_list,
               "Source map with the original names, files and lines of a script. May be repeated. "
               "pprofc finds SCRIPT.map next to the profile without this flag"),
    FLAG(STRING, GROUP_SOURCE, "tools", tools, "PATH", NULL,
         "Search path for addr2line, nm and objdump"),
    {"callgrind_stacks", FLAG_STRING, FIELD(call_stacks), GROUP_SOURCE, "WAY",
     "Stacks to make from callgrind's call graph: proportional (whole stacks), edges (a function "
     "and its caller) or flat (a function alone)",
     "proportional", call_stack_ways, 0, false, store_call_stacks},
    FLAG(STRING, GROUP_SOURCE, "benchmark", benchmark, "REGEXP", NULL,
         "Use only benchmarks (parts of callgrind's output) whose name matches"),
    SWITCH(GROUP_SOURCE, "frames", frames,
           "Read several profiles from standard input. Before each profile come 4 bytes with its "
           "length, big-endian"),
    FLAG(STRING, GROUP_SOURCE, "sums", sums, "FILE", NULL,
         "Also write the sum and the sum of squares of each function over all sources, as input of "
         "a later -noise"),
    SWITCH(GROUP_SOURCE, "simulate", simulate,
           "Run a program once under valgrind and report its instructions and cache misses"),
    SWITCH(GROUP_SOURCE, "all_frames", all_frames,
           "Keep the frames that drop_frames of the profile removes"),
    FLAG(INT, GROUP_FETCH, "seconds", seconds, "N", "-1",
         "Seconds for which the server of a URL collects samples; -1: the value of the URL, or the "
         "default of the server"),
    FLAG(INT, GROUP_FETCH, "timeout", timeout, "N", "-1",
         "Time limit of a request: N + 5 seconds; -1: 65 seconds, with -seconds 1.5 times its "
         "value plus 5"),
    FLAG_CALLS(
        STRING, GROUP_FETCH, 0, "header", "HEADER", store_header,
        "Header to send (NAME: VALUE), but not after a redirect to another host. May be repeated"),
    FLAG(STRING, GROUP_FETCH, "header_file", header_file, "FILE", NULL,
         "File of headers to send, one per line"),
    FLAG(STRING, GROUP_FETCH, "tls_cert", tls_cert, "FILE", NULL, "Client certificate"),
    FLAG(STRING, GROUP_FETCH, "tls_key", tls_key, "FILE", NULL,
         "Private key of the client certificate"),
    FLAG(STRING, GROUP_FETCH, "tls_ca", tls_ca, "FILE", NULL,
         "File of trusted certificate authorities; default: the system's"),
    SWITCH(GROUP_FETCH, "no_save", no_save, "Do not keep copies of fetched profiles"),
    FLAG(STRING, GROUP_FETCH, "collect", collect, "DIR", NULL,
         "Save the CPU, heap, goroutine, mutex and block profiles of each server in this folder"),
    SWITCH(GROUP_MISC, "e", stop_on_error,
           "Shell: end with status 2 at the first command that fails"),
    SWITCH(GROUP_MISC, "no_pager", no_pager, "Shell: print long reports without $PAGER"),
    FLAG_CALLS(STRING, GROUP_MISC, FIELD(http), "http", "HOST:PORT", store_http,
               "Serve the profile as a web page at this address. A single colon means a free port "
               "of localhost"),
    SWITCH(GROUP_MISC, "lsp", lsp,
           "Show the costs of lines in an editor, over the Language Server Protocol on standard "
           "input and output"),
    SWITCH(GROUP_MISC, "quickfix", quickfix,
           "Print costs of lines for the error list of an editor, as file:line:column: text"),
    SWITCH(GROUP_MISC, "mcp", mcp,
           "Answer a coding agent on standard input and output, over the Model Context Protocol. "
           "Reads only files below the given folders, or below the current one"),
    SWITCH(GROUP_MISC, "no_browser", no_browser, "Do not start a browser for -http"),
    FLAG_WORDS(CHOICE, GROUP_MISC, "http_reload", http_reload, "WHEN", "ask", http_reloads,
               "Action of -http when a file changes: ask offers the new version, auto shows it, "
               "off keeps the old version"),
    FLAG_CALLS(STRING, GROUP_MISC, 0, "every", "TIME", store_every,
               "With -http: fetch the URL again and again, with a pause of TIME (at least 1s) "
               "after each reply, and show the newest recording"),
    {"budget", FLAG_STRING, FIELD(brief_bytes), GROUP_MISC, "BYTES",
     "Maximum length in bytes of a text or JSON report; 0: no limit. A longer report loses its "
     "least important rows, and names their number",
     "0", NULL, 0, false, brief_store},
    FLAG(STRING, GROUP_MISC, "output", output, "FILE", NULL, "Write the report to this file"),
    FLAG(INT, GROUP_MISC, "threads", threads, "N", "0", "Number of threads; 0: one per CPU"),
    FLAG(STRING, GROUP_MISC, "completion", completion, "SHELL", NULL,
         "Print completion for bash, zsh or fish"),
    FLAG_WORDS(WORD, GROUP_MISC, "formats", formats, NULL, NULL, formats_forms,
               "List the supported formats: their tools, what is kept and what is lost"),
    SWITCH(GROUP_MISC, "version", version, "Print the version and the build options"),
    SWITCH(GROUP_MISC, "help", help, "Print this text"),
    {"h", FLAG_BOOL, FIELD(help), GROUP_MISC, NULL, "", NULL, NULL, 0, true, NULL},
    {"manual", FLAG_BOOL, FIELD(manual), GROUP_MISC, NULL, "", NULL, NULL, 0, true, NULL},
    {"sample_types", FLAG_BOOL, FIELD(sample_types), GROUP_MISC, NULL, "", NULL, NULL, 0, true,
     NULL},
    LIMIT("max_input", input_bytes, "BYTES", "2G", limit_store_u64, "Maximum size of a source"),
    LIMIT("max_inflated", inflated_bytes, "BYTES", "8G", limit_store_u64,
          "Maximum size of a source after decompression"),
    LIMIT("max_ratio", inflate_ratio, "N", "400", limit_store_u32,
          "Maximum ratio of a profile's decompressed size to its file size, and of its memory to "
          "its file size; not checked for plain text from a pipe"),
    LIMIT("max_memory", memory_bytes, "BYTES", "0", limit_store_u64,
          "Maximum memory for all sources and the report; 0: half of the machine's or container's "
          "memory, "
          "at most 16G"),
    LIMIT("max_depth", stack_depth, "N", "65536", limit_store_u32, "Maximum frames of a stack"),
    LIMIT("max_labels", labels, "N", "4096", limit_store_u32, "Maximum labels of a sample"),
    LIMIT("max_string", string_bytes, "BYTES", "64M", limit_store_u32, "Maximum size of a string")};

static const char *const noise_shows[] = {"all", "changed", "rows", NULL};
static const char *const commons[] = {"auto", "off", NULL};
static const char *const noise_corrections[] = {"bh", "by", NULL};

#define NOISE(name, kind, field, argument, initial, choices, call, help)                           \
  { name, kind, FIELD(noise.field), GROUP_NOISE, argument, help, initial, choices, 0, false, call }

static const struct flag noise_flags[] = {
    NOISE("noise", FLAG_WORD, show, NULL, NULL, noise_shows, NULL,
          "With -diff_base: give each function a verdict (-top, -text, -json, -flame, "
          "-flamegraph), and choose the listed functions:\n"
          "all (the default)\n"
          "changed: only functions that changed by more than noise\n"
          "rows: also functions whose cost moved to or from another function"),
    NOISE("blame", FLAG_BOOL, blame, NULL, NULL, NULL, NULL,
          "Like -top -noise, but lists contributions that sum to the change of the total"),
    NOISE("alpha", FLAG_FLOAT, how.alpha, "F", "0.05", NULL, NULL,
          "False discovery rate: largest expected share of false alarms among changes"),
    NOISE("noise_cv", FLAG_FLOAT, how.noise_cv, "F", "0.05", NULL, NULL,
          "Assumed noise between runs if each side has one run"),
    NOISE("min_samples", FLAG_FLOAT, how.min_samples, "N", "10", NULL, NULL,
          "Judge only functions with at least this number of samples in all runs together. 0: "
          "judge each function with enough samples to find a doubling of its cost"),
    NOISE("normalize_by", FLAG_CHOICE, normalize_by, "WHAT", NULL, noise_exposures, NULL,
          "Divide the values of a run by its operations (ops), its seconds (time) or its total "
          "(total). none does not divide. auto means ops if known, time for mutex and block "
          "profiles with a duration, else none"),
    NOISE("ops", FLAG_STRING, ops, "N,N", NULL, NULL, NULL,
          "Number of operations of a run of the base and of a run of the head, or of each run in "
          "order"),
    NOISE("bench_base", FLAG_STRING, bench_base, "FILE", NULL, NULL, NULL,
          "Benchmark results of the base, one per run, to compute values per operation"),
    NOISE("bench_head", FLAG_STRING, bench_head, "FILE", NULL, NULL, NULL,
          "Benchmark results of the head"),
    NOISE("bench", FLAG_STRING, bench, "RE", NULL, NULL, NULL,
          "Regexp that matches the profiled benchmark in -bench_base and -bench_head"),
    NOISE("common", FLAG_CHOICE, common, "WHAT", NULL, commons, NULL,
          "auto: correct for runs in which all functions are faster or slower. off: make no "
          "correction"),
    NOISE("correction", FLAG_CHOICE, correction, "WHAT", NULL, noise_corrections, NULL,
          "Correction for the number of functions: bh (Benjamini-Hochberg), or by "
          "(Benjamini-Yekutieli), which permits any dependence between functions"),
    NOISE("fcr", FLAG_BOOL, how.fcr, NULL, NULL, NULL, NULL,
          "Widen the intervals of changed functions, so that 95 % of these intervals contain the "
          "true change"),
    NOISE("noise_stacks", FLAG_BOOL, how.stacks, NULL, NULL, NULL, NULL,
          "With -json: also judge stacks, the boxes of a flame graph"),
    NOISE("noise_rules", FLAG_STRING, rules, "FILE", NULL, NULL, NULL,
          "JSON file with rules: functions that are never judged, frames that are removed, changes "
          "that are accepted"),
    NOISE("fail_on", FLAG_STRING, fail_on, "WHAT", NULL, NULL, store_list,
          "Condition under which the exit status is 2. May be repeated:\n"
          "total>5%: the total grew\n"
          "common>5%: all functions grew by this common factor\n"
          "flat>5%: the own cost of a function grew by this share of the base's total\n"
          "cum>5%: as flat>5%, for the cost of a function with its callees\n"
          "row:flat>5%, row:cum>5%: as above, even if the cost only moved from other functions\n"
          "self>10%: the own cost of a function grew by this share of itself\n"
          "flat>10ms: the own cost of a function grew by this amount\n"
          "name=RE: the own cost of a function whose name matches RE grew by any amount\n"
          "flat>5%,name=RE: as flat>5%, but only for functions whose name matches RE"),
    NOISE("strict", FLAG_BOOL, strict, NULL, NULL, NULL, NULL,
          "With -fail_on: exit with 3 when a side has fewer than 3 runs"),
};

void command_flags_init(struct command_flags *flags) {
  memset(flags, 0, sizeof *flags);
  flags->table = (struct flag_table){
      .program = "pprofc",
      .summary = "shows, compares and converts profiles, like pprof",
      .usage = usage,
      .details = details,
      .groups = groups,
      .group_count = COUNT(groups),
      .flags = flags->items,
      .examples = examples,
      .environment = environment,
      .statuses = statuses,
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
