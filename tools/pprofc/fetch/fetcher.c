/* Decides which sources are URLs, and fetches these sources. */
#include "fetch/fetcher.h"

#define QUERY_MAX 4000

static bool symbols_find(void *context, pprofc_str file, pprofc_str build_id, uint64_t *start);
static pprofc_status symbols_ask(void *context, pprofc_str addresses, struct buffer *reply,
                                 pprofc_error *error);

static void symbols_init(struct symbols *symbols, struct arena *arena, struct client *client,
                         int64_t limit_ms) {
  *symbols = (struct symbols){.arena = arena,
                              .client = client,
                              .limit_ms = limit_ms,
                              .server = {symbols, symbols_find, symbols_ask}};
  for (size_t i = 0; i < 2; i++) interner_init(&symbols->places[i].keys, &mem_default);
}

static void symbols_free(struct symbols *symbols) {
  for (size_t i = 0; i < 2; i++) {
    struct symbol_places *places = &symbols->places[i];
    interner_free(&places->keys);
    ARRAY_FREE(&mem_default, places->items, places->capacity);
  }
}

pprofc_status symbols_note(struct symbols *symbols, const pprofc_profile *profile, bool base,
                           const struct url *profile_url) {
  struct symbol_places *places = &symbols->places[base];
  for (size_t i = 0; i < profile->mappings.count; i++) {
    const struct mapping *m = &profile->mappings.items[i];
    pprofc_str key = profile_string(profile, m->build_id);
    if (!key.size) key = profile_string(profile, m->file);
    size_t known = places->keys.count;
    if (interner_copy(&places->keys, symbols->arena, key) == MAP_NONE) return PPROFC_E_NOMEM;
    /* Keep the first server that has this mapping. */
    if (places->keys.count == known) continue;
    if (!ARRAY_PUSH(&mem_default, places->items, places->count, places->capacity,
                    (struct symbol_place){profile_url, m->start}))
      return PPROFC_E_NOMEM;
  }
  return PPROFC_OK;
}

static const struct symbol_place *symbols_place(const struct symbols *symbols, pprofc_str key) {
  for (size_t i = 0; i < 2 && key.size; i++) {
    uint32_t id = interner_find(&symbols->places[i].keys, key);
    if (id < symbols->places[i].count) return &symbols->places[i].items[id];
  }
  return NULL;
}

static bool symbols_find(void *context, pprofc_str file, pprofc_str build_id, uint64_t *start) {
  struct symbols *symbols = context;
  const struct symbol_place *place = symbols_place(symbols, file);
  if (!place) place = symbols_place(symbols, build_id);
  if (!place) return false;
  *start = place->start;
  return address_of_symbols(symbols->arena, place->profile, &symbols->current) == PPROFC_OK;
}

/* Sends one request for names. Appends the reply's body to `reply`. Sets *code to the HTTP status.
 */
static pprofc_status symbols_send(struct symbols *symbols, const struct url *url, bool post,
                                  pprofc_str body, struct buffer *reply, int *code,
                                  pprofc_error *error) {
  struct exchange exchange = {.url = url,
                              .post = post,
                              .body = body,
                              .limit_ms = symbols->limit_ms,
                              .arena = symbols->arena};
  client_run(symbols->client, &exchange, 1);
  *code = exchange.reply.code;
  if (exchange.status == PPROFC_OK)
    buffer_add_str(reply, reply_content(&exchange.reply));
  else
    *error = exchange.error;
  reply_free(&exchange.reply);
  return exchange.status;
}

/* Sends the addresses in several GET requests, because a server limits the length of a URL. */
static pprofc_status symbols_get(struct symbols *symbols, pprofc_str addresses,
                                 struct buffer *reply, pprofc_error *error) {
  struct url url = symbols->current;
  pprofc_status status = PPROFC_OK;
  int code;
  while (addresses.size && status == PPROFC_OK) {
    pprofc_str some = str_slice(addresses, 0, QUERY_MAX);
    if (some.size < addresses.size) some.size = str_find_last_char(some, '+');
    url.has_query = true;
    url.query = some;
    status = symbols_send(symbols, &url, false, STR(""), reply, &code, error);
    addresses = str_slice(addresses, some.size + 1, addresses.size);
  }
  return status;
}

/* Sends the addresses by POST, like pprof. Uses GET if the server rejects POST. net/http/pprof
 * rejects POST since Go 1.22. */
