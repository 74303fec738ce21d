/* JSON profiles: one parse, then the shapes of a table. A new shape is one file, one declaration
 * here and one row in json.c. */
#ifndef PPROFC_IMPORT_JSON_JSON_H
#define PPROFC_IMPORT_JSON_JSON_H

#include "core/json_tree.h"
#include "import/lines.h"
#include "profile/builder.h"

/* Reads a document of one shape. PPROFC_E_NO_MATCH when it has another; then nothing has been put
 * into the builder. The root is an object, or an array whose first item is one. Errors of the
 * builder are sticky: a reader need not check them. The arena lives until the profile is made. */
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

/* Numbers that are costs or times. A number in quotes is one, too; anything else, NaN too, is 0.
 * The builder fails for a number that does not fit 64 bits: counted as something else, it would
 * make all that is added up wrong. */

/* Rounded to an integer, which is kept as it is. */
int64_t json_cost(pprofc_builder *builder, const struct node *node);
/* Times 10^exponent, rounded: exact for decimals without an exponent of their own. */
int64_t json_scaled(pprofc_builder *builder, const struct node *node, int exponent);
/* Not rounded; `otherwise` for what is no number. */
double json_amount(pprofc_builder *builder, const struct node *node, double otherwise);
/* What was computed of amounts, rounded; `node` is the one to name. */
int64_t json_rounded(pprofc_builder *builder, const struct node *node, double value);

/* A member that is a number, rounded; `otherwise` when it is missing, does not fit or is something
 * else: for what is no cost. */
int64_t json_member_int(const struct node *object, const char *key, int64_t otherwise);
double json_member_number(const struct node *object, const char *key, double otherwise);

/* The text of a number or string, else an empty one. */
pprofc_str json_id(const struct node *node);

/* A member that is a line or a column, -1 when it is missing or cannot be one. */
int64_t json_member_line(const struct node *object, const char *key);

/* A frame of JavaScript: one without a name is "(anonymous FILE:LINE)", or "(anonymous)" where the
 * file is not known either. */
uint32_t json_script_frame(pprofc_builder *builder, pprofc_str name, pprofc_str file, int64_t line,
                           int64_t column);
uint32_t json_anonymous_frame(pprofc_builder *builder, pprofc_str file, int64_t shown_line,
                              int64_t line, int64_t column);

/* A frame of V8 ("callFrame"): function, file, line from 1. */
uint32_t json_v8_frame(pprofc_builder *builder, const struct node *node);

/* A label of the last sample, unless the text is empty. */
void json_label(pprofc_builder *builder, const char *key, pprofc_str text);

/* The index of a location with one line. */
uint32_t json_frame(pprofc_builder *builder, pprofc_str name, pprofc_str file, int64_t line,
                    int64_t column);

/* The same for a name that is no symbol of a compiler: nothing is demangled or shortened in it. */
uint32_t json_plain_frame(pprofc_builder *builder, pprofc_str name, pprofc_str file, int64_t line,
                          int64_t column);

#endif
