/* Changes the files of mappings: removes file names that are URLs, and sets missing file names. */
#include "steps.h"

#include "profile/profile.h"

/* Returns a copy of the profile, and sets *items to its mappings, which the caller may change. If
 * `text` is not empty, adds it to the strings of the copy. Returns NULL when out of memory. */
static pprofc_profile *mappings_edit(const pprofc_profile *source, pprofc_str text,
                                     struct mapping **items) {
  pprofc_profile *edit = profile_edit(source);
  if (!edit) return NULL;
  const struct mappings *old = &source->mappings;
  *items = arena_copy(&edit->region->arena, old->items, old->count * sizeof **items);
  edit->mappings.items = *items;
  if (*items && (!text.size || profile_add_strings(edit, &text, 1))) return edit;
  pprofc_profile_release(edit);
  return NULL;
}

/* True if Go's url.Parse would find a scheme in the name. */
static bool mappings_is_url(pprofc_str name) {
  struct url url;
  struct arena arena = arena_make(&mem_default);
  bool is = url_parse(&arena, name, &url) == PPROFC_OK && url.scheme.size > 0;
  arena_free(&arena);
  return is;
}

/* Replaces *profile by a copy in which some mappings without a build ID have the file `file`. With
 * `unnamed`, these are the mappings without a file, otherwise the mappings whose file is a URL. */
static pprofc_status mappings_set_files(pprofc_profile **profile, bool unnamed, pprofc_str file,
                                        pprofc_error *error) {
  const pprofc_profile *p = *profile;
  pprofc_profile *edit = NULL;
  struct mapping *items = NULL;
  for (size_t i = 0; i < p->mappings.count; i++) {
    const struct mapping *m = &p->mappings.items[i];
    pprofc_str name = profile_string(p, m->file);
    bool meant = unnamed ? !name.size : mappings_is_url(name);
    if (profile_string(p, m->build_id).size || !meant) continue;
    if (!edit) edit = mappings_edit(p, file, &items);
    if (!edit) return error_nomem(error);
    items[i].file = file.size ? (uint32_t)p->strings.count : 0;
  }
  if (!edit) return PPROFC_OK;
  profile_replace(profile, edit);
  return PPROFC_OK;
}

pprofc_status mappings_forget_urls(pprofc_profile **profile, pprofc_error *error) {
  return mappings_set_files(profile, false, STR(""), error);
}

pprofc_status mappings_name_by_url(pprofc_profile **profile, pprofc_str url, pprofc_error *error) {
  return mappings_set_files(profile, true, url, error);
}
