/* What a finished run says: manifest.json and summary.md of the folder of `pprofci run` or `merge`.
 * Nothing here talks to anybody. */
#ifndef PPROFCI_PUBLISH_OUTCOME_H
#define PPROFCI_PUBLISH_OUTCOME_H

#include "core/buffer.h"
#include "core/error.h"
#include "core/json_tree.h"
#include "core/json_write.h"

/* How the run ended, as its page shows it. */
enum ending {
  ENDING_GOOD,     /* compared, nothing got worse */
  ENDING_DOUBT,    /* compared, but something speaks against a green sign */
  ENDING_NOTHING,  /* nothing was compared */
  ENDING_BAD,      /* something regressed */
  ENDING_WARNING,  /* something regressed, and -no-fail */
  ENDING_UNUSABLE, /* the benchmarks could not be judged */
  ENDINGS
};

struct outcome {
  const struct node *root; /* of the manifest */
  enum ending ending;
  int status;          /* the exit status of the run */
  pprofc_str verdict;  /* "REGRESSION" */
  pprofc_str headline; /* plain text */
  pprofc_str commit;   /* of the head; may be empty */
  pprofc_str summary;  /* Markdown without its marker; its first line has sign and headline */
  const struct node *regressions; /* an array of benchmark, file, line, title, message */
  size_t regressed;
};

/* Reads the folder. Texts are the arena's. */
pprofc_status outcome_read(struct arena *arena, const char *folder, bool no_fail,
                           struct outcome *outcome, pprofc_error *error);

/* What is told of a run that has left no result: it is never silence, and never an old result. */
pprofc_status outcome_missing(struct arena *arena, const char *why, struct outcome *outcome,
                              pprofc_error *error);

/* Reads a file of at most `most` bytes into the arena. */
pprofc_status outcome_read_file(struct arena *arena, const char *path, size_t most,
                                pprofc_str *text, pprofc_error *error);

/* ---- texts of JSON ----------------------------------- */

struct json_text {
  struct buffer text;
  struct output *out;
  struct json_writer json;
};

/* Begins a text; false when out of memory. */
bool json_text_begin(struct json_text *text);

/* Ends it and gives it to the arena; data is NULL when memory ran out. */
pprofc_str json_text_end(struct json_text *text, struct arena *arena);

/* A member that is a string. */
void json_text_member(struct json_text *text, const char *key, pprofc_str value);

/* ---- reports in files -------------------------------- */

/* GitLab's code quality report: an entry for each regression. */
pprofc_str outcome_code_quality(const struct outcome *outcome, struct arena *arena);

/* OpenMetrics: the median of every measurement of the head. */
pprofc_str outcome_metrics(const struct outcome *outcome, struct arena *arena);

/* Verdict, headline, commits and regressions, for other programs. */
pprofc_str outcome_json(const struct outcome *outcome, const char *page, struct arena *arena);

#endif
