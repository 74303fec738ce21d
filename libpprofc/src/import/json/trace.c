/* Reads trace events, which Chromium's tracing, catapult, Perfetto (JSON), Hermes and many tracers
 * write. Events are begin and end events (kinds B and E), complete events (X), and samples. Times
 * are in microseconds. Hermes writes samples in the array `samples` next to the events, other tools
 * write them as events of kind P. The table `stackFrames` contains their frames, each with its
 * caller. */
#include "import/json/trace.h"

/* ---- samples ----------------------------------------- */

/* A sample. The reader sorts samples by thread, but keeps the order of the file within a thread. */
struct trace_sample {
  uint32_t thread, node;
  size_t order;
  int64_t at; /* time of the sample in nanoseconds */
};

struct trace_sampler {
  struct arena *arena;
  pprofc_builder *builder;
  struct json_call_tree tree;
  struct call_paths paths;
  struct trace_threads threads;
  struct trace_sample *samples;
  size_t count, room, missing;
};

static bool trace_is_sample(const struct node *event) {
  return str_equal(node_text(event, "ph"), STR("P")) && node_get(event, "sf");
}

/* True if the document has samples whose frames are in `stackFrames`. */
static bool trace_has_samples(const struct node *root) {
  if (!node_is(node_get(root, "stackFrames"), NODE_OBJECT)) return false;
  if (node_size(node_get(root, "samples"))) return true;
  const struct node *events = trace_events(root);
  for (size_t i = 0; i < node_size(events); i++)
    if (trace_is_sample(node_at(events, i))) return true;
  return false;
}

static void sampler_add_frames(struct trace_sampler *s, const struct node *frames) {
  for (const struct node *frame = frames->first; frame; frame = frame->next) {
    pprofc_str name = node_text(frame, "name");
    uint32_t location =
        json_plain_frame(s->builder, name.size ? name : STR("(unnamed)"), STR(""), 0);
    call_tree_add(&s->tree, frame->key, frame, location, CALL_FRAME);
  }
  for (uint32_t i = 0; i < s->tree.count; i++) {
    uint32_t parent = call_tree_find(&s->tree, node_get(s->tree.nodes[i].json, "parent"));
    if (parent != MAP_NONE && parent != i) s->tree.nodes[i].parent = parent;
  }
}

static void sampler_add(struct trace_sampler *s, const struct node *sample) {
  struct trace_sample added = {.thread = trace_thread_of(&s->threads, sample),
                               .node = call_tree_find(&s->tree, node_get(sample, "sf")),
                               .order = s->count,
                               .at = json_scaled(s->builder, node_get(sample, "ts"), 3)};
  s->missing += added.node == MAP_NONE;
  import_need(s->builder, ARRAY_PUSH_IN(s->arena, s->samples, s->count, s->room, added));
}

static void sampler_add_all(struct trace_sampler *s, const struct node *root,
                            const struct node *events) {
  const struct node *samples = node_get(root, "samples");
  if (node_size(samples)) events = samples;
  for (size_t i = 0; i < node_size(events) && builder_ok(s->builder); i++)
    if (events == samples || trace_is_sample(node_at(events, i)))
      sampler_add(s, node_at(events, i));
}

static int trace_by_thread(const void *a, const void *b) {
  const struct trace_sample *x = a, *y = b;
  if (x->thread != y->thread) return x->thread < y->thread ? -1 : 1;
  return x->order < y->order ? -1 : 1;
}

/* Adds the samples. A sample lasts until the next sample of its thread. */
static void sampler_emit(struct trace_sampler *s) {
  if (s->count) qsort(s->samples, s->count, sizeof *s->samples, trace_by_thread);
  for (size_t i = 0; i < s->count && builder_ok(s->builder); i++) {
    const struct trace_sample *sample = &s->samples[i], *next = sample + 1;
    int64_t values[2] = {1, 0};
    if (i + 1 < s->count && next->thread == sample->thread &&
        (__builtin_sub_overflow(next->at, sample->at, &values[1]) || values[1] < 0))
      values[1] = 0;
    if (sample->node == MAP_NONE) continue;
    call_paths_sample(&s->paths, s->tree.nodes[sample->node].path, values);
    const struct trace_thread *thread = &s->threads.threads[sample->thread];
    trace_label(s->builder, thread);
    builder_event(s->builder, trace_track(s->builder, thread), sample->at, values[1]);
  }
  import_account_one(s->builder, s->count - s->missing, "samples", s->missing,
                     "sample has no stack", "samples have no stack");
}

