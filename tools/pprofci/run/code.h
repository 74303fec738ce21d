/* Compares the code of base and head: the machine code of their programs, and the diff of their
 * sources. */
#ifndef PPROFCI_RUN_CODE_H
#define PPROFCI_RUN_CODE_H

#include "report/source/revisions.h"
#include "run/judging.h"
#include "symbolize/code.h"

/* Closes the programs and sources that code_open opened (run.h). */
void code_close(struct ci_run *run);

/* Returns the sources of base and head, or NULL. */
struct revisions *code_sources(const struct ci_run *run);

/* Sets for each function in the comparisons of a pair of profiles how its code changed. Moves
 * changed functions to the front of the reasons. Sets pair->same_code. */
void code_describe(struct ci_run *run, struct run_pair *pair, const struct judged *judged);

/* Returns a phrase that compares a function's code in head and base: "same", "changed", "in this
 * diff", "inlined elsewhere" or "unknown". Returns "" if neither programs nor sources are known. */
const char *code_word(struct ci_run *run, const struct run_pair *pair, const struct judged *judged,
                      pprofc_str name);

/* True if the programs are known and the function has the same machine code in both. */
bool code_is_same(struct ci_run *run, const struct run_pair *pair, pprofc_str name);

/* True if only the layout of the code can explain the regression of a pair of profiles. This holds
 * if the values are times and no sampled function changed. If true, appends this reason and the
 * other differences. */
bool code_excuses(const struct ci_run *run, const struct run_pair *pair, struct buffer *why);

#endif
