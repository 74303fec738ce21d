/* The gate: did a benchmark get slower beyond a threshold and beyond noise?
 *
 * Readers (read/) turn inputs into rows, one for each comparison of a benchmark's unit between base
 * and head; the judge (judge.h) gives each row a verdict; printers (print/) show rows. No row gets
 * lost: the verdict of a row that cannot be judged tells why. */
#ifndef PPROFC_GATE_GATE_H
#define PPROFC_GATE_GATE_H

#include "core/buffer.h"
#include "core/error.h"
#include "core/map.h"
#include "gate/row.h"
#include "gate/settings.h"

/* A text of the last row as it came, and as it is shown. */
struct gate_shown {
  pprofc_str raw, clean;
};

#define GATE_TEXTS 5 /* of a row */

struct gate_known; /* compare.h */

struct gate {
  const pprofc_allocator *mem;
  struct arena arena;
  struct buffer rows;     /* of struct gate_row */
  struct buffer problems; /* one line each: what makes the result unusable (exit status 1) */
  size_t problem_count;
  struct buffer warnings;     /* one line each: what a reader of the result should know */
  struct interner noise_keys; /* gate_noise_key of what earlier runs measured */
  struct buffer noise;        /* a double for each: how far the runs swing, relative */
  struct gate_settings settings;
  size_t inputs;
  struct gate_shown shown[GATE_TEXTS];
  struct gate_known *known; /* what tests of equal sizes have in common, or NULL */

  /* Set by the judge. */
  size_t compared, significant, regressed, missing, improved, suspicious, inconclusive, accepted;
  size_t too_few; /* of the inconclusive */
  size_t unmeasured;
  size_t doubts;                /* about the inputs: whether they are of this run */
  size_t cpu_times, wall_times; /* judged, of benchmarks that have both */
  size_t family;                /* p-values that were corrected for their number */
  size_t tested, blind; /* rows with a test; those that could not have shown the threshold */
  size_t visible_count; /* rows whose smallest visible change is known; of those: */
  double visible_middle, visible_worst; /* the median, and the largest */
  size_t visible_row;                   /* the row of the largest */
  double needed_worst;                  /* rounds that would show the threshold in all */
  bool drifting, shifted;               /* most benchmarks: along a side, from base to head */
};

void gate_init(struct gate *gate, const pprofc_allocator *mem);
void gate_free(struct gate *gate);

static inline struct gate_row *gate_rows(const struct gate *gate, size_t *count) {
  *count = gate->rows.size / sizeof(struct gate_row);
  return (struct gate_row *)(void *)gate->rows.data;
}

/* Adds a row. Its texts must live as long as the gate; the copy in the gate has every character
 * that could drive a terminal made visible. False when out of memory. */
bool gate_add(struct gate *gate, const struct gate_row *row);

/* Notes a problem or a warning, one line. */
void gate_problem(struct gate *gate, const char *format, ...) PPROFC_PRINTF(2, 3);
void gate_warning(struct gate *gate, const char *format, ...) PPROFC_PRINTF(2, 3);

#endif