/* Reads the samples whose frames are in `stackFrames`. */
static void trace_samples(const struct node *root, pprofc_builder *builder, struct arena *arena) {
  const struct node *events = trace_events(root);
  struct trace_sampler s = {.arena = arena, .builder = builder};
  call_tree_init(&s.tree, arena, builder);
  call_paths_init(&s.paths, arena->mem, builder);
  trace_threads_init(&s.threads, arena, builder);
  pprofc_builder_type(builder, "samples", "count");
  pprofc_builder_type(builder, "wall", "nanoseconds");
  sampler_add_frames(&s, node_get(root, "stackFrames"));
  sampler_add_all(&s, root, events);
  trace_threads_name(&s.threads, events);
  call_tree_make_paths(&s.tree, &s.paths);
  sampler_emit(&s);
  call_tree_free(&s.tree);
  call_paths_free(&s.paths);
  trace_threads_free(&s.threads);
}

/* ---- events ----------------------------------------- */

/* A complete event (kind X), kept until the complete events of its thread are sorted. Its times are
 * in nanoseconds. */
struct trace_complete {
  int64_t at, end;
  uint32_t order, key;
  uint32_t outer; /* index of the event that contains this event; MAP_NONE: no event */
};

/* An event and its key. The key is the index of the event's name and arguments in trace_reader.key.
 * trace_reader.entries contains the events of all threads, one thread after another. The events of
 * a thread are in the order of the file. */
struct trace_entry {
  const struct node *event;
  uint32_t key;
};

struct trace_reader {
  struct arena *arena;
  pprofc_builder *builder;
  struct trace_threads threads;
  struct interner keys, names;
  struct trace_key *key;
  size_t key_room;
  struct buffer scratch;
  struct trace_entry *entries;
  size_t entry_count;
  size_t others; /* number of events of kinds that do not have stacks */
  struct trace_faults faults;
  struct end_lists lists;
};

/* Returns the kind of an event ('B', 'E' or 'X') if the event has a time. Returns 0 for all other
 * events. */
static char trace_kind(const struct node *event) {
  pprofc_str kind = node_text(event, "ph");
  if (kind.size != 1 || !strchr("BEX", kind.data[0]) || !node_get(event, "ts")) return 0;
  return kind.data[0];
}

/* ---- names ------------------------------------------- */

/* Arguments that contain the source position of a function, as Hermes and py-spy write them. */
static const char *const file_members[] = {"url", "filename", "file"};
static const char *const place_members[] = {"line", "lineNumber", "column", "columnNumber"};

/* Returns the first member of `args` whose name is in `names`, or NULL. */
static const struct node *trace_member(const struct node *args, const char *const *names,
                                       size_t count) {
  const struct node *found = NULL;
  for (size_t i = 0; i < count && !found; i++) found = node_get(args, names[i]);
  return found;
}

static int64_t trace_number(const struct node *args, const char *const *names) {
  int64_t value = 0;
  bool good = str_parse_int(json_id(trace_member(args, names, 2)), 10, &value);
  return good && value > 0 && value < INT32_MAX ? value : 0;
}

/* Returns a text with the name and the arguments of an event. Events with equal texts have the same
 * key. */
static pprofc_str trace_text(struct trace_reader *r, const struct node *event) {
  const struct node *args = node_get(event, "args");
  buffer_clear(&r->scratch);
  buffer_add_str(&r->scratch, json_id(node_get(event, "name")));
  if (args && args->kind != NODE_NULL) {
    buffer_add_char(&r->scratch, ' ');
    json_stringify(&r->scratch, args);
  }
  return buffer_str(&r->scratch);
}

/* Adds and returns the location of an event. The location has the event's name and, if the
 * arguments have them, clang's `detail` and a source position. */
static uint32_t trace_location(struct trace_reader *r, const struct node *event) {
  const struct node *args = node_get(event, "args");
  pprofc_str name = json_id(node_get(event, "name")), detail = node_text(args, "detail");
  pprofc_str file = json_id(trace_member(args, file_members, 3));
  if (!name.size) name = STR("(unnamed)");
  buffer_clear(&r->scratch);
  buffer_add_str(&r->scratch, name);
  if (detail.size) buffer_add_char(&r->scratch, ' ');
  buffer_add_str(&r->scratch, detail);
  if (!file.size) return json_plain_frame(r->builder, buffer_str(&r->scratch), STR(""), 0);
  int64_t line = trace_number(args, place_members);
  int64_t column = line ? trace_number(args, place_members + 2) : 0;
  return json_frame(r->builder, buffer_str(&r->scratch), file, line, column);
}

