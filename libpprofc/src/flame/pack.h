/* Declares the data of the viewer: the tree of a flame graph as bytes, and a description of it.
 * viewer/2_model.js reads both. */
#ifndef PPROFC_FLAME_PACK_H
#define PPROFC_FLAME_PACK_H

#include "core/json_write.h"
#include "flame/flame.h"

/* The nodes that the viewer gets, and the remainder of each node (the sums of the nodes that were
 * cut below it). All arrays are in one arena. */
struct flame_cut {
  struct arena arena;
  uint32_t root;        /* index of the root of the subtree that the viewer gets */
  size_t count;         /* number of nodes that are sent */
  bool whole;           /* true if the whole tree is sent; the arrays below are then NULL */
  const uint32_t *kept; /* indices of the nodes that are sent, ascending; the first is the root */

  /* for each node in `kept`, number of cut nodes below it, at any depth; 0: nothing was cut */
  uint32_t *cut;
  /* for each node in `kept`, a row with a value for each column (layout.h): the sums of the cut
   * nodes below it */
  int64_t *total;
  double *widths;  /* for each node in `kept`, sums of the widths of the cut nodes below it
                      (flame_cut_widths) */
  size_t frames;   /* number of frames that are sent */
  uint32_t *frame; /* indices of the frames that are sent */
  uint32_t *sent;  /* for each frame, its index in `frame`; NONE: the frame is not sent */
};

/* Returns the number of widths of a remainder (a node that replaces cut nodes). For each sample
 * type, a remainder has the sum of |head| over the cut nodes. If there is a base, it also has the
 * sum of |base|, and the sum of the larger of |base| and |head|. */
static inline size_t flame_cut_widths(const struct flame_tree *t) {
  return t->types * (t->has_base ? 3 : 1);
}

/* Chooses the widest nodes of the range. A node has a share of the whole in each column (a sample
 * type of head or base). The largest of these shares is the width of the node. */
pprofc_status flame_cut_make(const struct flame_page *page, struct flame_data_range range,
                             struct flame_cut *cut, pprofc_error *error);
void flame_cut_free(struct flame_cut *cut);

/* Both functions append a number as a varint. A signed number is in zigzag form. */
void pack_varint(struct buffer *out, uint64_t value);
void pack_signed(struct buffer *out, int64_t value);

void flame_pack_nodes(const struct flame_page *page, const struct flame_cut *cut,
                      struct buffer *out);
pprofc_status flame_pack_frames(const struct flame_page *page, const struct flame_cut *cut,
                                struct buffer *out, pprofc_error *error);
void flame_pack_groups(const struct flame_page *page, const struct flame_cut *cut,
                       struct buffer *out);
void flame_put_meta(const struct flame_page *page, const struct flame_cut *cut,
                    struct json_writer *json);

/* Appends the times of samples, or nothing if the page has no times. */
pprofc_status flame_pack_times(const struct flame_page *page, struct buffer *out,
                               pprofc_error *error);
/* Writes the names of the tracks, such as threads. The page must have times. */
void flame_put_tracks(const struct flame_page *page, struct json_writer *json);

void flame_put_types(const struct flame_page *page, struct json_writer *json);

/* Writes text that the viewer shows. Makes characters visible that change the direction of text. */
void flame_put_shown(struct json_writer *json, pprofc_str text);

/* Sums for each function over all its frames and nodes. */
struct flame_sums {
  struct arena arena;            /* arena for the arrays */
  size_t frames, count, columns; /* number of frames, of functions, of values per function */
  uint32_t *function;            /* for each frame, the index of its function */
  /* self values of the functions; a function has a row with a value for each column (layout.h) */
  int64_t *self;
  int64_t *total; /* total values of the functions, in the order of `self`; only the outermost of
                     recursive calls counts */
};

/* Computes the sums for each function. Returns false when out of memory. The caller frees the arena
 * even then. */
bool flame_sums_make(const struct flame_tree *tree, struct flame_sums *sums);

#define FLAME_DEFLATE_FAST 3
#define FLAME_DEFLATE_FILE 6
/* Appends the deflated bytes of `from` to `to`. Level 1 is the fastest level, and level 9 gives the
 * fewest bytes. FLAME_DEFLATE_FAST is for data that a user waits for. */
pprofc_status flame_deflate(const struct buffer *from, int level, struct buffer *to,
                            pprofc_error *error);

#endif
