/* Splits benchmark names. "Encode/format=json/size=4k-8" has the base "Encode", two parts that
 * begin with '/', and the suffix "-8". */
#include "bench/names.h"

#include "core/chars.h"

#include "bench/go_text.h"

/* Returns the length of the name without a suffix such as "-8". */
static size_t name_without_procs(pprofc_str name) {
  size_t i = name.size;
  while (i > 0 && char_is_digit(name.data[i - 1])) i--;
  return i > 0 && i < name.size && name.data[i - 1] == '-' ? i - 1 : name.size;
}

pprofc_str name_base(pprofc_str name) {
  size_t slash = str_find_char(name, '/');
  return str_slice(name, 0, slash < name.size ? slash : name_without_procs(name));
}

/* Takes the next part of a name, such as "/size=1", from the start of *rest. */
static pprofc_str name_next_part(pprofc_str *rest) {
  size_t end = 1 + str_find_char(str_slice(*rest, 1, rest->size), '/');
  pprofc_str part = str_slice(*rest, 0, end);
  *rest = str_slice(*rest, end, rest->size);
  return part;
}

pprofc_str name_part_value(pprofc_str name, pprofc_str key) {
  size_t procs = name_without_procs(name);
  if (str_equal(key, STR("/gomaxprocs")) && procs < name.size)
    return str_slice(name, procs + 1, name.size);
  pprofc_str body = str_slice(name, 0, procs);
  pprofc_str rest = str_slice(body, str_find_char(body, '/'), body.size);
  while (rest.size) {
    pprofc_str part = name_next_part(&rest);
    if (part.size > key.size && str_starts(part, key) && part.data[key.size] == '=')
      return str_slice(part, key.size + 1, part.size);
  }
  return STR("");
}

static bool excluded(pprofc_str part, const pprofc_str *keys, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (part.data[0] == '-' && str_equal(keys[i], STR("/gomaxprocs"))) return true;
    if (keys[i].data[0] == '/' && part.size > keys[i].size && str_starts(part, keys[i]) &&
        part.data[keys[i].size] == '=')
      return true;
  }
  return false;
}

void name_exclude(struct buffer *out, pprofc_str name, const pprofc_str *keys, size_t count) {
  bool star = false;
  for (size_t i = 0; i < count; i++) star |= str_equal(keys[i], STR(".name"));
  size_t procs = name_without_procs(name);
  pprofc_str body = str_slice(name, 0, procs);
  size_t at = str_find_char(body, '/');
  buffer_add_str(out, star ? STR("*") : str_slice(body, 0, at));
  pprofc_str rest = str_slice(body, at, body.size);
  while (rest.size) {
    pprofc_str part = name_next_part(&rest);
    if (!excluded(part, keys, count)) buffer_add_str(out, part);
  }
  pprofc_str suffix = str_slice(name, procs, name.size);
  if (suffix.size && !excluded(suffix, keys, count)) buffer_add_str(out, suffix);
}

void name_encode(struct buffer *out, pprofc_str text, bool keep_slashes) {
  while (text.size) {
    size_t blank = space_at(text), size = blank ? blank : 1;
    unsigned char c = (unsigned char)text.data[0];
    if (blank)
      buffer_add_char(out, '_');
    else if (c >= 0x20 && c != 0x7F && (c != '/' || keep_slashes))
      buffer_add_char(out, text.data[0]);
    else
      buffer_printf(out, "%%%02X", c);
    text = str_slice(text, size, text.size);
  }
}
