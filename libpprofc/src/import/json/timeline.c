/* Reads CPU profiles in recordings of Chromium's performance panel: CpuProfile events (until 2017),
 * or Profile events and the ProfileChunk events that follow them. */
#include "import/json/trace.h"

enum timeline_kind { TIMELINE_WHOLE, TIMELINE_START, TIMELINE_CHUNK, TIMELINE_OTHER };

struct timeline_event {
  int64_t at;   /* time of the event in nanoseconds */
  size_t order; /* index of the event in the file */
  const struct node *event;
  enum timeline_kind kind;
};

struct timeline_profile {
  struct v8_recording recording;
  uint32_t thread;
};

struct timeline {
  struct arena *arena;
  pprofc_builder *builder;
  struct timeline_event *events;
  size_t event_count, event_room;
  struct interner ids; /* keys of the profiles: "PID:ID" */
  struct timeline_profile *profiles;
  size_t profile_room;
  struct trace_threads threads;
  struct buffer scratch;
  size_t undeclared; /* number of ProfileChunk events without a Profile event before them */
};

static enum timeline_kind timeline_kind_of(const struct node *event) {
  static const char *const names[] = {"CpuProfile", "Profile", "ProfileChunk", NULL};
  int index = str_index(node_text(event, "name"), names);
  return index < 0 ? TIMELINE_OTHER : (enum timeline_kind)index;
}

static int timeline_by_time(const void *a, const void *b) {
  const struct timeline_event *x = a, *y = b;
  if (x->at != y->at) return x->at < y->at ? -1 : 1;
  return x->order < y->order ? -1 : 1;
}

/* Finds the events that contain profiles and sorts them by time. */
static void timeline_find(struct timeline *t, const struct node *events) {
  for (size_t i = 0; i < node_size(events); i++) {
    const struct node *event = node_at(events, i);
    enum timeline_kind kind = timeline_kind_of(event);
    if (kind == TIMELINE_OTHER || !node_is(node_path(event, "args.data"), NODE_OBJECT)) continue;
    int64_t at = json_scaled(t->builder, node_get(event, "ts"), 3);
    import_need(t->builder, ARRAY_PUSH_IN(t->arena, t->events, t->event_count, t->event_room,
                                          (struct timeline_event){at, i, event, kind}));
  }
  if (t->event_count) qsort(t->events, t->event_count, sizeof *t->events, timeline_by_time);
}

/* Returns a text that identifies a profile. Ids are unique only within a process, so the text
 * contains the process. */
static pprofc_str timeline_key(struct timeline *t, const struct node *event) {
  pprofc_str id = json_id(node_get(event, "id"));
  if (!id.size) id = json_id(node_path(event, "id2.local"));
  buffer_clear(&t->scratch);
  buffer_add_str(&t->scratch, json_id(node_get(event, "pid")));
  buffer_add_text(&t->scratch, id.size ? ":" : "/");
  buffer_add_str(&t->scratch, id.size ? id : json_id(node_get(event, "tid")));
  import_need(t->builder, !t->scratch.failed);
  return buffer_str(&t->scratch);
}

/* Returns the time at which a profile begins. If the profile does not have a start time, returns
 * the time of its event. */
static int64_t timeline_start_time(const struct timeline *t, const struct node *event) {
  const struct node *start = node_path(event, "args.data.startTime");
  if (!start) start = node_path(event, "args.data.cpuProfile.startTime");
  return json_scaled(t->builder, start ? start : node_get(event, "ts"), 3);
}

/* Returns the profile that an event begins, and adds the profile if it is new. When out of memory,
 * makes the builder fail and returns NULL. */
static struct timeline_profile *timeline_start(struct timeline *t, const struct node *event) {
  size_t before = t->ids.count;
  pprofc_str key = timeline_key(t, event);
  uint32_t thread = trace_thread_of(&t->threads, event);
  if (!builder_ok(t->builder)) return NULL;
  uint32_t i = interner_copy(&t->ids, t->arena, key);
  if (i != MAP_NONE && t->ids.count == before) return &t->profiles[i];
  if (!import_need(t->builder, i != MAP_NONE && ARRAY_RESERVE_IN(t->arena, t->profiles,
                                                                 t->profile_room, t->ids.count))) {
    t->ids.count = before;
    return NULL;
  }
  v8_init(&t->profiles[i].recording, t->arena, t->builder);
  t->profiles[i].thread = thread;
  t->profiles[i].recording.start = timeline_start_time(t, event);
  return &t->profiles[i];
}

/* Adds the nodes, samples and time deltas of one event to a profile. They are in the member
 * `cpuProfile` of `data`, or else in `data`. Time deltas in `data` take precedence. */
static void timeline_add(struct timeline_profile *profile, const struct node *data) {
  const struct node *cpu = node_get(data, "cpuProfile");
  if (!cpu) cpu = data;
  const struct node *deltas = node_get(data, "timeDeltas");
  v8_add_nodes(&profile->recording, node_get(cpu, "nodes"));
  v8_add_samples(&profile->recording, node_get(cpu, "samples"));
  v8_add_deltas(&profile->recording, deltas ? deltas : node_get(cpu, "timeDeltas"));
}

static void timeline_take(struct timeline *t, const struct timeline_event *e) {
  struct timeline_profile *profile = NULL;
  if (e->kind == TIMELINE_CHUNK) {
    uint32_t i = interner_find(&t->ids, timeline_key(t, e->event));
    if (i != MAP_NONE) profile = &t->profiles[i];
    t->undeclared += !profile;
  } else {
    profile = timeline_start(t, e->event);
  }
  if (profile) timeline_add(profile, node_path(e->event, "args.data"));
}

static void timeline_read(struct timeline *t, const struct node *events) {
  json_wall_types(t->builder, 0);
  for (size_t i = 0; i < t->event_count && builder_ok(t->builder); i++)
    timeline_take(t, &t->events[i]);
  trace_threads_name(&t->threads, events);
  struct v8_counts counts = {0};
  for (size_t i = 0; i < t->ids.count && builder_ok(t->builder); i++) {
    struct timeline_profile *p = &t->profiles[i];
    const struct trace_thread *thread = &t->threads.threads[p->thread];
    p->recording.track = trace_track(t->builder, thread);
    v8_finish(&p->recording, trace_label, thread, &counts);
  }
  v8_account(t->builder, &counts);
  import_note_count(t->builder, node_size(events) - t->event_count,
                    "event of the trace is not of a CPU profile",
                    "events of the trace are not of a CPU profile");
  import_note_count(t->builder, t->undeclared, "piece of a profile has no beginning",
                    "pieces of profiles have no beginning");
}

JSON_SHAPE(json_timeline) {
  const struct node *events = trace_events(root);
  if (!events) return false;
  struct timeline t = {.arena = arena, .builder = builder};
  timeline_find(&t, events);
  if (!t.event_count && builder_ok(builder)) return false;
  interner_init(&t.ids, arena->mem);
  trace_threads_init(&t.threads, arena, builder);
  buffer_init(&t.scratch, arena->mem, SIZE_MAX / 2);
  timeline_read(&t, events);
  for (size_t i = 0; i < t.ids.count; i++) v8_free(&t.profiles[i].recording);
  interner_free(&t.ids);
  trace_threads_free(&t.threads);
  buffer_free(&t.scratch);
  return true;
}
