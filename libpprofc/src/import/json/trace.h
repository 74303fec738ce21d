/* Declarations that the files of the reader of trace events share. */
#ifndef PPROFC_IMPORT_JSON_TRACE_H
#define PPROFC_IMPORT_JSON_TRACE_H

#include "import/call_paths.h"
#include "import/json/trace_threads.h"

/* A mark: the begin or the end of a frame. Marks are sorted by time, then by order. */
struct trace_mark {
  int64_t at; /* time of the mark in nanoseconds */
  uint32_t order;
  uint32_t key;
  uint32_t place; /* position of the event among the events of its thread */
};

/* Data shared by events with the same name and arguments. */
struct trace_key {
  uint32_t name; /* number of the name, equal for equal names */
  uint32_t location;
  const struct node *args;
};

struct trace_marks {
  struct trace_mark *at;
  size_t count;
};

/* Numbers of events that do not match another event. */
struct trace_faults {
  size_t unmatched, open, reversed;
};

/* List of the unused end events that have the same key, or the same name. An end event closes a
 * frame. */
struct end_list {
  uint32_t batch; /* number of the last group of simultaneous end events that used the list; for a
                     group with another number the list is empty */
  uint32_t first; /* index of the first end in the list, or MAP_NONE */
};

/* Sum over the events of one thread that have the same stack and the same key. */
struct trace_sum {
  uint32_t path, key;
  int64_t values[2]; /* number of calls, and self time in nanoseconds */
};

struct trace_sums {
  struct call_paths paths;
  struct trace_sum *items;
  size_t count, room;
  uint32_t track;      /* track of the thread, if the builder keeps times */
  struct map by_event; /* index of the sums by path and key */
};

/* Lists of end events: one list for each key and one for each name. The threads use these lists one
 * after another. */
struct end_lists {
  const struct trace_key *keys;
  struct end_list *by_key, *by_name;
  uint32_t batch;
  uint32_t nameless; /* name index of end events without a name, which close the innermost frame; or
                        MAP_NONE */
};

/* Initializes the lists. `key_count` is one more than the largest key or name in `keys`.
 * Returns false when out of memory. */
bool end_lists_init(struct end_lists *lists, struct arena *arena, const struct trace_key *keys,
                    size_t key_count, uint32_t nameless);

/* Follows the sorted events of one thread and adds up calls and time. Uses the order of the file if
 * the events nest in this order. Returns false when out of memory. */
bool trace_walk(struct arena *arena, const struct trace_marks *begins,
                const struct trace_marks *ends, struct end_lists *lists, struct trace_sums *sums,
                struct trace_faults *faults);

/* True if the document has samples whose frames are in `stackFrames`. */
bool trace_has_samples(const struct node *root);

/* Reads the samples whose frames are in `stackFrames`. */
pprofc_status trace_samples(const struct node *root, pprofc_builder *builder, struct arena *arena,
                            pprofc_error *error);

#endif
