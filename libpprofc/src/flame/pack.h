/* The data of the viewer: the tree of a flame graph as bytes, and what the viewer must know of it.
 * viewer/2_model.js reads them. */
#ifndef PPROFC_FLAME_PACK_H
#define PPROFC_FLAME_PACK_H

#include "core/json_write.h"
#include "flame/flame.h"

/* The nodes that are sent, and the remainder of each. Everything is in one arena. */
struct flame_cut {
  struct arena arena;
  uint32_t root;        /* root of the part that is sent */
  size_t count;         /* number of nodes that are sent */
  bool whole;           /* nothing is cut and nothing is left out: the lists below are NULL */
  const uint32_t *kept; /* [count] ascending; kept[0] is the root */

  /* for each node of `kept`, the sums of its children that were cut */
  uint32_t *cut;   /* nodes below that were cut, of all levels; 0: nothing was cut */
  int64_t *total;  /* [count * columns] */
  double *widths;  /* [count * widths per node]: see flame_cut_widths */
  size_t frames;   /* frames that are sent */
  uint32_t *frame; /* [frames] */
  uint32_t *sent;  /* [all frames] their new number, or NONE */
};

/* Widths of a cut place for each sample type: |head|, and with a base |base| and the larger of
 * both, each added up over the nodes that were cut. */
static inline size_t flame_cut_widths(const struct flame_tree *t) {
  return t->types * (t->has_base ? 3 : 1);
}

/* Chooses the widest nodes of the range. A node is as wide as its greatest part of any column. */
pprofc_status flame_cut_make(const struct flame_page *page, struct flame_data_range range,
                             struct flame_cut *cut, pprofc_error *error);
void flame_cut_free(struct flame_cut *cut);

void flame_pack_nodes(const struct flame_page *page, const struct flame_cut *cut,
                      struct buffer *out);
pprofc_status flame_pack_frames(const struct flame_page *page, const struct flame_cut *cut,
                                struct buffer *out, pprofc_error *error);
void flame_pack_groups(const struct flame_page *page, const struct flame_cut *cut,
                       struct buffer *out);
void flame_put_meta(const struct flame_page *page, const struct flame_cut *cut,
                    struct json_writer *json);
void flame_put_types(const struct flame_page *page, struct json_writer *json);

/* Text that the viewer shows. Characters that change the direction of text are made visible. */
void flame_put_shown(struct json_writer *json, pprofc_str text);

/* The sums of each function, over all its frames and nodes. */
struct flame_sums {
  const pprofc_allocator *mem;
  size_t frames, count, columns; /* numbers of frames, functions and columns */
  uint32_t *function;            /* [frames] the function of a frame */
  int64_t *self;                 /* [count * columns] */
  int64_t *total;                /* [count * columns] with callees, of the outermost calls only */
};

bool flame_sums_make(const struct flame_tree *tree, struct flame_sums *sums);
void flame_sums_free(struct flame_sums *sums);

/* Adds the deflated bytes of `from` to `to`. Level 1 is fast, 9 makes the fewest bytes.
 * FLAME_DEFLATE_FAST, for a person who waits, is libdeflate's fastest where it is there. */
#define FLAME_DEFLATE_FAST 3
#define FLAME_DEFLATE_FILE 6
pprofc_status flame_deflate(const struct buffer *from, int level, struct buffer *to,
                            pprofc_error *error);

#endif
