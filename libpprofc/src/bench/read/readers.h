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
  bool mapped;      /* true if data is a mapped file; the reader can then release pages that it has
                       read */
};

/* A format. A format that is one JSON value has `words`, `toolkit` and `tree`. Any other format has
 * `matches` and `read`. */
struct bench_reader {
  const char *name;
  /* True if `data` looks like this format. `data` is not empty and starts without BOM and white
   * space. */
  bool (*matches)(pprofc_str data);
  pprofc_status (*read)(const struct bench_source *source, pprofc_error *error);
  char first;           /* first byte of JSON in this format: '{' or '[' */
  const char *words[4]; /* words that JSON of this format contains, then NULL */
  const char *toolkit;  /* value of the configuration key "toolkit"; times are in seconds */
  void (*tree)(struct bench_sink *sink, const struct node *root);
  bool one_process; /* true if each file has the results of one process */
};

/* True if data begins with `first` and contains all words; `words` ends with NULL. */
bool json_has_words(pprofc_str data, char first, const char *const *words);

/* Descriptions of the formats. A row without a name ends the table. */
extern const struct format_row bench_format_table[];

extern const struct bench_reader bench_reader_text, bench_reader_test2json, bench_reader_gbench,
    bench_reader_hyperfine, bench_reader_pytest, bench_reader_jmh, bench_reader_criterion,
    bench_reader_csv, bench_reader_codspeed;

/* A mapped file. A reader can release pages that it has read. */
struct bench_map {
  const void *data;
  size_t size;
};

/* Maps a regular file of at least 8 MiB. Returns false for any other file. */
bool bench_map_file(int fd, struct bench_map *map);
void bench_unmap(struct bench_map *map);

/* Implements pprofc_bench_read for a mapped file. */
pprofc_status bench_read_map(struct pprofc_bench *set, const char *label, const char *path,
                             const struct bench_map *map, pprofc_error *error);

/* Reads lines of benchmark text that a file of another format contains. Line numbers start at 1. */
pprofc_status bench_read_lines(const struct bench_source *source, pprofc_error *error);

/* Reads lines by the rules of benchstat before 2021, without messages. */
void bench_read_classic_lines(const struct bench_source *source);

struct criterion_tree {
  const char **paths; /* paths of sample.json files, sorted, in the arena */
  size_t count, capacity;
};

/* Lists FOLDER/sample.json if it exists, else every .../new/sample.json below the folder. If
 * neither exists, the list is empty. */
pprofc_status criterion_tree_find(struct arena *arena, const char *folder,
                                  struct criterion_tree *tree, pprofc_error *error);

/* Returns advice for a file that has no results: a description of the file, and the file to pass
 * instead. Returns NULL if the file may have results. */
const char *foreign_advice(pprofc_str data);

/* Removes the next field and the white space after it from *rest. All versions of benchstat share
 * these rules. */
pprofc_str bench_take_field(pprofc_str *rest);

/* Returns the length of the key of "key: value" and sets *value, or returns 0. */
size_t bench_config_line(pprofc_str line, pprofc_str *value);

#endif
