/* Declares the drawings of a flame graph (SVG, text, HTML page) and their settings. */
#ifndef PPROFC_FLAME_FLAME_H
#define PPROFC_FLAME_FLAME_H

#include "core/template.h"
#include "flame/verdicts.h"
#include "unit/unit.h"

/* Origin of a frame's code: the user, a library or the system. It follows from the function name,
 * the file and the mapping. docs/FLAMEGRAPH_COLORS.md explains the conventions of Go, C, C++, Rust,
 * Python, Node and the JVM. */

enum origin { ORIGIN_UNKNOWN, ORIGIN_USER, ORIGIN_LIBRARY, ORIGIN_SYSTEM };
enum origin_field { ORIGIN_NAME, ORIGIN_FILE, ORIGIN_MAPPING };

/* Rules of the user. They apply before the built-in rules. The first rule that matches decides. */
struct origin_rules {
  struct origin_rule *items;
  size_t count;
};

/* Reads rules, one per line. A rule has an origin (user, library, system, unknown), a field (name,
 * file, mapping) and a glob pattern without blanks: "library name mycompany.*". Skips empty lines
 * and lines that begin with #. */
pprofc_status origin_rules_parse(struct origin_rules *rules, pprofc_str text, struct arena *arena,
                                 pprofc_error *error);

/* Returns the origin of a frame. `mapping` is the file of the frame's mapping, or empty. `rules`
 * may be NULL. */
enum origin origin_of(const struct origin_rules *rules, pprofc_str name, pprofc_str file,
                      pprofc_str mapping);

/* Returns the index of the first rule that matches the text of a field. Returns SIZE_MAX if no rule
 * matches or the text is empty. A caller with many frames but few files and mappings can cache the
 * results for origin_of_matches, which is faster than origin_of. */
size_t origin_match(const struct origin_rules *rules, enum origin_field field, pprofc_str text);

/* Returns the same as origin_of. `matches` has the results of origin_match for the name, the file
 * and the mapping. */
enum origin origin_of_matches(const struct origin_rules *rules, const size_t matches[3],
                              pprofc_str name, pprofc_str file, pprofc_str mapping);

/* Returns the package of a function name: "encoding/json" for "encoding/json.(*decodeState).value",
 * "std" for "std::sort". */
pprofc_str origin_package(pprofc_str name);

/* Meaning of the color of a box. */
enum flame_coloring {
  FLAME_BY_DEFAULT, /* in a difference, color by the change; else color by the name */
  FLAME_BY_NAME,
  FLAME_BY_CHANGE,
  FLAME_BY_ORIGIN,
  FLAME_BY_PACKAGE
};

/* Position of the area with the frames in a drawing, in pixels. */
struct flame_part {
  double width, top, height;
};

struct flame_drawing {
  struct flame_tree *tree;
  size_t type; /* index of the sample type that the picture shows */
  enum flame_width width;
  pprofc_str title, subtitle;
  pprofc_str type_name, unit; /* name and unit of the sample type: "cpu", "nanoseconds" */
  double ratio;               /* factor for all values; 1 leaves them unchanged */
  const int64_t *totals;      /* as in struct flame_page */
  unsigned picture_width;     /* width of the picture in pixels; 0 means 1200 */
  double least_pixels; /* width in pixels below which sibling boxes are replaced by one box "n
                          smaller frames" */
  /* least width of a box as a share of the frames' width; 0: use least_pixels */
  double least_share;
  enum flame_coloring coloring;
  const struct origin_rules *origins; /* rules for user, library and system code, or NULL */
  bool inverted;                      /* true: the root is at the top (icicle) */
  bool embedded; /* true if the drawing is part of a page; it then has no document head, controls
                    and script */
  /* verdicts on a difference, or NULL; functions whose changes are within noise are grey */
  const struct flame_verdicts *verdicts;
  /* If not NULL, receives the position of the frames. The drawing then lacks its opening
   * <svg> tag, because the caller writes a tag that crops the picture. */
  struct flame_part *part;
};

/* Draws an SVG that needs no other file. It has the ids, groups and URL parameters that other tools
 * for flame graphs use. */
