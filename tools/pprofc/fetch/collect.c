/* Implements -collect: requests all profiles of each server, and writes a folder. */
#include "actions.h"
#include "core/json_write.h"
#include "steps.h"

#define COLLECT_KINDS 5

struct collect_item {
  const char *kind;
  struct remote *remote;
  pprofc_profile *profile; /* NULL if the server lacks the profile, or sent an unreadable profile */
  bool missing;            /* true if the server does not have this profile */
};

struct collect_server {
  const char *shown;   /* source as on the command line, but without its password */
  const char *address; /* URL of the folder that contains the server's profiles */
  struct url url;
  int64_t seconds; /* duration of the CPU profile, in seconds */
  char name[160];  /* start of file names: "api-1_6060."; "" if there is only one server */
  bool failed;     /* true if a reply was unreadable; the folder then gets no file of this server */
  struct collect_item items[COLLECT_KINDS];
};

/* size of a buffer for the path of a file in the folder of -collect */
#define LONGER   (NEW_FOLDER_ROOM + 512)
#define MANIFEST "manifest.json"

/* Adds a time to the manifest: "2026-11-22T04:40:00.123456789Z". */
static void collect_add_time(struct json_writer *json, const char *key, int64_t nanos) {
  time_t seconds = (time_t)(nanos / 1000000000);
  struct tm parts;
  char day[64], text[96];
  if (nanos <= 0 || !gmtime_r(&seconds, &parts) ||
      !strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &parts))
    return;
  int fraction = (int)(nanos % 1000000000);
  snprintf(text, sizeof text, fraction ? "%s.%09dZ" : "%sZ", day, fraction);
  json_text(json_key(json, key), text);
}

static void collect_add_item(struct json_writer *json, const struct collect_server *server,
                             const struct collect_item *item) {
  char file[256];
  pprofc_header header;
  pprofc_profile_header(item->profile, &header);
  json_pack(json, "\n{kind:s file:", item->kind);
  snprintf(file, sizeof file, "%s%s.pb.gz", server->name, item->kind);
  json_pack(json, "s address:S", file, item->remote->address.shown);
  collect_add_time(json, "time", header.time_nanos);
  if (header.duration_nanos) json_int(json_key(json, "duration_nanos"), header.duration_nanos);
  if (pprofc_profile_mapping_count(item->profile)) {
    pprofc_mapping main = pprofc_profile_mapping(item->profile, 0);
    json_pack(json, "binary:S build_id:S", main.file, main.build_id);
  }
  json_end(json);
}

static void collect_add_server(struct json_writer *json, const struct collect_server *server) {
  json_pack(json, "\n{address:s profiles:[", server->address);
  for (size_t k = 0; k < COLLECT_KINDS; k++)
    if (server->items[k].profile) collect_add_item(json, server, &server->items[k]);
  json_pack(json, "] missing:[");
  for (size_t k = 0; k < COLLECT_KINDS; k++)
    if (!server->items[k].profile) json_text(json, server->items[k].kind);
  json_pack(json, "]}");
}

struct collect_set {
  const struct collect_server *servers;
  size_t count;
  int64_t start; /* time of the first request in seconds since 1970 */
};

static pprofc_status collect_print_manifest(const void *context, struct output *out,
                                            pprofc_error *error) {
  const struct collect_set *set = context;
  struct json_writer json;
  json_init(&json, out, &mem_default);
  json_pack(&json, "{version:1");
  collect_add_time(&json, "collected", set->start * 1000000000);
  json_begin_array(json_key(&json, "servers"));
  for (size_t i = 0; i < set->count; i++)
    if (!set->servers[i].failed) collect_add_server(&json, &set->servers[i]);
  json_end(&json);
  return json_finish_file(&json) ? PPROFC_OK : error_nomem(error);
}

/* Writes manifest.json, and the profiles of each server whose replies were all readable. */
static pprofc_status collect_write_files(const void *context, const char *folder,
                                         pprofc_error *error) {
  const struct collect_set *set = context;
  char path[LONGER];
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < set->count; i++)
    for (size_t k = 0; k < COLLECT_KINDS && status == PPROFC_OK; k++) {
      const struct collect_server *server = &set->servers[i];
      const struct collect_item *item = &server->items[k];
      if (server->failed || !item->profile) continue;
      snprintf(path, sizeof path, "%s/%s%s.pb.gz", folder, server->name, item->kind);
      status = pprofc_profile_write_file(item->profile, path, error);
    }
  snprintf(path, sizeof path, "%s/" MANIFEST, folder);
  return status == PPROFC_OK ? save_printed(path, collect_print_manifest, set, error) : status;
}

