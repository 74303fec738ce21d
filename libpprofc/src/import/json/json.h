/* Declares the readers of JSON profiles. Each reader reads documents of one structure (shape).
 * json.c parses the document once, then tries all shapes. A new shape needs one file, one
 * declaration here and one row in json.c. */
#ifndef PPROFC_IMPORT_JSON_JSON_H
#define PPROFC_IMPORT_JSON_JSON_H

#include "core/json_tree.h"
#include "import/reader.h"

/* Suffix that pprofc adds to the exporter's name in a speedscope file whose samples are in order of
 * time. */
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
uint32_t json_plain_frame(pprofc_builder *builder, pprofc_str name, pprofc_str file, int64_t line);

/* Tree of frames that JSON profiles list by id. Each frame has one caller. */

/* Kind of a node. CALL_FRAME means that the node is a frame. */
enum call_kind {
  CALL_FRAME,
  CALL_OUTSIDE, /* node such as V8's (root) and (idle): the node and its callers are not frames */
  CALL_ON_TOP   /* node such as V8's (program) and (garbage collector): the node runs as a callee of
                   the previous sample's stack */
};

struct call_node {
  pprofc_str id;
  const struct node *json;
  uint32_t parent; /* index of the caller's node; MAP_NONE: no caller */
  uint32_t location;
  uint32_t seen; /* in the search for loops: id of the walk that reached the node first, or 0 */
  uint32_t path; /* call path of the node; MAP_NONE if the path has no frames */
  enum call_kind kind;
};

struct json_call_tree {
  struct arena *arena;
  pprofc_builder *builder;
  struct call_node *nodes;
  size_t count, room;
  struct map by_id; /* hash table of the nodes, keyed by the text of their ids */
};

void call_tree_init(struct json_call_tree *tree, struct arena *arena, pprofc_builder *builder);
void call_tree_free(struct json_call_tree *tree);

/* Appends a node without a caller and returns its index. When out of memory, makes the builder fail
 * and returns MAP_NONE. */
uint32_t call_tree_add(struct json_call_tree *tree, pprofc_str id, const struct node *json,
                       uint32_t location, enum call_kind kind);

/* Returns the index of the first node with this id, or MAP_NONE. The id may be a number or a
 * string. */
uint32_t call_tree_find(const struct json_call_tree *tree, const struct node *id);

/* Makes the call paths of all nodes. In an invalid file a node may be its own ancestor. The last
 * node of such a loop becomes a root, and a comment in the profile gives the number of loops. */
void call_tree_make_paths(struct json_call_tree *tree, struct call_paths *paths);

/* A visited node of a tree whose nodes contain their callees. */
struct json_visit {
  const struct node *node;
  uint32_t path;
};

/* Visited nodes, callers before callees. */
struct json_visits {
  struct arena *arena;
  struct call_paths paths;
  struct json_visit *items;
  size_t count, room;
};

void json_visits_init(struct json_visits *visits, struct arena *arena, pprofc_builder *builder);
void json_visits_free(struct json_visits *visits);
void json_visit(struct json_visits *visits, const struct node *node, uint32_t path);

/* Function that adds labels to the last sample. */
typedef void (*call_label_fn)(pprofc_builder *builder, const void *context);

/* ---- V8's CPU profiles ------------------------------ */

/* A recording of V8: its nodes and samples. In a trace, several events contain parts of the same
 * recording. */
struct v8_recording {
  struct json_call_tree tree;
  struct call_paths paths;
  struct interner ids;
  uint32_t *node_of; /* for each id: index of the node with this id, or MAP_NONE */
  uint32_t *samples; /* for each sample: index in `ids` of its node's id, or MAP_NONE if the sample
                        has no id */
  size_t sample_count, sample_room;
  int64_t *deltas; /* for each sample: time since the previous sample, in nanoseconds */
  size_t delta_count, delta_room;
  uint32_t track; /* track (thread) to which the times of the samples are added */
  int64_t start;  /* start time of the recording in nanoseconds, on the clock of the trace */
};

/* Counts of samples, summed over the recordings of a file. */
struct v8_counts {
  /* Number of samples that were read, and number of samples whose node is not in the file. */
  uint64_t read, missing;
  uint64_t idle;     /* number of samples taken while the program did not run */
  uint64_t untimed;  /* number of samples without a time */
  int64_t idle_time; /* time while the program did not run, in nanoseconds */
};

void v8_init(struct v8_recording *recording, struct arena *arena, pprofc_builder *builder);
void v8_free(struct v8_recording *recording);

/* These functions append nodes, samples or time deltas to a recording. A missing array (NULL)
 * counts as empty. */
void v8_add_nodes(struct v8_recording *recording, const struct node *nodes);
void v8_add_samples(struct v8_recording *recording, const struct node *samples);
void v8_add_deltas(struct v8_recording *recording, const struct node *deltas);

/* Adds the recording's samples to the profile and counts them. Calls `label`, unless it is NULL, to
 * add labels to each sample. */
void v8_finish(struct v8_recording *recording, call_label_fn label, const void *context,
               struct v8_counts *counts);

/* Adds comments to the profile about skipped samples and idle time. */
void v8_account(pprofc_builder *builder, const struct v8_counts *counts);

#endif
