/* Prints figures in the cells of a table. Messages about missed targets are printed after the
 * table. */
#ifndef PERF_VERDICT_FIGURES_H
#define PERF_VERDICT_FIGURES_H

#include "measure.h"

/* Value of a figure without a reference. */
#define NO_REFERENCE (-1.0)

#define COMPLAINTS_MAX 200

struct figures {
  bool good;
  char row[80]; /* name of the printed row, for messages */
  size_t checked;
  size_t complaint_count;
  char complaints[COMPLAINTS_MAX][160];
};

/* Types of comparison with the reference, within three standard errors:
 *   FIGURE_MEAN   a mean that must agree
 *   FIGURE_SHARE  a share that must agree; its values are 0 or 1
 *   FIGURE_COST   a mean that may be below the reference, but not above it */
enum figure_kind { FIGURE_MEAN, FIGURE_SHARE, FIGURE_COST };

/* Prints a cell such as "0.014 (0.02)", with the reference in brackets. Compares the figure with
 * the reference. */
void figures_print(struct figures *f, enum figure_kind kind, const char *what,
                   const struct measure *m, const struct reference *reference);

/* Adds a message if a target was missed. */
void figures_require(struct figures *f, bool met, const char *what, double value);

/* Prints the messages. Returns false if there are any. */
bool figures_end(const struct figures *f);

#endif
