/* The statistics of a comparison: a matrix of values, functions by runs, becomes an estimate for
 * each function. Knows no profile. docs/VERDICTS.md explains the method. */
#ifndef PPROFC_VERDICT_MODEL_H
#define PPROFC_VERDICT_MODEL_H

#include "core/error.h"
#include "core/mem.h"

struct matrix {
  size_t rows, runs, bases; /* runs [0, bases) are the base, the others the head */
  const double *values;     /* [rows * runs] */
  const double *quantum;    /* [rows] sampling variance for each unit of value; 0: exact */
  const double *exposure;   /* [runs] what values of a run are divided by */
  const bool *aside;        /* [rows] not judged, whatever the values */
};

struct model_settings {
  double noise_cv;    /* assumed noise between runs of each function, for a pair */
  double min_samples; /* functions with fewer samples in all runs are not judged */
  bool common;        /* the speed of the machine is taken out */
};

struct estimate {
  double base, head; /* means of the values over exposure and common factor */
  double delta, low, high;
  double p; /* NaN: not tested */
  bool tested;
};

struct fit {
  double *common;      /* [runs] the speed that all functions of a run share; 1 without it */
  bool has_common;     /* enough functions for it */
  double common_error; /* variance of the factor of a run, relative; 0 without it */
  double cv2;          /* of many runs: square of the noise between runs */
  double prior;        /* of many runs: degrees of freedom that other functions give */
  double degrees;      /* of the t distribution; infinite for a pair */
  double dispersion;   /* of a pair */
  size_t tested;       /* rows */
  struct estimate *of; /* [rows] */
};

/* Judges `m`, which has a run on each side: a pair by a score test, more runs by moderated t-tests.
 * The result lives in `arena`. */
pprofc_status model_fit(const struct matrix *m, const struct model_settings *settings,
                        struct arena *arena, struct fit *fit, pprofc_error *error);

/* The interval of a row with the upper end at the quantile `tail`, in place of 0.975. */
void model_interval(const struct matrix *m, double noise_cv, const struct fit *fit, size_t row,
                    double tail, double *low, double *high);

/* ---- between the files of the model ------------------ */

/* A raw p below this takes a function out of the second fit of the common factor. */
#define MODEL_SUSPECT 0.05
/* Intervals are 95 %. */
#define MODEL_TAIL 0.975

struct model {
  const struct matrix *m;
  const struct model_settings *settings;
  struct fit *fit;
  double *mean_samples;       /* [rows] a run */
  double *scaled;             /* [runs] exposure times common factor */
  double *row;                /* [runs] scratch */
  double *scratch, *squares;  /* [rows] */
  struct weighted *medians;   /* [rows] scratch */
  struct variance *variances; /* [2 * rows] of rows that teach, and of all */
  bool *suspect;              /* [rows] changed in the first pass */
};

/* The number of samples that a value stands for: the value over its quantum. */
static inline double model_samples(const struct matrix *m, size_t row, double value) {
  return m->quantum[row] > 0 ? value / m->quantum[row] : value;
}

/* Fits the common factor into fit->common and fills `scaled`. */
void model_common(struct model *model);

/* One pass of the tests. */
void model_pair_test(struct model *model);
void model_runs_test(struct model *model);
/* The interval of a row of a pair, z standard errors to each side. */
void model_pair_interval(const struct matrix *m, double noise_cv, const struct fit *fit, size_t row,
                         double z, double *low, double *high);

#endif
