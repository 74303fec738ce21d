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

/* Text of the last row before and after its control characters were escaped. */
struct gate_shown {
  pprofc_str raw, clean;
};

struct gate {
  const pprofc_allocator *mem;
  struct arena arena;
  struct buffer rows;     /* array of struct gate_row */
  struct buffer problems; /* reasons why the result is unusable (exit status 1), one line each */
  size_t problem_count;
  struct buffer warnings;     /* remarks on the result, one line each */
  struct interner noise_keys; /* keys (gate_noise_key) of the benchmarks in earlier runs */
  struct interner noise_units;
  struct buffer noise; /* noise of each of these benchmarks: an array of struct gate_earlier */
  struct gate_settings settings;
  size_t inputs;
  struct gate_shown line;

  /* Counts of rows by verdict, set by the judge. */
  size_t compared, significant, regressed, missing, improved, suspicious, inconclusive, accepted;
  size_t too_few; /* number of inconclusive rows with too few samples */
  size_t unmeasured;
  size_t stale_inputs; /* 1 if an input may be from an earlier run */
  /* Numbers of benchmarks with both times, by the time that is judged. */
  size_t cpu_times, wall_times;
  size_t family;        /* number of p-values in the correction */
  size_t tested;        /* number of rows with a test */
  size_t blind;         /* number of rows whose samples could not have shown a change
                           of the threshold */
  size_t benchmarks;    /* number of benchmarks with a compared row */
  size_t unjudged;      /* number of benchmarks with a compared row that was not judged */
  size_t visible_count; /* number of rows whose smallest visible change is known */
  double visible_middle, visible_worst; /* median and maximum of the smallest visible changes */
  size_t visible_row;                   /* index of the row with the maximum */
  double needed_worst; /* number of rounds a side that would show the threshold in all rows */
  /* True if most benchmarks drift along a side, or shift from base to head. */
  bool drifting, shifted;
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
