/* Adds a missing mapping, sets the executable, removes or adds URLs. */
#include "mappings.h"

#include "core/error.h"
#include "http/url.h"
#include "profile/profile.h"

/* Starts an edit of the profile. Returns the mappings of the edit; the caller may change them. */
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

/* True if Go's url.Parse would find a scheme in the name. */
static bool mappings_is_url(pprofc_str name) {
  struct arena arena;
  struct url url;
  arena_init(&arena, &mem_default);
  bool is = url_parse(&arena, name, &url) == PPROFC_OK && url.scheme.size > 0;
  arena_free(&arena);
  return is;
}

/* Sets the file of each mapping that has no build ID and whose file is a URL. With `unnamed`, sets
 * the file of the mappings that have no file instead. *edit is NULL if there is no such mapping. */
static pprofc_status mappings_set_files(const pprofc_profile *profile, bool unnamed, uint32_t file,
                                        pprofc_profile **edit, pprofc_error *error) {
  const struct mappings *mappings = &profile->mappings;
  struct mapping *items = NULL;
  *edit = NULL;
  for (size_t i = 0; i < mappings->count; i++) {
    pprofc_str name = profile_string(profile, mappings->items[i].file);
    if (profile_string(profile, mappings->items[i].build_id).size ||
        !(unnamed ? !name.size : mappings_is_url(name)))
      continue;
    if (!items) items = edit_mappings(profile, edit);
    if (!items) return error_nomem(error);
    items[i].file = file;
  }
  return PPROFC_OK;
}

pprofc_status mappings_forget_urls(pprofc_profile **profile, pprofc_error *error) {
  pprofc_profile *edit;
  pprofc_status status = mappings_set_files(*profile, false, 0, &edit, error);
  if (status != PPROFC_OK || !edit) return status;
  pprofc_profile_release(*profile);
  *profile = edit;
  return PPROFC_OK;
}

pprofc_status mappings_name_by_url(pprofc_profile **profile, pprofc_str url, pprofc_error *error) {
  pprofc_profile *edit;
  uint32_t file = (uint32_t)(*profile)->strings.count;
  pprofc_status status = mappings_set_files(*profile, true, file, &edit, error);
  if (status != PPROFC_OK || !edit) return status;
  pprofc_str name = arena_str(&edit->region->arena, url);
  if (!name.data || !profile_add_strings(edit, &name, 1)) {
    pprofc_profile_release(edit);
    return error_nomem(error);
  }
  pprofc_profile_release(*profile);
  *profile = edit;
  return PPROFC_OK;
}
