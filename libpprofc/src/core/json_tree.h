/* JSON as profilers and benchmark tools write it, read into a tree that keeps every number as it is
 * spelled.
 *
 * Why not Jansson: it drops bytes of a string without an error when memory runs out, and only
 * a process-wide allocator would notice, which belongs to the host program; it cannot use the
 * caller's allocator either. Google Benchmark writes bare NaN and raw bytes inside strings and lets
 * user counters repeat a key (the first one counts), and a time in microseconds is only exact when
 * its decimal exponent is shifted before it becomes a double. */
#ifndef PPROFC_CORE_JSON_TREE_H
#define PPROFC_CORE_JSON_TREE_H

#include "core/error.h"
#include "core/mem.h"
#include "core/str.h"

enum node_kind {
  NODE_NULL,
  NODE_FALSE,
  NODE_TRUE,
  NODE_NUMBER,
  NODE_STRING,
  NODE_ARRAY,
  NODE_OBJECT
};

struct node_items {
  size_t count;
  struct node *at[];
};

struct node {
  enum node_kind kind;
  uint32_t line;  /* where it begins, from 1 */
  pprofc_str key; /* inside an object */
  pprofc_str
      text; /* of a string, unescaped, or of a number, as spelled (NaN, Infinity, -Infinity too) */
  struct node *first;       /* of an array or object */
  struct node *next;        /* behind it in the same array or object */
  struct node_items *items; /* of an array that is not empty */
};

/* Parses one value and nothing behind it but blanks. Nodes and texts are the arena's, or views of
 * `data`; a byte of it takes at most JSON_TREE_BYTES. Errors name path (NULL: none), line and
 * column. Nesting is limited to 2048 levels. */
pprofc_status json_tree_parse(struct arena *arena, const char *path, pprofc_str data,
                              struct node **root, pprofc_error *error);

/* The same for a value that anything may follow. */
pprofc_status json_tree_parse_first(struct arena *arena, const char *path, pprofc_str data,
                                    struct node **root, pprofc_error *error);

/* The same for a file whose end may be missing. When `data` ends inside an array that is the value,
 * or a member of it, the error is returned, but *cut is true and *root has what was whole: the
 * items of that array but for the last one where the text ends inside it. */
pprofc_status json_tree_parse_cut(struct arena *arena, pprofc_str data, struct node **root,
                                  bool *cut, pprofc_error *error);

/* "1," becomes a node and a pointer to it. */
#define JSON_TREE_BYTES 40

/* A member of an object by name, the first one of several; NULL when there is none or `node` is
 * NULL or no object. node_path follows names that are separated by points. */
const struct node *node_find(const struct node *node, pprofc_str name);
const struct node *node_get(const struct node *node, const char *name);
const struct node *node_path(const struct node *node, const char *path);

/* The text of a string member, or an empty one. */
pprofc_str node_text(const struct node *node, const char *name);

/* A number that is spelled as an integer and fits. False for anything else, and for NULL. */
bool node_to_integer(const struct node *node, int64_t *value);
/* The same, but 0 for anything else. */
int64_t node_integer(const struct node *node);

/* False for NULL. */
bool node_is(const struct node *node, enum node_kind kind);

/* The length of an array; 0 for anything else. Item `i`, or NULL when there is none. */
size_t node_size(const struct node *array);
const struct node *node_at(const struct node *array, size_t i);

#endif
