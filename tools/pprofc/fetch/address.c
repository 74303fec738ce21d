/* Converts a source to a URL. Adds the default path, the recording time and the time limit. */
#include "fetch/fetcher.h"

#include <inttypes.h>

#define DEFAULT_PATH  STR("/debug/pprof/profile")
#define DEFAULT_LIMIT 60
#define GRACE         5 /* seconds that are added to every time limit, as in pprof */
#define SECONDS_MAX   ((int64_t)1 << 40)

struct address_pair {
  pprofc_str key, value;
  size_t order;
};

struct address_query {
  struct address_pair *pairs;
  size_t count, capacity;
};

static int address_by_key(const void *a, const void *b) {
  const struct address_pair *one = a, *two = b;
  int order = str_compare(one->key, two->key);
  if (order) return order;
  return one->order < two->order ? -1 : one->order > two->order;
}

/* Splits a query into pairs of key and value. Ignores pairs with an invalid escape, like Go. */
static pprofc_status address_read_query(struct arena *arena, pprofc_str text,
                                        struct address_query *query) {
  pprofc_str piece;
  while (text.data && str_next(&text, '&', &piece)) {
    size_t equals = str_find_char(piece, '=');
    if (!piece.size) continue;
    struct address_pair pair = {.order = query->count};
    pair.key = url_unescape(arena, str_slice(piece, 0, equals), true);
    pair.value = url_unescape(arena, str_slice(piece, equals + 1, piece.size), true);
    if (!pair.key.data || !pair.value.data) continue;
    if (!ARRAY_PUSH(&mem_default, query->pairs, query->count, query->capacity, pair))
      return PPROFC_E_NOMEM;
  }
  return PPROFC_OK;
}

static const struct address_pair *address_find(const struct address_query *query, pprofc_str key) {
  for (size_t i = 0; i < query->count; i++)
    if (str_equal(query->pairs[i].key, key)) return &query->pairs[i];
  return NULL;
}

/* Sets `key` to `value`, and removes all other values of the key. */
static pprofc_status address_set(struct address_query *query, pprofc_str key, pprofc_str value) {
  size_t kept = 0;
  for (size_t i = 0; i < query->count; i++)
    if (!str_equal(query->pairs[i].key, key)) query->pairs[kept++] = query->pairs[i];
  query->count = kept;
  bool added = ARRAY_PUSH(&mem_default, query->pairs, query->count, query->capacity,
                          (struct address_pair){key, value, kept});
  return added ? PPROFC_OK : PPROFC_E_NOMEM;
}

static pprofc_str address_write_query(struct arena *arena, struct address_query *query) {
  struct buffer out = buffer_make(&mem_default, SIZE_MAX / 2);
  if (query->count) qsort(query->pairs, query->count, sizeof *query->pairs, address_by_key);
  for (size_t i = 0; i < query->count; i++) {
    if (i) buffer_add_char(&out, '&');
    url_escape_query(&out, query->pairs[i].key);
    buffer_add_char(&out, '=');
    url_escape_query(&out, query->pairs[i].value);
  }
  pprofc_str text = out.size || out.failed ? buffer_keep(&out, arena) : STR("");
  buffer_free(&out);
  return text;
}

/* Sets the recording time: to `seconds` if -seconds is given, else to "seconds" in the query. Adds
 * -seconds to the query. */
static pprofc_status address_apply_seconds(struct arena *arena, struct address_query *query,
                                           int64_t seconds, struct address *address) {
  int64_t given;
  if (seconds > 0) {
    const char *value = text_printf(arena, "%" PRId64, seconds);
    if (!value) return PPROFC_E_NOMEM;
    address->seconds = seconds;
    address->asked_seconds = true;
    return address_set(query, STR("seconds"), str_of(value));
  }
  const struct address_pair *pair = address_find(query, STR("seconds"));
  if (pair && str_parse_int(pair->value, 10, &given) && given >= INT32_MIN && given <= INT32_MAX)
    address->seconds = given > 0 ? given : 0;
  return PPROFC_OK;
}

static int64_t address_limit_ms(int64_t seconds, int64_t timeout) {
  int64_t limit = seconds > 0 ? seconds * 1500 : DEFAULT_LIMIT * 1000;
  if (timeout > 0) limit = timeout * 1000;
  return limit + GRACE * 1000;
}

bool address_has_scheme(pprofc_str source) {
  size_t size = url_scheme_length(source);
  return size && str_starts(str_slice(source, size, source.size), STR("://"));
}

