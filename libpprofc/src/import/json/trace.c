/* Trace events, as Chromium's tracing, catapult, Perfetto (JSON), Hermes and many tracers write
 * them: begin and end events (B, E), complete ones (X), samples. Times are microseconds. */
#include "import/json/trace.h"

#include "import/json/stringify.h"

#include <stdio.h>
#include <stdlib.h>

/* A complete event, to be sorted. */
struct trace_complete {
  int64_t at, duration;
  uint32_t order, key;
};

/* What is known of a name with its arguments. */
struct trace_key {
  uint32_t name, location;
};

/* The events of all threads, in the order of the file, grouped by thread. */
struct trace_entry {
  const struct node *event;
  uint32_t key;
};

struct trace_reader {
  struct arena *arena;
  pprofc_builder *builder;
  bool hermes;
  struct trace_threads threads;
  struct interner keys, names;
  struct trace_key *key;
  struct buffer scratch;
  struct trace_entry *entries;
  size_t entry_count;
  size_t others; /* events of kinds that have no stacks */
  struct trace_faults faults;
  struct end_lists lists;
  uint32_t *frames;
};

/* 'B', 'E' or 'X', or 0. An event of these needs a time. */
static char trace_kind(const struct node *event) {
  pprofc_str kind = node_text(event, "ph");
  if (kind.size != 1 || !strchr("BEX", kind.data[0]) || !node_get(event, "ts")) return 0;
  return kind.data[0];
}

/* ---- names ------------------------------------------- */

/* Hermes says in the arguments where a function is. */
static bool trace_is_hermes(const struct node *root, const struct node *events) {
  static const char *const members[] = {
      "line", "column", "name", "category", "url", "params", "allocatedCategory", "allocatedName"};
  const struct node *args = node_get(node_at(events, 0), "args");
  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    if (!node_get(args, members[i])) return false;
  return root == events;
}

/* The name of an event's frame: with its arguments, so that calls with others are another frame. */
static pprofc_str trace_text(struct trace_reader *r, const struct node *event) {
  const struct node *args = node_get(event, "args");
  buffer_clear(&r->scratch);
  pprofc_str name = json_id(node_get(event, "name"));
  buffer_add_str(&r->scratch, name.size ? name : STR("(unnamed)"));
  if (r->hermes) {
    static const char *const members[] = {"url", "line", "column"};
    for (size_t i = 0; i < 3; i++) {
      buffer_add_char(&r->scratch, ':');
      buffer_add_str(&r->scratch, json_id(node_get(args, members[i])));
    }
  } else if (args && args->kind != NODE_NULL) {
    buffer_add_char(&r->scratch, ' ');
    json_stringify(&r->scratch, args);
  }
  return buffer_str(&r->scratch);
}

static uint32_t trace_location(struct trace_reader *r, const struct node *event, pprofc_str text) {
  const struct node *args = node_get(event, "args");
  if (!r->hermes) return json_plain_frame(r->builder, text, STR(""), 0, 0);
  pprofc_str name = json_id(node_get(event, "name"));
  int64_t line = json_member_int(args, "line", 0), column = json_member_int(args, "column", 0);
  if (line < 0) line = column = 0;
  if (!name.size) name = STR("(unnamed)");
  if (column < 0) column = 0;
  return json_frame(r->builder, name, node_text(args, "url"), line, column);
}

/* The key of an event, made when it is new; MAP_NONE when out of memory. */
static uint32_t trace_key_of(struct trace_reader *r, const struct node *event) {
  size_t before = r->keys.count;
  pprofc_str text = trace_text(r, event);
  if (r->scratch.failed) return MAP_NONE;
  uint32_t key = interner_copy(&r->keys, r->arena, text);
  if (key == MAP_NONE || r->keys.count == before) return key;
  uint32_t name = interner_add(&r->names, json_id(node_get(event, "name")));
  if (name == MAP_NONE) return MAP_NONE;
  r->key[key] = (struct trace_key){name, trace_location(r, event, text)};
  return key;
}

