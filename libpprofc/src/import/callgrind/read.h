/* Declarations shared by the readers of callgrind's text. */
#ifndef PPROFC_IMPORT_CALLGRIND_READ_H
#define PPROFC_IMPORT_CALLGRIND_READ_H

#include "import/callgrind/callgrind.h"
#include "import/lines.h"

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

pprofc_status callgrind_find_events(struct callgrind_events *events, pprofc_str text,
                                    pprofc_error *error);
/* Sets `columns` to the index of the event in each column of an `events:` line; NONE for an unknown
 * event. Returns the number of columns. */
size_t callgrind_event_columns(const struct callgrind_events *events, pprofc_str list,
                               uint32_t columns[CALLGRIND_MAX_EVENTS]);

/* True if any line of numbers in the text has a relative counter: "+3" or "*". `columns` is the
 * number of positions before the counters of a line. */
bool callgrind_has_relative_counters(pprofc_str text, size_t columns);

/* ---- words.c */

/* Parses a decimal number, or a hexadecimal number after "0x". Returns false if the text is not a
 * number. */
bool callgrind_number(pprofc_str s, uint64_t *out);
/* Parses a number: "12", or relative to `last`, the previous number of the column: "+3", "-3", "*".
 * Returns false if the text is not a number. */
bool callgrind_relative(pprofc_str s, uint64_t last, uint64_t *out);

/* ---- names.c: "(12) name" defines a name, "(12)" refers to it */

struct callgrind_name {
  uint64_t id;
  pprofc_str raw;
  uint32_t text; /* string index of the name; for a function, index of the name in `contexts` */
};

/* Names of objects, files or functions. Each of these three kinds has its own ids. */
struct callgrind_names {
  struct buffer items; /* array of struct callgrind_name; its `failed` is set when out of memory */
  uint32_t *by_number; /* for each small id: index of its name in `items`, or NONE */
  size_t room;
  struct map by_id;                    /* hash table of the names with larger ids */
  struct callgrind_contexts *contexts; /* contexts of the functions; NULL for objects and files */
};

void callgrind_names_init(struct callgrind_names *names, const pprofc_allocator *mem,
                          struct callgrind_contexts *contexts);
void callgrind_names_free(struct callgrind_names *names);
/* Reads the name that `value` defines or refers to. Returns false if the value refers to an id that
 * is not defined. */
bool callgrind_name_read(struct callgrind_names *names, pprofc_builder *builder, pprofc_str value,
                         struct callgrind_name *name);

#endif
