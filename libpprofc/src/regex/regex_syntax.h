/* The grammar of Go's (RE2's) regular expressions: checks a pattern as Go does and writes the same
 * expression for PCRE2. Only regex/regex.c uses it. */
#ifndef PPROFC_REGEX_REGEX_SYNTAX_H
#define PPROFC_REGEX_REGEX_SYNTAX_H

#include "core/buffer.h"
#include "core/error.h"

/* Parentheses may nest this deep, and so may the operators of one expression, as in Go. */
#define REGEX_NEST_MAX 1000

/* An expression that is a choice of at most this many plain texts needs no engine. */
#define REGEX_NEEDLES_MAX 8

struct regex_translation {
  struct buffer pcre; /* the expression for PCRE2, to be compiled with the options in regex.c */
  size_t captures;    /* parentheses that capture */
  size_t copies;      /* that counted repetitions make, all added up */
  bool plain;         /* the expression is the choice of plain texts below */
  struct buffer text; /* the plain texts, one after the other */
  size_t needles;
  size_t needle_end[REGEX_NEEDLES_MAX]; /* where in `text` each one ends */
};

/* The engine of PCRE2 that the expression is written for: the automaton needs repeated parts in
 * parentheses. */
enum regex_engine { REGEX_BACKTRACKING, REGEX_AUTOMATON };

/* Fills *out, which the caller gives to regex_translation_free, also after an error.
 * PPROFC_E_INVALID for a pattern that Go refuses, with Go's words. */
pprofc_status regex_translate(const pprofc_allocator *mem, pprofc_str pattern,
                              enum regex_engine engine, struct regex_translation *out,
                              pprofc_error *error);
void regex_translation_free(struct regex_translation *translation);

/* ---- between the two files of the grammar ------------ */

enum regex_flag { REGEX_FOLD = 1, REGEX_MULTI_LINE = 2, REGEX_DOT_NEWLINE = 4, REGEX_LAZY = 8 };

struct regex_group;

struct regex_parser {
  const pprofc_allocator *mem;
  pprofc_str whole;
  enum regex_engine engine;
  size_t at;      /* what comes before was read */
  unsigned flags; /* of enum regex_flag, as the pattern set them */
  bool out_fold;  /* whether the output ignores case at this place */
  struct regex_translation *result;
  struct buffer *out; /* &result->pcre */
  struct regex_group *groups;
  size_t depth, capacity; /* of `groups`; groups[0] is the whole expression */
  pprofc_status status;
  pprofc_error *error;
};

/* Sets the error "error parsing regexp: <what>: `<pattern[from, to)>`" and returns false. */
bool regex_fail(struct regex_parser *parser, const char *what, size_t from, size_t to);

/* Whether the rest of the pattern starts with `text`. */
bool regex_at(const struct regex_parser *parser, const char *text);

/* Reads one code point; at the end of the pattern it gives U+FFFD and stays. False for invalid
 * UTF-8. */
bool regex_read(struct regex_parser *parser, int32_t *code);

/* True when pattern[from, to) is valid UTF-8; an error otherwise. */
bool regex_check_utf8(struct regex_parser *parser, size_t from, size_t to);

/* Reads the escape of a single character, `\n` or `\x{1F600}`. */
bool regex_read_escape(struct regex_parser *parser, int32_t *code);

/* Reads `[...]` and writes it. */
bool regex_class(struct regex_parser *parser);

/* Writes `\d` or `\pL` as a class when one is next; *found says whether one was. */
bool regex_class_escape(struct regex_parser *parser, bool *found);

/* regex_unicode.c: the name that PCRE2 has, between the braces of \p{}, for the category or script
 * that Go calls `name`; NULL when there is none. `out` is room for the result. */
#define REGEX_PROPERTY_MAX 40
const char *regex_unicode_property(pprofc_str name, char out[REGEX_PROPERTY_MAX]);

/* regex_fold.c: writes, for the inside of a class, the characters outside of \p{property} that
 * match it when case is ignored. */
void regex_unicode_mates(struct buffer *out, const char *property);

#endif
