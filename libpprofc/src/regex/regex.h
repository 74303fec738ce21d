/* Go's regular expressions (RE2 syntax). A pattern may match anywhere in a text. Reports use them
 * as filters, and profiles contain them as drop_frames and keep_frames. So both the pattern and the
 * text may be hostile. PCRE2 does the matching, but its grammar differs from Go's, and a match may
 * take unlimited time. So three parts work together:
 *
 *   - The grammar (regex_syntax.c, regex_class.c, regex_fold.c) parses the pattern as Go does. It
 *     refuses everything that Go refuses, with Go's messages: back-references, look-around,
 *     possessive operators, repeat counts above 1000 and nesting deeper than 1000. It rewrites the
 *     rest for PCRE2: it escapes every literal, and writes every class as ranges of code points.
 *     PCRE2 never sees the user's pattern.
 *   - memmem matches a pattern of up to 8 plain texts joined by |, like most filters.
 *   - PCRE2 matches the other patterns, with its just-in-time compiler if it has one.
 *
 * Text. Go reads an invalid UTF-8 byte as U+FFFD, but PCRE2 refuses the text. So the matcher first
 * replaces each invalid byte by U+FFFD. A pattern with a surrogate, like \x{D800}, matches nothing.
 *
 * Time. PCRE2 backtracks, so a pattern such as (a*)*b takes exponential time. A match may take
 * 200,000 steps, about 10 ms. After that, PCRE2's automaton, which is linear in the text, matches
 * this text and every later text. The automaton also matches every text of more than 8 KiB. It has
 * a budget of 5 * 10^9 steps, a few seconds, for the life of an expression. Each byte of text costs
 * as many steps as the square of the number of states. An expression that has used up its budget is
 * "tripped": it matches nothing, and the caller reports an error instead of a wrong result.
 *
 * Memory. A match takes at most 16 MiB of heap and 256 KiB of workspace, from the caller's
 * allocator.
 *
 * Remaining differences from Go:
 *
 *   - Size. PCRE2's expression may take 64 KiB. A larger expression, such as a long group repeated
 *     1,000 times, is refused with "expression too large". Go accepts about 3 million instructions.
 *   - Nesting. A group (?:...) counts for the limit of 1000, but not in Go. PCRE2 accepts about 500
 *     nested groups.
 *   - With (?i), a \P{..} inside [..] does not ignore case, unless the category is Lu, Ll or Lt.
 *   - Unicode. Categories and scripts follow the Unicode version of PCRE2.
 *   - Without PCRE2, only plain texts work. Other patterns give PPROFC_E_UNSUPPORTED. */
#ifndef PPROFC_REGEX_REGEX_H
#define PPROFC_REGEX_REGEX_H

#include "core/base.h"

struct regex;

/* Compiles a pattern. `mem` must outlive the expression. Only one thread at a time may use the
 * expression. Error messages are the same as Go's: "error parsing regexp: missing closing ):
 * `a(b`". An empty pattern matches everything. */
pprofc_status regex_compile(const pprofc_allocator *mem, pprofc_str pattern, struct regex **regex,
                            pprofc_error *error);
void regex_free(struct regex *regex);

/* regex_match returns true if the pattern matches somewhere in s. A pattern that reaches its limit
 * of work does not match. regex_tripped then returns true, and the caller reports the error after
 * its last match. */
bool regex_match(struct regex *regex, pprofc_str s);
bool regex_tripped(const struct regex *regex);

/* Expressions with flags. A set without expressions is {NULL}. */
struct regex_set {
  struct regex_flags {
    struct regex *regex;
    unsigned flags;
  } * items;
  size_t count, capacity;
};

/* Compiles a pattern, and adds it with its flags. Errors: as for regex_compile. */
pprofc_status regex_set_add(struct regex_set *set, const pprofc_allocator *mem, pprofc_str pattern,
                            unsigned flags, pprofc_error *error);
void regex_set_free(struct regex_set *set, const pprofc_allocator *mem);

/* Returns the flags of all patterns that match `s`. */
unsigned regex_set_match(const struct regex_set *set, pprofc_str s);

#endif
