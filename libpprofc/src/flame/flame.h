/* The drawings of a flame graph: what they are told, beside the tree. */
#ifndef PPROFC_FLAME_FLAME_H
#define PPROFC_FLAME_FLAME_H

#include "base/buffer.h"
#include "base/output.h"
#include "flame/layout.h"

struct flame_drawing {
  struct flame_tree *tree;
  size_t type; /* sample type shown */
  enum flame_width width;
  pprofc_str title, subtitle;
  pprofc_str type_name, unit; /* "cpu", "nanoseconds" */
  double ratio;               /* values are multiplied by it; 1 for none */
  unsigned picture_width;     /* pixels; 0: 1200 */
  double least_pixels;        /* boxes narrower than this go into "n smaller frames"; 0: 0.1 */
  bool inverted;              /* root on top (icicle) */
};

/* A self-contained SVG with the ids, groups and URL state that tools for flame graphs know. */
pprofc_status flame_svg(const struct flame_drawing *drawing, struct output *out,
                        pprofc_error *error);

/* "name" of a box, as it stands in a drawing; in the scratch buffer or in the profile. */
pprofc_str flame_name(const struct flame_tree *tree, const struct flame_box *box,
                      struct buffer *scratch);

/* How base and head of a box compare. */
enum flame_status { FLAME_UNCHANGED, FLAME_SLOWER, FLAME_FASTER, FLAME_ADDED, FLAME_REMOVED };
enum flame_status flame_status(int64_t head, int64_t base);

/* A colour "#rrggbb" that depends on the name alone, and one for a change of `delta` where `most`
 * is the greatest. */
#define FLAME_COLOR 8
void flame_name_color(pprofc_str name, char out[FLAME_COLOR]);
void flame_change_color(double delta, double most, char out[FLAME_COLOR]);

#endif
