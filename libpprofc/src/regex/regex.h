/* Regular expressions in Go's (RE2) syntax: leftmost-first, unanchored, on bytes, UTF-8 aware.
 * PCRE2 does the matching; this module checks the syntax and words errors as Go does, translates
 * what differs, and bounds the time a match may take. */
#ifndef PPROFC_REGEX_REGEX_H
#define PPROFC_REGEX_REGEX_H

#include "core/error.h"
#include "core/mem.h"

struct regex;

/* Compiles a pattern. `mem` must outlive the expression, which one thread at a time may use. On
 * failure the message reads as Go's: "error parsing regexp: missing closing
 * ): `a(b`". An empty pattern matches everything. */
pprofc_status regex_compile(const pprofc_allocator *mem, pprofc_str pattern, struct regex **regex,
                            pprofc_error *error);
void regex_free(struct regex *regex);

/* True when the pattern matches somewhere in s. A pattern that trips the match limit counts as no
 * match and sets the regex's `tripped` flag, which the caller turns into an error when its pass is
 * over. */
bool regex_match(struct regex *regex, pprofc_str s);
bool regex_tripped(const struct regex *regex);

/* Where the first match is: groups[0] is the whole of it, groups[i] the i-th parenthesis (data NULL
 * when it took no part). Returns the number of groups filled, 0 for no match. */
size_t regex_find(struct regex *regex, pprofc_str s, pprofc_str *groups, size_t max_groups);

#endif