/* True if the frame of the event already shows this argument. */
static bool trace_is_place(const struct node *args, pprofc_str member) {
  if (str_equal(member, STR("detail"))) return true;
  if (!trace_member(args, file_members, 3)) return false;
  for (size_t i = 0; i < 3; i++)
    if (str_equal(member, str_of(file_members[i]))) return true;
  for (size_t i = 0; i < 4; i++)
    if (str_equal(member, str_of(place_members[i]))) return true;
  return false;
}

/* Adds an argument as a label. Arrays and objects become text in JSON. */
static void trace_label_argument(struct trace_reader *r, pprofc_str key, const struct node *value) {
  struct label label = {.key = builder_string(r->builder, key)};
  pprofc_str text = value->text;
  if (value->kind == NODE_NULL) return;
  if (value->kind != NODE_STRING) {
    buffer_clear(&r->scratch);
    json_stringify(&r->scratch, value);
    text = buffer_str(&r->scratch);
  }
  label.string = builder_string(r->builder, text);
  if (text.size) builder_add_label(r->builder, &label);
}

/* Adds the arguments of an event as labels, except the arguments that the frame already shows. */
static void trace_label_arguments(struct trace_reader *r, const struct node *args) {
  if (!args) return;
  if (args->kind != NODE_OBJECT) {
    trace_label_argument(r, STR("args"), args);
    return;
  }
  for (const struct node *member = args->first; member; member = member->next)
    if (!trace_is_place(args, member->key)) trace_label_argument(r, member->key, member);
}

/* Returns the key of an event's name and arguments, and adds the key if it is new. Returns MAP_NONE
 * when out of memory. */
static uint32_t trace_key_of(struct trace_reader *r, const struct node *event) {
  size_t before = r->keys.count;
  pprofc_str text = trace_text(r, event);
  if (r->scratch.failed) return MAP_NONE;
  uint32_t key = interner_copy(&r->keys, r->arena, text);
  if (key == MAP_NONE || r->keys.count == before) return key;
  uint32_t name = interner_add(&r->names, json_id(node_get(event, "name")));
  if (name == MAP_NONE || !ARRAY_RESERVE(r->arena->mem, r->key, r->key_room, key + 1))
    return MAP_NONE;
  r->key[key] = (struct trace_key){name, trace_location(r, event), node_get(event, "args")};
  return key;
}

/* ---- threads ----------------------------------------- */

/* Groups the events by thread and finds the key of each event. Returns false when out of memory. */
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
  if (!start || !r->entries) return false;
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

/* Sorts marks. First checks if the marks are already sorted, as in most files, because qsort copies
 * all marks. */
static void trace_sort(struct trace_marks *marks) {
  size_t i = 1;
  while (i < marks->count && trace_by_time(&marks->at[i - 1], &marks->at[i]) < 0) i++;
  if (i < marks->count) qsort(marks->at, marks->count, sizeof *marks->at, trace_by_time);
}

/* Orders complete events by time. Of events that begin at the same time, the longest comes first,
 * because it can contain the others. */
static int trace_by_length(const void *a, const void *b) {
  const struct trace_complete *x = a, *y = b;
  if (x->at != y->at) return x->at < y->at ? -1 : 1;
  if (x->end != y->end) return x->end > y->end ? -1 : 1;
  return (x->order > y->order) - (x->order < y->order);
}

static void trace_push(struct trace_marks *marks, int64_t at, uint32_t key, uint32_t place) {
  marks->at[marks->count] = (struct trace_mark){at, (uint32_t)marks->count, key, place};
  marks->count++;
}

/* Returns the end of a complete event that begins at `at`. */
static int64_t trace_end(struct trace_reader *r, const struct node *event, int64_t at) {
  const struct node *duration = node_get(event, "dur");
  int64_t passed = json_scaled(r->builder, duration ? duration : node_get(event, "tdur"), 3), end;
  if (passed >= 0 && !__builtin_add_overflow(at, passed, &end)) return end;
  r->faults.reversed++;
  return at;
}

/* Closes an event and returns the index of the event that contains it. Extends the containing event
 * to the end of the closed event. */
