/* Implements `pprofci capture`: captures profiles of servers under load. */
#include "capture/capture.h"

enum { GROUP_SERVERS, GROUP_WHAT, GROUP_PYROSCOPE };

static const struct flag_group groups[] = {
    {"Servers", "These flags name servers that offer profiles by Go's net/http/pprof. To find "
                "leaks, give only -head."},
    {"Rounds", NULL},
    {"Pyroscope", "With these flags, pprofci takes profiles from a Pyroscope server instead of the "
                  "profiled servers."}};

#define FIELD(name) offsetof(struct capture_options, name)

static const struct flag flags[] = {
    FLAG(STRING, 0, "head", servers[SIDE_HEAD], "URL", NULL,
         "address of the server with the change"),
    FLAG(STRING, 0, "base", servers[SIDE_BASE], "URL", NULL,
         "address of the server without the change. pprofci takes profiles from both servers "
         "alternately"),
    FLAG(STRING, 0, "head-run", runs[SIDE_HEAD], "COMMAND", NULL,
         "shell command that starts the server of -head; pprofci stops it afterwards"),
    FLAG(STRING, 0, "base-run", runs[SIDE_BASE], "COMMAND", NULL,
         "shell command that starts the server of -base; pprofci stops it afterwards"),
    FLAG(STRING, 0, "load", load, "COMMAND", NULL,
         "shell command that sends requests to the server (load) while pprofci takes profiles. "
         "With -base, pprofci starts this command again for each server and round"),
    FLAG(INT, 0, "settle", settle, "SECONDS", "1",
         "number of seconds that pprofci waits after it started -load, before it takes profiles"),
    FLAG(INT, 0, "wait", wait, "SECONDS", "30",
         "longest time in seconds to wait for the first answer of a server"),
    FLAG(STRING, GROUP_WHAT, "out", out, "DIR", NULL,
         "new folder for the profiles. Its subfolders, such as base/cpu and head/heap, get one "
         "profile of each round"),
    FLAG(STRING, GROUP_WHAT, "kinds", kinds, "LIST", "cpu,heap,goroutine,mutex,block",
         "kinds of profile, separated by commas"),
    FLAG(INT, GROUP_WHAT, "count", count, "N", "5", "number of rounds"),
    FLAG(INT, GROUP_WHAT, "warmup", warmup, "N", "1",
         "number of warm-up rounds before the rounds of -count. pprofci saves their profiles in a "
         "folder named warmup"),
    FLAG(INT, GROUP_WHAT, "seconds", seconds, "N", "10",
         "number of seconds for which the server collects each cpu, mutex and block profile"),
    FLAG(INT, GROUP_WHAT, "interval", interval, "SECONDS", "0",
         "time in seconds between the starts of two rounds; 0: no pause between rounds"),
    FLAG(STRING, GROUP_PYROSCOPE, "pyroscope", pyroscope, "URL", NULL,
         "address of the Pyroscope server"),
    FLAG(STRING, GROUP_PYROSCOPE, "query", queries[SIDE_HEAD], "SELECTOR", NULL,
         "labels of the head's profiles, such as {service_name=\"shop\", side=\"head\"}. If -kinds "
         "has only one kind, the name of a profile type may come before the brace"),
    FLAG(STRING, GROUP_PYROSCOPE, "base-query", queries[SIDE_BASE], "SELECTOR", NULL,
         "labels of the base's profiles, as in -query"),
    FLAG(STRING, GROUP_PYROSCOPE, "from", from, "TIME", "now-1h",
         "start of the time range: seconds since 1970, or a time such as now-30m. pprofci divides "
         "the range into one equal part for each round"),
    FLAG(STRING, GROUP_PYROSCOPE, "until", until, "TIME", "now",
         "end of the time range, as in -from"),
};

static const char *const usage[] = {"-out DIR -head URL [-base URL] [flags]",
                                    "-out DIR -pyroscope URL -query SELECTOR [flags]", NULL};

static const char *const details[] = {
    "Takes profiles of running servers in rounds, of base and head alternately. `pprofci run`, "
    "`pprofci leaks` and `pprofc -noise` read the resulting folder. If a server lacks a kind of "
    "profile, the command prints a warning. After any other failure, it writes nothing. The shell "
    "commands of -head-run, -base-run and -load get two variables: PPROFCI_SIDE is base or head, "
    "and PPROFCI_URL is the address of this server.",
    NULL};

static const struct flag_note examples[] = {
    {"pprofci capture -out set -head localhost:6060 -count 10 -seconds 2 && pprofci leaks set/head",
     "does the server leak?"},
    {"pprofci capture -out set -base-run './old -port 6061' -base localhost:6061 -head-run './new "
     "-port 6060' -head localhost:6060 -load ./load.sh",
     "both versions under load"},
    {"pprofc -top -noise -diff_base=set/base/cpu set/head/cpu", "what changed beyond noise"},
    {NULL, NULL}};

