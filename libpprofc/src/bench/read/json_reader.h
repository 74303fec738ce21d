/* Functions that the readers of JSON formats share. */
#ifndef PPROFC_BENCH_READ_JSON_READER_H
#define PPROFC_BENCH_READ_JSON_READER_H

#include "bench/json_number.h"
#include "bench/names.h"
#include "bench/read/readers.h"

/* True when data begins with `first` and holds all of the words, which end with a NULL. */
bool json_looks_like(pprofc_str data, char first, const char *const *words);

/* Parses the source, hands the tree to `read`, and frees it. */
pprofc_status json_read_source(const struct bench_source *source,
                               void (*read)(struct bench_sink *sink, const struct node *root),
                               pprofc_error *error);

/* A name that is being made in the sink's encoding. Each function starts a name or appends to it.
 */
struct name_builder {
  struct buffer text;
};
void name_begin(struct name_builder *name, const struct bench_sink *sink, pprofc_str text,
                bool keep_slashes);
/* "/key=value" */
void name_parameter(struct name_builder *name, pprofc_str key, pprofc_str value);
/* The members of an object as parameters, scalars only. */
void name_parameters(struct name_builder *name, const struct node *object);
/* Out of memory in a name is an error of the sink. */
void name_end(struct name_builder *name, struct bench_sink *sink);

/* The exponent of a unit of time in seconds: ns, us, ms, s. False for another. */
bool time_exponent(pprofc_str unit, int *exponent);

#endif
