/* What a page says, whatever its format: benchmarks in the order of their importance, what became
 * of them, and the sentences about all of them. */
#ifndef PPROFCI_PAGE_MODEL_H
#define PPROFCI_PAGE_MODEL_H

#include "run/run.h"

/* What a reader makes of a benchmark; in the order of the page. */
enum fate {
  FATE_SLOWER,  /* something regressed */
  FATE_MISSING, /* in the base only */
  FATE_BROKEN,  /* so fast that it may measure nothing */
  FATE_UNSURE,  /* the samples do not tell */
  FATE_FASTER,
  FATE_ACCEPTED, /* slower, but a rule accepts it */
  FATE_NEW,
  FATE_UNCHANGED, /* also what no rule judges */
  FATES
};

/* The columns of the page. */
enum metric { METRIC_TIME, METRIC_BYTES, METRIC_ALLOCATIONS, METRICS };

struct benchmark {
  pprofc_str group, name;
  size_t *rows; /* of the gate, in the order of its units */
  size_t row_count;
  const struct gate_row *metrics[METRICS]; /* NULL: not measured */
  const struct gate_row *worst;            /* the row that its fate comes from */
  enum fate fate;
  double size;   /* log ratio of that row */
  size_t number; /* for anchors, from 1, in the order of the page */
};

/* How a whole run ended, for its colour and sign. */
enum mood { MOOD_GOOD, MOOD_DOUBT, MOOD_BAD };

struct page_model {
  const struct ci_run *run;
  struct benchmark *benchmarks;
  size_t count;
  size_t fates[FATES];
  bool one_group;        /* all benchmarks are of one package, which is told once */
  bool suite_suspicious; /* most benchmarks are faster by more than half: were they run at all? */
  enum mood mood;
  pprofc_str headline; /* "IssueFixed is 4.9 times slower: 2.05 µs → 10.1 µs per operation." */
  pprofc_str counts;   /* "1 of 9 benchmarks got slower · 1 could not be judged" */
  pprofc_str also;     /* what speaks against a result beside the headline; may be empty */
  pprofc_str sight;    /* "changes below 3 % could not have been seen"; may be empty */
};

/* Makes the model of a run that was judged; texts are the run's. */
pprofc_status model_make(struct ci_run *run, struct page_model *model, pprofc_error *error);

/* "✓ ", "? ", "✗ ". */
const char *mood_sign(enum mood mood);

/* The pair of profiles that explains a benchmark best: of time for time, of memory for memory.
 * NULL: none. */
const struct run_pair *model_pair(const struct page_model *model,
                                  const struct benchmark *benchmark);

/* Whether the pair is of the benchmark. */
bool model_is_of(const struct run_pair *pair, const struct benchmark *benchmark);

/* Measurements of a row of the gate. */
struct run_samples model_samples(const struct page_model *model, const struct gate_row *row,
                                 int side);

#endif
