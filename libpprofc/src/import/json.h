/* JSON profiles: one parse, then the shapes that are known. */
#ifndef PPROFC_IMPORT_JSON_H
#define PPROFC_IMPORT_JSON_H

#ifdef HAVE_JANSSON

#include "base/error.h"
#include "base/str.h"
#include "model/builder.h"

#include <jansson.h>

/* Reads a document of one shape. PPROFC_E_NO_MATCH when it has another; then nothing has been put
 * into the builder. Errors of the builder are sticky and need not be looked at. */
typedef pprofc_status (*json_shape_fn)(const json_t *root, pprofc_builder *builder,
                                       pprofc_error *error);

pprofc_status json_cpuprofile(const json_t *root, pprofc_builder *builder, pprofc_error *error);
pprofc_status json_heapprofile(const json_t *root, pprofc_builder *builder, pprofc_error *error);
pprofc_status json_speedscope(const json_t *root, pprofc_builder *builder, pprofc_error *error);
pprofc_status json_dhat(const json_t *root, pprofc_builder *builder, pprofc_error *error);
pprofc_status json_firefox(const json_t *root, pprofc_builder *builder, pprofc_error *error);

/* A member that is a string, as a view; empty when it is missing or something else. */
pprofc_str json_member_str(const json_t *object, const char *key);
/* A member that is a number, rounded; `otherwise` when it is missing or something else. */
int64_t json_member_int(const json_t *object, const char *key, int64_t otherwise);
double json_member_number(const json_t *object, const char *key, double otherwise);

/* A frame of V8 ("callFrame"): function, file, line from 1. Names of functions without one say so.
 */
uint32_t json_v8_frame(pprofc_builder *builder, const json_t *node);

/* The index of a location with one line. */
uint32_t json_frame(pprofc_builder *builder, pprofc_str name, pprofc_str file, int64_t line,
                    int64_t column);

#endif
#endif
