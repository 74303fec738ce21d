/* Functions that the JSON readers share. */
#ifndef PPROFC_BENCH_READ_JSON_READER_H
#define PPROFC_BENCH_READ_JSON_READER_H

#include "bench/json_number.h"
#include "bench/names.h"
#include "bench/read/readers.h"

/* True if data begins with `first` and contains all words; `words` ends with NULL. */
bool json_has_words(pprofc_str data, char first, const char *const *words);

/* Parses the source, passes the tree to `read`, and frees it. */
pprofc_status json_read_source(const struct bench_source *source,
                               void (*read)(struct bench_sink *sink, const struct node *root),
                               pprofc_error *error);

/* Builder of a name in the sink's encoding. Each function starts a name or appends to it. */
struct name_builder {
  struct buffer text;
};
void name_begin(struct name_builder *name, const struct bench_sink *sink, pprofc_str text,
                bool keep_slashes);
/* Appends "/key=value". */
void name_parameter(struct name_builder *name, pprofc_str key, pprofc_str value);
/* Appends the scalar members of an object as parameters. */
void name_parameters(struct name_builder *name, const struct node *object);
/* Frees the name and reports out of memory to the sink. */
void name_end(struct name_builder *name, struct bench_sink *sink);

/* Returns the power of ten of a time unit in seconds: ns, us, ms, s. False for other units. */
bool time_exponent(pprofc_str unit, int *exponent);

#endif
