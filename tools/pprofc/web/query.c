/* Parameters of an address: decoding, options, links. */
#include "web/query.h"

#include "core/error.h"
#include "core/escape.h"

#include <limits.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- names ------------------------------------------- */

/* Parameters that only this page has. pprof's addresses have no tagroot and tagleaf. */
static const char *const query_own_names[] = {"tagroot", "tagleaf", "side", "base",  "head", "sel",
                                              "only",    "rows",    "q",    "p",     "v",    "view",
                                              "what",    "node",    "name", "config"};

/* Returns the option that a parameter sets, or NULL. */
static const pprofc_option_info *query_option(const char *name) {
  const pprofc_option_info *info;
  for (size_t i = 0; (info = pprofc_option_at(i)); i++)
    if (strcmp(info->url ? info->url : info->name, name) == 0) break;
  bool ours = info && !info->url && strcmp(name, "tagroot") != 0 && strcmp(name, "tagleaf") != 0;
  return ours ? NULL : info;
}

/* Returns the i-th known name; options come first, in table order. */
static const char *query_name(size_t i) {
  const pprofc_option_info *info;
  for (size_t k = 0; (info = pprofc_option_at(k)); k++)
    if (info->url && i-- == 0) return info->url;
  return i < COUNT(query_own_names) ? query_own_names[i] : NULL;
}

/* ---- decoding ---------------------------------------- */

static int query_hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Decodes percent signs and '+'; data is NULL when out of memory or if two digits do not
 * follow a percent sign. */
static pprofc_str query_decode(pprofc_str text, struct arena *arena) {
  char *out = arena_alloc(arena, text.size + 1);
  size_t size = 0;
  if (!out) return (pprofc_str){NULL, 0};
  for (size_t i = 0; i < text.size; i++) {
    char c = text.data[i] == '+' ? ' ' : text.data[i];
    if (c == '%') {
      int high = i + 2 < text.size ? query_hex(text.data[i + 1]) : -1;
      int low = i + 2 < text.size ? query_hex(text.data[i + 2]) : -1;
      if (high < 0 || low < 0) return (pprofc_str){NULL, 0};
      c = (char)(high * 16 + low);
      i += 2;
    }
    out[size++] = c;
  }
  out[size] = '\0';
  return (pprofc_str){out, size};
}

/* Returns the index of a name among all names; WEB_PARAMETERS_MAX for an unknown one. */
static size_t query_place(pprofc_str name) {
  const char *known;
  size_t i = 0;
  while ((known = query_name(i)) && !str_equal(name, str_of(known))) i++;
  return known ? i : WEB_PARAMETERS_MAX;
}

/* Decodes one pair into its slot unless the slot is taken. */
static pprofc_status query_take(pprofc_str pair, struct arena *arena,
                                const char *slots[WEB_PARAMETERS_MAX], pprofc_error *error) {
  size_t equal = str_find_char(pair, '=');
  pprofc_str key = query_decode(str_slice(pair, 0, equal), arena);
  size_t place = key.data ? query_place(key) : WEB_PARAMETERS_MAX;
  if (place >= WEB_PARAMETERS_MAX || slots[place] || str_find_char(pair, ';') < pair.size)
    return PPROFC_OK;
  pprofc_str value = query_decode(str_slice(pair, equal + 1, pair.size), arena);
  if (!value.data) return PPROFC_OK;
  if (str_find_char(value, '\0') < value.size || !utf8_valid(value))
    return error_set(error, PPROFC_E_INVALID, "the parameter %s is not text", query_name(place));
  slots[place] = value.data;
  return PPROFC_OK;
}

pprofc_status web_query_parse(pprofc_str text, struct arena *arena, struct web_query *query,
                              pprofc_error *error) {
  const char *slots[WEB_PARAMETERS_MAX] = {NULL};
  pprofc_status status = PPROFC_OK;
  pprofc_str pair;
  query->count = 0;
  while (status == PPROFC_OK && str_next(&text, '&', &pair))
    status = query_take(pair, arena, slots, error);
  for (size_t i = 0; status == PPROFC_OK && i < WEB_PARAMETERS_MAX; i++)
    if (slots[i] && *slots[i])
      query->items[query->count++] = (struct web_parameter){query_name(i), slots[i]};
  return status;
}

