/* Verdicts on the changes of functions, for all drawings of a difference (flame_page.verdicts,
 * flame_drawing.verdicts). report/stacks/flame_verdicts.h makes them from pprofc_verdicts:
 *
 *     struct flame_verdicts verdicts;
 *     flame_verdicts_make(&graph.tree, type, made, &arena, &verdicts, error);
 *     drawing.verdicts = &verdicts;
 */
#ifndef PPROFC_FLAME_VERDICTS_H
#define PPROFC_FLAME_VERDICTS_H

#include "stacks/layout.h"

enum flame_certainty {
  FLAME_QUIET,  /* the change is within noise, or was not judged */
  FLAME_SHARED, /* the value changed by about the same factor as all functions together */
  FLAME_OWN     /* the value changed by another factor than all functions together */
};

/* Estimate for a value of a function, in the unit of the tree's values. Unknown numbers are NaN. */
struct flame_estimate {
  const char *word; /* verdict in a word: "grew", "unchanged", "via callee"; "": no verdict */
  enum flame_certainty certainty;
  double base;
  double delta, low, high; /* recorded difference and the bounds of its confidence interval */
  double q;
};

struct flame_verdict {
  struct flame_estimate self, total;
  pprofc_str partner; /* name of the function to which or from which self value moved, or "" */
};

struct flame_verdicts {
  size_t type;    /* index of the judged sample type */
  size_t runs[2]; /* number of runs of base, and of head; the values of the tree are sums over the
                     runs */
  /* A shown value is a value of the tree times `ratio`. It has the unit `unit`, and is the mean per
   * run or the value per operation. Values of the head are first multiplied by `head_scale`,
   * because base and head have different numbers of runs or operations. */
  double ratio, head_scale;
  pprofc_str unit, sentence;
  size_t judged, changed;          /* number of judged functions, and of changed functions */
  struct flame_estimate total;     /* estimate for the total of the root */
  const struct flame_verdict **of; /* for each frame of the tree, its verdict, or NULL */
  /* for each node of the tree, its verdict; if it has no verdict, the verdict of its nearest caller
   * that has a verdict */
  const struct flame_verdict **nearest;
  const pprofc_str *notes; /* notes on the comparison; each is a sentence */
  size_t note_count;
};

/* Returns how certain the change of a box is: the larger of the certainties of its self value and
 * its total. The verdict on the self value comes from the function of the box, or else from the
 * nearest caller that has a verdict. The verdict on the total comes only from the function of the
 * box. A verdict counts only if its change has the same direction as the change of the box. */
enum flame_certainty flame_verdict_certainty(const struct flame_verdicts *verdicts,
                                             const struct flame_tree *tree, uint32_t node,
                                             int64_t head, int64_t base);

/* Returns the verdict on a node's function, or NULL. */
const struct flame_verdict *flame_verdict_of(const struct flame_verdicts *verdicts,
                                             const struct flame_tree *tree, uint32_t node);

/* Formats an adjusted p-value: "q < 0.0001" or "q = 0.0012". Returns "" for NaN. */
const char *flame_verdict_q(double q, char text[32]);

/* Makes a copy of the tree. In the copy, the head values of the judged type are multiplied by
 * head_scale. The copy has its own values, and shares all other data with the tree. Returns false
 * when out of memory. The caller frees the copy before the tree, even after a failure. */
bool flame_verdict_scale(const struct flame_verdicts *verdicts, const struct flame_tree *tree,
                         struct flame_tree *scaled);
void flame_verdict_scale_free(struct flame_tree *scaled);

#endif
