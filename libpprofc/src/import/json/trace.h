/* Trace events: what the files of this reader share. */
#ifndef PPROFC_IMPORT_JSON_TRACE_H
#define PPROFC_IMPORT_JSON_TRACE_H

#include "import/json/call_tree.h"
#include "import/json/trace_threads.h"

/* An event that begins (or ends) a frame; sorted by time, then by order. */
struct trace_mark {
  int64_t at; /* nanoseconds */
  uint32_t order;
  uint32_t key;  /* name and arguments */
  uint32_t name; /* equal numbers are equal names */
  uint32_t location;
  uint32_t place; /* in the file, among the events of the thread */
};

struct trace_marks {
  struct trace_mark *at;
  size_t count;
};

/* What did not fit together. */
struct trace_faults {
  size_t unmatched, open, reversed;
};

/* Ends that are not taken yet and have a key (or a name) in common. */
struct end_list {
  uint32_t batch; /* the lists of an earlier batch are empty */
  uint32_t first; /* an index of an end, or MAP_NONE */
};

/* What the walks through all threads share: a list for each key and for each name. */
struct end_lists {
  struct end_list *by_key, *by_name;
  uint32_t batch;
  uint32_t nameless; /* the name of ends that have none and end what is open; or MAP_NONE */
};

/* `key_count` is one more than the largest key or name. False when out of memory. */
bool end_lists_init(struct end_lists *lists, struct arena *arena, size_t key_count,
                    uint32_t nameless);

/* Walks the events of one thread, sorted, and adds up calls (values[0]) and time (values[1]). False
 * when out of memory. */
bool trace_walk(struct arena *arena, const struct trace_marks *begins,
                const struct trace_marks *ends, struct end_lists *lists, struct call_walk *walk,
                struct trace_faults *faults);

/* Whether the document has samples whose frames are in `stackFrames`. */
bool trace_has_samples(const struct node *root);

/* Reads them. */
pprofc_status trace_samples(const struct node *root, pprofc_builder *builder, struct arena *arena,
                            pprofc_error *error);

#endif