/* Parses a URL. Adds "http://" to a source such as "localhost:6060", which would parse as a scheme
 * without a host. pprof adds "http://" even to the invalid URL "http://h:x/", and then sends a
 * password in this URL to the host "http". This function rejects such a URL. */
static pprofc_status address_parse_url(struct arena *arena, pprofc_str source, struct url *url) {
  pprofc_status status = url_parse(arena, source, url);
  bool hostless = !url->host.size && url->scheme.size && !str_equal(url->scheme, STR("file"));
  if (status == PPROFC_E_NOMEM || (status == PPROFC_OK && !hostless)) return status;
  if (address_has_scheme(source)) return PPROFC_E_FORMAT;
  const char *text = text_printf(arena, "http://%.*s", STR_ARG(source));
  return text ? url_parse(arena, str_of(text), url) : PPROFC_E_NOMEM;
}

/* Sorts the query like Go, and adds the value of -seconds. */
static pprofc_status address_arrange_query(struct arena *arena, int64_t seconds,
                                           struct address *address) {
  struct address_query query = {NULL, 0, 0};
  struct url *url = &address->url;
  pprofc_status status = address_read_query(arena, url->query, &query);
  if (status == PPROFC_OK) status = address_apply_seconds(arena, &query, seconds, address);
  if (status == PPROFC_OK) url->query = address_write_query(arena, &query);
  ARRAY_FREE(&mem_default, query.pairs, query.capacity);
  if (status == PPROFC_OK && !url->query.data) return PPROFC_E_NOMEM;
  return status;
}

pprofc_status address_parse(struct arena *arena, pprofc_str source, int64_t seconds,
                            int64_t timeout, struct address *address) {
  *address = (struct address){.seconds = 0};
  struct url *url = &address->url;
  if (seconds > SECONDS_MAX) seconds = SECONDS_MAX;
  if (timeout > SECONDS_MAX) timeout = SECONDS_MAX;
  pprofc_status status = address_parse_url(arena, source, url);
  if (status == PPROFC_OK && !url->host.size) status = PPROFC_E_FORMAT;
  if (status != PPROFC_OK) return status;
  if (!url->path.size || str_equal(url->path, STR("/"))) url->path = DEFAULT_PATH;
  status = address_arrange_query(arena, seconds, address);
  if (status != PPROFC_OK) return status;
  address->limit_ms = address_limit_ms(address->seconds, timeout);
  address->shown = url_text(arena, url, URL_SHOWN);
  return address->shown.data ? PPROFC_OK : PPROFC_E_NOMEM;
}

/* True for the path of a profile of net/http/pprof or gperftools. These servers translate addresses
 * to names at ".../symbol", and other servers at ".../symbolz". */
static bool address_is_pprof(pprofc_str path) {
  return str_find(path, STR("/debug/pprof/")) < path.size ||
         STR_ANY(str_ends, path, "/pprof/heap", "/pprof/growth", "/pprof/profile",
                 "/pprof/pmuprofile", "/pprof/contention");
}

pprofc_status address_of_symbols(struct arena *arena, const struct url *profile, struct url *url) {
  const char *joined = text_printf(arena, "%.*s/../%s", STR_ARG(profile->path),
                                   address_is_pprof(profile->path) ? "symbol" : "symbolz");
  char *clean = joined ? arena_alloc(arena, strlen(joined) + 2) : NULL;
  if (!clean) return PPROFC_E_NOMEM;
  *url = *profile;
  url->path = str_path_clean(str_of(joined), clean);
  url->query = url->fragment = STR("");
  url->has_query = false;
  return PPROFC_OK;
}

bool address_file(struct arena *arena, pprofc_str source, const char **path) {
  struct url url;
  if (url_parse(arena, source, &url) != PPROFC_OK || url.host.size || url.has_user) return false;
  if (!str_equal(url.scheme, STR("file")) || !url.path.size) return false;
  pprofc_str decoded = url_unescape(arena, url.path, false);
  if (!decoded.data || str_find_char(decoded, '\0') < decoded.size) return false;
  *path = decoded.data;
  return true;
}

const char *address_duration(int64_t seconds, char out[48]) {
  int64_t hours = seconds / 3600, minutes = seconds / 60 % 60;
  if (hours)
    snprintf(out, 48, "%" PRId64 "h%" PRId64 "m%" PRId64 "s", hours, minutes, seconds % 60);
  else if (minutes)
    snprintf(out, 48, "%" PRId64 "m%" PRId64 "s", minutes, seconds % 60);
  else
    snprintf(out, 48, "%" PRId64 "s", seconds);
  return out;
}
