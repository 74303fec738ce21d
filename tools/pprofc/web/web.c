/* -http from start to end: reads the profiles, serves, starts a browser, waits for a signal. */
#include "web/web.h"

#include "common/terminal.h"
#include "core/mem.h"
#include "limit_flags.h"
#include "sources.h"
#include "web/address.h"
#include "web/browser.h"
#include "web/routes.h"
#include "web/settings.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define EXIT_FAILED 2

/* Limits of one answer. */
#define ANSWER_BYTES        ((uint64_t)512 << 20)
#define ANSWER_MILLISECONDS 30000
#define ANSWERS_WAITING     256
#define CACHE_BYTES         ((size_t)64 << 20)
#define WORKERS_MOST        16

/* Limit of cached trees of flame graphs; at most an eighth of all memory. */
#define TREE_BYTES ((uint64_t)256 << 20)

/* Twice as many threads as cores, because some wait for graphviz. */
static unsigned web_workers(void) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  long workers = cores > 0 ? 2 * cores : 2;
  return workers < WORKERS_MOST ? (unsigned)workers : WORKERS_MOST;
}

/* Only sigwait in the main thread receives signals. Writing to a closed connection raises no
 * signal. */
static void web_block_signals(sigset_t *signals) {
  sigemptyset(signals);
  sigaddset(signals, SIGINT);
  sigaddset(signals, SIGTERM);
  sigaddset(signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, signals, NULL);
  signal(SIGPIPE, SIG_IGN);
}

/* File descriptors for pipes and files, in addition to connections. */
static void web_raise_limits(void) {
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= 4096) return;
  files.rlim_cur = files.rlim_max < 4096 ? files.rlim_max : 4096;
  setrlimit(RLIMIT_NOFILE, &files);
}

/* Threads share few heaps and return large blocks to the system, because the server runs for
 * long. */
static void web_tune_memory(void) {
#ifdef M_ARENA_MAX
  mallopt(M_ARENA_MAX, 4);
  mallopt(M_TRIM_THRESHOLD, 128 << 10);
  mallopt(M_MMAP_THRESHOLD, 64 << 10);
#endif
}

/* Answers since the last check of the watcher. */
static atomic_uint web_answers;

static void web_answer(void *asker, struct web_reply *reply) {
  atomic_fetch_add(&web_answers, 1);
  http_answer(asker, reply);
}

/* Heaps keep free pages between used blocks, so return them to the system after some work. */
static void web_return_memory(void) {
  if (!atomic_exchange(&web_answers, 0)) return;
#ifdef M_ARENA_MAX
  malloc_trim(0);
#endif
}

static pprofc_status web_start_jobs(struct web *web, pprofc_error *error) {
  web->cache = cache_new(CACHE_BYTES);
  uint64_t part = web->command->limits.memory_bytes / 8;
  web->trees = trees_new(part < TREE_BYTES ? part : TREE_BYTES);
  if (!web->cache || !web->trees) return error_nomem(error);
  const struct jobs_settings settings = {.workers = web_workers(),
                                         .waiting_most = ANSWERS_WAITING,
                                         .parent = web->command->budget,
                                         .bytes = ANSWER_BYTES,
                                         .milliseconds = ANSWER_MILLISECONDS,
                                         .cache = web->cache,
                                         .run = routes_run,
                                         .forget = routes_forget,
                                         .answer = web_answer};
  web->dot = dot_slots_new((web_workers() + 1) / 2);
  if (!web->dot) return error_nomem(error);
  web->jobs = jobs_start(&settings);
  return web->jobs ? PPROFC_OK : error_nomem(error);
}

/* Makes a token of 192 bits, for a server that other machines can reach. */
static pprofc_status web_make_token(char token[GUARD_TOKEN_SIZE + 1], pprofc_error *error) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  unsigned char random[GUARD_TOKEN_SIZE];
  if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
    return error_set(error, PPROFC_E_IO, "cannot make a token: %s", ERRNO_TEXT(errno));
  for (size_t i = 0; i < sizeof random; i++) token[i] = letters[random[i] & 63];
  token[GUARD_TOKEN_SIZE] = '\0';
  return PPROFC_OK;
}