static uint32_t trace_close(struct trace_complete *complete, uint32_t event) {
  uint32_t outer = complete[event].outer;
  if (outer != MAP_NONE && complete[outer].end < complete[event].end)
    complete[outer].end = complete[event].end;
  return outer;
}

/* Moves the ends of events so that all events nest. A new event crosses an open event if it begins
 * in the open event and ends later. If the overlap is shorter than the remaining part of the new
 * event, cuts the open event where the new event begins. Otherwise extends the open event to the
 * end of the new event. */
static void trace_nest(struct trace_reader *r, struct trace_complete *complete, size_t count) {
  uint32_t open = MAP_NONE;
  for (size_t i = 0; i < count; i++) {
    int64_t at = complete[i].at, end = complete[i].end;
    while (open != MAP_NONE && complete[open].end <= at) open = trace_close(complete, open);
    if (open != MAP_NONE && complete[open].end < end) r->faults.crossing++;
    while (open != MAP_NONE && complete[open].end < end &&
           (uint64_t)complete[open].end - (uint64_t)at <
               (uint64_t)end - (uint64_t)complete[open].end) {
      complete[open].end = at;
      open = trace_close(complete, open);
    }
    complete[i].outer = open;
    open = (uint32_t)i;
  }
  while (open != MAP_NONE) open = trace_close(complete, open);
}

/* Converts each complete event to a begin mark and an end mark. */
static void trace_add_complete(struct trace_reader *r, struct trace_complete *complete,
                               size_t count, struct trace_marks *begins, struct trace_marks *ends) {
  if (count) qsort(complete, count, sizeof *complete, trace_by_length);
  trace_nest(r, complete, count);
  for (size_t i = 0; i < count; i++) {
    trace_push(begins, complete[i].at, complete[i].key, complete[i].order);
    trace_push(ends, complete[i].end, complete[i].key, MAP_NONE);
  }
}

/* Adds the begin and end marks of a thread's events, and sorts them. `complete` is a buffer with
 * room for the thread's complete events. */
static void trace_add_marks(struct trace_reader *r, const struct trace_entry *entries, size_t count,
                            struct trace_marks *begins, struct trace_marks *ends,
                            struct trace_complete *complete) {
  size_t complete_count = 0;
  for (size_t i = 0; i < count; i++) {
    const struct node *event = entries[i].event;
    int64_t at = json_scaled(r->builder, node_get(event, "ts"), 3);
    char kind = trace_kind(event);
    if (kind == 'X')
      complete[complete_count++] = (struct trace_complete){at, trace_end(r, event, at), (uint32_t)i,
                                                           entries[i].key, MAP_NONE};
    else
      trace_push(kind == 'B' ? begins : ends, at, entries[i].key, (uint32_t)i);
  }
  trace_add_complete(r, complete, complete_count, begins, ends);
  trace_sort(begins);
  trace_sort(ends);
}

static bool trace_sum_is_empty(const struct trace_sum *sum) {
  return !sum->values[0] && !sum->values[1];
}

/* Adds up the calls and times of one thread in `sums`. Returns false when out of memory. */
static bool trace_read_thread(struct trace_reader *r, const struct trace_entry *entries,
                              size_t count, struct trace_sums *sums) {
  size_t complete_count = 0, begin_count = 0;
  for (size_t i = 0; i < count; i++) {
    char kind = trace_kind(entries[i].event);
    complete_count += kind == 'X';
    begin_count += kind == 'B';
  }
  begin_count += complete_count;
  size_t end_count = count - begin_count + complete_count;
  struct trace_marks begins = {arena_array(r->arena, begin_count, sizeof *begins.at), 0};
  struct trace_marks ends = {arena_array(r->arena, end_count, sizeof *ends.at), 0};
  struct trace_complete *complete = arena_array(r->arena, complete_count, sizeof *complete);
  if (!begins.at || !ends.at || !complete) return false;
  trace_add_marks(r, entries, count, &begins, &ends, complete);
  return trace_walk(r->arena, &begins, &ends, &r->lists, sums, &r->faults);
}

/* Replaces the index of a sum by the index of the sum's sample, in the recorded times
 * (builder_event_of) from index `first` on. `sample` is the index of this thread's first sample. */