const char *web_query_get(const struct web_query *query, const char *name) {
  for (size_t i = 0; i < query->count; i++)
    if (strcmp(query->items[i].name, name) == 0) return query->items[i].value;
  return "";
}

size_t web_query_count(const struct web_query *query) {
  return query->count;
}

void web_query_at(const struct web_query *query, size_t index, const char **name,
                  const char **value) {
  *name = query->items[index].name;
  *value = query->items[index].value;
}

/* ---- links ------------------------------------------- */

void web_query_encode(struct buffer *out, pprofc_str text) {
  static const char digits[] = "0123456789ABCDEF";
  for (size_t i = 0; i < text.size; i++) {
    unsigned char c = (unsigned char)text.data[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || (c && strchr("-_.~", c))) {
      buffer_add_char(out, (char)c);
      continue;
    }
    const char code[] = {'%', digits[c >> 4], digits[c & 15]};
    buffer_add(out, code, sizeof code);
  }
}

/* Returns the value of a name in a link. */
static pprofc_str query_changed(const struct web_query *query, const struct web_change *changes,
                                size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(changes[i].name, name) == 0) return changes[i].value;
  return str_of(web_query_get(query, name));
}

void web_query_write(struct buffer *out, const struct web_query *query,
                     const struct web_change *changes, size_t count) {
  const char *name, *separator = "";
  for (size_t i = 0; (name = query_name(i)); i++) {
    pprofc_str value = query_changed(query, changes, count, name);
    if (!value.size) continue;
    buffer_printf(out, "%s%s=", separator, name);
    web_query_encode(out, value);
    separator = "&";
  }
}

void web_query_link(struct output *out, const struct web_query *query, const char *view,
                    const struct web_change *changes, size_t count) {
  struct buffer text;
  buffer_init(&text, &mem_default, (size_t)1 << 20);
  web_query_write(&text, query, changes, count);
  output_add_text(out, view);
  if (text.failed) out->failed = true;
  pprofc_str rest = buffer_str(&text), piece;
  const char *separator = "?";
  while (rest.size && str_next(&rest, '&', &piece)) {
    output_add_text(out, separator);
    output_add_str(out, piece);
    separator = "&amp;";
  }
  buffer_free(&text);
}

/* ---- options ----------------------------------------- */

/* Returns pprof's words for an invalid number. */
static void query_describe(const pprofc_option_info *info, const char *value, pprofc_error *error) {
  static const char *const functions[] = {
      [PPROFC_OPTION_INT] = "Atoi", [PPROFC_OPTION_FLOAT] = "ParseFloat"};
  int64_t number;
  bool large = info->kind == PPROFC_OPTION_INT && str_parse_int(str_of(value), 10, &number);
  if (info->kind == PPROFC_OPTION_BOOL)
    error_set(error, PPROFC_E_INVALID,
              "error setting config field %s: illegal value \"%s\" for bool variable", info->name,
              value);
  else if (info->kind == PPROFC_OPTION_INT || info->kind == PPROFC_OPTION_FLOAT)
    error_set(error, PPROFC_E_INVALID,
              "error setting config field %s: strconv.%s: parsing \"%s\": %s", info->name,
              functions[info->kind], value, large ? "value out of range" : "invalid syntax");
  else
    error_prefix(error, "error setting config field %s: ", info->name);
}

pprofc_status web_query_options(const struct web_query *query, pprofc_report_options *options,
                                pprofc_error *error) {
  for (size_t i = 0; i < query->count; i++) {
    const pprofc_option_info *info = query_option(query->items[i].name);
    if (!info) continue;
    pprofc_status status =
        pprofc_report_options_set(options, info->name, query->items[i].value, error);
    if (status == PPROFC_OK) continue;
    query_describe(info, query->items[i].value, error);
    return status;
  }
  return PPROFC_OK;
}
