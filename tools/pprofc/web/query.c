/* Handles the parameters of a URL: decodes them, sets options and writes links. */
#include "web/view.h"

#include "http/url.h"

/* Parameters that are not options. */
static const char *const query_own_names[] = {"side", "base",   "head", "sel",  "only", "rows",
                                              "q",    "p",      "v",    "view", "what", "node",
                                              "name", "config", "pin",  "t0",   "t1"};

/* Returns the parameter of an option, or NULL. pprof's URLs lack some of the options that settings
 * save. Their parameter is the option's name. */
static const char *query_parameter(const pprofc_option_info *info) {
  return info->url || !info->saved ? info->url : info->name;
}

static const pprofc_option_info *query_option(const char *name) {
  const pprofc_option_info *info;
  const char *parameter;
  for (size_t i = 0; (info = pprofc_option_at(i)); i++)
    if ((parameter = query_parameter(info)) && strcmp(parameter, name) == 0) break;
  return info;
}

/* Lists all parameters: pprof's, then our options, then the other parameters. Ends with NULL. */
static void query_names(const char *names[WEB_PARAMETERS_MAX + 1]) {
  const pprofc_option_info *info;
  size_t count = 0;
  for (int ours = 0; ours < 2; ours++)
    for (size_t i = 0; (info = pprofc_option_at(i)) && count < WEB_PARAMETERS_MAX; i++)
      if (query_parameter(info) && (!info->url) == ours) names[count++] = query_parameter(info);
  for (size_t i = 0; i < COUNT(query_own_names) && count < WEB_PARAMETERS_MAX; i++)
    names[count++] = query_own_names[i];
  names[count] = NULL;
}

/* Decodes a pair "name=value", and stores the value for the name. If the name already has a value,
 * keeps the old value. */
static pprofc_status query_take(pprofc_str pair, struct arena *arena, const char *const *names,
                                const char *slots[WEB_PARAMETERS_MAX], pprofc_error *error) {
  size_t equal = str_find_char(pair, '=');
  pprofc_str key = url_unescape(arena, str_slice(pair, 0, equal), true);
  int place = key.data ? str_index(key, names) : -1;
  if (place < 0 || slots[place] || str_find_char(pair, ';') < pair.size) return PPROFC_OK;
  pprofc_str value = url_unescape(arena, str_slice(pair, equal + 1, pair.size), true);
  if (!value.data) return PPROFC_OK;
  if (str_find_char(value, '\0') < value.size || !utf8_valid(value))
    return error_set(error, PPROFC_E_INVALID, "the parameter %s is not text", names[place]);
  slots[place] = value.data;
  return PPROFC_OK;
}

pprofc_status web_query_parse(pprofc_str text, struct arena *arena, struct web_query *query,
                              pprofc_error *error) {
  const char *names[WEB_PARAMETERS_MAX + 1], *slots[WEB_PARAMETERS_MAX] = {NULL};
  pprofc_status status = PPROFC_OK;
  pprofc_str pair;
  query_names(names);
  query->count = 0;
  while (status == PPROFC_OK && str_next(&text, '&', &pair))
    status = query_take(pair, arena, names, slots, error);
  for (size_t i = 0; status == PPROFC_OK && names[i]; i++)
    if (slots[i] && *slots[i])
      query->items[query->count++] = (struct web_parameter){names[i], slots[i]};
  return status;
}

const char *web_query_get(const struct web_query *query, const char *name) {
  for (size_t i = 0; i < query->count; i++)
    if (strcmp(query->items[i].name, name) == 0) return query->items[i].value;
  return "";
}

void web_query_remove(struct web_query *query, const char *name) {
  size_t kept = 0;
  for (size_t i = 0; i < query->count; i++)
    if (strcmp(query->items[i].name, name) != 0) query->items[kept++] = query->items[i];
  query->count = kept;
}

static pprofc_str query_changed(const struct web_query *query, const struct web_change *changes,
                                size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(changes[i].name, name) == 0) return changes[i].value;
  return str_of(web_query_get(query, name));
}

/* Appends a parameter to the query that starts at index `begin` of `out`. */
static void query_write_one(struct buffer *out, size_t begin, const char *name, pprofc_str value) {
  if (!value.size) return;
  buffer_printf(out, "%s%s=", out->size > begin ? "&" : "", name);
  escape_url(out, value, "");
}

void web_query_write(struct buffer *out, const struct web_query *query,
                     const struct web_change *changes, size_t count) {
  size_t begin = out->size;
  const char *names[WEB_PARAMETERS_MAX + 1];
  query_names(names);
  for (size_t i = 0; names[i]; i++)
    query_write_one(out, begin, names[i], query_changed(query, changes, count, names[i]));
}

void web_query_link(struct buffer *out, const struct web_query *query, const char *view,
                    const struct web_change *changes, size_t count) {
  buffer_printf(out, "%s?", view);
  size_t before = out->size;
  web_query_write(out, query, changes, count);
  /* Drop the '?' of a link without parameters. */
  if (out->size == before && before) out->size--;
}

/* Sets the error for an invalid value. The message is the same as in pprof. */
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

void web_query_of_options(struct buffer *out, const pprofc_report_options *options) {
  const pprofc_option_info *info;
  char text[64 << 10]; /* buffer for the longest value of a saved view */
  const char *separator = "";
  for (size_t i = 0; (info = pprofc_option_at(i)); i++) {
    size_t size;
    if (!info->url || !info->saved) continue;
    if (pprofc_report_options_get(options, info->name, text, sizeof text, &size, NULL) !=
            PPROFC_OK ||
        size >= sizeof text || strcmp(text, info->default_text) == 0)
      continue;
    if (info->kind == PPROFC_OPTION_BOOL) text[1] = '\0'; /* true becomes t, false becomes f */
    buffer_printf(out, "%s%s=", separator, info->url);
    escape_url(out, str_of(text), "");
    separator = "&";
  }
}
