/* Figures in the cells of a table, and the complaints that wait until the table is complete. */
#ifndef PERF_VERDICT_FIGURES_H
#define PERF_VERDICT_FIGURES_H

#include "measure.h"

/* A figure that the reference does not have. */
#define NO_REFERENCE (-1.0)

#define COMPLAINTS_MAX 200

struct figures {
  bool good;
  char row[80]; /* names the row that is printed, for complaints */
  size_t checked;
  size_t complaint_count;
  char complaints[COMPLAINTS_MAX][160];
};

/* FIGURE_MEAN   agrees within three standard errors
 * FIGURE_SHARE  the same, of values that are 0 or 1
 * FIGURE_COST   a mean that may be below that of the reference, but not above it */
enum figure_kind { FIGURE_MEAN, FIGURE_SHARE, FIGURE_COST };

/* Prints a cell, "0.014 (0.02)", the reference in brackets, and compares both. */
void figures_print(struct figures *f, enum figure_kind kind, const char *what,
                   const struct measure *m, const struct reference *reference);

/* Notes a target that was missed. */
void figures_require(struct figures *f, bool met, const char *what, double value);

/* Prints what was missed; false when there is anything. */
bool figures_end(const struct figures *f);

#endif
