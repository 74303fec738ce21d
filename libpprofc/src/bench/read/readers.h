/* Declares the formats of benchmark results and the functions that detect them. */
#ifndef PPROFC_BENCH_READ_READERS_H
#define PPROFC_BENCH_READ_READERS_H

#include "bench/set.h"
#include "core/format_row.h"
#include "core/json_tree.h"

/* Input of a reader, and the sink that receives its results. */
struct bench_source {
  struct bench_sink *sink;
  pprofc_str data;
  const char *path; /* path for errors: "PATH:LINE: text" */
  bool mapped; /* true if data is a mapped file; the reader can then release pages that it no longer
                  needs */
};

/* A format. A format that is a single JSON value sets the fields `words`, `toolkit`, and either
 * `tree` or both `list` and `item`. Any other format sets `matches` and `read`. */
struct bench_reader {
  const char *name;
  /* True if `data` looks like this format. `data` is not empty, and begins after any byte order
   * mark and white space. */
  bool (*matches)(pprofc_str data);
  pprofc_status (*read)(const struct bench_source *source, pprofc_error *error);
  char first;           /* first byte of JSON in this format: '{' or '[' */
  const char *words[4]; /* words that JSON of this format contains; ends with NULL */
  const char *toolkit;  /* value of the configuration key "toolkit" of the results */
  void (*tree)(struct bench_sink *sink, const struct node *root);
  const char *list; /* name of the array in the root object that has the results */
  /* reads an element of the array `list` */
  void (*item)(struct bench_sink *sink, const struct node *item);
  bool one_process; /* true if a file always has the results of exactly one process */
};

/* True if data begins with `first` and contains all words. `words` ends with NULL. */
bool json_has_words(pprofc_str data, char first, const char *const *words);

/* descriptions of the formats; the table ends with a row that has no name */
extern const struct format_row bench_format_table[];

extern const struct bench_reader bench_reader_text, bench_reader_test2json, bench_reader_gbench,
    bench_reader_hyperfine, bench_reader_pytest, bench_reader_jmh, bench_reader_criterion,
    bench_reader_csv, bench_reader_codspeed;

/* A mapped file. A reader can release pages that it no longer needs. */
struct bench_map {
  const void *data;
  size_t size;
};

/* Maps a regular file of at least 8 MiB. Returns false for any other file. */
bool bench_map_file(int fd, struct bench_map *map);
void bench_unmap(struct bench_map *map);

/* Does the work of pprofc_bench_read. `mapped` is true if the reader may release pages. */
pprofc_status bench_read_map(struct pprofc_bench *set, const char *label, const char *path,
                             const struct bench_map *map, bool mapped, pprofc_error *error);

/* Reads a file, or all samples in a folder of criterion. The samples get the label `label`. */
pprofc_status bench_read_path(struct pprofc_bench *set, const char *label, const char *path,
                              pprofc_error *error);

/* Reads benchmark text. Line numbers start at 1. */
pprofc_status bench_read_lines(const struct bench_source *source, pprofc_error *error);

struct criterion_tree {
  const char **paths; /* sorted paths of sample.json files; an arena owns them */
  size_t count, capacity;
};

/* Lists FOLDER/sample.json if it exists. Otherwise lists every .../new/sample.json below the
 * folder. The list may be empty. */
pprofc_status criterion_tree_find(struct arena *arena, const char *folder,
                                  struct criterion_tree *tree, pprofc_error *error);
/* Finds the folder with all results of the criterion process that wrote `path`
 * (.../new/sample.json). Sets *home to the length of the folder's name in `path`. Sets *home to 0
 * if benchmark.json does not show the folder. */
pprofc_status criterion_tree_home(const pprofc_allocator *mem, const char *path, size_t *home,
                                  pprofc_error *error);

/* ---- readers of JSON -------------------------------- */

/* Sets *value to the number in `node` times 10^exponent, correctly rounded from the decimal digits.
 * Returns false if the result is not finite, or if the node is NaN or Infinity, as a string or as a
 * word without quotes. `node` may be NULL. */
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
 * followed by the encoded key of the member. */
void json_add_member(struct bench_sink *sink, const struct node *member, pprofc_str prefix);

/* Initialises a buffer and begins the name of a benchmark in it. Encodes characters that a name
 * must not have (name_encode). */
void name_begin(struct buffer *name, const struct bench_sink *sink, pprofc_str text,
                bool keep_slashes);
/* Appends "/key=value". */
void name_parameter(struct buffer *name, pprofc_str key, pprofc_str value);
/* Appends each scalar member of an object as "/key=value". */
void name_parameters(struct buffer *name, const struct node *object);
/* Frees the name. If memory ran out, reports this to the sink. */
void name_end(struct buffer *name, struct bench_sink *sink);

/* A unit of time. A value times 10^exponent times `factor` is in seconds. */
struct time_unit {
  const char *name;
  int exponent;
  double factor;
};

const struct time_unit *time_unit_find(pprofc_str name);

#endif
