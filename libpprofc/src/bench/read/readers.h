/* The formats of benchmark results, and how they are told apart. */
#ifndef PPROFC_BENCH_READ_READERS_H
#define PPROFC_BENCH_READ_READERS_H

#include "bench/set.h"
#include "core/facts.h"

/* The input of a reader. */
struct bench_source {
  struct bench_sink *sink;
  pprofc_str data;
  const char *path; /* for errors: "PATH:LINE: what" */
  bool mapped;      /* the data are a mapped file: pages that were read may be given back */
};

struct bench_reader {
  const char *name;
  /* True when `data` (never empty, without BOM and leading blanks) looks like this format. */
  bool (*matches)(pprofc_str data);
  pprofc_status (*read)(const struct bench_source *source, pprofc_error *error);
};

/* In the order they are tried. The last one accepts everything: benchmark text. */
extern const struct bench_reader *const bench_readers[];
extern const size_t bench_reader_count;

/* What is known of the formats, for people; ended by a row without name. */
extern const struct format_fact bench_facts[];

extern const struct bench_reader bench_reader_text, bench_reader_test2json, bench_reader_gbench,
    bench_reader_hyperfine, bench_reader_pytest, bench_reader_jmh, bench_reader_criterion,
    bench_reader_csv;

/* A large file, mapped: its pages can be given back while it is read. */
struct bench_map {
  const void *data;
  size_t size;
};

/* Maps a regular file of 8 MiB and more; false for any other. */
bool bench_map_file(int fd, struct bench_map *map);
void bench_unmap(struct bench_map *map);

/* pprofc_bench_read of a mapped file. */
pprofc_status bench_read_map(struct pprofc_bench *set, const char *label, const char *path,
                             const struct bench_map *map, pprofc_error *error);

/* Reads lines of benchmark text, for readers that find such lines inside another format. Line
 * numbers count from `line` + 1. */
pprofc_status bench_read_lines(const struct bench_source *source, uint64_t line,
                               pprofc_error *error);

/* The same by the rules of the earlier benchstat; never a message. */
void bench_read_classic_lines(const struct bench_source *source);

/* Takes the next field and the white space behind it off *rest, as both benchstats do. */
pprofc_str bench_take_field(pprofc_str *rest);

/* Length of the key of "key: value", or 0; *value is set when it is not. */
size_t bench_config_line(pprofc_str line, pprofc_str *value);

#endif
