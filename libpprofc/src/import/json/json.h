/* JSON profiles: the document is parsed once, then the shapes of a table are tried. A new
 * shape needs one file, one declaration here and one row in json.c. */
#ifndef PPROFC_IMPORT_JSON_JSON_H
#define PPROFC_IMPORT_JSON_JSON_H

#include "core/json_tree.h"
#include "import/lines.h"
#include "profile/builder.h"

/* Reads a document of one shape. Returns PPROFC_E_NO_MATCH for other shapes, and then leaves
 * the builder unchanged. The root is an object, or an array whose first item is an object. The
 * builder's errors are sticky, so readers need not check them. The arena lives until the
 * profile is made. */
typedef pprofc_status (*json_shape_fn)(const struct node *root, pprofc_builder *builder,
                                       struct arena *arena, pprofc_error *error);

pprofc_status json_cpuprofile(const struct node *root, pprofc_builder *builder, struct arena *arena,
                              pprofc_error *error);
pprofc_status json_heapprofile(const struct node *root, pprofc_builder *builder,
                               struct arena *arena, pprofc_error *error);
pprofc_status json_speedscope(const struct node *root, pprofc_builder *builder, struct arena *arena,
                              pprofc_error *error);
pprofc_status json_dhat(const struct node *root, pprofc_builder *builder, struct arena *arena,
                        pprofc_error *error);
pprofc_status json_firefox(const struct node *root, pprofc_builder *builder, struct arena *arena,
                           pprofc_error *error);

pprofc_status json_gecko(const struct node *root, pprofc_builder *builder, struct arena *arena,
                         pprofc_error *error);
pprofc_status json_timeline(const struct node *root, pprofc_builder *builder, struct arena *arena,
                            pprofc_error *error);
pprofc_status json_trace(const struct node *root, pprofc_builder *builder, struct arena *arena,
                         pprofc_error *error);
pprofc_status json_v8_log(const struct node *root, pprofc_builder *builder, struct arena *arena,
                          pprofc_error *error);
pprofc_status json_stackprof(const struct node *root, pprofc_builder *builder, struct arena *arena,
                             pprofc_error *error);
pprofc_status json_safari(const struct node *root, pprofc_builder *builder, struct arena *arena,
                          pprofc_error *error);
pprofc_status json_haskell(const struct node *root, pprofc_builder *builder, struct arena *arena,
                           pprofc_error *error);

/* The frames of one list, leaf first. Its room grows with the longest list; a stack deeper than the
 * limit is refused when it becomes a sample. */
struct json_stack {
  struct arena *arena;
  uint32_t *frames;
  size_t room;
};

/* Makes room for `depth` frames; false when out of memory, which is the builder's error. */
bool json_stack_reserve(struct json_stack *stack, pprofc_builder *builder, size_t depth);

/* Functions for numbers that are costs or times. A number in quotes counts as a number; NaN
 * and anything else is 0. The builder fails if a number does not fit 64 bits, because the sums
 * would be wrong. */

/* Returns a number, rounded to an integer. Integers are exact. */
int64_t json_cost(pprofc_builder *builder, const struct node *node);
/* Returns a number times 10^exponent, rounded. The result is exact for decimals without an
 * exponent. */
int64_t json_scaled(pprofc_builder *builder, const struct node *node, int exponent);
/* Returns a number without rounding, or `otherwise` if the node is not a number. */
double json_amount(pprofc_builder *builder, const struct node *node, double otherwise);
/* Rounds a value computed from amounts. Error messages name `node`. */
int64_t json_rounded(pprofc_builder *builder, const struct node *node, double value);

/* Returns a numeric member that is not a cost, rounded; `otherwise` if it is missing, does not
 * fit or is not a number. */
int64_t json_member_int(const struct node *object, const char *key, int64_t otherwise);
double json_member_number(const struct node *object, const char *key, double otherwise);

/* Returns the text of a number or string, else "". */
pprofc_str json_id(const struct node *node);

/* Returns a member that is a line or a column; -1 if it is missing or out of range. */
int64_t json_member_line(const struct node *object, const char *key);

/* Adds a JavaScript frame. A frame without a name becomes "(anonymous FILE:LINE)", or
 * "(anonymous)" if the file is unknown. */
uint32_t json_script_frame(pprofc_builder *builder, pprofc_str name, pprofc_str file, int64_t line,
                           int64_t column);
uint32_t json_anonymous_frame(pprofc_builder *builder, pprofc_str file, int64_t shown_line,
                              int64_t line, int64_t column);

/* Returns the frame of a V8 "callFrame": function, file, and line from 1. */
uint32_t json_v8_frame(pprofc_builder *builder, const struct node *node);

/* Adds a label to the last sample, unless the text is empty. */
void json_label(pprofc_builder *builder, const char *key, pprofc_str text);

/* Returns the index of a location with one line. */
uint32_t json_frame(pprofc_builder *builder, pprofc_str name, pprofc_str file, int64_t line,
                    int64_t column);

/* Returns the index of a location with one line, for a name that must not be demangled or
 * shortened. */
uint32_t json_plain_frame(pprofc_builder *builder, pprofc_str name, pprofc_str file, int64_t line,
                          int64_t column);

#endif
