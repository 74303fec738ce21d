/* JSON as benchmark tools write it, read into a tree that keeps every number as it is spelled.
 *
 * Why not a general library: Google Benchmark writes bare NaN and raw bytes inside strings and lets
 * user counters repeat a key (the first one counts), and a time in microseconds is only exact when
 * its decimal exponent is shifted before it becomes a double. */
#ifndef PPROFC_BENCH_JSON_TREE_H
#define PPROFC_BENCH_JSON_TREE_H

#include "base/error.h"
#include "base/mem.h"
#include "base/str.h"

enum node_kind {
  NODE_NULL,
  NODE_FALSE,
  NODE_TRUE,
  NODE_NUMBER,
  NODE_STRING,
  NODE_ARRAY,
  NODE_OBJECT
};

struct node {
  enum node_kind kind;
  uint32_t line;  /* where it begins, from 1 */
  pprofc_str key; /* inside an object */
  pprofc_str
      text; /* of a string, unescaped, or of a number, as spelled (NaN, Infinity, -Infinity too) */
  struct node *first; /* of an array or object */
  struct node *next;  /* behind it in the same array or object */
};

/* Parses one value and nothing behind it but blanks. Nodes and texts are the arena's, or views of
 * `data`. Errors name path, line and column. Nesting is limited to 256 levels. */
pprofc_status json_tree_parse(struct arena *arena, const char *path, pprofc_str data,
                              struct node **root, pprofc_error *error);

/* A member of an object by name, the first one of several; NULL when there is none or `node` is
 * NULL or no object. node_path looks along names that are separated by points. */
const struct node *node_get(const struct node *node, const char *name);
const struct node *node_path(const struct node *node, const char *path);

/* The text of a string member, or an empty one. */
pprofc_str node_text(const struct node *node, const char *name);

/* A number times a power of ten, correctly rounded from its decimal digits. False for what is no
 * finite number; NaN and infinities that JSON spells as strings or bare words are not. `node` may
 * be NULL. */
bool node_number(const struct node *node, int exponent, double *value);

/* A member that is a whole number of at least 0, else `otherwise`. */
int64_t node_count(const struct node *node, const char *name, int64_t otherwise);

#endif
