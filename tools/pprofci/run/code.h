/* Compares the code of base and head: the machine code of their programs, and the diff of their
 * sources. */
#ifndef PPROFCI_RUN_CODE_H
#define PPROFCI_RUN_CODE_H

#include "report/source/revisions.h"
#include "run/judging.h"
#include "symbolize/code.h"

/* Closes the programs and sources that code_open (run.h) opened. */
void code_close(struct ci_run *run);

/* Returns the sources of base and head, or NULL. */
struct revisions *code_sources(const struct ci_run *run);

/* Sets the code state of each function in the comparisons of a pair of profiles. Lists changed
 * functions first among the reasons. Sets pair->same_code. */
void code_describe(struct ci_run *run, struct run_pair *pair, const struct judged *judged);

/* Returns the state of a function's code in head compared with base: "same", "changed", "in this
 * diff", "inlined elsewhere" or "unknown". Returns "" if neither programs nor sources are known. */
const char *code_word(struct ci_run *run, const struct run_pair *pair, const struct judged *judged,
                      pprofc_str name);

/* True if the programs are known, and the machine code of the function is the same in both. */
bool code_is_same(struct ci_run *run, const struct run_pair *pair, pprofc_str name);

/* True if only the layout of the code can explain the regression of a pair of profiles. That is the
 * case if no sampled function changed and the values are times. Then appends the reason and other
 * differences. */
bool code_excuses(const struct ci_run *run, const struct run_pair *pair, struct buffer *why);

#endif
