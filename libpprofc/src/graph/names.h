/* Makes the printed names of frames (docs/spec/pprof.md, 17 and 21.10), for the nodes of graphs and
 * the frames of stacks. */
#ifndef PPROFC_GRAPH_NAMES_H
#define PPROFC_GRAPH_NAMES_H

#include "core/mem.h"
#include "core/str.h"

/* Position of a frame in the code. All fields are 0 if only function or file distinguish frames. */
struct node_place {
  uint64_t address;
  int64_t line, column, start_line;
};

/* Returns the printed name of a frame: address, function and position in the file, as far as
 * known, with `joint` between them. Copies bytes of the profile unescaped. The result is in
 * `arena`. data is NULL when out of memory. */
pprofc_str frame_name_of(const struct node_place *place, pprofc_str name, pprofc_str file,
                         pprofc_str object, pprofc_str joint, struct arena *arena);

/* Applies the options trim_path and source_path to a path. Both may be NULL. Returns a part of
 * `path`. */
pprofc_str trim_source_path(pprofc_str path, const char *trim_path, const char *source_path);

/* Shortens a function name for a box of a picture. The result is a part of the name, or is in
 * `arena`. data is NULL when out of memory. */
pprofc_str shorten_function_name(pprofc_str name, struct arena *arena);

#endif