static bool trace_number_events(struct trace_reader *r, const struct trace_sums *sums, size_t first,
                                size_t sample) {
  if (first == builder_event_count(r->builder)) return true;
  uint32_t *number = mem_array(r->arena->mem, sums->count, sizeof *number);
  for (size_t i = 0; number && i < sums->count; i++)
    number[i] = trace_sum_is_empty(&sums->items[i]) ? NONE : (uint32_t)sample++;
  if (number) builder_event_numbers(r->builder, first, number);
  mem_free(r->arena->mem, number, sums->count, sizeof *number);
  return number != NULL;
}

/* Adds a sample for each sum (struct trace_sum) that has a call or a time. */
static void trace_add_samples(struct trace_reader *r, struct trace_sums *sums,
                              const struct trace_thread *thread) {
  for (size_t i = 0; i < sums->count && builder_ok(r->builder); i++) {
    const struct trace_sum *sum = &sums->items[i];
    if (trace_sum_is_empty(sum)) continue;
    call_paths_sample(&sums->paths, sum->path, sum->values);
    trace_label(r->builder, thread);
    trace_label_arguments(r, r->key[sum->key].args);
  }
}

static void trace_sums_free(struct trace_sums *sums) {
  ARRAY_FREE(sums->paths.mem, sums->items, sums->room);
  map_free(&sums->by_event);
  call_paths_free(&sums->paths);
}

/* ---- the file ---------------------------------------- */

static void trace_read(struct trace_reader *r, const struct node *events) {
  pprofc_builder_type(r->builder, "calls", "count");
  pprofc_builder_type(r->builder, "wall", "nanoseconds");
  if (!import_need(r->builder, trace_group(r, events))) return;
  trace_threads_name(&r->threads, events);
  uint32_t nameless = interner_find(&r->names, STR(""));
  if (!import_need(r->builder,
                   end_lists_init(&r->lists, r->arena, r->key, r->keys.count, nameless)))
    return;
  const struct trace_entry *entries = r->entries;
  for (size_t i = 0; i < r->threads.keys.count; i++) {
    const struct trace_thread *thread = &r->threads.threads[i];
    struct trace_sums sums = {.track = trace_track(r->builder, thread)};
    size_t event = builder_event_count(r->builder), sample = builder_sample_count(r->builder);
    call_paths_init(&sums.paths, r->arena->mem, r->builder);
    map_init(&sums.by_event, r->arena->mem);
    bool good = trace_read_thread(r, entries, thread->events, &sums);
    if (good) trace_add_samples(r, &sums, thread);
    if (good) good = trace_number_events(r, &sums, event, sample);
    trace_sums_free(&sums);
    if (!import_need(r->builder, good)) return;
    entries += thread->events;
  }
  const struct import_loss losses[] = {
      {r->faults.unmatched, "end event fits no open event", "end events fit no open event"},
      {r->others, "event of a kind without stacks (not B, E, X) was skipped",
       "events of kinds without stacks (not B, E, X) were skipped"},
      {0}};
  import_account(r->builder, r->entry_count - r->faults.unmatched, "events", losses);
  import_note_count(r->builder, r->faults.open, "event was still open at the end",
                    "events were still open at the end");
  import_note_count(r->builder, r->faults.crossing,
                    "event ends after the event in which it begins: one of the two was changed",
                    "events end after the event in which they begin: one of the two was changed");
  import_note_count(r->builder, r->faults.reversed, "event has a negative duration",
                    "events have negative durations");
}

/* True if an array contains trace events: all items have a kind (`ph`), and the reader can read at
 * least one item. */
static bool trace_is_list(const struct node *events) {
  bool found = false;
  for (size_t i = 0; i < node_size(events); i++) {
    const struct node *event = node_at(events, i);
    if (!node_get(event, "ph")) return false;
    found |= trace_kind(event) != 0;
  }
  return found;
}

JSON_SHAPE(json_trace) {
  const struct node *events = trace_events(root);
  if (trace_has_samples(root)) {
    trace_samples(root, builder, arena);
    return true;
  }
  if (!trace_is_list(events)) return false;
  struct trace_reader r = {.arena = arena, .builder = builder};
  trace_threads_init(&r.threads, arena, builder);
  interner_init(&r.keys, arena->mem);
  interner_init(&r.names, arena->mem);
  buffer_init(&r.scratch, arena->mem, SIZE_MAX / 2);
  trace_read(&r, events);
  ARRAY_FREE(arena->mem, r.key, r.key_room);
  trace_threads_free(&r.threads);
  interner_free(&r.keys);
  interner_free(&r.names);
  buffer_free(&r.scratch);
  return true;
}
