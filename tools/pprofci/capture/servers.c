/* Captures profiles from net/http/pprof in rounds. The base is first in one round, the head in the
 * next. */
#include "capture/capture.h"
#include "core/child.h"
#include "run/files.h"

#include <signal.h>
#include <sys/wait.h>

#define PROCESSES_MAX 3 /* maximum number of programs: two servers and a load generator */
#define GRACE_MS      3000
#define LOOK_MS       20

static struct {
  volatile sig_atomic_t pid; /* process id; 0 if the entry is unused or the program has ended */
  const char *command;
} processes[PROCESSES_MAX];
static size_t processes_count;

/* Kills the programs, then ends this program by the signal that it received. */
static void processes_interrupted(int number) {
  for (size_t i = 0; i < PROCESSES_MAX; i++)
    if (processes[i].pid) kill(-(pid_t)processes[i].pid, SIGKILL);
  signal(number, SIG_DFL);
  raise(number);
}

static void processes_watch(void) {
  static const int endings[] = {SIGINT, SIGTERM, SIGHUP};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (signal(endings[i], processes_interrupted) == SIG_IGN) signal(endings[i], SIG_IGN);
}

/* Starts a shell command in its own process group and sends its output to standard error. A signal
 * that ends this program ends the commands first. */
static void processes_start(const char *command, const char *side, const char *address) {
  const char *const argv[] = {"/bin/sh", "-c", command, NULL};
  const struct spawn program = {
      .argv = argv, .streams = {SPAWN_NULL, STDERR_FILENO, SPAWN_SAME}, .own_group = true};
  sigset_t all, before;
  pid_t pid = 0;
  if (!processes_count) processes_watch();
  setenv("PPROFCI_SIDE", side, 1);
  setenv("PPROFCI_URL", address, 1);
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before); /* a signal now would leave the new program running */
  int failed = spawn_start(&program, &pid);
  if (!failed) {
    processes[processes_count].command = command;
    processes[processes_count++].pid = pid;
  }
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (failed) ci_fail("cannot run '%s': %s", command, ERRNO_TEXT(failed));
}

/* Fails if one of the first `count` programs has ended. */
static void processes_check(size_t count) {
  for (size_t i = 0; i < count && i < processes_count; i++) {
    int how = 0;
    if (!processes[i].pid || waitpid((pid_t)processes[i].pid, &how, WNOHANG) == 0) continue;
    processes[i].pid = 0;
    ci_fail("'%s' ended too early, with status %d", processes[i].command, spawn_status(how));
  }
}

static bool processes_any(size_t first) {
  bool any = false;
  for (size_t i = first; i < processes_count; i++) {
    if (processes[i].pid && waitpid((pid_t)processes[i].pid, NULL, WNOHANG) != 0)
      processes[i].pid = 0;
    any |= processes[i].pid != 0;
  }
  return any;
}

static void processes_signal(size_t first, int number) {
  for (size_t i = first; i < processes_count; i++)
    if (processes[i].pid) kill(-(pid_t)processes[i].pid, number);
}

/* Stops all programs except the first `first` ones. Sends SIGTERM, and after 3 seconds SIGKILL. */
static void processes_stop(size_t first) {
  if (processes_count <= first) return;
  processes_signal(first, SIGTERM);
  for (int waited = 0; processes_any(first); waited += LOOK_MS) {
    if (waited >= GRACE_MS) processes_signal(first, SIGKILL);
    nanosleep(&(struct timespec){0, LOOK_MS * 1000000L}, NULL);
  }
  processes_count = first;
}

/* Stops all programs before an error or a lack of memory ends pprofci. */
static void processes_clean(void *context) {
  (void)context;
  processes_stop(0);
}

#define LIMIT_MS 30000
#define TRY_MS   200

/* The requests that one round sends to one server. */
struct capture_round {
  struct capture *capture;
  int side;
  size_t round;
  bool warmup;
};

static void servers_url(struct capture *capture, int side, const char *what, bool timed,
                        struct url *url) {
  const struct capture_options *o = capture->options;
  char path[256];
  int64_t seconds = o->seconds;
  pprofc_str server = str_of(o->servers[side]);
  bool has_folder = str_find(server, STR("/debug/pprof")) < server.size;
  const char *folder = has_folder ? "" : "/debug/pprof";
  if (timed)
    snprintf(path, sizeof path, "%s/%s?seconds=%lld", folder, what, (long long)seconds);
  else
    snprintf(path, sizeof path, "%s/%s", folder, what);
  remote_address(&capture->remote, o->servers[side], path, url);
}

static void servers_take(const struct capture_round *r, size_t kind, struct exchange *exchange) {
  struct capture *capture = r->capture;
  const char *server = capture->options->servers[r->side];
  struct capture_item item = {.side = r->side, .kind = kind, .round = r->round};
  item.warmup = r->warmup;
  if (exchange->reply.code == 404) {
    if (!capture->missing[r->side][kind])
      message_note("pprofci: %s has no profile '%s'", server, remote_kinds[kind].name);
    capture->missing[r->side][kind] = true;
    return;
  }
  if (exchange->status != PPROFC_OK) remote_fail(&capture->remote, exchange, server);
  pprofc_str content = reply_content(&exchange->reply);
  ci_begin(text_printf(&capture->remote.arena,
                       "cannot read the %s profile of %s: ", remote_kinds[kind].name, server));
  ci_need(pprofc_profile_read_memory(content.data, content.size, NULL, &item.profile, &ci_error));
  ci_begin("");
  capture_add(capture, item);
}

