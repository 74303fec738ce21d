/* Measures in two stages: a few rounds of all benchmarks, then further rounds of the benchmarks
 * that look worse or too noisy. Only the new rounds decide about these, because the first rounds
 * selected them for bad values. A look is an early judgement after some new rounds; the measurement
 * ends if it decides about all. */
#ifndef PPROFC_GATE_SCREEN_H
#define PPROFC_GATE_SCREEN_H

#include "gate/judge.h"

#define GATE_SCREEN_ROUNDS 5  /* number of rounds in the first stage */
#define GATE_SCREEN_LEAST  10 /* number of requested rounds below which there is only one stage */

#define GATE_LOOK_ROUNDS 5 /* number of further rounds from one look to the next */

/* Changes the settings: gate_judge selects benchmarks for further rounds instead of judging. */
void gate_screen_settings(struct gate_settings *settings);

/* True if a row that was judged with these settings needs further rounds. */
bool gate_screen_selects(const struct gate_row *row);

/* True if a look decides about a row: it regressed at a hundredth of its level (less after seven
 * looks), or its interval excludes a regression. `rounds`: of the plan, at least 1. */
bool gate_look_decides(const struct gate_row *row, size_t rounds);

/* Plan of the second stage. */
struct gate_screen_plan {
  bool all;      /* true: all benchmarks get further rounds, all rounds count */
  size_t rounds; /* number of further rounds */
};

/* Returns the plan for `selected` of `count` benchmarks: the work of `rounds` rounds of all. */
struct gate_screen_plan gate_screen_plan_of(size_t selected, size_t count, size_t rounds);

#endif
