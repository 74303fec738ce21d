/* Regular expressions as Go has them (RE2's syntax): unanchored, the leftmost match, of several
 * there the first alternative, on bytes that are mostly UTF-8. The filters of reports and the
 * drop and keep expressions inside profiles are such expressions, so a pattern and a text may both
 * be hostile.
 *
 * PCRE2 does the matching. It has another grammar, other meanings and no bound on time, so there
 * are three steps:
 *
 *  1. The grammar (regex_syntax.c, regex_class.c, regex_unicode.c, regex_fold.c) reads the pattern
 *     as Go does. It refuses what Go refuses, with Go's words: back-references, look-around,
 *     possessive operators, repeat counts above 1000, nesting deeper than 1000. What it takes, it
 *     writes anew for PCRE2: every literal escaped, every class as ranges of code points, groups
 *     numbered in the same order. PCRE2 never sees the pattern of the user.
 *  2. A pattern that is up to 8 plain texts with | between them needs no engine: memmem finds them.
 *     Most filters are such patterns.
 *  3. PCRE2 matches the others, with its compiler to machine code where it has one.
 *
 * Text. Go takes a byte that is no UTF-8 for U+FFFD. PCRE2 would refuse the text, so each such byte
 * is replaced before the match, and the places of groups are counted back. A pattern with
 * a surrogate, like \x{D800}, matches nothing.
 *
 * Time. PCRE2 backtracks, and a pattern such as (a*)*b makes that exponential. So a match may take
 * 200,000 steps, about 10 ms. Then the other engine of PCRE2 answers, an automaton that needs time
 * in proportion to the text, and from then on it answers for every text. A text of more than 8 KiB
 * goes to it at once. The automaton has a budget of 5 * 10^9 steps, a few seconds, in the life of
 * an expression; the square of the number of states is counted for each byte of text. Beyond it
 * the expression is *tripped*: it matches nothing more, and the caller reports an error rather than
 * a wrong result. Where the places of groups are wanted (regex_find), the automaton can only say
 * that there is no match; a text that matches and takes too long trips the expression.
 *
 * Memory. A match takes at most 16 MiB of heap and 256 KiB of workspace, through the caller's
 * allocator.
 *
 * What still differs from Go:
 *
 *  - Size. The expression that PCRE2 builds may take 64 KiB. A larger one, such as a long group
 * that is repeated 1,000 times, is refused with "expression too large"; Go takes about 3 million
 *    instructions.
 *  - Nesting. (?:...) counts for the limit of 1000, in Go only for what it contains, and PCRE2
 * takes about 500 of them inside each other.
 *  - Empty repetitions. Where a repeated part can match nothing, as in (a*|b)*, regex_find may
 *    report a shorter match and other groups, as Perl does. Whether there is a match is the same.
 *  - Case ignored, [x\P{Lu}] also lacks letters that have no upper case, and other [x\P{..}] are
 *    taken as if case were not ignored. \P{..} alone, outside of [^..], is as in Go.
 *  - Unicode. Categories and scripts are those of the Unicode version that PCRE2 was built with.
 *  - Without PCRE2 (it is optional) only plain texts are taken; any other pattern is refused with
 *    PPROFC_E_UNSUPPORTED. */
#ifndef PPROFC_REGEX_REGEX_H
#define PPROFC_REGEX_REGEX_H

#include "core/error.h"
#include "core/mem.h"

struct regex;

/* Compiles a pattern. `mem` must outlive the expression, which one thread at a time may use. On
 * failure the message reads as Go's: "error parsing regexp: missing closing ): `a(b`". An empty
 * pattern matches everything. */
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
