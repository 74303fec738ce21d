/* Runs the server of -http: reads profiles, listens, starts a browser. */
#include "actions.h"
#include "destination.h"
#include "recordings.h"
#include "web/routes.h"

#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>

struct http_address {
  char host[256]; /* host in the value of -http; "localhost" by default */
  unsigned port;  /* TCP port; 0: the system chooses a port */
  bool loopback;  /* true if only this machine can connect to the server */
  bool any;       /* true if the server listens on all addresses of this machine */
};

static pprofc_status address_wrong(const char *text, const char *why, pprofc_error *error) {
  return error_set(error, PPROFC_E_INVALID, "could not split http address: address %s: %s", text,
                   why);
}

static pprofc_status address_parse_port(pprofc_str port, unsigned *out, pprofc_error *error) {
  int64_t number = 0;
  if (port.size && !str_parse_int(port, 10, &number))
    return error_set(error, PPROFC_E_INVALID,
                     "invalid port number: strconv.Atoi: parsing \"%.*s\": invalid syntax",
                     STR_ARG(port));
  if (number < 0 || number > 65535)
    return error_set(error, PPROFC_E_INVALID, "invalid port number: %.*s", STR_ARG(port));
  *out = (unsigned)number;
  return PPROFC_OK;
}

/* Splits HOST:PORT; either may be empty. Errors have pprof's message. */
static pprofc_status web_address_parse(const char *text, struct http_address *address,
                                       pprofc_error *error) {
  pprofc_str all = str_of(text);
  size_t colon = str_find_last_char(all, ':');
  if (colon == all.size)
    return address_wrong(text, "missing port in address (type -http=localhost:8080)", error);
  pprofc_str host = str_slice(all, 0, colon), port = str_slice(all, colon + 1, all.size);
  bool bracketed = host.size > 1 && host.data[0] == '[' && host.data[host.size - 1] == ']';
  if (bracketed) host = str_slice(host, 1, host.size - 1);
  if (!bracketed && str_find_char(host, ':') < host.size)
    return address_wrong(text, "too many colons in address", error);
  if (!host.size) host = STR("localhost");
  if (host.size >= sizeof address->host) return address_wrong(text, "the host is too long", error);
  *address = (struct http_address){.port = 0};
  memcpy(address->host, host.data, host.size);
  return address_parse_port(port, &address->port, error);
}

/* Sets `port`, `loopback` and `any` from the bound address. */
static void address_look(struct http_address *address, const struct sockaddr_storage *bound) {
  struct sockaddr_in four;
  struct sockaddr_in6 six;
  if (bound->ss_family == AF_INET) {
    memcpy(&four, bound, sizeof four);
    address->port = ntohs(four.sin_port);
    address->loopback = ntohl(four.sin_addr.s_addr) >> 24 == 127;
    address->any = four.sin_addr.s_addr == 0;
    return;
  }
  memcpy(&six, bound, sizeof six);
  address->port = ntohs(six.sin6_port);
  address->loopback = IN6_IS_ADDR_LOOPBACK(&six.sin6_addr);
  address->any = IN6_IS_ADDR_UNSPECIFIED(&six.sin6_addr);
}

/* Returns a socket that listens on an address, or -1. */
static int address_open(const struct addrinfo *info) {
  int on = 1;
  int fd = socket(info->ai_family, SOCK_STREAM, 0);
  if (fd < 0) return -1;
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  fcntl(fd, F_SETFL, O_NONBLOCK);
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd, info->ai_addr, info->ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0) return fd;
  int failed = errno;
  close(fd);
  errno = failed;
  return -1;
}

/* Binds the first usable address of the host and listens. Sets `port`, `loopback` and `any`. */
static pprofc_status address_listen(struct http_address *address, int *listening,
                                    pprofc_error *error) {
  struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM}, *found;
  struct sockaddr_storage bound;
  socklen_t size = sizeof bound;
  char port[16];
  bool local = strcmp(address->host, "localhost") == 0;
  if (local) hints.ai_family = AF_INET;
  snprintf(port, sizeof port, "%u", address->port);
  int failed = getaddrinfo(local ? "127.0.0.1" : address->host, port, &hints, &found);
  if (failed)
    return error_set(error, PPROFC_E_IO, "listen tcp %s:%s: %s", address->host, port,
                     gai_strerror(failed));
  int fd = -1;
  for (const struct addrinfo *info = found; info && fd < 0; info = info->ai_next)
    fd = address_open(info);
  int why = errno;
  freeaddrinfo(found);
  if (fd < 0)
    return error_set(error, PPROFC_E_IO, "listen tcp %s:%s: bind: %s", address->host, port,
                     ERRNO_TEXT(why));
  if (getsockname(fd, (struct sockaddr *)&bound, &size) == 0) address_look(address, &bound);
  *listening = fd;
  return PPROFC_OK;
}