/* Prints the address, starts the work on the first page, and starts a browser on a terminal. */
static void web_announce(struct web *web, const struct http_address *address, const char *token) {
  char host[300];
  struct buffer text;
  buffer_init(&text, &mem_default, (size_t)1 << 20);
  address_write(address, host, sizeof host);
  buffer_printf(&text, "http://%s", host);
  if (*token) buffer_printf(&text, "/ui/?token=%s", token);
  message_note("Serving web UI on %.*s", STR_ARG(buffer_str(&text)));
  if (web->command->no_browser || !isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO)) {
    routes_prepare_landing(web, STR(""));
    buffer_free(&text);
    return;
  }
  size_t before = text.size;
  buffer_add_text(&text, *token ? "&" : "/ui/?");
  size_t from = text.size;
  browser_write_options(&text, &web->command->report);
  routes_prepare_landing(web, str_slice(buffer_str(&text), from, text.size));
  if (text.size == from) text.size = before;
  buffer_add(&text, "", 1);
  if (!text.failed && !browser_start(text.data)) message_note("%s", text.data);
  buffer_free(&text);
}

/* Checks the files once a second. */
static void *web_watch(void *context) {
  struct web *web = context;
  for (unsigned turn = 1; !atomic_load(&web->stopping); turn++) {
    nanosleep(&(struct timespec){0, 100000000}, NULL);
    if (turn % 10 == 0 && web->command->http_reload != HTTP_RELOAD_OFF) state_watch(web->state);
    if (turn % 5 == 0) web_return_memory();
  }
  return NULL;
}

/* Serves until a signal arrives. */
static pprofc_status web_serve(struct web *web, struct http_address *address,
                               const sigset_t *signals, pprofc_error *error) {
  char token[GUARD_TOKEN_SIZE + 1] = "";
  struct http_server *server;
  struct guard guard = {.methods = routes_methods};
  struct http_settings settings = {.guard = &guard, .handler = {routes_answer, routes_gone, web}};
  pprofc_status status = web_start_jobs(web, error);
  if (status == PPROFC_OK) status = address_listen(address, &settings.listening, error);
  if (status != PPROFC_OK) return status;
  if (!address->loopback) status = web_make_token(token, error);
  guard.port = address->port;
  guard.loopback = address->loopback;
  guard.token = str_of(token);
  guard.host = address->any ? STR("") : str_of(address->host);
  settings.per_address = !address->loopback;
  if (status == PPROFC_OK) status = http_server_start(&settings, &server, error);
  if (status != PPROFC_OK) {
    close(settings.listening);
    return status;
  }
  web_announce(web, address, token);
  pthread_t watcher;
  bool watched = pthread_create(&watcher, NULL, web_watch, web) == 0;
  int number;
  sigwait(signals, &number);
  atomic_store(&web->stopping, true);
  budget_cancel(web->command->budget);
  jobs_stop(web->jobs);
  http_server_stop(server);
  if (watched) pthread_join(watcher, NULL);
  return PPROFC_OK;
}

/* The folder of saved views must be known, even if no view is ever saved. */
static pprofc_status web_begin(struct command *command, struct http_address *address,
                               char *settings, size_t settings_size, pprofc_error *error) {
  pprofc_status status = web_address_parse(command->http, address, error);
  if (status != PPROFC_OK) return status;
  command->budget = budget_new(&mem_default, command->limits.memory_bytes);
  if (!command->budget) return error_nomem(error);
  sources_find_executable(command);
  return settings_path(settings, settings_size, error);
}

int web_run(struct command *command) {
  struct web web = {.command = command};
  struct http_address address;
  sigset_t signals;
  pprofc_error error = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
  web_tune_memory();
  web_raise_limits();
  pprofc_status status = web_begin(command, &address, web.settings, sizeof web.settings, &error);
  if (status == PPROFC_OK) status = state_load(command, &web.state, &error);
  web_block_signals(&signals);
  if (status == PPROFC_OK) status = web_serve(&web, &address, &signals, &error);
  if (status != PPROFC_OK && command->budget)
    status = budget_status(budget_allocator(command->budget), status, &error);
  jobs_free(web.jobs);
  cache_free(web.cache);
  trees_free(web.trees);
  dot_slots_free(web.dot);
  state_free(web.state);
  budget_release(command->budget);
  if (status == PPROFC_OK) return 0;
  limit_flags_name(&error);
  message_error("pprofc: %s", error.message);
  return EXIT_FAILED;
}
