/* Two stages: after a few rounds of all benchmarks only those that look worse, or are too noisy to
 * judge, are measured further. New measurements alone decide about them, so that the choice cannot
 * make chance look like a change. */
#ifndef PPROFC_GATE_SCREEN_H
#define PPROFC_GATE_SCREEN_H

#include "gate/judge.h"

#define GATE_SCREEN_ROUNDS 5  /* rounds of the first stage */
#define GATE_SCREEN_LEAST  10 /* rounds below which there is one stage */

/* Changes the settings so that gate_judge chooses instead of deciding. */
void gate_screen_settings(struct gate_settings *settings);

/* True if a row, judged with these settings, needs further rounds. */
bool gate_screen_selects(const struct gate_row *row);

/* Plan of the second stage. */
struct gate_screen_plan {
  bool all;      /* true if every benchmark goes on, and all rounds decide */
  size_t rounds; /* further rounds of the selected benchmarks, or of all */
};

/* Returns the plan that measures `selected` of `count` benchmarks with as much work as `rounds`
 * rounds of all benchmarks.
 */
struct gate_screen_plan gate_screen_plan_of(size_t selected, size_t count, size_t rounds);

#endif