/* ---- threads ----------------------------------------- */

/* Groups the events by thread. */
static bool trace_group(struct trace_reader *r, const struct node *events) {
  size_t count = node_size(events), next = 0;
  uint32_t *thread = arena_array(r->arena, count, sizeof *thread);
  if (!thread) return false;
  for (size_t i = 0; i < count; i++) {
    const struct node *event = node_at(events, i);
    thread[i] = MAP_NONE;
    if (!trace_kind(event)) {
      r->others += !str_equal(node_text(event, "ph"), STR("M"));
      continue;
    }
    thread[i] = trace_thread_of(&r->threads, event);
    if (thread[i] == MAP_NONE) return false;
    r->threads.threads[thread[i]].events++;
    r->entry_count++;
  }
  size_t *start = arena_array(r->arena, r->threads.keys.count, sizeof *start);
  r->entries = arena_array(r->arena, r->entry_count, sizeof *r->entries);
  r->key = arena_array(r->arena, r->entry_count, sizeof *r->key);
  if (!start || !r->entries || !r->key) return false;
  for (size_t i = 0; i < r->threads.keys.count; i++) {
    start[i] = next;
    next += r->threads.threads[i].events;
  }
  for (size_t i = 0; i < count; i++) {
    if (thread[i] == MAP_NONE) continue;
    const struct node *event = node_at(events, i);
    uint32_t key = trace_key_of(r, event);
    if (key == MAP_NONE) return false;
    r->entries[start[thread[i]]++] = (struct trace_entry){event, key};
  }
  return true;
}

static int trace_by_time(const void *a, const void *b) {
  const struct trace_mark *x = a, *y = b;
  if (x->at != y->at) return x->at < y->at ? -1 : 1;
  return (x->order > y->order) - (x->order < y->order);
}

/* Longer ones first: a longer one cannot be inside a shorter one. */
static int trace_by_length(const void *a, const void *b) {
  const struct trace_complete *x = a, *y = b;
  if (x->at != y->at) return x->at < y->at ? -1 : 1;
  if (x->duration != y->duration) return x->duration > y->duration ? -1 : 1;
  return (x->order > y->order) - (x->order < y->order);
}

static void trace_push(struct trace_reader *r, struct trace_marks *marks, int64_t at, uint32_t key,
                       uint32_t place) {
  marks->at[marks->count] = (struct trace_mark){
      at, (uint32_t)marks->count, key, r->key[key].name, r->key[key].location, place};
  marks->count++;
}

static int64_t trace_duration(const struct trace_reader *r, const struct node *event) {
  const struct node *duration = node_get(event, "dur");
  return json_scaled(r->builder, duration ? duration : node_get(event, "tdur"), 3);
}

/* Complete events become a begin and an end each. */
static void trace_add_complete(struct trace_reader *r, struct trace_complete *complete,
                               size_t count, struct trace_marks *begins, struct trace_marks *ends) {
  if (count) qsort(complete, count, sizeof *complete, trace_by_length);
  for (size_t i = 0; i < count; i++) {
    int64_t end;
    bool good = complete[i].duration >= 0 &&
                !__builtin_add_overflow(complete[i].at, complete[i].duration, &end);
    if (!good) r->faults.reversed++;
    trace_push(r, begins, complete[i].at, complete[i].key, complete[i].order);
    trace_push(r, ends, good ? end : complete[i].at, complete[i].key, MAP_NONE);
  }
}

