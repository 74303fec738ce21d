/* Writes the changed source lines of a pair of profiles, with the cost of each line. A hunk is a
 * block of adjacent changed lines in a diff. */
#ifndef PPROFCI_PAGE_HUNKS_H
#define PPROFCI_PAGE_HUNKS_H

#include "core/fill.h"
#include "run/run.h"

/* Adds the hunks of a pair of profiles to the page. */
void hunks_fill(struct fill *f, const struct run_pair *pair);

/* Appends the changed source lines whose cost grew most in a pair of profiles. Appends at most
 * `most` lines, as plain text. */
void hunks_put_worst(struct buffer *out, const struct run_pair *pair, size_t most);

/* Position of the text of a line in a sentence. */
struct hunk_code {
  size_t at, size;
};

/* Appends "f grew by 120 ms (+38 %) in 9 of 12 benchmarks; line 41 of x.go (new: text) has 110 ms
 * of it". If the profile has no lines of the function: "; line 41 of x.py changed in it (new:
 * text)". Returns false if no changed line grew. `code` may be NULL. */
bool hunks_sentence(struct buffer *out, const struct ci_run *run, const struct run_pair *pair,
                    struct hunk_code *code);

#endif
