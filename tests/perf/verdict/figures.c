/* Prints figures and collects messages about missed targets. */
#include "figures.h"

#include <stdio.h>

void figures_require(struct figures *f, bool met, const char *what, double value) {
  f->checked++;
  if (met) return;
  f->good = false;
  if (f->complaint_count == COMPLAINTS_MAX) return;
  snprintf(f->complaints[f->complaint_count++], sizeof f->complaints[0], "missed: %s: %s is %.3f",
           f->row, what, value);
}

static bool figures_agree(enum figure_kind kind, const struct measure *m,
                          const struct reference *reference) {
  if (kind == FIGURE_SHARE) return measure_share_agrees(m, reference);
  if (kind == FIGURE_COST && measure_mean(m) <= reference->mean) return true;
  return measure_agrees(m, reference);
}

void figures_print(struct figures *f, enum figure_kind kind, const char *what,
                   const struct measure *m, const struct reference *reference) {
  if (!m->count || reference->mean == NO_REFERENCE) {
    printf(m->count ? " %.3f |" : " |", measure_mean(m));
    return;
  }
  printf(" %.3f (%.*f) |", measure_mean(m), reference->digits, reference->mean);
  figures_require(f, figures_agree(kind, m, reference), what, measure_mean(m));
}

bool figures_end(const struct figures *f) {
  printf("\n%zu figures checked, %zu missed\n", f->checked, f->complaint_count);
  for (size_t i = 0; i < f->complaint_count; i++) printf("%s\n", f->complaints[i]);
  printf("\n");
  fflush(stdout);
  return f->good;
}
