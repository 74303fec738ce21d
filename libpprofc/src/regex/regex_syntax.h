/* The grammar of Go's (RE2's) regular expressions. It checks a pattern as Go does and writes the
 * same expression for PCRE2. Only files in this folder use it. */
#ifndef PPROFC_REGEX_REGEX_SYNTAX_H
#define PPROFC_REGEX_REGEX_SYNTAX_H

#include "core/base.h"

/* Maximum depth of parentheses and maximum height of the syntax tree of an expression, as in Go. */
#define REGEX_NEST_MAX 1000

/* Maximum number of plain texts in an expression such as text|text that is matched without
 * PCRE2. */
#define REGEX_NEEDLES_MAX 8

struct regex_translation {
  struct buffer pcre; /* expression for PCRE2, compiled with the options in regex.c */
  size_t captures;    /* number of capturing parentheses so far */
  size_t copies;      /* number of operand copies that counted repetitions such as a{2} make */
  bool plain;         /* true if the expression consists of plain texts joined by | */
  struct buffer text; /* the plain texts, one after another */
  size_t needles;
  size_t needle_end[REGEX_NEEDLES_MAX]; /* for each plain text, the offset of its end in `text` */
};

/* The engine of PCRE2 that runs the expression. For REGEX_AUTOMATON, the translation puts repeated
 * parts in parentheses. */
enum regex_engine { REGEX_BACKTRACKING, REGEX_AUTOMATON };

/* Checks a pattern and translates it into *out. The caller frees *out with regex_translation_free,
 * also after an error. Returns PPROFC_E_INVALID, with Go's message, for a pattern that Go
 * refuses. */
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
  size_t at;      /* offset up to which the pattern is parsed */
  unsigned flags; /* flags (enum regex_flag) in effect */
  bool out_fold;  /* true if the following output ignores case */
  struct regex_translation *result;
  struct buffer *out; /* output for PCRE2: the field `pcre` of the result */
  struct regex_group *groups;
  /* Number of used entries and number of allocated entries of `groups`; groups[0] is the whole
   * expression. */
  size_t depth, capacity;
  pprofc_status status;
  pprofc_error *error;
};

/* Sets the error "error parsing regexp: <what>: `<pattern[from, to)>`" and returns false. */
bool regex_fail(struct regex_parser *parser, const char *what, size_t from, size_t to);

/* True if the rest of the pattern starts with `text`. */
bool regex_at(const struct regex_parser *parser, const char *text);

/* Reads the next code point of the pattern. Sets *code to U+FFFD at the end of the pattern. Returns
 * false for invalid UTF-8. */
bool regex_read(struct regex_parser *parser, int32_t *code);

/* True if pattern[from, to) is valid UTF-8. Otherwise sets an error. */
bool regex_check_utf8(struct regex_parser *parser, size_t from, size_t to);

/* Parses the escape of a single character, `\n` or `\x{1F600}`. */
bool regex_read_escape(struct regex_parser *parser, int32_t *code);

/* Parses a class `[...]` and writes it for PCRE2. */
bool regex_class(struct regex_parser *parser);

/* Parses `\d` or `\pL` and writes it as a class. Sets *found to true if the pattern has such an
 * escape at the current position. */
bool regex_class_escape(struct regex_parser *parser, bool *found);

/* The characters that \p{property} matches when case is ignored. `runs` lists all of them if
 * `whole` is true. Otherwise `runs` lists only the additions: characters without the property. */
struct regex_folded {
  const char *property;
  bool whole;
  const struct regex_fold_run { int32_t first, last; } * runs;
  size_t count;
};

/* Returns the characters that a property matches when case is ignored. Returns NULL if ignoring
 * case does not change the property. */
const struct regex_folded *regex_folded(const char *property);

#endif
