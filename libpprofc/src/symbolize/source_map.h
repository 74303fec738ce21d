/* Source maps (version 3, with or without sections). Source maps map positions in generated
 * JavaScript to the original names, files and lines. */
#ifndef PPROFC_SYMBOLIZE_SOURCE_MAP_H
#define PPROFC_SYMBOLIZE_SOURCE_MAP_H

#include "profile/profile.h"

struct source_map;

/* Parses a map. `name` is the last part of its path, such as "app.js.map". The map belongs to the
 * file that it names, and to files whose name up to the first point equals the map's. Any number of
 * threads may use the map at the same time. */
pprofc_status source_map_parse(pprofc_str json, pprofc_str name, const pprofc_allocator *mem,
                               struct source_map **map, pprofc_error *error);
void source_map_free(struct source_map *map);

/* A position in an original file. Lines and columns start at 1. The map owns the strings. */
struct source_map_place {
  pprofc_str name; /* original name; empty if the map has no name here */
  pprofc_str file;
  int64_t line, column;
};

/* Restores the original names and positions of frames. A file uses the first map that belongs to
 * it. *changed is the number of changed frames. If no frame changes, *out is `source`. */
pprofc_status source_maps_apply(const pprofc_profile *source, struct source_map *const *maps,
                                size_t count, pprofc_profile **out, size_t *changed,
                                pprofc_error *error);

#endif
