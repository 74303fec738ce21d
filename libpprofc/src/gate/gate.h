/* The gate: decides if a benchmark got worse by more than a threshold and by more than noise.
 * Readers (read/) make rows: a benchmark in one unit, base and head. The judge (judge.h) gives each
 * row a verdict, or the reason if it cannot. The printers (print/) print all rows. */
#ifndef PPROFC_GATE_GATE_H
#define PPROFC_GATE_GATE_H

#include "core/buffer.h"
#include "core/error.h"
#include "core/map.h"
#include "gate/row.h"
#include "gate/settings.h"

struct gate_earlier;

/* Text of the last row, before and after its control characters were escaped. */
struct gate_shown {
  pprofc_str raw, clean;
};

struct gate {
  const pprofc_allocator *mem;
  struct arena arena;
  struct gate_row *rows;
  size_t row_count, row_capacity;
  struct buffer problems; /* reasons why the result is unusable (exit status 1), one line each */
  size_t problem_count;
  struct buffer warnings;     /* warnings about the result, one line each */
  struct interner noise_keys; /* keys of the benchmarks in earlier runs, see gate_noise_key */
  struct interner noise_units;
  struct gate_earlier *noise; /* noise between earlier runs, by the index of the key */
  size_t noise_count, noise_capacity;
  struct gate_settings settings;
  size_t inputs;
  struct gate_shown line;

  /* Numbers of rows by verdict, set by the judge. */
  size_t compared, significant, regressed, missing, improved, suspicious, inconclusive, accepted;
  size_t too_few; /* number of inconclusive rows with too few samples */
  size_t unmeasured;
  size_t stale_inputs; /* 1 if an input may come from an earlier run, else 0 */
  /* Number of benchmarks judged by CPU time, and number judged by wall time. Only benchmarks with
   * both times count. */
  size_t cpu_times, wall_times;
  size_t family;     /* number of p-values that are corrected together */
  size_t tested;     /* number of rows with a test */
  size_t blind;      /* number of rows whose test would miss a change as large as the threshold */
  size_t benchmarks; /* number of benchmarks with a compared row */
  size_t unjudged;   /* number of benchmarks with a compared row that was not judged */
  size_t visible_count; /* number of rows whose smallest detectable change is known */
  double visible_middle, visible_worst; /* median and maximum of the smallest detectable changes */
  size_t visible_row;                   /* index of the row that has visible_worst */
  double needed_worst; /* number of rounds on each side after which every row's test finds a change
                          as large as the threshold */
  /* drifting: true if most benchmarks drift during the rounds of a side; shifted: true if most
   * benchmarks change in one direction from base to head */
  bool drifting, shifted;
};

void gate_init(struct gate *gate, const pprofc_allocator *mem);
void gate_free(struct gate *gate);

static inline struct gate_row *gate_rows(const struct gate *gate, size_t *count) {
  *count = gate->row_count;
  return gate->rows;
}

/* Adds a row. The texts of the row must live as long as the gate. The gate escapes control
 * characters in its copy. Returns false when out of memory. */
bool gate_add(struct gate *gate, const struct gate_row *row);

/* The first function adds a problem, which makes the gate fail. The second adds a warning. Both
 * texts are one line. */
void gate_problem(struct gate *gate, const char *format, ...) PPROFC_PRINTF(2, 3);
void gate_warning(struct gate *gate, const char *format, ...) PPROFC_PRINTF(2, 3);

#endif
