/* The reader of callgrind's text: callgrind.c reads lines, events.c finds events and their units,
 * names.c reads names, and parts.c makes samples. */
#ifndef PPROFC_IMPORT_CALLGRIND_READER_H
#define PPROFC_IMPORT_CALLGRIND_READER_H

#include "import/callgrind/callgrind.h"

/* ---- events.c ---------------------------------------- */

struct callgrind_event {
  pprofc_str name; /* name of the event in the file */
  pprofc_str type, unit;
  int64_t factor; /* factor that converts a value of the file to `unit` */
};

/* All events of a file, in the order of the file. */
struct callgrind_events {
  struct callgrind_event items[CALLGRIND_MAX_EVENTS];
  size_t count;
  size_t lists; /* number of `events:` lines; each part has one such line */
};

/* Finds all events of a text. Returns false, and makes the builder fail, if the events are
 * invalid. */
bool callgrind_find_events(struct callgrind_events *events, pprofc_str text,
                           pprofc_builder *builder);
/* Sets columns[i] to the index of the event in column i of an `events:` line, or to NONE for an
 * unknown event. Returns the number of columns. */
size_t callgrind_event_columns(const struct callgrind_events *events, pprofc_str list,
                               uint32_t columns[CALLGRIND_MAX_EVENTS]);

/* True if any line of numbers in the text has a relative counter: "+3" or "*". `columns` is the
 * number of positions, such as the line number, before the counters of a line. */
bool callgrind_has_relative_counters(pprofc_str text, size_t columns);

/* ---- names.c: "(12) name" defines a name, "(12)" refers to it */

struct callgrind_name {
  uint64_t id;
  pprofc_str raw;
  uint32_t text; /* string index of the name; for a function, index in callgrind_contexts.names */
};

/* Names of objects, files or functions. Each of these three kinds has its own ids. */
struct callgrind_names {
  pprofc_builder *builder;
  const pprofc_allocator *mem;
  struct callgrind_name *items;
  size_t count, room;
  struct map by_id;                    /* hash table of the names */
  struct callgrind_contexts *contexts; /* contexts of the functions; NULL for objects and files */
};

void callgrind_names_init(struct callgrind_names *names, pprofc_builder *builder,
                          const pprofc_allocator *mem, struct callgrind_contexts *contexts);
void callgrind_names_free(struct callgrind_names *names);
/* Reads the name that `value` defines or refers to. Returns false if the value refers to an id that
 * is not defined. */
bool callgrind_name_read(struct callgrind_names *names, pprofc_str value,
                         struct callgrind_name *name);

/* ---- the reader -------------------------------------- */

enum callgrind_column { INSTRUCTION, BLOCK, LINE, COLUMN_KINDS };

/* Meaning of the next line of numbers. */
enum expect { COST, CALL, JUMP };

/* A total that the file states (`said`), and the sum of the lines' costs (`read`). The two must be
 * equal. */
struct callgrind_total {
  char event[64];
  uint64_t said, read;
};

struct callgrind_reader {
  const pprofc_allocator *mem;
  pprofc_builder *builder;
  const struct import_options *options;
  struct callgrind_events events;
  struct callgrind_graph graph;
  struct callgrind_names objects, files, functions;
  struct callgrind_contexts contexts;
  struct callgrind_exact exact;

  /* State of the current part of the file. */
  enum callgrind_column columns[COLUMN_KINDS];
  size_t column_count;
  uint32_t event_columns[CALLGRIND_MAX_EVENTS];
  size_t event_count;
  pprofc_str thread, part, benchmark;
  uint64_t sums[CALLGRIND_MAX_EVENTS]; /* for each column, sum of its counters in the file's unit */
  bool in_body, many_parts;
  /* writes_totals: true if the program that wrote the file writes totals at the end of each part;
   * has_totals: true if the current part has totals */
  bool writes_totals, has_totals;

  /* State of the current line of the file. */
  uint64_t position[COLUMN_KINDS];
  int64_t last[CALLGRIND_MAX_EVENTS];  /* previous counter of each column */
  bool knows_minus, minus_is_relative; /* knows_minus: true if the meaning of "-3" in this file is
                                          known; minus_is_relative: true if "-3" means 3 less than
                                          the previous counter, not the counter -3 */
  pprofc_str text;                     /* text of the whole file */
  uint32_t object, file, function, inlined;
  /* Object and file of the next callee; NONE if the callgrind file does not name them. */
  uint32_t called_object, called_file;
  struct callgrind_name called;
  bool has_called;
  enum expect expect;

  bool has_calls;     /* true if the file has calls; false for files of cachegrind */
  bool has_process;   /* true if the file has named its process */
  bool has_exact;     /* true if a part has exact stacks */
  bool has_estimates; /* true if a part has estimated stacks */
  pprofc_str command;
  uint32_t program; /* string index of the program in the header `cmd:`, or 0; the program becomes
                       the first mapping, which names the profile */
  struct interner benchmarks;
  pprofc_str last_part; /* part number of the last part that has a benchmark */
  uint64_t repeated;    /* number of parts whose benchmark has the name of an earlier benchmark */
  uint64_t lines, bad_lines, unknown_lines, wrong_totals, cut_parts, joined_parts, parts;
  struct callgrind_total wrong; /* first total that differs from the sum of the lines' costs */
  int64_t version;
};

/* Clears the state of the current part. */
void callgrind_start_part(struct callgrind_reader *r);
/* Adds the samples of the current part, and starts the next part. */
void callgrind_finish_part(struct callgrind_reader *r);
/* Adds comments to the profile: about the stacks, and about lines that were not understood. */
void callgrind_add_notes(struct callgrind_reader *r);

#endif
