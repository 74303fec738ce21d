/* Declares the functions that readers of JSON formats share. */
#ifndef PPROFC_BENCH_READ_JSON_READER_H
#define PPROFC_BENCH_READ_JSON_READER_H

#include "bench/names.h"
#include "bench/read/readers.h"

/* Sets *value to the number in `node` times 10^`exponent`, rounded correctly from its decimal
 * digits. Returns false if the result is not finite, or if the node is the string or bare word NaN
 * or Infinity. `node` may be NULL. */
bool node_number(const struct node *node, int exponent, double *value);

/* Returns the value of a member that is an integer of at least 0; else `otherwise`. */
int64_t node_count(const struct node *node, const char *name, int64_t otherwise);

/* Parses the source and passes the tree to the reader. */
pprofc_status json_read_source(const struct bench_source *source, const struct bench_reader *reader,
                               pprofc_error *error);

/* Adds a measurement of `node` times 10^exponent to the last result, if `node` is a number. */
void json_add_value(struct bench_sink *sink, const struct node *node, int exponent,
                    pprofc_str unit);
/* Adds a measurement of a member that is a number. The unit of the measurement is the prefix
 * followed by the encoded key. */
void json_add_member(struct bench_sink *sink, const struct node *member, pprofc_str prefix);

/* Builder of a benchmark name. Each function starts the name or appends to it, and encodes
 * characters that a name must not contain. */
struct name_builder {
  struct buffer text;
};
void name_begin(struct name_builder *name, const struct bench_sink *sink, pprofc_str text,
                bool keep_slashes);
/* Appends "/key=value". */
void name_parameter(struct name_builder *name, pprofc_str key, pprofc_str value);
/* Appends the scalar members of an object as parameters. */
void name_parameters(struct name_builder *name, const struct node *object);
/* Frees the name. Reports to the sink if memory ran out. */
void name_end(struct name_builder *name, struct bench_sink *sink);

/* A unit of time. A value times 10^exponent times factor is in seconds. */
struct time_unit {
  const char *name;
  int exponent;
  double factor; /* factor to multiply by, in addition to 10^exponent; 1 if the unit is a power of
                    ten seconds */
};

/* Returns the unit with this name, or NULL. */
const struct time_unit *time_unit_find(pprofc_str name);

#endif