#define EXIT_FAILED 2

/* Limits: memory (bytes) and time (milliseconds) of an answer, and number of queued answers. */
#define ANSWER_BYTES        ((uint64_t)512 << 20)
#define ANSWER_MILLISECONDS 30000
#define ANSWERS_WAITING     256
#define CACHE_BYTES         ((size_t)64 << 20)
#define WORKERS_MOST        16

/* Maximum memory in bytes for the trees of flame graphs. An eighth of all memory is a second limit.
 */
#define TREE_BYTES ((uint64_t)256 << 20)

/* Returns the number of threads. It is two per core, because some threads wait for graphviz. */
static unsigned web_workers(void) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  long workers = cores > 0 ? 2 * cores : 2;
  return workers < WORKERS_MOST ? (unsigned)workers : WORKERS_MOST;
}

/* Blocks signals in all threads; the main thread receives them with sigwait. Ignores the signal of
 * a write to a closed connection. */
static void web_block_signals(sigset_t *signals) {
  sigemptyset(signals);
  sigaddset(signals, SIGINT);
  sigaddset(signals, SIGTERM);
  sigaddset(signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, signals, NULL);
  signal(SIGPIPE, SIG_IGN);
}

/* Raises the limit on open files, because connections, pipes and files all use descriptors. */
static void web_raise_limits(void) {
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= 4096) return;
  files.rlim_cur = files.rlim_max < 4096 ? files.rlim_max : 4096;
  setrlimit(RLIMIT_NOFILE, &files);
}

/* Reduces the memory of a long run. Threads share a few heaps, and large blocks return to the
 * system at once. */
static void web_tune_memory(void) {
#ifdef M_ARENA_MAX
  mallopt(M_ARENA_MAX, 4);
  mallopt(M_TRIM_THRESHOLD, 128 << 10);
  mallopt(M_MMAP_THRESHOLD, 64 << 10);
#endif
}

/* number of answers since the last call of web_return_memory */
static atomic_uint web_answers;

static void web_answer(void *asker, struct web_reply *reply) {
  atomic_fetch_add(&web_answers, 1);
  http_answer(asker, reply);
}

/* Returns free memory to the system, if an answer was sent since the last call. */
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
  dot_slots_init(&web->dot, (web_workers() + 1) / 2);
  web->jobs = jobs_start(&settings);
  return web->jobs ? PPROFC_OK : error_nomem(error);
}

/* Creates a random token of 192 bits, which other machines need to use the server. */
static pprofc_status web_make_token(char token[GUARD_TOKEN_SIZE + 1], pprofc_error *error) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  unsigned char random[GUARD_TOKEN_SIZE];
  if (!system_random(random, sizeof random))
    return error_set(error, PPROFC_E_IO, "cannot make a token: %s", ERRNO_TEXT(errno));
  for (size_t i = 0; i < sizeof random; i++) token[i] = letters[random[i] & 63];
  token[GUARD_TOKEN_SIZE] = '\0';
  return PPROFC_OK;
}

/* Prints the URL, prepares the first page, and on a terminal starts a browser. */
static void web_announce(struct web *web, const struct http_address *address, const char *token) {
  struct buffer text = buffer_make(&mem_default, (size_t)1 << 20);
  buffer_printf(&text, strchr(address->host, ':') ? "http://[%s]:%u" : "http://%s:%u",
                address->host, address->port);
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
  web_query_of_options(&text, &web->command->report);
  routes_prepare_landing(web, str_slice(buffer_str(&text), from, text.size));
  if (text.size == from) text.size = before;
  buffer_add(&text, "", 1);
  if (!text.failed && !viewer_browse(text.data)) message_note("%s", text.data);
  buffer_free(&text);
}

/* Checks the files for changes once a second. With -every, also records. */
static void *web_watch(void *context) {
  struct web *web = context;
  for (unsigned turn = 1; !atomic_load(&web->stopping); turn++) {
    nanosleep(&(struct timespec){0, 100000000}, NULL);
    if (turn % 10 == 0 && web->command->http_reload != HTTP_RELOAD_OFF) state_watch(web->state);
    if (state_record(web->state)) jobs_forget_answers(web->jobs);
    if (turn % 5 == 0) web_return_memory();
  }
  return NULL;
}

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

/* Parses HOST:PORT and finds the path of the settings file. Fails if its folder is unknown, even if
 * the user saves no view. */
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
  state_free(web.state);
  budget_release(command->budget);
  if (status == PPROFC_OK) return 0;
  limit_flags_name(&error);
  message_error("pprofc: %s", error.message);
  return EXIT_FAILED;
}
