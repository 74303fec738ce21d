/* Reads source maps of JavaScript, from -source_map or next to the profile. */
#ifndef PPROFC_TOOLS_SOURCE_MAPS_H
#define PPROFC_TOOLS_SOURCE_MAPS_H

#include "options.h"
#include "symbolize/source_map.h"

struct source_map_list {
  struct source_map **items;
  size_t count, capacity;
};

pprofc_status source_maps_load(const struct command *command, struct source_map_list *list,
                               pprofc_error *error);
void source_maps_free(struct source_map_list *list);

/* Replaces the names of bundled JavaScript frames in *profile by the original names. Without
 * -source_map, uses the files next to the profile: PATH.map, and SCRIPT.map for each script (`path`
 * NULL: no files). Prints an error about an unreadable file next to the profile, and skips it. Sets
 * *used to true if a frame changed. */
pprofc_status source_maps_use(const struct command *command, const struct source_map_list *given,
                              const char *path, pprofc_profile **profile, bool *used,
                              pprofc_error *error);

#endif
