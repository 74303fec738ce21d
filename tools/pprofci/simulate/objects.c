/* Finds native code of the measured project that was built without debug information, such as an
 * extension of Python or an addon of Node. Profiles contain at most the names of the functions of
 * such code, and never lines. */
#include "common/terminal.h"
#include "core/array.h"
#include "run/files.h"
#include "run/text.h"
#include "simulate/counting.h"

/* End of the name of the folder of installed Python modules: site-packages or dist-packages. */
#define INSTALLED "-packages/"

/* True if the package of an installed object, such as "fastsum/_core.so", has its source in the
 * folder. */
static bool has_source(struct counting *c, const char *folder, pprofc_str object) {
  pprofc_str package = str_slice(object, 0, str_find_char(object, '/'));
  const char *here = text_printf(&c->run->arena, "%s/%.*s", folder, STR_ARG(package));
  const char *in_src = text_printf(&c->run->arena, "%s/src/%.*s", folder, STR_ARG(package));
  return package.size < object.size && here && in_src &&
         (files_is_folder(here) || files_is_folder(in_src));
}

/* True if the project in the folder can build the object. */
static bool is_of_project(struct counting *c, const char *folder, pprofc_str object) {
  size_t installed = str_find(object, STR(INSTALLED)), size = strlen(folder);
  if (installed < object.size)
    return has_source(c, folder, str_slice(object, installed + strlen(INSTALLED), object.size));
  return str_starts(object, str_of(folder)) && object.size > size && object.data[size] == '/' &&
         str_find(object, STR("/node_modules/")) == object.size;
}

/* Prints a message about an object, once for each object. */
static pprofc_status note_object(struct counting *c, pprofc_str object, pprofc_error *error) {
  size_t before = c->noted.count;
  if (interner_copy(&c->noted, &c->run->arena, object) == MAP_NONE) return error_nomem(error);
  if (c->noted.count > before)
    message_note("pprofci: profiles have no lines of '%.*s': build it with -g, and do not strip it "
                 "(Rust: CARGO_PROFILE_RELEASE_DEBUG=1)",
                 STR_ARG(object));
  return PPROFC_OK;
}

pprofc_status count_note_objects(struct counting *c, const char *folder, const char *path,
                                 pprofc_error *error) {
  pprofc_profile *p = NULL;
  pprofc_read_options options;
  pprofc_read_options_init(&options);
  pprofc_status status = pprofc_profile_read_file(path, &options, &p, error);
  if (status != PPROFC_OK) return status;
  size_t mappings = pprofc_profile_mapping_count(p), locations = pprofc_profile_location_count(p);
  bool *used = arena_zero_array(&c->run->arena, 2 * mappings + 1, sizeof *used);
  bool *lines = used ? used + mappings : NULL;
  if (!used) status = error_nomem(error);
  for (uint32_t i = 0; used && i < locations; i++) {
    uint32_t mapping = pprofc_profile_location(p, i).mapping;
    if (mapping >= mappings) continue;
    used[mapping] = true;
    lines[mapping] |= pprofc_profile_line(p, i, 0).line > 0;
  }
  for (uint32_t i = 0; status == PPROFC_OK && i < mappings; i++) {
    pprofc_str object = pprofc_profile_mapping(p, i).file;
    if (used[i] && !lines[i] && is_of_project(c, folder, object))
      status = note_object(c, object, error);
  }
  pprofc_profile_release(p);
  return status;
}
