/* Projections map a result to a key, which is a short list of values. Examples of projections are
 * `.config`, `/size@num .name@alpha` and `.file@(old new)`. The projections of a command form a
 * group. If one projection of the group uses a part of a result, such as `/size`, then `.config`
 * and `.fullname` in the other projections do not contain this part. */
#ifndef PPROFC_BENCH_PROJECTION_H
#define PPROFC_BENCH_PROJECTION_H

#include "bench/set.h"
#include "regex/regex.h"

/* ---- tokens of filters and projections -------------- */

/* Splits the text of filters and projections into tokens. Formats messages about syntax errors. */

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

/* Takes the next token. A '/' begins a regular expression only if `value` is true. */
struct token query_take(struct query *query, bool value);

/* query_peek returns the next token and keeps it in the query. query_drop drops the next token. */
struct token query_peek(struct query *query);
void query_drop(struct query *query);

size_t query_offset(struct query *query);

/* Records an error: "syntax error: MESSAGE", then the query with a caret below `offset`. */
void query_fail(struct query *query, size_t offset, const char *format, ...) PPROFC_PRINTF(3, 4);

enum order { ORDER_FIRST, ORDER_ALPHA, ORDER_NUM, ORDER_FIXED };

/* A term in the text of a projection. `.config` becomes one field for each configuration key. */
struct projection_part {
  bool is_config;
  struct key key;
  enum order order;
  uint32_t *fixed; /* values in the fixed order that `@(v1 v2 ...)` gives */
  size_t fixed_count;
  uint32_t *field_of_key; /* for `.config`: the field of each configuration key, by the string index
                             of the key */
};

/* A field of a projection. It has one value in each key of the projection. */
struct field {
  pprofc_str name;
  uint32_t part;
  bool observed;   /* true if `ranks` stores the order of the first use of each value */
  uint32_t *ranks; /* for each value id, its rank in the order of first use, or MAP_NONE if it is
                      not used yet */
  size_t ranks_capacity, seen;
};

/* A key (short list of values): projection.values[first, first + count); further values are empty.
 */
struct key_row {
  size_t first;
  uint32_t count;
};

struct projection_group;

struct projection {
  struct projection_group *group;
  struct projection_part *parts;
  size_t part_count, part_capacity;
  struct field *fields;
  size_t field_count, field_capacity;
  uint32_t *row; /* values of the current result, one for each field */
  size_t row_capacity;
  struct key_row *keys;
  size_t key_count, key_capacity;
  uint32_t *values;
  size_t value_count, value_capacity;
  struct map key_map;
  /* name, configuration, input and key of the previous result, because the next result often has
   * the same key */
  uint32_t last_name, last_config, last_input, last_key;
};

struct projection_group {
  struct extractor *extractor;
  const pprofc_allocator *mem;
  pprofc_str *excluded; /* parts of results that the projections use, such as "/size" */
  size_t excluded_count, excluded_capacity;
  bool has_config, has_full_name;
  uint32_t *full_names; /* cache: for each name, the name without its excluded parts; NULL if
                           nothing is excluded */
  bool failed;          /* true if memory ran out */
};

void projection_group_init(struct projection_group *group, struct extractor *extractor);
void projection_group_free(struct projection_group *group);

/* Parses the text of one projection. The caller must parse all projections of a group before it
 * uses any of them. */
pprofc_status projection_parse(struct projection *projection, struct projection_group *group,
                               pprofc_str text, pprofc_error *error);

/* Creates the residue projection: `.config` and `.fullname`, unless the group already has them. */
pprofc_status projection_residue(struct projection *projection, struct projection_group *group,
                                 pprofc_error *error);
void projection_free(struct projection *projection);

/* True if the result has a listed value for every key that has a list `@(v1 v2 ...)`. */
bool projection_accepts(struct projection *projection, size_t result);

/* Returns the key of a result. Results with equal values have equal keys. */
uint32_t projection_key(struct projection *projection, size_t result);

/* Returns the value of a field in a key, as a string id. */
uint32_t projection_value(const struct projection *projection, uint32_t key, size_t field);

/* Stores the indices of the fields in the order in which keys are compared and shown. `out` has
 * space for field_count indices. */
void projection_flat(const struct projection *projection, size_t *out);

/* Compares two keys. Returns < 0, 0 or > 0. `flat` comes from projection_flat. */
int projection_compare(const struct projection *projection, const size_t *flat, uint32_t a,
                       uint32_t b);

/* Appends the nonempty values of a key, separated by spaces. */
void projection_label(const struct projection *projection, const size_t *flat, uint32_t key,
                      struct buffer *out);

#endif
