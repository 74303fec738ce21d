/* The smallest visible change of many rows, near enough to tell which of them matter.
 *
 * The power of Welch's test depends on the samples a side, the level, the change in units of the
 * true error, and the share of either side in that error. So for one design, the change in units of
 * the error that is found is a function of the share alone, which a table holds. What is printed
 * is computed exactly (power.h). */
#ifndef PPROFC_GATE_ROUGH_H
#define PPROFC_GATE_ROUGH_H

#include "gate/power.h"

/* A rough change is within this part of the exact one. */
#define ROUGH_ERROR 1e-3

#define ROUGH_STEPS   64
#define ROUGH_DESIGNS 16

/* What rows of one design have in common. */
struct rough_design {
  double n, m, level;
  size_t uses;
  bool made, usable;
  double found[ROUGH_STEPS + 1]; /* by the angle whose tangent is the ratio of both errors */
  double log_t[ROUGH_STEPS + 1]; /* of the critical t, by 1 / degrees of freedom */
};

struct gate_rough {
  struct rough_design designs[ROUGH_DESIGNS];
  size_t count;
};

/* The smallest visible change, NaN where it is not known roughly: few rows have that design, or the
 * change is large. */
double gate_rough_visible(struct gate_rough *rough, const struct gate_design *design);

/* About the samples a side that find the change, of a design with a rough visible change: at most
 * ROUGH_SAMPLES times as many and two more are what it takes. */
#define ROUGH_SAMPLES 1.15
double gate_rough_samples(struct gate_rough *rough, const struct gate_design *design,
                          double change);

#endif
