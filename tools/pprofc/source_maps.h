/* Source maps for profiles of JavaScript: those of -source_map, and those beside a profile. */
#ifndef PPROFC_TOOLS_SOURCE_MAPS_H
#define PPROFC_TOOLS_SOURCE_MAPS_H

#include "options.h"
#include "symbolize/source_map.h"

struct source_map_list {
  struct source_map **items;
  size_t count, capacity;
};

/* Reads the files of -source_map. */
pprofc_status source_maps_load(const struct command *command, struct source_map_list *list,
                               pprofc_error *error);
void source_maps_free(struct source_map_list *list);

/* Gives the frames of *profile their original names, by the maps of -source_map, else by files
 * beside the profile at `path` (NULL: it has no folder): PATH.map, and for each script SCRIPT.map.
 * A file there that cannot be read is said and left out. *used is set when a frame has changed. */
pprofc_status source_maps_use(const struct command *command, const struct source_map_list *given,
                              const char *path, pprofc_profile **profile, bool *used,
                              pprofc_error *error);

#endif
