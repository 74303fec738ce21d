/* Parses JSON of profilers and benchmark tools into a tree that keeps every number as spelled.
 * An item is an element of an array or a member of an object.
 *
 * The library does not use Jansson, for these reasons. When an allocation fails, Jansson can drop
 * bytes of a string without an error. Of 5,066 failed allocations in 25 small documents, 20 changed
 * data and 2 crashed the program (Jansson 2.14). Jansson has one allocator for the whole process,
 * so it cannot use the caller's. It rejects the bare NaN and the raw bytes that Google Benchmark
 * writes. It keeps the last of several equal keys, but the first is needed. It converts numbers to
 * double, which rounds times before their unit is converted. */
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

struct node_packed;

struct node {
  enum node_kind kind;
  uint32_t line;      /* line where the value begins, counted from 1 */
  pprofc_str key;     /* name, if the value is a member of an object; otherwise empty */
  pprofc_str text;    /* string: text with its escapes resolved; number: text as spelled (even
                         "NaN", "-Infinity"); array or object: text of size 0 that points to its
                         first byte */
  struct node *first; /* first item of an array or object; NULL for a packed array */
  struct node *next;  /* next item of the same array or object */
  union {
    struct node_items *items;   /* items of a non-empty array */
    struct node_packed *packed; /* data of a packed array, whose `text` is the text between the
                                   brackets; NULL for other nodes */
  };
};

/* A packed array: an array of numbers and words, or an array of rows (arrays of numbers and words).
 * The array is kept as text to save memory. node_at makes a node of one item at a time. */
struct node_packed {
  size_t count;    /* number of items; in `row`, 0 until the items are counted */
  uint32_t *marks; /* positions of items in the text: of all items if the items are rows (arrays);
                      if not, of item 0 and of each NODE_PACKED_EVERYth item after it */
  size_t next;     /* index of the item after `item` */
  const char *at;
  struct node item;
  struct node_packed *row; /* if the items are rows: buffer for the row that node_at reads; else
                              NULL */
};

#define NODE_PACKED_EVERY 32u

/* Parses one value. Only white space may follow it. Nodes and texts are in the arena or point into
 * `data`. Errors name line and column, and the path if it is not NULL. At most 2048 levels may be
 * nested. */
pprofc_status json_tree_parse(struct arena *arena, const char *path, pprofc_str data,
                              struct node **root, pprofc_error *error);

/* Reads a file of at most `most` bytes, and parses its text like json_tree_parse. */
pprofc_status json_tree_read(struct arena *arena, const char *path, size_t most, struct node **root,
                             pprofc_error *error);

/* Parses like json_tree_parse, but for a large file that may be truncated. Packs arrays of numbers.
 * If `data` ends inside an array, returns the error, sets *cut to true, and keeps the complete
 * items of that array. The array must be the whole value or a member of the outermost object. */
pprofc_status json_tree_parse_cut(struct arena *arena, pprofc_str data, struct node **root,
                                  bool *cut, pprofc_error *error);

/* node_find returns the first member of an object with a certain name. node_path follows several
 * names separated by points. Both return NULL if the member is missing. They also return NULL if
 * `node` is NULL or not an object. */
const struct node *node_find(const struct node *node, pprofc_str name);
const struct node *node_get(const struct node *node, const char *name);
const struct node *node_path(const struct node *node, const char *path);

/* Returns the text of a member that is a string. Otherwise returns an empty text. */
pprofc_str node_text(const struct node *node, const char *name);

/* Reads a number that is spelled as an integer and fits into int64_t. Returns false for any other
 * node, and for NULL. */
bool node_to_integer(const struct node *node, int64_t *value);
/* Returns the number that node_to_integer reads, or 0 if the node is not an integer. */
int64_t node_integer(const struct node *node);

/* True for a JSON number. Also accepts leading zeros, a point at the end ("1.") and a point after
 * the minus sign ("-.5"). Rejects a point at the start (".5"). */
bool json_is_number(pprofc_str s);

/* True if the node has this type. Returns false for NULL. */
bool node_is(const struct node *node, enum node_kind kind);

/* node_size returns the length of an array. It returns 0 for any other node. node_at returns item
 * `i`, or NULL if there is no such item. An item of a packed array is valid until the next node_at
 * of this array. Reading all items in order takes linear time. Reading any single item takes
 * constant time. */
size_t node_size(const struct node *array);
const struct node *node_at(const struct node *array, size_t i);

#endif
