/* Parses the request headers from -header and -header_file. */
#include "http/client.h"

#define FILE_MAX ((size_t)1 << 20)

void headers_init(struct headers *headers, struct arena *arena) {
  *headers = (struct headers){.arena = arena};
}

void headers_free(struct headers *headers) {
  ARRAY_FREE(&mem_default, headers->items, headers->capacity);
  headers->count = 0;
}

static bool headers_is_name(pprofc_str name) {
  for (size_t i = 0; i < name.size; i++) {
    unsigned char c = (unsigned char)name.data[i];
    if (c <= ' ' || c >= 0x7f || strchr("()<>@,;:\\\"/[]?={}", c)) return false;
  }
  return name.size > 0;
}

/* True if the value has no control character, such as a newline, which would begin another
 * header. */
static bool headers_is_value(pprofc_str value) {
  for (size_t i = 0; i < value.size; i++) {
    unsigned char c = (unsigned char)value.data[i];
    if ((c < ' ' && c != '\t') || c == 0x7f) return false;
  }
  return true;
}

/* True for a header about the connection or the length of the body. Users cannot set these. */
static bool headers_is_framing(pprofc_str name) {
  return STR_ANY(str_equal_any_case, name, "content-length", "transfer-encoding", "connection",
                 "expect", "te", "trailer", "upgrade");
}

pprofc_status headers_add(struct headers *headers, pprofc_str text, const char *where,
                          pprofc_error *error) {
  size_t colon = str_find_char(text, ':');
  pprofc_str name = str_slice(text, 0, colon);
  pprofc_str value = str_trim(str_slice(text, colon + 1, text.size));
  if (colon == text.size || !headers_is_name(name))
    return error_set(error, PPROFC_E_INVALID, "%s is not of the form 'Name: value'", where);
  if (!headers_is_value(value))
    return error_set(error, PPROFC_E_INVALID, "%s has a control character in its value", where);
  if (headers_is_framing(name))
    return error_set(error, PPROFC_E_INVALID, "%s: the header %.*s cannot be set", where,
                     STR_ARG(name));
  const char *line = text_printf(headers->arena, value.size ? "%.*s: %.*s" : "%.*s;%.*s",
                                 STR_ARG(name), STR_ARG(value));
  bool added = line && ARRAY_PUSH(&mem_default, headers->items, headers->count, headers->capacity,
                                  (struct header){{line, name.size}, line});
  return added ? PPROFC_OK : error_nomem(error);
}

pprofc_status headers_add_file(struct headers *headers, const char *path, pprofc_error *error) {
  struct buffer text = buffer_make(&mem_default, FILE_MAX);
  pprofc_status status = file_read(path, &text, error);
  if (status != PPROFC_OK) error_prefix(error, "-header_file: ");
  pprofc_str rest = buffer_str(&text), line;
  for (size_t number = 1; status == PPROFC_OK && str_next_line(&rest, &line); number++) {
    char where[512];
    snprintf(where, sizeof where, "'%.400s', line %zu", path, number);
    line = str_trim(line);
    if (line.size && line.data[0] != '#') status = headers_add(headers, line, where, error);
  }
  buffer_free(&text);
  return status;
}

bool headers_has(const struct headers *headers, pprofc_str name) {
  for (size_t i = 0; i < headers->count; i++)
    if (str_equal_any_case(headers->items[i].name, name)) return true;
  return false;
}
