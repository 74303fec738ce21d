/* Collects profiles: makes the addresses, fetches them, and reads the replies of each server. */
#include "fetch/collect.h"

#include "common/new_folder.h"
#include "common/terminal.h"
#include "fetch/collect_write.h"
#include "fetch/fetcher.h"
#include "finish.h"
#include "limit_flags.h"
#include "mappings.h"

#include <stdio.h>
#include <time.h>

#define DEFAULT_SECONDS 30 /* length of a CPU profile in net/http/pprof */
#define SERVERS_AT_ONCE 25 /* number of parallel requests in pprof */

/* The profiles fetched from a server. Only the first takes time. */
static const char *const collect_kinds[COLLECT_KINDS] = {"profile", "heap", "goroutine", "mutex",
                                                         "block"};

/* ---- addresses --------------------------------------- */

/* True if a path ends with the name of a profile, such as a path copied from a browser. */
static bool collect_ends_with_kind(pprofc_str path) {
  static const char *const others[] = {"allocs", "threadcreate", "growth", "contention", "trace"};
  pprofc_str name = str_slice(path, str_find_last_char(path, '/') + 1, path.size);
  for (size_t i = 0; i < COLLECT_KINDS; i++)
    if (str_equal(name, str_of(collect_kinds[i]))) return true;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (str_equal(name, str_of(others[i]))) return true;
  return false;
}

/* Returns the folder of the profiles: "/debug/pprof/" if the address has no path. */
static pprofc_str collect_folder(struct arena *arena, pprofc_str path) {
  if (str_ends(path, STR("/"))) return path;
  if (collect_ends_with_kind(path)) return str_slice(path, 0, str_find_last_char(path, '/') + 1);
  char *folder = arena_alloc(arena, path.size + 1);
  if (!folder) return (pprofc_str){NULL, 0};
  memcpy(folder, path.data, path.size);
  folder[path.size] = '/';
  return (pprofc_str){folder, path.size + 1};
}

/* Makes the address of one kind of profile of a server. */
static pprofc_status collect_address(struct fetcher *fetcher, const struct collect_server *server,
                                     size_t kind, struct remote **remote) {
  const struct command *command = fetcher->command;
  struct arena *arena = &fetcher->arena;
  struct url url = server->url;
  char path[4096];
  int64_t seconds = command->seconds > 0 ? command->seconds : server->seconds;
  int length = snprintf(path, sizeof path, "%.*s%s", STR_ARG(url.path), collect_kinds[kind]);
  if (length < 0 || (size_t)length >= sizeof path) return PPROFC_E_LIMIT;
  url.path = (pprofc_str){path, (size_t)length};
  pprofc_str text = url_text(arena, &url, URL_WHOLE);
  *remote = arena_zero_array(arena, 1, sizeof **remote);
  if (!text.data || !*remote) return PPROFC_E_NOMEM;
  return address_parse(arena, text, kind == 0 ? seconds : 0, command->timeout, &(*remote)->address);
}

/* Returns the query without "seconds", which is valid for the CPU profile only. */
static pprofc_str collect_query(struct arena *arena, pprofc_str query) {
  struct buffer out;
  pprofc_str piece;
  buffer_init(&out, &mem_default, SIZE_MAX / 2);
  while (query.size && str_next(&query, '&', &piece)) {
    if (str_starts(piece, STR("seconds="))) continue;
    if (out.size) buffer_add_char(&out, '&');
    buffer_add_str(&out, piece);
  }
  pprofc_str kept = out.size || out.failed ? buffer_keep(&out, arena) : STR("");
  buffer_free(&out);
  return kept;
}

static pprofc_status collect_take_apart(struct fetcher *fetcher, const char *source,
                                        struct collect_server *server, pprofc_error *error) {
  struct remote *remote;
  const char *path;
  struct arena *arena = &fetcher->arena;
  pprofc_status status = fetcher_classify(fetcher, source, &remote, &path, &server->shown, error);
  if (status != PPROFC_OK) return status;
  if (!remote)
    return error_set(error, PPROFC_E_INVALID,
                     "-collect needs addresses of servers, and '%.300s' is not one", server->shown);
  server->url = remote->address.url;
  server->seconds = remote->address.seconds > 0 ? remote->address.seconds : DEFAULT_SECONDS;
  server->url.path = collect_folder(arena, server->url.path);
  server->url.query = collect_query(arena, server->url.query);
  server->url.fragment = STR("");
  pprofc_str text = url_text(arena, &server->url, URL_SHOWN);
  server->address = text.data;
  for (size_t i = 0; i < COLLECT_KINDS; i++) {
    if (status == PPROFC_OK && server->url.path.data && server->url.query.data && text.data)
      status = collect_address(fetcher, server, i, &server->items[i].remote);
    else
      return error_nomem(error);
    server->items[i].kind = collect_kinds[i];
  }
  return status == PPROFC_OK
             ? PPROFC_OK
             : error_set(error, status, "cannot make addresses of '%.300s'", server->shown);
}

/* ---- names ------------------------------------------- */

static const char collect_plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                    "0123456789-.";

static bool collect_is_taken(const struct collect_server *servers, size_t index) {
  for (size_t i = 0; i < index; i++)
    if (strcmp(servers[i].name, servers[index].name) == 0) return true;
  return false;
}

