/* Measures in two stages. The first stage runs a few rounds of all benchmarks. In the second stage,
 * only benchmarks that look worse or are too noisy get further rounds. Only the new rounds decide
 * about them, because the first rounds selected them for their bad values. A look is an early
 * judgement after some of the new rounds. The measurement ends early if a look decides about all
 * selected benchmarks. */
#ifndef PPROFC_GATE_SCREEN_H
#define PPROFC_GATE_SCREEN_H

#include "gate/judge.h"

#define GATE_SCREEN_ROUNDS 5  /* number of rounds in the first stage */
#define GATE_SCREEN_LEAST  10 /* number of requested rounds below which there is only one stage */

#define GATE_LOOK_ROUNDS 5 /* number of further rounds from one look to the next */

/* Changes the settings. gate_judge then selects benchmarks for further rounds instead of judging
 * them. */
void gate_screen_settings(struct gate_settings *settings);

/* True if a row that was judged with these settings needs further rounds. */
bool gate_screen_selects(const struct gate_row *row);

/* True if a look decides about a row. The row must have regressed at a hundredth of its
 * significance level (less if there are more than seven looks), or its interval must exclude a
 * regression. `rounds` is the number of rounds of the plan, at least 1. */
bool gate_look_decides(const struct gate_row *row, size_t rounds);

/* Plan of the second stage. */
struct gate_screen_plan {
  bool all; /* true if every benchmark gets further rounds, and all rounds are judged together */
  size_t rounds; /* number of further rounds */
};

/* Returns the plan if `selected` of `count` benchmarks are selected. The plan takes as much work as
 * `rounds` rounds of all benchmarks. */
struct gate_screen_plan gate_screen_plan_of(size_t selected, size_t count, size_t rounds);

#endif
