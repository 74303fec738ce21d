/* Finds the processes and threads of a trace, and their names in the metadata. */
#ifndef PPROFC_IMPORT_JSON_TRACE_THREADS_H
#define PPROFC_IMPORT_JSON_TRACE_THREADS_H

#include "import/json/json.h"

struct trace_thread {
  pprofc_str pid, tid, name, process;
  size_t events; /* number of the thread's events, set by the caller */
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

/* Returns the track of a thread, which holds the times of its samples (profile/builder_times.h). */
uint32_t trace_track(pprofc_builder *builder, const struct trace_thread *thread);

/* Adds the labels `process`, `pid`, `thread` and `tid` to the last sample. `thread` is a
 * struct trace_thread. */
void trace_label(pprofc_builder *builder, const void *thread);

#endif
