/* What the files share that read callgrind's text. */
#ifndef PPROFC_IMPORT_CALLGRIND_READ_H
#define PPROFC_IMPORT_CALLGRIND_READ_H

#include "import/callgrind/callgrind.h"

struct callgrind_event {
  pprofc_str name; /* as the file has it */
  pprofc_str type, unit;
  int64_t factor; /* for values to be in this unit */
};

/* All events of a file, in the order in which they are named. */
struct callgrind_events {
  struct callgrind_event items[CALLGRIND_MOST_EVENTS];
  size_t count;
  size_t lists; /* `events:` lines: each part has one */
};

pprofc_status callgrind_find_events(struct callgrind_events *events, pprofc_str text,
                                    pprofc_error *error);
/* The events of one `events:` line; returns how many there are. */
size_t callgrind_event_columns(const struct callgrind_events *events, pprofc_str list,
                               uint32_t columns[CALLGRIND_MOST_EVENTS]);

/* Whether any line of numbers has a counter relative to the one before it: "+3" or "*". `columns`:
 * how many positions are before the counters. */
bool callgrind_has_relative_counters(pprofc_str text, size_t columns);

/* Takes the next word off *rest; blanks and tabs part words. */
bool callgrind_next_word(pprofc_str *rest, pprofc_str *word);

/* ---- names.c: "(12) name" defines, "(12)" refers */

struct callgrind_name {
  uint64_t id;
  pprofc_str raw;
  uint32_t text;  /* string of the profile */
  uint32_t plain; /* without the level of recursion */
};

/* One of the three spaces of ids. */
struct callgrind_names {
  struct buffer items; /* struct callgrind_name; failed when out of memory */
  uint32_t *by_number; /* [room] of ids about as large as there are names: their index or NONE */
  size_t room;
  struct map by_id;    /* of other ids */
  bool may_be_unknown; /* "???" is no name */
};

void callgrind_names_init(struct callgrind_names *names, const pprofc_allocator *mem,
                          bool may_be_unknown);
void callgrind_names_free(struct callgrind_names *names);
/* The name that a value stands for; false for an id that was never defined. */
bool callgrind_name_read(struct callgrind_names *names, pprofc_builder *builder, pprofc_str value,
                         struct callgrind_name *name);

#endif