static pprofc_status symbols_ask(void *context, pprofc_str addresses, struct buffer *reply,
                                 pprofc_error *error) {
  struct symbols *symbols = context;
  int code;
  pprofc_str shown = url_text(symbols->arena, &symbols->current, URL_SHOWN);
  if (!shown.data) return error_nomem(error);
  if (str_equal(shown, symbols->failed))
    return error_set(error, PPROFC_E_IO, "'%.*s' is skipped after its first failure",
                     STR_ARG(shown));
  pprofc_status status =
      symbols_send(symbols, &symbols->current, true, addresses, reply, &code, error);
  if (code == 405) status = symbols_get(symbols, addresses, reply, error);
  if (status == PPROFC_OK) return status;
  error_prefix(error, "cannot get names from '%.*s': ", STR_ARG(shown));
  symbols->failed = shown;
  return status;
}

#define SYMBOL_LIMIT_MS 65000

void fetcher_init(struct fetcher *fetcher, const struct command *command) {
  *fetcher = (struct fetcher){.command = command};
  arena_init(&fetcher->arena, &mem_default);
  headers_init(&fetcher->headers, &fetcher->arena);
}

void fetcher_free(struct fetcher *fetcher) {
  if (fetcher->client) symbols_free(&fetcher->symbols);
  client_close(fetcher->client);
  headers_free(&fetcher->headers);
  arena_free(&fetcher->arena);
}

static pprofc_status fetcher_parse(struct fetcher *fetcher, const char *source,
                                   struct remote **remote) {
  const struct command *command = fetcher->command;
  struct remote *made = arena_zero_array(&fetcher->arena, 1, sizeof *made);
  if (!made) return PPROFC_E_NOMEM;
  pprofc_status status = address_parse(&fetcher->arena, str_of(source), command->seconds,
                                       command->timeout, &made->address);
  if (status == PPROFC_OK) *remote = made;
  /* A source that is neither a file nor a URL is treated as the path of a missing file. */
  return status == PPROFC_E_FORMAT ? PPROFC_OK : status;
}

pprofc_status fetcher_classify(struct fetcher *fetcher, const char *source, struct remote **remote,
                               struct file_source *found, pprofc_error *error) {
  struct stat info;
  const char *file;
  *remote = NULL;
  *found = (struct file_source){source, source, source};
  if (strcmp(source, "-") == 0 || stat(source, &info) == 0) return PPROFC_OK;
  if (address_file(&fetcher->arena, str_of(source), &file) && stat(file, &info) == 0) {
    found->path = file;
    return PPROFC_OK;
  }
  if (fetcher_parse(fetcher, source, remote) != PPROFC_OK) return error_nomem(error);
  pprofc_str hidden = url_hide_password(&fetcher->arena, str_of(source));
  found->shown = hidden.data;
  return PPROFC_OK;
}

bool fetcher_is_remote(const char *source) {
  static const struct command command = {.seconds = -1, .timeout = -1};
  struct fetcher fetcher;
  struct remote *remote;
  struct file_source file;
  fetcher_init(&fetcher, &command);
  bool known = fetcher_classify(&fetcher, source, &remote, &file, NULL) == PPROFC_OK;
  fetcher_free(&fetcher);
  return known && remote;
}

static pprofc_status fetcher_read_headers(struct fetcher *fetcher, pprofc_error *error) {
  const struct command *command = fetcher->command;
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < command->header_count && status == PPROFC_OK; i++) {
    char where[40];
    snprintf(where, sizeof where, "-header %zu", i + 1);
    status = headers_add(&fetcher->headers, str_of(command->headers[i]), where, error);
  }
  if (status == PPROFC_OK && *command->header_file)
    status = headers_add_file(&fetcher->headers, command->header_file, error);
  return status;
}

/* Opens the client at its first use, and reads the headers given on the command line. */
static pprofc_status fetcher_open(struct fetcher *fetcher, pprofc_error *error) {
  const struct command *command = fetcher->command;
  if (fetcher->client) return PPROFC_OK;
  pprofc_status status = fetcher_read_headers(fetcher, error);
  if (status != PPROFC_OK) return status;
  struct client_options options = {.mem = budget_allocator(command->budget),
                                   .limits = &command->limits,
                                   .tls = {command->tls_cert, command->tls_key, command->tls_ca},
                                   .headers = &fetcher->headers,
                                   .program = "pprofc"};
  fetcher->client = client_open(&options);
  if (!fetcher->client) return error_nomem(error);
  int64_t limit = command->timeout > 0 ? (command->timeout + 5) * 1000 : SYMBOL_LIMIT_MS;
  symbols_init(&fetcher->symbols, &fetcher->arena, fetcher->client, limit);
  return PPROFC_OK;
}

