/* The drawings of a flame graph: what they are told, beside the tree. */
#ifndef PPROFC_FLAME_FLAME_H
#define PPROFC_FLAME_FLAME_H

#include "core/buffer.h"
#include "core/output.h"
#include "flame/origin.h"
#include "stacks/layout.h"

/* What the colour of a box tells. */
enum flame_coloring {
  FLAME_BY_DEFAULT, /* by change in a difference, else by name */
  FLAME_BY_NAME,
  FLAME_BY_CHANGE,
  FLAME_BY_ORIGIN,
  FLAME_BY_PACKAGE
};

struct flame_drawing {
  struct flame_tree *tree;
  size_t type; /* sample type shown */
  enum flame_width width;
  pprofc_str title, subtitle;
  pprofc_str type_name, unit; /* "cpu", "nanoseconds" */
  double ratio;               /* values are multiplied by it; 1 for none */
  unsigned picture_width;     /* pixels; 0: 1200 */
  double least_pixels;        /* boxes narrower than this go into "n smaller frames" */
  double least_share;         /* the same as a part of the width, instead; 0: none */
  enum flame_coloring coloring;
  const struct origin_rules *origins; /* or NULL */
  bool inverted;                      /* root on top (icicle) */
  bool embedded;                      /* part of a page: no document head, no controls, no script */
};

/* A self-contained SVG with the ids, groups and URL state that tools for flame graphs know. */
pprofc_status flame_svg(const struct flame_drawing *drawing, struct output *out,
                        pprofc_error *error);

/* Rows of characters, root on top. */
pprofc_status flame_text(const struct flame_drawing *drawing, struct output *out,
                         pprofc_error *error);

/* Samples that carry one label value: where in the tree they end, and what they spent. */
struct flame_group {
  pprofc_str name; /* "tenant=cedar" */
  size_t count;
  const uint32_t *node; /* [count] ascending */
  const int64_t *self;  /* [count * columns of the tree] */
};

/* One term of the estimate of what limits a function: `weight` times the values of a sample type,
 * as a cost of a kind
 * ("instruction", "cache", "memory", "system"). Terms of one kind stand together. */
struct flame_cost {
  const char *kind;
  size_t type;
  double weight;
};

struct flame_page {
  struct flame_tree *tree; /* all sample types of it are in the page */
  size_t type;             /* the one shown first */
  pprofc_str title, subtitle, unit;
  const struct origin_rules *origins; /* or NULL */
  const struct flame_group *groups;
  size_t group_count;
  const pprofc_str *left_out; /* keys of labels with too many values for groups */
  size_t left_out_count;
  const char
      *link; /* "https://host/{file}#L{line}": where sources can be read; NULL or "": nowhere */
  const struct flame_cost *costs;
  size_t cost_count;
};

/* One HTML file that needs no network and no server, for a tree of any size. */
pprofc_status flame_html(const struct flame_page *page, struct output *out, pprofc_error *error);

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
void flame_origin_color(enum origin origin, char out[FLAME_COLOR]);

/* Whose code the frame of a node (not the root) is. */
enum origin flame_frame_origin(const struct flame_tree *tree, uint32_t node,
                               const struct origin_rules *rules);

#endif
