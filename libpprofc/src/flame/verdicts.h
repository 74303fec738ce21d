/* What is said of the changes of functions: which ones are more than noise. All drawings of a
 * difference take it (flame_page.verdicts, flame_drawing.verdicts), wherever it comes from;
 * report/stacks/flame_verdicts.h makes it of pprofc_verdicts, for reports and for other pages:
 *
 *     struct flame_verdicts verdicts;
 *     flame_verdicts_make(&graph.tree, type, made, &arena, &verdicts, error);
 *     drawing.verdicts = &verdicts;
 */
#ifndef PPROFC_FLAME_VERDICTS_H
#define PPROFC_FLAME_VERDICTS_H

#include "stacks/layout.h"

/* One number of a function. Numbers that are not known are NaN. */
struct flame_estimate {
  const char *word;        /* "grew", "noise", "via callee"; "": nothing is said */
  bool changed;            /* more than noise */
  double base;             /* in the unit and size of the values of the base in the picture */
  double delta, low, high; /* what was judged, with its interval */
  double q;
};

struct flame_verdict {
  struct flame_estimate self, total;
  pprofc_str partner; /* the function that self moved to or from, or "" */
};

struct flame_verdicts {
  size_t type;       /* the sample type that was judged */
  double head_scale; /* what was compared are values of the base and, times this, of the head */
  size_t judged, changed;               /* functions */
  const struct flame_verdict **of;      /* [frames of the tree]; NULL: it was not judged */
  const struct flame_verdict **nearest; /* [nodes of the tree] of the node or its nearest caller */
  const pprofc_str *notes;              /* [note_count] what holds for all, a sentence each */
  size_t note_count;
};

/* Whether the picture may show a box as changed: its function changed, in self or in total, and the
 * box went the same way. A frame that was not judged counts as its caller's own cost. */
bool flame_verdict_is_real(const struct flame_verdicts *verdicts, const struct flame_tree *tree,
                           uint32_t node, int64_t head, int64_t base);

/* The verdict on a node's function, or NULL. */
const struct flame_verdict *flame_verdict_of(const struct flame_verdicts *verdicts,
                                             const struct flame_tree *tree, uint32_t node);

/* "q < 0.0001", "q = 0.0012"; "" when there is none. */
const char *flame_verdict_q(double q, char text[32]);

/* A copy of the tree where the head of the type that was judged is scaled; everything but the
 * values is shared. False when out of memory. To be freed in both cases, before the tree. */
bool flame_verdict_scale(const struct flame_verdicts *verdicts, const struct flame_tree *tree,
                         struct flame_tree *scaled);
void flame_verdict_scale_free(struct flame_tree *scaled);

#endif
