/* JSON profiles: one parse, then the shapes of a table. A new shape is one file, one declaration
 * here and one row in json.c. */
#ifndef PPROFC_IMPORT_JSON_JSON_H
#define PPROFC_IMPORT_JSON_JSON_H

#include "core/json_tree.h"
#include "profile/builder.h"

/* Reads a document of one shape. PPROFC_E_NO_MATCH when it has another; then nothing has been put
 * into the builder. Errors of the builder are sticky: a reader need not check them. The arena lives
 * until the profile is made. */
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

/* A finite number; 0 for any other node. */
double json_number(const struct node *node);

/* A member that is a number, rounded; `otherwise` when it is missing or something else. */
int64_t json_member_int(const struct node *object, const char *key, int64_t otherwise);
double json_member_number(const struct node *object, const char *key, double otherwise);

/* A frame of V8 ("callFrame"): function, file, line from 1. A function without a name is
 * "(anonymous)". */
uint32_t json_v8_frame(pprofc_builder *builder, const struct node *node);

/* The index of a location with one line. */
uint32_t json_frame(pprofc_builder *builder, pprofc_str name, pprofc_str file, int64_t line,
                    int64_t column);

#endif
