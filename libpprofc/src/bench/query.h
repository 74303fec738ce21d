/* Splits the text of filters and projections into tokens. Formats syntax errors in the text. */
#ifndef PPROFC_BENCH_QUERY_H
#define PPROFC_BENCH_QUERY_H

#include "core/buffer.h"
#include "core/error.h"
#include "regex/regex.h"

/* Types of tokens. The type of an operator is its character. The other types are below. */
enum {
  TOKEN_END = 0,
  TOKEN_AND = 'A',
  TOKEN_OR = 'O',
  TOKEN_WORD = 'w',
  TOKEN_QUOTED = 'q',
  TOKEN_REGEX = 'r'
};

struct token {
  char kind;
  size_t offset;       /* offset of the token in the query, in bytes */
  pprofc_str text;     /* text of the token without its quotes or slashes */
  struct regex *regex; /* compiled regular expression, or NULL; the caller of query_take frees it */
};

struct query {
  pprofc_str text;
  size_t position;
  struct arena *arena; /* memory for words whose quotes were removed */
  bool failed;         /* true after an error; `error` is the first error */
  pprofc_status status;
  pprofc_error *error;
};

/* Starts a query. `text` and the arena must outlive the tokens. */
void query_init(struct query *query, pprofc_str text, struct arena *arena, pprofc_error *error);

/* Takes the next token of the query. Accepts a regular expression only if `value` is true. */
struct token query_take(struct query *query, bool value);

/* query_peek returns the next token and keeps it in the query. query_drop drops the next token. */
struct token query_peek(struct query *query);
void query_drop(struct query *query);

/* Returns the offset of the next token in the query. */
size_t query_offset(struct query *query);

/* Records an error: "syntax error: MESSAGE", then the query with a caret below `offset`. */
void query_fail(struct query *query, size_t offset, const char *format, ...) PPROFC_PRINTF(3, 4);

#endif
