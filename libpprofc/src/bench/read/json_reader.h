/* Declares the functions that readers of JSON formats share. */
#ifndef PPROFC_BENCH_READ_JSON_READER_H
#define PPROFC_BENCH_READ_JSON_READER_H

#include "bench/names.h"
#include "bench/read/readers.h"

/* Sets *value to the number in `node` times 10^exponent, correctly rounded from the decimal digits.
 * Returns false if the result is not finite, or if the node is NaN or Infinity, as a string or as a
 * bare word. `node` may be NULL. */
bool node_number(const struct node *node, int exponent, double *value);

/* Returns the value of a member if it is an integer of at least 0. Otherwise returns `otherwise`.
 */
int64_t node_count(const struct node *node, const char *name, int64_t otherwise);

/* Parses the source, and passes the JSON tree to the reader. */
pprofc_status json_read_source(const struct bench_source *source, const struct bench_reader *reader,
                               pprofc_error *error);

/* Adds a measurement to the last result: the number in `node` times 10^exponent. Adds nothing if
 * `node` is not a number. */
void json_add_value(struct bench_sink *sink, const struct node *node, int exponent,
                    pprofc_str unit);
/* Adds a measurement from a member that is a number. The unit of the measurement is the prefix,
 * followed by the encoded key. */
void json_add_member(struct bench_sink *sink, const struct node *member, pprofc_str prefix);

/* Builds the name of a benchmark in a buffer. Encodes characters that a name must not have. */
void name_begin(struct buffer *name, const struct bench_sink *sink, pprofc_str text,
                bool keep_slashes);
/* Appends "/key=value". */
void name_parameter(struct buffer *name, pprofc_str key, pprofc_str value);
/* Appends the members of an object that are scalars as parameters. */
void name_parameters(struct buffer *name, const struct node *object);
/* Frees the name. If memory ran out, reports this to the sink. */
void name_end(struct buffer *name, struct bench_sink *sink);

/* A unit of time. A value times 10^exponent times `factor` is in seconds. */
struct time_unit {
  const char *name;
  int exponent;
  double factor; /* additional factor; 1 if 10^exponent seconds are the unit */
};

/* Returns the unit named `name`, or NULL. */
const struct time_unit *time_unit_find(pprofc_str name);

#endif
