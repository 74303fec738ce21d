/* The contents of a page, independent of its format: benchmarks sorted by importance, their
 * results, and sentences about the whole run. */
#ifndef PPROFCI_PAGE_MODEL_H
#define PPROFCI_PAGE_MODEL_H

#include "core/template.h"
#include "run/run.h"

/* ---- repository and change (identity.c) ----------- */

/* Repository and change of a run; all texts are "" if unknown. */
struct identity {
  const char *repository, *url; /* repository as "owner/name", and address of its page */
  const char *commits;          /* address of a commit without the commit id at its end */
  const char *change,
      *change_url;   /* name of the change, such as "pull request 41", and its address */
  const char *title; /* title of the change */
  const char *branch;
};

/* Finds the repository, the change and the branch. The texts are in the arena or in the
 * environment.
 */
void identity_find(struct identity *id, struct arena *arena);

/* Adds the template values for the page's line about repository, change and branch. */
void identity_fill(struct fill *f, const struct identity *id, const char *base, const char *head);

/* Returns the branch of the change, or "". */
const char *identity_branch(struct arena *arena);

/* ---- the model (model.c) -------------------------- */

/* Result of a benchmark, in the order of the page. */
enum page_state {
  STATE_SLOWER,  /* a benchmark regressed in at least one unit */
  STATE_MISSING, /* the benchmark is missing in the head */
  STATE_BROKEN,  /* the benchmark is suspiciously fast and may measure nothing */
  STATE_UNSURE,  /* the measurements do not show if the benchmark changed */
  STATE_FASTER,
  STATE_ACCEPTED, /* the benchmark is slower, but a rule accepts it */
  STATE_NEW,
  STATE_UNCHANGED, /* the benchmark did not change, or no rule of the gate judges it */
  STATES
};

/* Columns of the table of benchmarks on the page. */
enum metric { METRIC_TIME, METRIC_BYTES, METRIC_ALLOCATIONS, METRICS };

struct metric_column {
  const char *title, *label;
  const char *unit;   /* unit of the column; NULL: any unit of time */
  const char *remark; /* remark in small letters after the title, or "" */
};

struct benchmark {
  pprofc_str group, name;
  pprofc_str shown; /* name for titles and lists; "NAME (GROUP)" if several groups have the name */
  /* indices of the benchmark's rows in the gate (the code that judges results), one for each
   * unit */
  size_t *rows;
  size_t row_count;
  /* row of the gate for each column; NULL: the benchmark was not measured in this unit */
  const struct gate_row *metrics[METRICS];
  const struct gate_row *worst; /* row of the gate that determines the result of the benchmark */
  enum page_state state;
  double size;   /* absolute value of the natural logarithm of head / base in `worst` */
  size_t number; /* number of the benchmark in HTML anchors, from 1, in the order of the page */
};

struct page_model {
  const struct ci_run *run;
  struct identity identity; /* repository, change and branch of the run */
  bool one_file;            /* true for report.html, which contains the flame graphs */
  struct benchmark *benchmarks;
  size_t count;
  size_t states[STATES];
  const struct metric_column *columns; /* columns of the page */
  bool has_metric[METRICS]; /* for each column, true if a benchmark was measured in its unit */
  bool counted;             /* true if there are counts but no times; the columns show counts */
  bool one_group;        /* true if all benchmarks are in one package, which is then named once */
  bool suite_suspicious; /* true if most benchmarks take less than half of the base's time */
  enum run_verdict verdict; /* verdict on the page; a pass with warnings is RUN_INCONCLUSIVE */
  pprofc_str headline;      /* first line: "IssueFixed is 4.9 times slower: ..." */
  pprofc_str counts; /* counts of results: "1 of 9 benchmarks got slower · 1 could not be judged" */
  pprofc_str also;   /* warnings that the headline does not mention, or empty */
  pprofc_str visible_text; /* smallest change that the runs could show, as text, or empty */
};

/* Creates the model of a run after its verdict. Texts are in the run's arena. */
void model_make(struct ci_run *run, struct page_model *model);

/* Returns the words for the benchmarks of a state, such as "could not be judged". */
const char *model_state_title(const struct page_model *m, enum page_state state);

/* Returns "good", "doubt" or "bad": a CSS class of pages, and a word in manifest.json. */
const char *verdict_class(enum run_verdict verdict);

/* Returns "✓ ", "? " or "✗ ". */
const char *verdict_sign(enum run_verdict verdict);

/* Returns the pair of profiles that explains a benchmark best. Prefers a CPU profile for time, and
 * a memory profile for bytes and allocations. Returns NULL if there is no such pair. */
const struct run_pair *model_pair(const struct page_model *model,
                                  const struct benchmark *benchmark);

/* Returns the pair of profiles of a function that -fail-on found, or NULL. */
const struct run_pair *model_fired_pair(const struct ci_run *run, const struct run_fired *fired);

/* Returns the pair of profiles that explains the first regression, or NULL. The first regression is
 * a benchmark, or else a function that -fail-on found. */
const struct run_pair *model_first_pair(const struct page_model *model);

bool model_is_of(const struct run_pair *pair, const struct benchmark *benchmark);

struct run_samples model_samples(const struct page_model *model, const struct gate_row *row,
                                 int side);

#endif