static const struct flag_note environment[] = {
    {"PYROSCOPE_TOKEN", "token that identifies you to Pyroscope"},
    {"PYROSCOPE_USER", "user for basic authentication; the token is the password"},
    {"PYROSCOPE_TENANT", "value of the header X-Scope-OrgID, which names your tenant"},
    {NULL, NULL}};

static const struct flag_note statuses[] = {
    {"0", "all profiles were taken"}, {"1", "failed; the command wrote nothing"}, {NULL, NULL}};

const struct flag_table capture_table = {
    FLAG_TABLE("pprofci capture", "takes sets of profiles from servers under load"),
    .examples = examples, .environment = environment};

static void capture_check_numbers(const struct capture_options *o) {
  const struct {
    const char *name, *unit;
    int64_t value, least, most;
  } numbers[] = {
      {"count", "", o->count, 1, 1000},           {"warmup", "", o->warmup, 0, 1000},
      {"seconds", "", o->seconds, 1, 3600},       {"interval", " seconds", o->interval, 0, 86400},
      {"settle", " seconds", o->settle, 0, 3600}, {"wait", " seconds", o->wait, 0, 3600}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (numbers[i].value < numbers[i].least || numbers[i].value > numbers[i].most)
      ci_fail("-%s must be from %lld to %lld%s", numbers[i].name, (long long)numbers[i].least,
              (long long)numbers[i].most, numbers[i].unit);
}

static void capture_check_side(const struct capture_options *o, int side) {
  const char *name = side_names[side];
  if (*o->runs[side] && !*o->servers[side])
    ci_fail("-%s-run needs -%s, where the server answers", name, name);
  if (*o->servers[side] && *o->pyroscope) ci_fail("-%s cannot be combined with -pyroscope", name);
  if (*o->queries[side] && !*o->pyroscope) ci_fail("a query needs -pyroscope");
}

static void capture_check_sources(const struct capture_options *o) {
  for (int side = 0; side < SIDES; side++) {
    capture_check_side(o, side);
  }
  if (!*o->out) ci_fail("-out is needed");
  if (*o->pyroscope && !*o->queries[SIDE_HEAD]) ci_fail("-pyroscope needs -query");
  if (!*o->pyroscope && !*o->servers[SIDE_HEAD]) ci_fail("-head or -pyroscope is needed");
}

static void capture_check(void *options, const struct command_line *line) {
  capture_check_numbers(options);
  (void)line;
  capture_check_sources(options);
}

void capture_add(struct capture *capture, struct capture_item item) {
  (void)ARRAY_PUSH_IN(&capture->remote.arena, capture->items, capture->count, capture->capacity,
                      item);
}

static void capture_choose_kinds(struct capture *capture) {
  pprofc_str rest = str_of(capture->options->kinds), word;
  while (str_next(&rest, ',', &word)) {
    size_t k = 0;
    word = str_trim(word);
    while (k < REMOTE_KINDS && !str_equal(word, str_of(remote_kinds[k].name))) k++;
    if (k == REMOTE_KINDS)
      ci_fail("-kinds must list cpu, heap, goroutine, mutex or block, not '%.*s'", STR_ARG(word));
    capture->kinds[k] = true;
  }
}

/* Fails if base or head has no profile. A report without one side would show all values as
 * changes. */
static void capture_check_sides(const struct capture *capture) {
  for (int side = 0; side < SIDES; side++) {
    const struct capture_options *o = capture->options;
    size_t found = 0;
    for (size_t i = 0; i < capture->count; i++) found += capture->items[i].side == side;
    if (!found && (*o->servers[side] || *o->queries[side]))
      ci_fail("no profile of the %s was captured", side_names[side]);
  }
}

static void capture_all(struct capture *capture) {
  const struct capture_options *o = capture->options;
  capture_choose_kinds(capture);
  ci_need(new_folder_check(o->out, "-out", &ci_error));
  if (*o->pyroscope)
    capture_queries(capture);
  else
    capture_servers(capture);
  capture_check_sides(capture);
  capture_write(capture);
  message_note("Captured %zu profiles in %s", capture->count, o->out);
}

static int capture_run(void *options, const struct command_line *line) {
  struct capture capture = {.options = options};
  (void)line;
  capture_all(&capture);
  for (size_t i = 0; i < capture.count; i++) pprofc_profile_release(capture.items[i].profile);
  remote_close(&capture.remote);
  return EXIT_PASSED;
}

COMMAND(capture, struct capture_options, COMMAND_NO_WORDS, capture_check, capture_run, false);