#define DEFAULT_SECONDS 30 /* default duration of a CPU profile in net/http/pprof, in seconds */
#define SERVERS_AT_ONCE 25 /* maximum number of requests at the same time, as in pprof */

/* Names of a server's profiles. The first profile takes time to record; the others are snapshots.
 */
static const char *const collect_kinds[COLLECT_KINDS + 1] = {"profile", "heap",  "goroutine",
                                                             "mutex",   "block", NULL};

/* True if the path ends with the name of a profile, as a URL copied from a browser may. */
static bool collect_ends_with_kind(pprofc_str path) {
  pprofc_str name = str_slice(path, str_find_last_char(path, '/') + 1, path.size);
  return str_any(str_equal, name, collect_kinds) ||
         STR_ANY(str_equal, name, "allocs", "threadcreate", "growth", "contention", "trace");
}

/* Returns the path of the folder that contains the profiles. The folder is "/debug/pprof/" if the
 * URL has no path. */
static pprofc_str collect_folder(struct arena *arena, pprofc_str path) {
  if (str_ends(path, STR("/"))) return path;
  if (collect_ends_with_kind(path)) return str_slice(path, 0, str_find_last_char(path, '/') + 1);
  return str_of(text_printf(arena, "%.*s/", STR_ARG(path)));
}

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

/* Returns the query without "seconds". Only a CPU profile accepts "seconds". */
static pprofc_str collect_query(struct arena *arena, pprofc_str query) {
  pprofc_str piece;
  struct buffer out = buffer_make(&mem_default, SIZE_MAX / 2);
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
  struct file_source file;
  struct arena *arena = &fetcher->arena;
  pprofc_status status = fetcher_classify(fetcher, source, &remote, &file, error);
  server->shown = file.shown;
  if (status != PPROFC_OK) return status;
  if (!remote)
    return error_set(error, PPROFC_E_INVALID,
                     "'%.300s' is not the address of a server, which -collect needs",
                     server->shown);
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
             : error_set(error, status, "cannot make addresses of profiles from '%.300s'",
                         server->shown);
}

static const char collect_plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                    "0123456789-.";

static bool collect_is_taken(const struct collect_server *servers, size_t index) {
  for (size_t i = 0; i < index; i++)
    if (strcmp(servers[i].name, servers[index].name) == 0) return true;
  return false;
}

/* Sets the start of the file names of a server: "api-1_6060."; "" for a single server. */
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

static pprofc_status collect_fetch(struct fetcher *fetcher, struct collect_server *servers,
                                   size_t count, pprofc_error *error) {
  struct remote *remotes[SERVERS_AT_ONCE * COLLECT_KINDS];
  size_t found = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < COLLECT_KINDS; k++) remotes[found++] = servers[i].items[k].remote;
  return fetcher_run(fetcher, remotes, found, error);
}

/* Reads the profile in one reply, and symbolizes it. A mapping without a file gets the profile's
 * URL. */
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
      fetcher_read(item->remote, address->shown.data, &options, NULL, &item->profile, error);
  if (status == PPROFC_OK) status = finish_locate(command, &item->profile, error);
  if (status == PPROFC_OK) status = mappings_name_by_url(&item->profile, address->shown, error);
  if (status == PPROFC_OK &&
      symbols_note(&fetcher->symbols, item->profile, false, &address->url) != PPROFC_OK)
    status = error_nomem(error);
  if (status == PPROFC_OK) status = finish_profile(fetcher, &item->profile, error);
  return status;
}

/* Reads the replies of a server. Skips a profile that the server does not have (404). After any
 * other failure, the folder gets no profile of this server. */
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
  if (status == PPROFC_OK && whole) {
    const struct collect_set set = {servers, count, start};
    status = new_folder_write(command->collect, "-collect", collect_write_files, &set, error);
    if (status == PPROFC_OK) message_note("Collected profiles in %s", command->collect);
  }
  if (status == PPROFC_OK && whole < count)
    status = error_set(error, PPROFC_E_IO, "collected the profiles of %zu servers out of %zu",
                       whole, count);
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < COLLECT_KINDS; k++) pprofc_profile_release(servers[i].items[k].profile);
  fetcher_free(&fetcher);
  mem_free(&mem_default, servers, count, sizeof *servers);
  return status;
}
