/* Measures in two stages. After a few rounds of all benchmarks, only benchmarks that look worse or
 * are too noisy get further rounds. Only the new rounds decide about these benchmarks, because the
 * first rounds selected them for their bad values. A look is an early judgement after some of the
 * new rounds. The measurement ends early if a look decides about all selected benchmarks. */
#ifndef PPROFC_GATE_SCREEN_H
#define PPROFC_GATE_SCREEN_H

#include "gate/judge.h"

#define GATE_SCREEN_ROUNDS 5  /* rounds of the first stage */
#define GATE_SCREEN_LEAST  10 /* number of requested rounds below which there is only one stage */

#define GATE_LOOK_ROUNDS 5 /* number of further rounds from one look to the next */

/* Changes the settings, so that gate_judge selects benchmarks for further rounds instead of judging
 * them. */
void gate_screen_settings(struct gate_settings *settings);

/* True if a row, judged with these settings, needs further rounds. */
bool gate_screen_selects(const struct gate_row *row);

/* True if a look decides about a row: the row regressed at a hundredth of its significance level
 * (less if there are more than seven looks), or its interval excludes a regression. `rounds` is
 * the number of rounds of the plan, at least 1. */
bool gate_look_decides(const struct gate_row *row, size_t rounds);

/* Plan of the second stage. */
struct gate_screen_plan {
  bool all;      /* true if every benchmark gets further rounds, and the gate judges all rounds */
  size_t rounds; /* further rounds of the selected benchmarks, or of all */
};

/* Returns the plan for `selected` of `count` benchmarks. The plan needs as much work as `rounds`
 * rounds of all benchmarks. */
struct gate_screen_plan gate_screen_plan_of(size_t selected, size_t count, size_t rounds);

#endif
