/* Judging: verdicts on rows, the exit status, and doubts about a whole run. */
#ifndef PPROFC_GATE_JUDGE_H
#define PPROFC_GATE_JUDGE_H

#include "gate/gate.h"
#include "pprofc/bench.h"

/* Gives every row its verdict and counts. `today` is "2026-11-20" for rules that expire. */
pprofc_status gate_judge(struct gate *gate, const char *today, pprofc_error *error);

/* 0 pass, 2 regression, 1 problems or nothing compared, 3 strict doubts; after gate_judge. */
int gate_exit_status(const struct gate *gate);

/* True for rows whose verdict came from comparing both sides. */
bool gate_was_judged(const struct gate_row *row);
/* True for rows whose p-value, if any, was adjusted and counts: judged rows, and times that are
 * watched. */
bool gate_was_corrected(const struct gate *gate, const struct gate_row *row);

/* Adjusts p-values, sorted ascending, for their number: Benjamini-Hochberg 1995, Holm 1979. */
void gate_adjust(const double *p, size_t count, enum gate_correction correction, double *adjusted);

/* ---- earlier runs ------------------------------------ */

/* Learns from earlier runs of the base, one input of the set each, how far each benchmark swings.
 */
pprofc_status gate_learn_noise(struct gate *gate, const pprofc_bench *set, pprofc_error *error);

/* The key under which the noise of a benchmark is kept. Appends. */
void gate_noise_key(struct buffer *out, pprofc_str group, pprofc_str name, pprofc_str unit);

/* ---- steps of gate_judge, in this order -------------- */

/* Chooses between wall time and CPU time of benchmarks that have both. */
pprofc_status gate_choose_times(struct gate *gate, pprofc_error *error);

/* Notes why there is no result when no row was compared, or every row has too few samples. */
void gate_check_compared(struct gate *gate);

/* Warns of what concerns the whole run: drift that most benchmarks share, changes that go all one
 * way, samples too few for the number of rows. */
pprofc_status gate_find_trends(struct gate *gate, pprofc_error *error);

/* Computes what a pass is worth: the smallest change that each row could have shown. */
pprofc_status gate_find_visible(struct gate *gate, pprofc_error *error);

/* The smallest change that a row could have shown, and rounds that would show the threshold, as in
 * struct gate_row. */
struct gate_sight {
  double visible, needed;
};

struct gate_sight gate_sight_of(const struct gate *gate, const struct gate_row *row);

#endif
