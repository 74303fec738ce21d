/* Groups the labels of a sample by key, and sorts their printed texts, for text reports. */
#ifndef PPROFC_REPORT_SAMPLE_LABELS_H
#define PPROFC_REPORT_SAMPLE_LABELS_H

#include "profile/profile.h"

/* A group of labels that have the same type and key: labels[from] .. labels[from + count - 1], in
 * the order of the sample. */
struct label_group {
  pprofc_str key;
  bool is_number;
  size_t from, count;
};

/* The groups of labels of the sample that was read last. Groups of strings come before groups of
 * numbers. The groups of each type are sorted by key. Keys are compared as text, because two
 * entries of a string table may be equal. */
struct label_groups {
  const pprofc_profile *profile;
  const pprofc_allocator *mem;
  struct keyed_label {
    pprofc_str key;
    const struct label *label;
  } * labels;
  struct label_group *items;
  size_t count, capacity;
};

/* Reserves enough memory for the sample that has the most labels. Returns false when out of
 * memory. */
bool label_groups_init(struct label_groups *groups, const pprofc_profile *profile,
                       const pprofc_allocator *mem);
void label_groups_free(struct label_groups *groups);
void label_groups_read(struct label_groups *groups, size_t sample);

/* Pieces of text, such as "key:[v1 v2]", that are sorted before they are printed. */
struct text_pieces {
  const pprofc_allocator *mem;
  struct buffer text;
  size_t started; /* offset of the current piece in `text` */
  struct text_piece {
    size_t from, size;
    const char *data; /* text of the piece; text_pieces_sort sets it */
  } * items;
  size_t count, capacity;
  bool failed; /* true if memory ran out */
};

void text_pieces_init(struct text_pieces *pieces, const pprofc_allocator *mem);
void text_pieces_free(struct text_pieces *pieces);
void text_pieces_clear(struct text_pieces *pieces);
/* Ends a piece, which consists of the bytes that were added to `text` since the previous piece. */
void text_pieces_end_piece(struct text_pieces *pieces);
/* Sorts the pieces by their bytes. Returns false if memory ran out since text_pieces_clear. */
bool text_pieces_sort(struct text_pieces *pieces);

static inline pprofc_str text_pieces_at(const struct text_pieces *pieces, size_t index) {
  return (pprofc_str){pieces->items[index].data, pieces->items[index].size};
}

#endif
