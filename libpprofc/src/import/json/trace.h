/* Declarations that the files of the reader of trace events share. */
#ifndef PPROFC_IMPORT_JSON_TRACE_H
#define PPROFC_IMPORT_JSON_TRACE_H

#include "import/json/json.h"

/* ---- threads ---------------------------------------- */

struct trace_thread {
  pprofc_str pid, tid, name, process;
  size_t events; /* number of the thread's events; trace.c counts them */
};

struct trace_threads {
  struct arena *arena;
  pprofc_builder *builder;
  struct interner keys; /* keys of the threads: "PID:TID" */
  struct trace_thread *threads;
  size_t room;
  struct buffer scratch;
};

void trace_threads_init(struct trace_threads *t, struct arena *arena, pprofc_builder *builder);
void trace_threads_free(struct trace_threads *t);

/* Returns the array of events: the document itself, or its `traceEvents`, or NULL if there is no
 * such array. */
const struct node *trace_events(const struct node *root);

/* Returns the index of the thread of an event or sample, and adds the thread if it is new. When out
 * of memory, makes the builder fail and returns MAP_NONE. */
uint32_t trace_thread_of(struct trace_threads *t, const struct node *event);

/* Reads the names of threads and processes from events of kind "M". */
void trace_threads_name(struct trace_threads *t, const struct node *events);

/* Returns the track of a thread, which holds the times of its samples (profile/builder.h). */
uint32_t trace_track(pprofc_builder *builder, const struct trace_thread *thread);

/* Adds the labels `process`, `pid`, `thread` and `tid` to the last sample. `thread` is a
 * struct trace_thread. */
void trace_label(pprofc_builder *builder, const void *thread);

/* A mark: the begin or the end of a frame. Marks are sorted by `at`, then by `order`. */
struct trace_mark {
  int64_t at; /* time of the mark in nanoseconds */
  uint32_t order;
  uint32_t key;
  uint32_t place; /* index of the event among the events of its thread; MAP_NONE for the end of a
                     complete event */
};

/* Data shared by events with the same name and arguments. */
struct trace_key {
  uint32_t name; /* index of the name; events with equal names have the same index */
  uint32_t location;
  const struct node *args;
};

struct trace_marks {
  struct trace_mark *at;
  size_t count;
};

/* unmatched: number of end events that match no open frame; open: number of frames that were never
 * closed; reversed: number of complete events with a negative duration; crossing: number of
 * complete events that begin inside another event and end after it. */
struct trace_faults {
  size_t unmatched, open, reversed, crossing;
};

/* List of end events with the same time that have not yet closed a frame. All events of a list have
 * the same key (end_lists.by_key) or the same name (end_lists.by_name). */
struct end_list {
  uint32_t batch; /* id of the group of simultaneous end events that the list is from */
  uint32_t first; /* index of the list's first end event; MAP_NONE: the list is empty */
};

/* Sum over the events of one thread that have the same call path and the same key. */
struct trace_sum {
  uint32_t path, key;
  int64_t values[2]; /* number of calls, and self time in nanoseconds */
};

struct trace_sums {
  struct call_paths paths;
  struct trace_sum *items;
  size_t count, room;
  uint32_t track;      /* track to which the times of the thread are added */
  struct map by_event; /* hash table of the sums by call path and event key */
};

/* Lists of end events: one list for each key and one for each name. All threads use these lists,
 * one thread after another. */
struct end_lists {
  const struct trace_key *keys;
  struct end_list *by_key, *by_name;
  uint32_t batch;
  uint32_t nameless; /* index of the empty name, or MAP_NONE; an end event without a name closes the
                        innermost frame */
};

/* Initializes the lists. All indices of keys and names must be below `key_count`. Returns false
 * when out of memory. */
bool end_lists_init(struct end_lists *lists, struct arena *arena, const struct trace_key *keys,
                    size_t key_count, uint32_t nameless);

/* Follows the sorted marks of one thread and adds up calls and times. Uses the order of the file if
 * the events nest in this order. Returns false when out of memory. */
bool trace_walk(struct arena *arena, const struct trace_marks *begins,
                const struct trace_marks *ends, struct end_lists *lists, struct trace_sums *sums,
                struct trace_faults *faults);

#endif