/* Makes a unique name like "api-1_6060". A single server needs no name. */
static void collect_name(struct collect_server *servers, size_t index, size_t count) {
  struct collect_server *server = &servers[index];
  pprofc_str host = server->url.host;
  char plain[128];
  size_t n = 0;
  server->name[0] = '\0';
  if (count == 1) return;
  for (; n < host.size && n + 1 < sizeof plain; n++) {
    bool kept = host.data[n] && strchr(collect_plain, host.data[n]);
    plain[n] = kept ? host.data[n] : '_';
  }
  if (plain[0] == '.') plain[0] = '_';
  plain[n] = '\0';
  snprintf(server->name, sizeof server->name, "%s.", plain);
  for (size_t number = 2; collect_is_taken(servers, index); number++)
    snprintf(server->name, sizeof server->name, "%s-%zu.", plain, number);
}

/* ---- fetching ---------------------------------------- */

static pprofc_status collect_fetch(struct fetcher *fetcher, struct collect_server *servers,
                                   size_t count, pprofc_error *error) {
  struct remote *remotes[SERVERS_AT_ONCE * COLLECT_KINDS];
  size_t found = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < COLLECT_KINDS; k++) remotes[found++] = servers[i].items[k].remote;
  return fetcher_run(fetcher, remotes, found, error);
}

/* Reads one reply and prepares the profile like a saved copy. */
static pprofc_status collect_read(struct fetcher *fetcher, struct collect_item *item,
                                  pprofc_error *error) {
  const struct command *command = fetcher->command;
  const struct address *address = &item->remote->address;
  pprofc_read_options options;
  pprofc_read_options_init(&options);
  options.limits = &command->limits;
  options.allocator = budget_allocator(command->budget);
  options.threads = (unsigned)command->threads;
  pprofc_status status =
      fetcher_read(item->remote, address->shown.data, &options, &item->profile, error);
  if (status == PPROFC_OK) status = finish_locate(command, &item->profile, error);
  if (status == PPROFC_OK) status = mappings_name_by_url(&item->profile, address->shown, error);
  if (status == PPROFC_OK &&
      symbols_note(&fetcher->symbols, item->profile, false, &address->url) != PPROFC_OK)
    status = error_nomem(error);
  if (status == PPROFC_OK) status = finish_profile(fetcher, &item->profile, error);
  return status;
}

/* Reads the replies of a server. A missing profile (404) is skipped. After any other failure
 * nothing of this server is kept. */
static pprofc_status collect_read_server(struct fetcher *fetcher, struct collect_server *server) {
  size_t found = 0;
  server->failed = false;
  for (size_t k = 0; k < COLLECT_KINDS; k++) {
    struct collect_item *item = &server->items[k];
    pprofc_error why = {PPROFC_OK, PPROFC_NO_OFFSET, ""};
    item->missing = item->remote->exchange.reply.code == 404;
    pprofc_status status = collect_read(fetcher, item, &why);
    if (status == PPROFC_E_NOMEM) return status;
    found += status == PPROFC_OK;
    server->failed |= status != PPROFC_OK && !item->missing;
    if (status == PPROFC_OK) continue;
    limit_flags_name(&why);
    if (item->missing)
      message_note("%s has no profile '%s'", server->address, item->kind);
    else
      message_error("%s", why.message);
  }
  server->failed |= !found;
  return PPROFC_OK;
}

static void collect_release(struct collect_server *servers, size_t count) {
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < COLLECT_KINDS; k++) pprofc_profile_release(servers[i].items[k].profile);
}

static pprofc_status collect_all(struct fetcher *fetcher, struct collect_server *servers,
                                 size_t count, pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < count && status == PPROFC_OK; i++) {
    status = collect_take_apart(fetcher, fetcher->command->sources[i], &servers[i], error);
    if (status == PPROFC_OK) collect_name(servers, i, count);
  }
  for (size_t i = 0; i < count && status == PPROFC_OK; i += SERVERS_AT_ONCE) {
    size_t some = count - i < SERVERS_AT_ONCE ? count - i : SERVERS_AT_ONCE;
    status = collect_fetch(fetcher, servers + i, some, error);
    for (size_t k = i; k < i + some && status == PPROFC_OK; k++) {
      status = collect_read_server(fetcher, &servers[k]);
      if (status != PPROFC_OK) error_nomem(error);
    }
  }
  return status;
}

pprofc_status collect_run(const struct command *command, pprofc_error *error) {
  struct fetcher fetcher;
  size_t count = command->source_count, whole = 0;
  pprofc_status status = new_folder_check(command->collect, "-collect", error);
  if (status != PPROFC_OK) return status;
  struct collect_server *servers = mem_zero_array(&mem_default, count, sizeof *servers);
  if (!servers) return error_nomem(error);
  fetcher_init(&fetcher, command);
  int64_t start = (int64_t)time(NULL);
  status = collect_all(&fetcher, servers, count, error);
  for (size_t i = 0; i < count && status == PPROFC_OK; i++) whole += !servers[i].failed;
  if (status == PPROFC_OK && whole)
    status = collect_write(command->collect, servers, count, start, error);
  if (status == PPROFC_OK && whole < count)
    status = error_set(error, PPROFC_E_IO, "collected the profiles of %zu servers out of %zu",
                       whole, count);
  collect_release(servers, count);
  fetcher_free(&fetcher);
  mem_free(&mem_default, servers, count, sizeof *servers);
  return status;
}
