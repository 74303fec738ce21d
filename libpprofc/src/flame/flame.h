/* The drawings of a flame graph and their settings. */
#ifndef PPROFC_FLAME_FLAME_H
#define PPROFC_FLAME_FLAME_H

#include "core/buffer.h"
#include "core/output.h"
#include "flame/origin.h"
#include "flame/verdicts.h"
#include "stacks/layout.h"

/* The meaning of the color of a box. */
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
  double ratio;               /* factor of all values; 1 changes nothing */
  unsigned picture_width;     /* pixels; 0: 1200 */
  double least_pixels;        /* boxes narrower than this become one box "n smaller frames" */
  double least_share;         /* least_pixels as a share of the width, used instead if not 0 */
  enum flame_coloring coloring;
  const struct origin_rules *origins; /* or NULL */
  bool inverted;                      /* root on top (icicle) */
  bool embedded;                      /* part of a page: no document head, no controls, no script */
  const struct flame_verdicts *verdicts; /* verdicts of a difference, or NULL; noise is grey */
};

/* A self-contained SVG with the ids, groups and URL parameters that other tools for flame graphs
 * use. */
pprofc_status flame_svg(const struct flame_drawing *drawing, struct output *out,
                        pprofc_error *error);

/* Rows of characters, root on top. */
pprofc_status flame_text(const struct flame_drawing *drawing, struct output *out,
                         pprofc_error *error);

/* The samples with one label value: the nodes in which their stacks end, and their values. */
struct flame_group {
  pprofc_str name; /* "tenant=cedar" */
  size_t count;
  const uint32_t *node; /* [count] ascending */
  const int64_t *self;  /* [count * columns of the tree] */
};

/* One term of the estimate of what limits a function: `weight` times the values of a sample type is
 * a cost of one kind ("instruction", "cache", "memory", "system"). Terms of one kind follow each
 * other. */
struct flame_cost {
  const char *kind;
  size_t type;
  double weight;
};

struct flame_page {
  struct flame_tree *tree; /* the page has all sample types of it */
  size_t type;             /* the sample type that the page shows first */
  pprofc_str title, subtitle, unit;
  const struct origin_rules *origins; /* or NULL */
  const struct flame_group *groups;
  size_t group_count;
  const pprofc_str *left_out; /* keys of labels with too many values for groups */
  size_t left_out_count;
  const char *link; /* "https://host/{file}#L{line}": address of the sources; NULL or "" */
  const struct flame_cost *costs;
  size_t cost_count;
  const struct flame_verdicts
      *verdicts; /* verdicts of a difference, or NULL; see flame/verdicts.h */
};

/* A part of the tree: the nodes below and with `node` (0: all), at most `limit` of them (0: no
 * limit), the widest ones. */
struct flame_data_range {
  uint32_t node;
  size_t limit;
};

/* Writes the data of the viewer as bytes: "PFL1", the lengths of four parts as 32-bit numbers,
 * the least byte first, and the parts: JSON about the page, frames, nodes and labels. All
 * parts but the first are deflated. Where nodes are cut, a remainder has their sums and their
 * widths, so that every node keeps its width. Labels are left out then. */
pprofc_status flame_data(const struct flame_page *page, struct flame_data_range range,
                         struct output *out, pprofc_error *error);

/* One HTML file that needs no network and no server, for a tree of any size. */
pprofc_status flame_html(const struct flame_page *page, struct output *out, pprofc_error *error);

/* The name of a box as a drawing shows it. The text is in the scratch buffer or in the profile. */
pprofc_str flame_name(const struct flame_tree *tree, const struct flame_box *box,
                      struct buffer *scratch);

/* The comparison of base and head of a box. */
enum flame_status { FLAME_UNCHANGED, FLAME_SLOWER, FLAME_FASTER, FLAME_ADDED, FLAME_REMOVED };
enum flame_status flame_status(int64_t head, int64_t base);

/* A color "#rrggbb" that depends on the name alone, and one for a change of `delta` where `most` is
 * the greatest change. */
#define FLAME_COLOR 8
void flame_name_color(pprofc_str name, char out[FLAME_COLOR]);
void flame_change_color(double delta, double most, char out[FLAME_COLOR]);
void flame_origin_color(enum origin origin, char out[FLAME_COLOR]);

/* The origin of the code of a node's frame: user, library or system. Not for the root. */
enum origin flame_frame_origin(const struct flame_tree *tree, uint32_t node,
                               const struct origin_rules *rules);

#endif
