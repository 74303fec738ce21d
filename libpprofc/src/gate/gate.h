/* The gate: decides if a benchmark got worse by more than a threshold and more than noise.
 *
 * Readers (read/) turn inputs into rows, one for each comparison of a benchmark's unit between base
 * and head; the judge (judge.h) gives each row a verdict; printers (print/) print rows. No row is
 * dropped: the verdict of a row that cannot be judged gives the reason. */
#ifndef PPROFC_GATE_GATE_H
#define PPROFC_GATE_GATE_H

#include "core/buffer.h"
#include "core/error.h"
#include "core/map.h"
#include "gate/row.h"
#include "gate/settings.h"

/* A text of the last row before and after cleaning. */
struct gate_shown {
  pprofc_str raw, clean;
};

#define GATE_TEXTS 5 /* number of texts in a row */

struct gate_known; /* defined in compare.h */

struct gate {
  const pprofc_allocator *mem;
  struct arena arena;
  struct buffer rows;     /* array of struct gate_row */
  struct buffer problems; /* one line each: reasons why the result is unusable (exit status 1) */
  size_t problem_count;
  struct buffer warnings;     /* one line each: remarks on the result */
  struct interner noise_keys; /* gate_noise_key of each benchmark in earlier runs */
  struct buffer noise;        /* a double per key: relative variation between earlier runs */
  struct gate_settings settings;
  size_t inputs;
  struct gate_shown shown[GATE_TEXTS];
  struct gate_known *known; /* data shared by tests of equal sizes, or NULL */

  /* Counts of rows by verdict, set by the judge. */
  size_t compared, significant, regressed, missing, improved, suspicious, inconclusive, accepted;
  size_t too_few; /* inconclusive rows with too few samples */
  size_t unmeasured;
  size_t stale_inputs;          /* 1 if an input may be from an earlier run */
  size_t cpu_times, wall_times; /* judged rows of benchmarks that have both times */
  size_t family;                /* number of p-values in the correction */
  size_t tested;                /* number of rows with a test */
  size_t blind;                 /* number of rows whose samples could not have shown a change
                                   of the threshold */
  size_t unjudged;      /* compared rows that are blind, inconclusive or have too few samples */
  size_t visible_count; /* number of rows whose smallest visible change is known */
  double visible_middle, visible_worst; /* median and maximum of the smallest visible changes */
  size_t visible_row;                   /* row with the maximum */
  double needed_worst;                  /* rounds a side that would show the threshold in all
                                           rows */
  bool drifting, shifted;               /* most benchmarks drift along a side, or shift from
                                           base to head */
};

void gate_init(struct gate *gate, const pprofc_allocator *mem);
void gate_free(struct gate *gate);

static inline struct gate_row *gate_rows(const struct gate *gate, size_t *count) {
  *count = gate->rows.size / sizeof(struct gate_row);
  return (struct gate_row *)(void *)gate->rows.data;
}

/* Adds a row. Its texts must live as long as the gate. In the gate's copy, control characters
 * are escaped. False when out of memory. */
bool gate_add(struct gate *gate, const struct gate_row *row);

/* Adds a problem or a warning of one line. */
void gate_problem(struct gate *gate, const char *format, ...) PPROFC_PRINTF(2, 3);
void gate_warning(struct gate *gate, const char *format, ...) PPROFC_PRINTF(2, 3);

#endif
