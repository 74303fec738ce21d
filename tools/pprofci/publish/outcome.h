/* Reads the result of a run: manifest.json in the folder of `pprofci run` or `merge`. */
#ifndef PPROFCI_PUBLISH_OUTCOME_H
#define PPROFCI_PUBLISH_OUTCOME_H

#include "core/buffer.h"
#include "core/error.h"
#include "core/json_tree.h"
#include "page/message.h"
#include "run/text.h"

/* Ending of a run, as its page shows it. */
enum ending {
  ENDING_GOOD,      /* the run compared benchmarks, and no benchmark got worse */
  ENDING_UNCERTAIN, /* the run compared benchmarks, but has warnings, and therefore is not green */
  ENDING_NOTHING,   /* the run compared nothing */
  ENDING_BAD,       /* at least one benchmark regressed */
  ENDING_WARNING,   /* at least one benchmark regressed, but -no-fail is set */
  ENDING_UNUSABLE,  /* the benchmarks could not be judged */
  ENDINGS
};

struct outcome {
  const struct node *root; /* root of the manifest */
  enum ending ending;
  int status;                     /* exit status of the run */
  pprofc_str verdict;             /* verdict as a word, such as "REGRESSION" */
  pprofc_str headline;            /* headline as plain text */
  pprofc_str commit;              /* id of the head commit, or empty */
  struct message summary;         /* text of the result */
  const struct node *regressions; /* objects with benchmark, file, line, title, message */
  size_t regressed;
};

/* Reads the manifest in a folder, with its summary. The arena owns the texts. */
pprofc_status outcome_read(struct arena *arena, const char *folder, bool no_fail,
                           struct outcome *outcome, pprofc_error *error);

/* Reads a manifest, but not its summary. */
pprofc_status outcome_read_manifest(struct arena *arena, const char *path, bool no_fail,
                                    struct outcome *outcome, pprofc_error *error);

/* Creates a summary that quotes the manifest of a fork's run. */
void outcome_quote(struct outcome *outcome, struct arena *arena);

/* Creates the result of a run without a manifest. This result replaces an older result on the code
 * host. */
void outcome_missing(struct arena *arena, const char *why, struct outcome *outcome);

/* True for a commit id of 7 to 64 hexadecimal digits. Only such an id is written into a comment,
 * because it needs no escapes. */
bool outcome_is_commit(pprofc_str text);

/* Creates GitLab's code quality report, with an entry for each regression. */
pprofc_str outcome_code_quality(const struct outcome *outcome, struct arena *arena);

/* Creates OpenMetrics text with the median of every measurement of the head. */
pprofc_str outcome_metrics(const struct outcome *outcome, struct arena *arena);

/* Creates JSON with verdict, headline, commits and regressions, for other programs. */
pprofc_status outcome_json(const struct outcome *outcome, const char *page, uint64_t budget,
                           struct arena *arena, pprofc_str *text, pprofc_error *error);

#endif
