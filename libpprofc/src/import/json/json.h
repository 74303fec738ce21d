/* Declares the readers of JSON profiles. Each reader reads documents of one structure (shape).
 * json.c parses the document once, then tries all shapes. A new shape needs one file, one
 * declaration here and one row in json.c. */
#ifndef PPROFC_IMPORT_JSON_JSON_H
#define PPROFC_IMPORT_JSON_JSON_H

#include "core/json_tree.h"
#include "import/lines.h"
#include "import/names.h"

/* Suffix that pprofc adds to the name of the exporter in a speedscope file if the samples of the
 * file are in order of time. */
#define SPEEDSCOPE_TIMED " in order of time"

/* Suffix of the names of profiles with sums, whose samples have no order in time. */
#define SPEEDSCOPE_SUMS " (sums, not in time order)"

/* Declares a reader of one shape. The reader returns false for documents of other shapes. The root
 * is an object, or an array whose first item is an object. The builder keeps its first error, so
 * readers need not check for errors. The arena lives until the profile is made. */
#define JSON_SHAPE(name)                                                                           \
  bool name(const struct node *root, pprofc_builder *builder, struct arena *arena)

JSON_SHAPE(json_cpuprofile);
JSON_SHAPE(json_heapprofile);
JSON_SHAPE(json_speedscope);
JSON_SHAPE(json_dhat);
JSON_SHAPE(json_firefox);
JSON_SHAPE(json_gecko);
JSON_SHAPE(json_timeline);
JSON_SHAPE(json_trace);
JSON_SHAPE(json_stackprof);
JSON_SHAPE(json_safari);
JSON_SHAPE(json_haskell);
JSON_SHAPE(json_pyinstrument);
JSON_SHAPE(json_pyinstrument_session);
JSON_SHAPE(json_scalene);
JSON_SHAPE(json_gprof2dot);

/* Reads a V8 log from its text. Returns false for other documents and for invalid JSON. */
bool json_v8_log(pprofc_str text, pprofc_builder *builder, struct arena *arena);

/* Buffer for the frames of one stack, leaf first. The buffer grows to the longest list of frames in
 * the file. The builder refuses stacks that are deeper than the limit. */
struct json_stack {
  struct arena *arena;
  uint32_t *frames;
  size_t room;
};

/* Makes room for `depth` frames. When out of memory, makes the builder fail and returns false. */
bool json_stack_reserve(struct json_stack *stack, pprofc_builder *builder, size_t depth);

/* Functions for numbers that are costs or times. A number in quotes counts as a number. NaN and all
 * other values count as 0. If a number does not fit 64 bits, sums would be wrong, so the builder
 * fails. */

/* Returns a number, rounded to an integer. The result is exact for integers. */
int64_t json_cost(pprofc_builder *builder, const struct node *node);
/* Returns a number times 10^exponent, rounded. The result is exact for decimals without an
 * exponent. */
int64_t json_scaled(pprofc_builder *builder, const struct node *node, int exponent);
/* Returns a number without rounding, or `otherwise` if the node is not a number. */
double json_amount(pprofc_builder *builder, const struct node *node, double otherwise);
/* Rounds a value that was computed from a number. Error messages name `node`, which contains this
 * number. */
int64_t json_rounded(pprofc_builder *builder, const struct node *node, double value);

/* These functions return a numeric member that is not a cost; json_member_int rounds the number.
 * They return `otherwise` if the member is missing, is not a number or is out of range. */
int64_t json_member_int(const struct node *object, const char *key, int64_t otherwise);
double json_member_number(const struct node *object, const char *key, double otherwise);

/* Releases the memory with the text of a packed array's first `count` items (core/json_tree.h).
 * The caller must not read these items again. Does nothing for an array that is not packed. Call
 * this function only after the reader has recognised the shape of the file. */
void json_drop(const struct node *array, size_t count);

/* Returns the text of a number or string, else "". */
pprofc_str json_id(const struct node *node);

/* Reads an index: an integer that is not negative. */
bool json_index(const struct node *node, size_t *index);

/* Adds the sample types "samples" and "wall". `interval` is the sampling interval in
 * nanoseconds. */
void json_wall_types(pprofc_builder *builder, int64_t interval);

/* Returns a member that is a line or a column; -1 if it is missing or out of range. */
int64_t json_member_line(const struct node *object, const char *key);

/* Adds a location for a JavaScript frame and returns its index. import_script_name names a function
 * without a name. */
uint32_t json_script_frame(pprofc_builder *builder, pprofc_str name, pprofc_str file, int64_t line,
                           int64_t column);

/* Returns the location of the member "callFrame" of a V8 node: function, file, and line. */
uint32_t json_v8_frame(pprofc_builder *builder, const struct node *node);

/* Appends a value as JavaScript's JSON.stringify writes it: without spaces, with members in the
 * order of the file. */
void json_stringify(struct buffer *out, const struct node *value);

/* Adds a location with one line and returns its index. */
uint32_t json_frame(pprofc_builder *builder, pprofc_str name, pprofc_str file, int64_t line,
                    int64_t column);

/* Adds a location with one line, whose function name is shown unchanged: not demangled and not
 * shortened. Returns its index. */
uint32_t json_plain_frame(pprofc_builder *builder, pprofc_str name, pprofc_str file, int64_t line,
                          int64_t column);

#endif