/* Fetches several profile types at the same time. If `timed` is true, fetches only the types that
 * record for some seconds, such as CPU; otherwise only the types that do not record. */
static void servers_fetch(const struct capture_round *r, bool timed) {
  struct capture *capture = r->capture;
  struct exchange exchanges[REMOTE_KINDS];
  struct url urls[REMOTE_KINDS];
  size_t kinds[REMOTE_KINDS], count = 0;
  int64_t limit = LIMIT_MS + (timed ? capture->options->seconds * 1500 : 0);
  for (size_t k = 0; k < REMOTE_KINDS; k++) {
    const struct remote_kind *kind = &remote_kinds[k];
    if (!capture->kinds[k] || capture->missing[r->side][k] || kind->takes_time != timed) continue;
    servers_url(capture, r->side, kind->go_path, timed, &urls[count]);
    exchanges[count] =
        (struct exchange){.url = &urls[count], .limit_ms = limit, .arena = &capture->remote.arena};
    kinds[count++] = k;
  }
  if (!count) return;
  client_run(capture->remote.client, exchanges, count);
  for (size_t i = 0; i < count; i++) {
    servers_take(r, kinds[i], &exchanges[i]);
    reply_free(&exchanges[i].reply);
  }
}

static void servers_sleep_until(int64_t end_ms) {
  int64_t left = end_ms - system_milliseconds();
  if (left <= 0) return;
  struct timespec wait = {(time_t)(left / 1000), (long)(left % 1000) * 1000000};
  while (nanosleep(&wait, &wait) != 0) continue;
}

static void servers_load(const struct capture_options *o, int side) {
  processes_start(o->load, side_names[side], o->servers[side]);
  servers_sleep_until(system_milliseconds() + o->settle * 1000);
}

/* Captures the profiles of one server. With two servers, the load runs only during this call,
 * because the other server must be idle. */
static void servers_side(const struct capture_round *r, size_t programs) {
  const struct capture_options *o = r->capture->options;
  bool turns = *o->load && *o->servers[SIDE_BASE];
  processes_check(programs);
  if (turns) servers_load(o, r->side);
  servers_fetch(r, true);
  servers_fetch(r, false);
  if (turns) processes_stop(programs);
}

static void servers_rounds(struct capture *capture, size_t programs) {
  const struct capture_options *o = capture->options;
  size_t rounds = (size_t)(o->warmup + o->count);
  for (size_t i = 0; i < rounds; i++) {
    int64_t begin = system_milliseconds();
    struct capture_round r = {.capture = capture, .round = i, .warmup = (int64_t)i < o->warmup};
    message_note("[%zu/%zu] %s", i + 1, rounds, r.warmup ? "warm-up" : "profiles");
    for (int turn = 0; turn < SIDES; turn++) {
      r.side = i % 2 ? SIDES - 1 - turn : turn;
      if (*o->servers[r.side]) servers_side(&r, programs);
    }
    if (i + 1 < rounds) servers_sleep_until(begin + o->interval * 1000);
  }
}

static void servers_await(struct capture *capture, int side, size_t programs) {
  const struct capture_options *o = capture->options;
  int64_t end = system_milliseconds() + o->wait * 1000;
  struct url url;
  servers_url(capture, side, "cmdline", false, &url);
  for (;;) {
    struct exchange exchange = {.url = &url, .limit_ms = LIMIT_MS, .arena = &capture->remote.arena};
    client_run(capture->remote.client, &exchange, 1);
    bool answered = exchange.reply.code != 0;
    if (!answered && system_milliseconds() >= end)
      remote_fail(&capture->remote, &exchange, o->servers[side]);
    reply_free(&exchange.reply);
    if (answered) return;
    processes_check(programs);
    nanosleep(&(struct timespec){0, TRY_MS * 1000000L}, NULL);
  }
}

static void servers_start(struct capture *capture, size_t *programs) {
  const struct capture_options *o = capture->options;
  for (int side = 0; side < SIDES; side++) {
    if (!*o->runs[side]) continue;
    processes_start(o->runs[side], side_names[side], o->servers[side]);
    (*programs)++;
  }
  for (int side = 0; side < SIDES; side++)
    if (*o->servers[side]) servers_await(capture, side, *programs);
  if (*o->load && !*o->servers[SIDE_BASE]) servers_load(o, SIDE_HEAD);
}

void capture_servers(struct capture *capture) {
  size_t programs = 0;
  memory_set_cleanup(processes_clean, NULL);
  remote_open(&capture->remote, NULL, false);
  servers_start(capture, &programs);
  servers_rounds(capture, programs);
  processes_stop(0);
}
