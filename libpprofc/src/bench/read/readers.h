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

/* A format. One that is a single JSON value sets `words`, `toolkit`, and `tree` or `list` and
 * `item`; any other sets `matches` and `read`. */
struct bench_reader {
  const char *name;
  /* True if `data` looks like this format. `data` is not empty, and begins after any byte order
   * mark and white space. */
  bool (*matches)(pprofc_str data);
  pprofc_status (*read)(const struct bench_source *source, pprofc_error *error);
  char first;           /* first byte of JSON in this format: '{' or '[' */
  const char *words[4]; /* words that JSON of this format contains; ends with NULL */
  const char *toolkit;  /* value for the configuration key "toolkit"; times are in seconds */
  void (*tree)(struct bench_sink *sink, const struct node *root);
  const char *list; /* name of the array in the root object that has the results */
  void (*item)(struct bench_sink *sink, const struct node *item); /* reads an item of the array */
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

/* Does the work of pprofc_bench_read for a mapped file. */
pprofc_status bench_read_map(struct pprofc_bench *set, const char *label, const char *path,
                             const struct bench_map *map, pprofc_error *error);

/* Reads lines of benchmark text inside a file of another format. Line numbers start at 1. */
pprofc_status bench_read_lines(const struct bench_source *source, pprofc_error *error);

/* Reads lines by the rules of benchstat before 2021, without messages. */
void bench_read_classic_lines(const struct bench_source *source);

struct criterion_tree {
  const char **paths; /* sorted paths of sample.json files; an arena owns them */
  size_t count, capacity;
};

/* Lists FOLDER/sample.json if it exists. Otherwise lists every .../new/sample.json below the
 * folder. The list may be empty. */
pprofc_status criterion_tree_find(struct arena *arena, const char *folder,
                                  struct criterion_tree *tree, pprofc_error *error);

/* Returns advice about a file that has no results. It says what the file is, and which file the
 * user should pass instead. Returns NULL if the file may have results. */
const char *foreign_advice(pprofc_str data);

/* Removes the next field and the white space after it from *rest. The rules are the same in all
 * versions of benchstat. */
pprofc_str bench_take_field(pprofc_str *rest);

/* Returns the length of the key in a line "key: value", and sets *value. Returns 0 for another
 * line. */
size_t bench_config_line(pprofc_str line, pprofc_str *value);

#endif
