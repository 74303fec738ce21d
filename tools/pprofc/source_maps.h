/* Reads source maps for JavaScript profiles: from -source_map, and from files next to a profile. */
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

/* Restores the original names of frames in *profile. Uses the maps of -source_map, else files
 * next to the profile at `path` (NULL: no folder): PATH.map, and SCRIPT.map for each script.
 * An unreadable file there is reported and skipped. Sets *used if a frame has changed. */
pprofc_status source_maps_use(const struct command *command, const struct source_map_list *given,
                              const char *path, pprofc_profile **profile, bool *used,
                              pprofc_error *error);

#endif