/* Walks one thread. */
static bool trace_read_thread(struct trace_reader *r, const struct trace_entry *entries,
                              size_t count, struct call_walk *walk) {
  struct trace_marks begins = {arena_array(r->arena, count, sizeof *begins.at), 0};
  struct trace_marks ends = {arena_array(r->arena, count, sizeof *ends.at), 0};
  struct trace_complete *complete = arena_array(r->arena, count, sizeof *complete);
  size_t complete_count = 0;
  if (!begins.at || !ends.at || !complete) return false;
  for (size_t i = 0; i < count; i++) {
    const struct node *event = entries[i].event;
    int64_t at = json_scaled(r->builder, node_get(event, "ts"), 3);
    char kind = trace_kind(event);
    if (kind == 'X')
      complete[complete_count++] =
          (struct trace_complete){at, trace_duration(r, event), (uint32_t)i, entries[i].key};
    else
      trace_push(r, kind == 'B' ? &begins : &ends, at, entries[i].key, (uint32_t)i);
  }
  trace_add_complete(r, complete, complete_count, &begins, &ends);
  if (begins.count) qsort(begins.at, begins.count, sizeof *begins.at, trace_by_time);
  if (ends.count) qsort(ends.at, ends.count, sizeof *ends.at, trace_by_time);
  return trace_walk(r->arena, &begins, &ends, &r->lists, walk, &r->faults);
}

/* ---- the file ---------------------------------------- */

static pprofc_status trace_read(struct trace_reader *r, const struct node *events,
                                pprofc_error *error) {
  pprofc_builder_type(r->builder, "calls", "count");
  pprofc_builder_type(r->builder, "wall", "nanoseconds");
  r->frames = arena_array(r->arena, JSON_MOST_DEPTH, sizeof *r->frames);
  if (!r->frames || !trace_group(r, events)) return error_nomem(error);
  if (!trace_threads_name(&r->threads, events)) return error_nomem(error);
  if (!end_lists_init(&r->lists, r->arena, r->keys.count, interner_find(&r->names, STR(""))))
    return error_nomem(error);
  const struct trace_entry *entries = r->entries;
  for (size_t i = 0; i < r->threads.keys.count; i++) {
    const struct trace_thread *thread = &r->threads.threads[i];
    struct call_walk walk;
    call_walk_init(&walk, r->arena->mem);
    bool good = trace_read_thread(r, entries, thread->events, &walk);
    if (good) call_walk_samples(&walk, r->builder, r->frames, trace_label, thread);
    call_walk_free(&walk);
    if (!good) return error_nomem(error);
    entries += thread->events;
  }
  import_note_count(r->builder, r->faults.unmatched, "end event fits no open event",
                    "end events fit no open event");
  import_note_count(r->builder, r->faults.open, "event was still open at the end",
                    "events were still open at the end");
  import_note_count(r->builder, r->faults.reversed, "event has a duration below 0",
                    "events have a duration below 0");
  import_note_count(r->builder, r->others,
                    "event of a kind without stacks (not B, E, X) is left out",
                    "events of kinds without stacks (not B, E, X) are left out");
  return PPROFC_OK;
}

/* Whether an array holds trace events: all have a kind, and one can be read. */
static bool trace_is_list(const struct node *events) {
  bool found = false;
  for (size_t i = 0; i < node_size(events); i++) {
    const struct node *event = node_at(events, i);
    if (!node_get(event, "ph")) return false;
    found |= trace_kind(event) != 0;
  }
  return found;
}

pprofc_status json_trace(const struct node *root, pprofc_builder *builder, struct arena *arena,
                         pprofc_error *error) {
  const struct node *events = trace_events(root);
  if (trace_has_samples(root)) return trace_samples(root, builder, arena, error);
  if (!trace_is_list(events)) return PPROFC_E_NO_MATCH;
  struct trace_reader r = {.arena = arena, .builder = builder};
  r.hermes = trace_is_hermes(root, events);
  trace_threads_init(&r.threads, arena);
  interner_init(&r.keys, arena->mem);
  interner_init(&r.names, arena->mem);
  buffer_init(&r.scratch, arena->mem, SIZE_MAX / 2);
  pprofc_status status = trace_read(&r, events, error);
  trace_threads_free(&r.threads);
  interner_free(&r.keys);
  interner_free(&r.names);
  buffer_free(&r.scratch);
  return status;
}
