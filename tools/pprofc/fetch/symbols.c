/* Remote symbols: the table of servers, and the requests. */
#include "fetch/symbols.h"

#include "core/array.h"

#define QUERY_MAX 4000

static bool symbols_find(void *context, pprofc_str file, pprofc_str build_id, uint64_t *start);
static pprofc_status symbols_ask(void *context, pprofc_str addresses, struct buffer *reply,
                                 pprofc_error *error);

void symbols_init(struct symbols *symbols, struct arena *arena, struct client *client,
                  int64_t limit_ms) {
  *symbols = (struct symbols){.arena = arena,
                              .client = client,
                              .limit_ms = limit_ms,
                              .server = {symbols, symbols_find, symbols_ask}};
  interner_init(&symbols->head.keys, &mem_default);
  interner_init(&symbols->base.keys, &mem_default);
}

void symbols_free(struct symbols *symbols) {
  struct symbol_places *both[] = {&symbols->head, &symbols->base};
  for (size_t i = 0; i < 2; i++) {
    interner_free(&both[i]->keys);
    ARRAY_FREE(&mem_default, both[i]->items, both[i]->capacity);
  }
}

pprofc_status symbols_note(struct symbols *symbols, const pprofc_profile *profile, bool base,
                           const struct url *profile_url) {
  struct symbol_places *places = base ? &symbols->base : &symbols->head;
  for (size_t i = 0; i < profile->mappings.count; i++) {
    const struct mapping *m = &profile->mappings.items[i];
    pprofc_str key = profile_string(profile, m->build_id);
    if (!key.size) key = profile_string(profile, m->file);
    size_t known = places->keys.count;
    if (interner_copy(&places->keys, symbols->arena, key) == MAP_NONE) return PPROFC_E_NOMEM;
    if (places->keys.count == known) continue; /* the first server of a mapping counts */
    if (!ARRAY_RESERVE(&mem_default, places->items, places->capacity, places->count + 1))
      return PPROFC_E_NOMEM;
    places->items[places->count++] = (struct symbol_place){profile_url, m->start};
  }
  return PPROFC_OK;
}

static const struct symbol_place *symbols_place(const struct symbols *symbols, pprofc_str key) {
  const struct symbol_places *both[] = {&symbols->head, &symbols->base};
  for (size_t i = 0; i < 2 && key.size; i++) {
    uint32_t id = interner_find(&both[i]->keys, key);
    if (id != MAP_NONE && id < both[i]->count) return &both[i]->items[id];
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

/* Sends one request and appends the body to the reply. *code is the HTTP status. */
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

/* Sends addresses by GET, split into requests short enough for any server. */
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

/* Sends addresses by POST like pprof, and by GET if the server rejects POST. net/http/pprof rejects
 * it since Go 1.22. */
static pprofc_status symbols_ask(void *context, pprofc_str addresses, struct buffer *reply,
                                 pprofc_error *error) {
  struct symbols *symbols = context;
  int code;
  pprofc_str shown = url_text(symbols->arena, &symbols->current, URL_SHOWN);
  if (!shown.data) return error_nomem(error);
  if (str_equal(shown, symbols->failed))
    return error_set(error, PPROFC_E_IO, "'%.*s' was not asked again", STR_ARG(shown));
  pprofc_status status =
      symbols_send(symbols, &symbols->current, true, addresses, reply, &code, error);
  if (code == 405) status = symbols_get(symbols, addresses, reply, error);
  if (status == PPROFC_OK) return status;
  error_prefix(error, "cannot get names from '%.*s': ", STR_ARG(shown));
  symbols->failed = shown;
  return status;
}
