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

/* Replaces names of bundled JavaScript frames in *profile by the original ones. Without
 * -source_map, uses PATH.map and SCRIPT.map of each script, if `path` is not NULL, and only reports
 * unreadable ones. Sets *used if a frame changed. */
pprofc_status source_maps_use(const struct command *command, const struct source_map_list *given,
                              const char *path, pprofc_profile **profile, bool *used,
                              pprofc_error *error);

#endif