pprofc_status flame_svg(const struct flame_drawing *drawing, struct output *out,
                        pprofc_error *error);

/* Draws the flame graph as text. Each level is a row of characters, with the root at the top. */
pprofc_status flame_text(const struct flame_drawing *drawing, struct output *out,
                         pprofc_error *error);

/* Samples with a certain value of a label: the nodes at which their stacks end, and the sums of
 * values at each node. */
struct flame_group {
  pprofc_str name; /* label and value: "tenant=cedar" */
  size_t count;
  const uint32_t *node; /* indices of the nodes at which the stacks of the group end, ascending */
  const int64_t *self; /* for each item of `node` and each column of the tree (layout.h): sum of the
                          values of the group's samples whose stacks end at the node */
};

/* A term of a function's estimated cycles: `weight` times the values of a sample type. `kind` is
 * "instruction", "cache", "memory" or "system". Terms of the same kind are adjacent. */
struct flame_cost {
  const char *kind;
  size_t type;
  double weight;
};

struct flame_page {
  struct flame_tree *tree; /* tree of the page; the page has all sample types of the tree */
  size_t type;             /* index of the sample type that the page shows first */
  pprofc_str title, subtitle, unit;
  const struct origin_rules *origins; /* rules for user, library and system code, or NULL */
  const struct flame_group *groups;
  size_t group_count;
  const pprofc_str *left_out; /* label keys without groups, because they have too many values */
  size_t left_out_count;
  const char *link; /* URL of source lines: "https://host/{file}#L{line}"; NULL or "": no links */
  const struct flame_cost *costs;
  size_t cost_count;
  /* verdicts on a difference, or NULL; see flame/verdicts.h */
  const struct flame_verdicts *verdicts;
  /* Factor for all values if there are no verdicts; 1 leaves the values unchanged. */
  double ratio;
  const uint32_t *node_of; /* for each sample, the node at which its stack ends, or NONE; NULL if
                              the page does not show times */
  const int64_t *totals; /* totals without the filters: first the head's total of each sample type,
                            then the base's; NULL if the filters dropped nothing */
};

/* A part of the tree: `node` (0: the root) and the nodes below it. The page gets the widest nodes
 * of this part, at most `limit` (0: no limit). */
struct flame_data_range {
  uint32_t node;
  size_t limit;
};

/* Writes the data of the viewer as bytes. They begin with "PFL1" and the lengths of four parts as
 * 32-bit little-endian numbers. Then the parts follow: JSON about the page, frames, nodes and
 * labels. Data with times has a fifth part without a length. All parts except the first are
 * deflated. If nodes are cut, one node (the remainder) has their sums and widths, so every node
 * keeps its width. Data with cut nodes has no labels. */
pprofc_status flame_data(const struct flame_page *page, struct flame_data_range range,
                         struct output *out, pprofc_error *error);

/* Writes an HTML file that needs no network and no server. The tree may have any size. */
pprofc_status flame_html(const struct flame_page *page, struct output *out, pprofc_error *error);

/* Returns the name of a box for drawings. The text is in the scratch buffer or in the profile. */
pprofc_str flame_name(const struct flame_tree *tree, const struct flame_box *box,
                      struct buffer *scratch);

/* Result of comparing a box's value in base and head. */
enum flame_status { FLAME_UNCHANGED, FLAME_SLOWER, FLAME_FASTER, FLAME_ADDED, FLAME_REMOVED };
enum flame_status flame_status(int64_t head, int64_t base);

#define FLAME_COLOR 8
/* flame_name_color chooses a color "#rrggbb" by a name, flame_change_color by the change `delta`,
 * and flame_origin_color by the origin of the code. `most` is the largest change in the drawing. */
void flame_name_color(pprofc_str name, char out[FLAME_COLOR]);
void flame_change_color(double delta, double most, char out[FLAME_COLOR]);
void flame_origin_color(enum origin origin, char out[FLAME_COLOR]);

/* Returns the origin of the code of a node's frame: user, library or system. The node must not be
 * the root. */
enum origin flame_frame_origin(const struct flame_tree *tree, uint32_t node,
                               const struct origin_rules *rules);

#endif
