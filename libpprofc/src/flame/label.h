/* Makes short forms of function names for boxes: "encoding/json.Marshal", "json.Marshal",
 * "Marshal". The viewer has the same rules in viewer/1_labels.js. */
#ifndef PPROFC_FLAME_LABEL_H
#define PPROFC_FLAME_LABEL_H

#include "stacks/stacks.h"

#define LABEL_FORMS 32
#define LABEL_MOST  4096 /* maximum size in bytes of a name in drawings */

/* The short forms of a name, longest first. They point into `text` or into the name. */
struct label_forms {
  size_t count;
  pprofc_str form[LABEL_FORMS];
  /* text[0]: memory for short forms that are not substrings of the name; text[1]: scratch memory */
  struct buffer text[2];
};

/* Shortens the names and file names of frames before they are drawn. Keeps the end of a long file
 * name. Returns false when out of memory, or if the work is cancelled. */
bool label_cut_frames(struct stack_frames *frames);

void label_init(struct label_forms *forms, const pprofc_allocator *mem);
void label_free(struct label_forms *forms);

/* Makes the short forms of a name. The name must outlive the forms. Returns false when out of
 * memory. */
bool label_make(struct label_forms *forms, pprofc_str name);

/* Returns the width of a text in pixels, in Verdana or DejaVu Sans at 12 pixels. */
double label_width(pprofc_str text);

/* Size of small letters divided by the size of normal letters: 10.5 pixels divided by 12 pixels. */
#define LABEL_SMALL 0.875

enum label_look { LABEL_NONE, LABEL_IS_CUT, LABEL_IS_SMALL, LABEL_IS_WHOLE };

/* Appends a label that fits into `room` pixels to `out`. The label is the longest form of the name
 * that fits, or else the longest form that fits in small letters. If no form fits, the label is the
 * first letters of the shortest form in small letters. Appends nothing if fewer than four letters
 * fit. */
enum label_look label_fit(const struct label_forms *forms, double room, struct buffer *out);

#endif
