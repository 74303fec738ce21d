/* Printed names of frames (17, 21.10): for the nodes of graphs and the frames of stacks alike. */
#ifndef PPROFC_GRAPH_NAMES_H
#define PPROFC_GRAPH_NAMES_H

#include "core/mem.h"
#include "core/str.h"

/* Where in the code a frame is; all zero when frames differ only by function or file. */
struct node_place {
  uint64_t address;
  int64_t line, column, start_line;
};

/* The printed name: bytes of the profile, not escaped. The parts are joined by `joint`. The result
 * is in `arena`; data is NULL when out of memory. */
pprofc_str frame_name_of(const struct node_place *place, pprofc_str name, pprofc_str file,
                         pprofc_str object, pprofc_str joint, struct arena *arena);

/* Applies the options trim_path and source_path (or NULL); the result is a part of `path`. */
pprofc_str trim_source_path(pprofc_str path, const char *trim_path, const char *source_path);

/* A name shortened for a box of a picture. The result is a part of the name or in `arena`; data is
 * NULL when out of memory. */
pprofc_str shorten_function_name(pprofc_str name, struct arena *arena);

#endif