/* Prints the URL and how long the server records. */
static void fetcher_announce(const struct fetcher *fetcher, const struct remote *remote) {
  const struct address *address = &remote->address;
  char duration[48];
  if (fetcher->command->repeats) return;
  message_note("Fetching profile over HTTP from %s", address->shown.data);
  if (address->asked_seconds)
    message_note("Please wait... (%s)", address_duration(address->seconds, duration));
  if (fetcher->command->timeout > 0 && address->limit_ms <= address->seconds * 1000)
    message_error("-timeout=%lld ends the request before the server has collected for %s",
                  (long long)fetcher->command->timeout,
                  address_duration(address->seconds, duration));
}

pprofc_status fetcher_run(struct fetcher *fetcher, struct remote *const *remotes, size_t count,
                          pprofc_error *error) {
  if (!count) return PPROFC_OK;
  pprofc_status status = fetcher_open(fetcher, error);
  if (status != PPROFC_OK) return status;
  struct exchange *exchanges = mem_zero_array(&mem_default, count, sizeof *exchanges);
  if (!exchanges) return error_nomem(error);
  int64_t longest = 0;
  for (size_t i = 0; i < count; i++) {
    const struct address *address = &remotes[i]->address;
    fetcher_announce(fetcher, remotes[i]);
    if (address->seconds > longest) longest = address->seconds;
    exchanges[i] = (struct exchange){
        .url = &address->url, .limit_ms = address->limit_ms, .arena = &fetcher->arena};
  }
  progress_countdown(fetcher->command->progress, "waiting for the server", longest);
  client_run(fetcher->client, exchanges, count);
  progress_step(fetcher->command->progress, "reading");
  for (size_t i = 0; i < count; i++) {
    remotes[i]->exchange = exchanges[i];
    fetcher->fetched |= exchanges[i].status == PPROFC_OK;
  }
  mem_free(&mem_default, exchanges, count, sizeof *exchanges);
  return PPROFC_OK;
}

static void fetcher_hint_status(const struct exchange *exchange, pprofc_error *error) {
  static const struct {
    int code;
    const char *text;
  } hints[] = {
      {401, "-header 'Authorization: ...' or -header_file identifies you"},
      {403, "-header 'Authorization: ...' or -header_file identifies you"},
      {404, "is net/http/pprof part of the program that serves there?"},
      {407, "the proxy needs a user and password: HTTP_PROXY=http://USER:PASSWORD@HOST"},
  };
  for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
    if (exchange->reply.code == hints[i].code) error_hint(error, "%s", hints[i].text);
}

/* Adds two texts to the error: a description of the reply's content, and the URL of the reply. */
static void fetcher_hint_content(const struct exchange *exchange, pprofc_error *error) {
  pprofc_str content = reply_content(&exchange->reply);
  bool unknown = strstr(error->message, "unrecognized profile format") != NULL;
  const char *text = unknown ? content_explain(content) : NULL;
  if (text) error_hint(error, "%s", text);
  struct arena arena = arena_make(&mem_default);
  pprofc_str final = url_text(&arena, &exchange->final, URL_SHOWN);
  if (exchange->redirected && final.data)
    error_hint(error, "after a redirect to %.*s", STR_ARG(final));
  arena_free(&arena);
}

pprofc_status fetcher_read(struct remote *remote, const char *shown,
                           const pprofc_read_options *options, const struct open_sums *sums,
                           pprofc_profile **profile, pprofc_error *error) {
  struct exchange *exchange = &remote->exchange;
  pprofc_status status = exchange->status;
  if (status != PPROFC_OK) {
    *error = exchange->error;
    fetcher_hint_status(exchange, error);
    error_prefix(error, "cannot fetch '%.300s': ", shown);
  } else {
    pprofc_str content = reply_content(&exchange->reply);
    status = content_is_no_profile(content)
                 ? error_set(error, PPROFC_E_FORMAT, "parsing profile: unrecognized profile format")
                 : open_memory(content.data, content.size, options, sums, profile, error);
    if (status != PPROFC_OK) fetcher_hint_content(exchange, error);
    if (status != PPROFC_OK) error_prefix(error, "cannot read '%.300s': ", shown);
  }
  reply_free(&exchange->reply);
  return status;
}
