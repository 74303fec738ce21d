/* Mappings: the one made for a profile without any, the executable of the command line, names that
 * are URLs. */
#include "mappings.h"

#include "core/error.h"
#include "profile/profile.h"

/* An edit of the profile with mappings of its own to change. */
static struct mapping *edit_mappings(const pprofc_profile *source, pprofc_profile **edited) {
  const struct mappings *old = &source->mappings;
  pprofc_profile *edit = profile_edit(source);
  if (!edit) return NULL;
  struct mapping *items = arena_copy(&edit->region->arena, old->items, old->count * sizeof *items);
  if (!items) {
    pprofc_profile_release(edit);
    return NULL;
  }
  edit->mappings.items = items;
  *edited = edit;
  return items;
}

static bool mappings_is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool mappings_is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool mappings_is_hex(char c) {
  return mappings_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Every % has two hex digits behind it; in a host they may only stand for bytes that are no ASCII,
 * or for % itself. */
static bool escapes_valid(pprofc_str s, bool host) {
  for (size_t i = 0; i < s.size; i++) {
    if (s.data[i] != '%') continue;
    if (i + 2 >= s.size || !mappings_is_hex(s.data[i + 1]) || !mappings_is_hex(s.data[i + 2]))
      return false;
    if (host && mappings_is_digit(s.data[i + 1]) && s.data[i + 1] < '8' &&
        memcmp(s.data + i + 1, "25", 2) != 0)
      return false;
  }
  return true;
}

static bool has_any_of(pprofc_str s, const char *characters) {
  for (size_t i = 0; i < s.size; i++)
    if (strchr(characters, s.data[i])) return true;
  return false;
}

/* ":" and digits at the end of a host, behind the brackets of an address when it has them. */
static bool port_valid(pprofc_str host) {
  size_t bracket = str_find_last_char(host, ']');
  if (host.size && host.data[0] == '[' && bracket == host.size) return false;
  size_t from = bracket < host.size ? bracket + 1 : str_find_last_char(host, ':');
  pprofc_str port = str_slice(host, from, host.size);
  if (port.size && port.data[0] != ':') return false;
  for (size_t i = 1; i < port.size; i++)
    if (!mappings_is_digit(port.data[i])) return false;
  return true;
}

/* The part between "//" and the path: user@host:port. */
static bool authority_valid(pprofc_str s) {
  size_t at = str_find_last_char(s, '@');
  pprofc_str user = str_slice(s, 0, at < s.size ? at : 0);
  pprofc_str host = at < s.size ? str_slice(s, at + 1, s.size) : s;
  if (has_any_of(host, " \\^`{|}") || has_any_of(user, " \"#/<>?[\\]^`{|}")) return false;
  return port_valid(host) && escapes_valid(host, true) && escapes_valid(user, false);
}

/* Length of the scheme, 0 for none. */
static size_t scheme_length(pprofc_str name) {
  size_t size = 0;
  while (size < name.size &&
         (mappings_is_letter(name.data[size]) ||
          (size && (mappings_is_digit(name.data[size]) || memchr("+-.", name.data[size], 3)))))
    size++;
  return size < name.size && name.data[size] == ':' ? size : 0;
}

/* Whether Go's url.Parse would take the name and find a scheme in it. */
static bool mappings_is_url(pprofc_str name) {
  size_t scheme = scheme_length(name);
  if (!scheme) return false;
  for (size_t i = 0; i < name.size; i++)
    if ((unsigned char)name.data[i] < 0x20 || name.data[i] == 0x7f) return false;
  pprofc_str rest = str_slice(name, scheme + 1, name.size);
  size_t hash = str_find_char(rest, '#');
  if (!escapes_valid(str_slice(rest, hash, rest.size), false)) return false;
  rest = str_slice(rest, 0, hash);
  rest = str_slice(rest, 0, str_find_char(rest, '?'));
  /* Without a slash at its front it is not looked at. */
  if (!rest.size || rest.data[0] != '/') return true;
  if (str_starts(rest, STR("//")) && !str_starts(rest, STR("///"))) {
    pprofc_str authority = str_slice(rest, 2, rest.size);
    size_t slash = str_find_char(authority, '/');
    if (!authority_valid(str_slice(authority, 0, slash))) return false;
    rest = str_slice(authority, slash, authority.size);
  }
  return escapes_valid(rest, false);
}

pprofc_status mappings_forget_urls(pprofc_profile **profile, pprofc_error *error) {
  const struct mappings *mappings = &(*profile)->mappings;
  pprofc_profile *edit = NULL;
  struct mapping *items = NULL;
  for (size_t i = 0; i < mappings->count; i++) {
    const struct mapping *mapping = &mappings->items[i];
    if (profile_string(*profile, mapping->build_id).size ||
        !mappings_is_url(profile_string(*profile, mapping->file)))
      continue;
    if (!items) items = edit_mappings(*profile, &edit);
    if (!items) return error_nomem(error);
    items[i].file = 0;
  }
  if (!edit) return PPROFC_OK;
  pprofc_profile_release(*profile);
  *profile = edit;
  return PPROFC_OK;
}
