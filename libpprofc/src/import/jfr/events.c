/* Table of the events that become samples, and the code that reads these events. */
#include "import/jfr/jfr.h"

/* Effect of an event on the profile. */
enum events_action {
  EVENTS_CPU,  /* if the thread was running: adds one sampling period to the value of the sample */
  EVENTS_WALL, /* adds a sampling period for each sample of a thread, running or not */
  EVENTS_NATIVE,  /* adds one sampling period to the sample */
  EVENTS_AMOUNT,  /* adds one value: the event's amount (JFR_EVENT_AMOUNT) */
  EVENTS_COUNT,   /* adds two values: 1 for the count, then the amount */
  EVENTS_SETTING, /* changes a setting of the recording and adds no sample */
  EVENTS_LOST,    /* adds the event's amount to the number of samples that the recorder lost */
};

struct jfr_event {
  const char *name;
  enum jfr_type type;
  enum events_action action;
  const char *amount; /* name of the field that contains the amount (JFR_EVENT_AMOUNT), or NULL */
  bool is_time;       /* true if the amount is a duration, which is converted to nanoseconds */
};

static const struct jfr_event events[] = {
    {"jdk.ExecutionSample", JFR_CPU, EVENTS_CPU, NULL, false},
    {"jdk.CPUTimeSample", JFR_CPU_TIME, EVENTS_AMOUNT, "samplingPeriod", true},
    {"profiler.WallClockSample", JFR_WALL, EVENTS_WALL, NULL, false},
    {"datadog.ExecutionSample", JFR_CPU, EVENTS_CPU, NULL, false},
    {"datadog.MethodSample", JFR_WALL, EVENTS_WALL, NULL, false},
    {"datadog.ObjectSample", JFR_ALLOC, EVENTS_COUNT, "size", false},
    {"jdk.NativeMethodSample", JFR_NATIVE, EVENTS_NATIVE, NULL, false},
    {"jdk.ObjectAllocationInNewTLAB", JFR_IN_TLAB, EVENTS_COUNT, "tlabSize", false},
    {"jdk.ObjectAllocationOutsideTLAB", JFR_OUT_TLAB, EVENTS_COUNT, "allocationSize", false},
    {"jdk.ObjectAllocationSample", JFR_ALLOC, EVENTS_COUNT, "weight", false},
    {"profiler.LiveObject", JFR_LIVE, EVENTS_COUNT, "allocationSize", false},
    {"profiler.Malloc", JFR_MALLOC, EVENTS_COUNT, "size", false},
    {"jdk.JavaMonitorEnter", JFR_MUTEX, EVENTS_COUNT, "duration", true},
    {"jdk.ThreadPark", JFR_BLOCK, EVENTS_COUNT, "duration", true},
    {"jdk.JavaMonitorWait", JFR_WAIT, EVENTS_COUNT, "duration", true},
    {"profiler.NativeLock", JFR_NATIVE_LOCK, EVENTS_COUNT, "duration", true},
    {"jdk.MethodTrace", JFR_TRACE, EVENTS_COUNT, "duration", true},
    {"jdk.ActiveSetting", JFR_TYPE_COUNT, EVENTS_SETTING, NULL, false},
    {"jdk.CPUTimeSamplesLost", JFR_TYPE_COUNT, EVENTS_LOST, "lostSamples", false},
};

/* Fields that have the same name in all events. events_compile appends the field of the amount,
 * whose name differs between events, and the end of the list. */
static const struct jfr_want events_wants[] = {
    {"stackTrace", JFR_EVENT_STACK},   {"sampledThread", JFR_EVENT_THREAD},
    {"eventThread", JFR_EVENT_THREAD}, {"state", JFR_EVENT_STATE},
    {"objectClass", JFR_EVENT_CLASS},  {"monitorClass", JFR_EVENT_CLASS},
    {"parkedClass", JFR_EVENT_CLASS},  {"samples", JFR_EVENT_SAMPLES},
    {"contextId", JFR_EVENT_CONTEXT},  {"spanId", JFR_EVENT_SPAN},
    {"startTime", JFR_EVENT_TIME},     {"method", JFR_EVENT_METHOD},
};

static const struct jfr_want events_setting_wants[] = {{"id", JFR_EVENT_SETTING_ID},
                                                       {"name", JFR_EVENT_SETTING_NAME},
                                                       {"value", JFR_EVENT_SETTING_VALUE},
                                                       {NULL, 0}};

#define EVENTS_COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum jfr_type jfr_event_type(const struct jfr_event *event) {
  return event->type;
}

/* ---- layouts ----------------------------------------- */

static bool events_compile(struct jfr *j, const struct jfr_class *c, struct jfr_handler *h) {
  struct jfr_want wants[EVENTS_COUNT_OF(events_wants) + 2];
  size_t count = EVENTS_COUNT_OF(events_wants);
  if (h->event->action == EVENTS_SETTING)
    return jfr_compile(j, c, events_setting_wants, &h->program);
  memcpy(wants, events_wants, sizeof events_wants);
  if (h->event->amount) {
    const struct jfr_field *f = jfr_field_of(j, c, h->event->amount);
    wants[count++] = (struct jfr_want){h->event->amount, JFR_EVENT_AMOUNT};
    h->unit = f ? f->unit : JFR_TICKS;
  }
  wants[count] = (struct jfr_want){NULL, 0};
  return jfr_compile(j, c, wants, &h->program);
}

bool jfr_bind_events(struct jfr *j) {
  j->handler_count = 0;
  for (size_t i = 0; i < j->metadata.class_count; i++) {
    const struct jfr_class *c = &j->metadata.classes[i];
    for (size_t k = 0; k < EVENTS_COUNT_OF(events); k++) {
      if (!str_equal(c->name, str_of(events[k].name)) || j->handler_count == JFR_MAX_HANDLERS)
        continue;
      struct jfr_handler *h = &j->handlers[j->handler_count++];
      *h = (struct jfr_handler){.event = &events[k], .id = c->id};
      if (!events_compile(j, c, h)) return false;
    }
  }
  return true;
}

static const struct jfr_handler *events_handler(const struct jfr *j, uint64_t type) {
  for (size_t i = 0; i < j->handler_count; i++)
    if (j->handlers[i].id == type) return &j->handlers[i];
  return NULL;
}

/* Default of a field whose value is the key of a pool entry. It is not 0, because 0 is the key of
 * the first thread state. */
#define EVENTS_NO_KEY UINT64_MAX

/* Reads the fields of an event into `slots`. Returns false if the event cannot be read. */
static bool events_run(const struct jfr *j, const struct jfr_handler *h, struct jfr_reader *body,
                       uint64_t *slots) {
  for (size_t i = 0; i < JFR_SLOTS; i++) slots[i] = i <= JFR_EVENT_CLASS ? EVENTS_NO_KEY : 0;
  slots[JFR_EVENT_SAMPLES] = 1;
  return h->program.readable && jfr_run(j, &h->program, body, slots);
}

static void events_fail(struct jfr *j, const uint8_t *at) {
  import_refuse_at(j->builder, at, "an event that its metadata does not describe");
}

/* ---- survey ------------------------------------------ */

/* True for an event that is not a sample: a setting, or a number of lost samples. */
static bool events_is_note(const struct jfr_handler *h) {
  return h->event->action == EVENTS_SETTING || h->event->action == EVENTS_LOST;
}

static void events_survey(struct jfr *j, const struct jfr_handler *h, struct jfr_reader *body,
                          struct jfr_settings *settings) {
  uint64_t slots[JFR_SLOTS];
  size_t type = h->event->type;
  if (events_is_note(h)) {
    const uint8_t *at = body->at;
    if (!events_run(j, h, body, slots))
      events_fail(j, at);
    else if (h->event->action == EVENTS_SETTING)
      jfr_read_setting(j, settings, slots);
    else
      j->lost += slots[JFR_EVENT_AMOUNT];
    return;
  }
  j->has_type[type] = true;
  if (h->event->action == EVENTS_COUNT) j->has_type[type + 1] = true;
}

/* True for an event that has a stack, but is known not to be a sample. An example is an event of
 * the JDK without "Sample" in its name. */
static bool events_is_other(pprofc_str name) {
  if (str_equal(name, STR("profiler.Free"))) return true;
  return str_starts(name, STR("jdk.")) && !str_contains(name, STR("Sample"));
}

/* Adds the number of skipped events of a class to `kinds`. Returns false when out of memory. */
static bool events_note_kind(struct jfr *j, struct jfr_kinds *kinds, const struct jfr_class *c) {
  size_t before = kinds->names.count;
  uint32_t name = interner_copy(&kinds->names, j->names, c->name);
  if (!import_need(j->builder, name != MAP_NONE &&
                                   ARRAY_RESERVE(j->mem, kinds->counts, kinds->capacity, name + 1)))
    return false;
  if (name == before) kinds->counts[name] = 0;
  kinds->counts[name] += c->events;
  return true;
}

/* Counts the events that are not in the table of events. */
static bool events_note_unread(struct jfr *j) {
  for (size_t i = 0; i < j->metadata.class_count; i++) {
    const struct jfr_class *c = &j->metadata.classes[i];
    bool has_stack = c->events && jfr_field_of(j, c, "stackTrace");
    j->without_field += has_stack ? 0 : c->events;
    if (has_stack && !events_note_kind(j, events_is_other(c->name) ? &j->others : &j->unknown, c))
      return false;
  }
  return true;
}

/* Stores the event that the sample type cpu counts in a chunk, such as "cache-misses". Fails if
 * earlier chunks count another event, because a sum of different events has no meaning. */
static bool events_note_cpu(struct jfr *j, const struct jfr_settings *settings) {
  if (j->has_cpu_event && !str_equal(j->cpu_event, settings->event))
    return import_refuse(j->builder, PPROFC_E_FORMAT,
                         "chunks with samples of different events ('%.*s', '%.*s')",
                         STR_ARG(j->cpu_event), STR_ARG(settings->event));
  j->cpu_event = settings->event;
  j->has_cpu_event = true;
  return true;
}

/* True if samples of the wall clock and of another event are both jdk.ExecutionSample.
 * async-profiler 2.10 to 3.0 writes such recordings; later versions have
 * profiler.WallClockSample. */
static bool events_mix_wall(const struct jfr *j, const struct jfr_settings *settings) {
  for (size_t i = 0; i < j->handler_count; i++)
    if (j->handlers[i].event->type == JFR_WALL) return false;
  return settings->has_wall && settings->async && !settings->only_wall;
}

/* Finds the sample types of a chunk's samples: cpu, wall or both. */
static void events_note_types(struct jfr *j, struct jfr_settings *settings, bool has_cpu) {
  settings->has_wall = events_mix_wall(j, settings);
  bool has_wall = settings->only_wall || settings->has_wall;
  j->has_type[JFR_WALL] |= has_cpu && has_wall;
  j->has_type[JFR_CPU] |= j->has_type[JFR_WALL] && settings->only_wall;
}

bool jfr_survey_events(struct jfr *j, struct jfr_chunk *chunk) {
  struct jfr_reader r = jfr_reader_at(j, JFR_HEADER_SIZE), body;
  uint64_t type;
  struct jfr_settings *settings = &chunk->settings;
  bool has_cpu = false;
  while (jfr_next_event(j, &r, &type, &body)) {
    const struct jfr_handler *h = events_handler(j, type);
    if (h) events_survey(j, h, &body, settings);
    has_cpu |= h && h->event->type == JFR_CPU;
    if (h || type < 2) continue;
    struct jfr_class *c = jfr_class_of(j, type);
    *(c ? &c->events : &j->undescribed) += 1;
  }
  /* async-profiler writes its settings only to the first chunk of a recording. */
  if (!settings->given && chunk > j->chunks) *settings = chunk[-1].settings;
  events_note_types(j, settings, has_cpu);
  if (!builder_ok(j->builder) || (has_cpu && !events_note_cpu(j, settings))) return false;
  return events_note_unread(j);
}

/* ---- samples ----------------------------------------- */

static void events_thread(struct jfr *j, uint64_t id, struct jfr_key *key) {
  struct jfr_entry *thread = jfr_entry_of(j, JFR_THREADS, id);
  if (!thread) return;
  if (thread->made == JFR_UNMADE) {
    pprofc_str name = STR("");
    if (thread->slots[JFR_JAVA_NAME]) name = jfr_text(j, thread->slots[JFR_JAVA_NAME]);
    if (!name.size && thread->slots[JFR_OS_NAME]) name = jfr_text(j, thread->slots[JFR_OS_NAME]);
    thread->made = builder_string(j->builder, name);
  }
  key->thread = thread->made;
  key->tid = thread->slots[JFR_OS_ID];
}

/* Converts ticks to nanoseconds, rounded down. The result is at most INT64_MAX. */
static uint64_t events_ticks(uint64_t ticks, uint64_t per_second) {
  const uint64_t second = 1000000000;
  if (!per_second || per_second == second) return ticks;
  if (per_second > UINT64_MAX / second || ticks / per_second >= INT64_MAX / second)
    return (uint64_t)fmin((double)ticks / (double)per_second * 1e9, 0x1p63 - 1024);
  return ticks / per_second * second + ticks % per_second * second / per_second;
}

static uint64_t events_amount(const struct jfr *j, const struct jfr_handler *h, uint64_t amount) {
  static const uint64_t factors[] = {[JFR_NANOSECONDS] = 1,
                                     [JFR_MICROSECONDS] = 1000,
                                     [JFR_MILLISECONDS] = 1000000,
                                     [JFR_SECONDS] = 1000000000};
  if (!h->event->is_time) return amount;
  if ((int64_t)amount < 0) return 0; /* a negative amount means that the duration is unknown */
  if (h->unit == JFR_TICKS) return events_ticks(amount, j->chunk->ticks_per_second);
  return amount * factors[h->unit];
}

enum events_state { EVENTS_UNKNOWN, EVENTS_OTHER, EVENTS_SLEEPING, EVENTS_RUNNABLE };

/* Classifies a thread state as sleeping, runnable or other. Caches the result in the pool entry. */
static enum events_state events_state_of(struct jfr *j, uint64_t id) {
  struct jfr_entry *entry = jfr_entry_of(j, JFR_STATES, id);
  if (!entry) return EVENTS_OTHER;
  if (entry->slots[JFR_STATE_KIND] == EVENTS_UNKNOWN) {
    pprofc_str name = jfr_text(j, entry->slots[JFR_TEXT]);
    entry->slots[JFR_STATE_KIND] = EVENTS_OTHER;
    if (str_equal(name, STR("STATE_SLEEPING"))) entry->slots[JFR_STATE_KIND] = EVENTS_SLEEPING;
    if (str_equal(name, STR("STATE_RUNNABLE"))) entry->slots[JFR_STATE_KIND] = EVENTS_RUNNABLE;
  }
  return (enum events_state)entry->slots[JFR_STATE_KIND];
}

/* An event, and the key of the row to which its values are added. */
struct events_sample {
  const struct jfr_handler *handler;
  struct jfr_key key;
  uint64_t slots[JFR_SLOTS];
};

/* Records the start and the duration of an event for the row that the last jfr_rows_add changed. */
static void events_add_time(struct jfr *j, const struct events_sample *p, uint64_t duration) {
  const struct jfr_chunk *chunk = j->chunk;
  uint64_t ticks = p->slots[JFR_EVENT_TIME] - chunk->start_ticks;
  char tid[24] = "";
  if (!builder_keeps_times(j->builder)) return;
  /* An event may begin before its chunk. */
  bool before = (int64_t)ticks < 0, lost;
  int64_t start = (int64_t)chunk->time, moved;
  uint64_t passed = events_ticks(before ? 0 - ticks : ticks, chunk->ticks_per_second);
  if (before)
    lost = __builtin_sub_overflow(start, (int64_t)passed, &moved);
  else
    lost = __builtin_add_overflow(start, (int64_t)passed, &moved);
  if (lost) moved = start;
  if (p->key.tid) snprintf(tid, sizeof tid, "%llu", (unsigned long long)p->key.tid);
  uint32_t track = builder_track(
      j->builder,
      &(struct time_track){.name = builder_text(j->builder, p->key.thread), .tid = str_of(tid)});
  builder_event_of(j->builder, jfr_rows_last(j), track, moved,
                   duration < INT64_MAX ? (int64_t)duration : INT64_MAX);
}

/* Adds a value to the row of an event. If the value is a time, it is also the event's duration. */
static void events_add_period(struct jfr *j, const struct events_sample *p, enum jfr_type type,
                              uint64_t period) {
  jfr_rows_add(j, &p->key, type, period);
  events_add_time(j, p, j->cpu_event.size && type == JFR_CPU ? 0 : period);
}

/* Adds a jdk.ExecutionSample. async-profiler writes this event also for sleeping threads. */
static void events_cpu(struct jfr *j, const struct events_sample *p) {
  const struct jfr_settings *settings = &j->chunk->settings;
  enum events_state state = events_state_of(j, p->slots[JFR_EVENT_STATE]);
  /* If `has_wall`, the state STATE_DEFAULT (EVENTS_OTHER) marks a sample of the chosen event. Every
   * other state marks a sample of the wall clock. */
  if (settings->has_wall && state != EVENTS_OTHER) {
    events_add_period(j, p, JFR_WALL, settings->wall);
    return;
  }
  bool runs = state != EVENTS_SLEEPING;
  if (settings->only_wall && runs) jfr_rows_add(j, &p->key, JFR_CPU, settings->cpu);
  if (settings->only_wall || runs)
    events_add_period(j, p, settings->only_wall ? JFR_WALL : JFR_CPU, settings->cpu);
}

static void events_wall(struct jfr *j, const struct events_sample *p) {
  const struct jfr_settings *settings = &j->chunk->settings;
  uint64_t value = p->slots[JFR_EVENT_SAMPLES] * settings->wall;
  if (settings->only_wall && events_state_of(j, p->slots[JFR_EVENT_STATE]) == EVENTS_RUNNABLE)
    jfr_rows_add(j, &p->key, JFR_CPU, value);
  events_add_period(j, p, JFR_WALL, value);
}

static void events_add(struct jfr *j, const struct events_sample *p) {
  enum jfr_type type = p->handler->event->type;
  uint64_t amount = events_amount(j, p->handler, p->slots[JFR_EVENT_AMOUNT]);
  switch (p->handler->event->action) {
  case EVENTS_CPU:
    events_cpu(j, p);
    break;
  case EVENTS_WALL:
    events_wall(j, p);
    break;
  case EVENTS_NATIVE:
    events_add_period(j, p, type, j->chunk->settings.native);
    break;
  case EVENTS_AMOUNT:
    events_add_period(j, p, type, amount);
    break;
  default:
    jfr_rows_add(j, &p->key, type, 1);
    jfr_rows_add(j, &p->key, (enum jfr_type)(type + 1), amount);
    events_add_time(j, p, p->handler->event->is_time ? amount : 0);
  }
}

/* Computes the key of the row (struct jfr_key) to which an event is added. Returns false if the
 * event has no stack, and on failure. */
static bool events_find_key(struct jfr *j, struct events_sample *p) {
  const uint64_t *slots = p->slots;
  p->key = (struct jfr_key){
      .stack = jfr_stack(j, slots[JFR_EVENT_STACK]),
      .state = jfr_string_of(j, JFR_STATES, slots[JFR_EVENT_STATE]),
      .class = jfr_class_label(j, slots[JFR_EVENT_CLASS]),
      .method = slots[JFR_EVENT_METHOD] ? jfr_method_label(j, slots[JFR_EVENT_METHOD]) : 0,
      .context = slots[JFR_EVENT_CONTEXT],
      .span = slots[JFR_EVENT_SPAN],
  };
  events_thread(j, slots[JFR_EVENT_THREAD], &p->key);
  if (!builder_ok(j->builder)) return false;
  j->without_stack += p->key.stack == NONE;
  j->samples += p->key.stack != NONE;
  return p->key.stack != NONE;
}

bool jfr_read_events(struct jfr *j) {
  struct jfr_reader r = jfr_reader_at(j, JFR_HEADER_SIZE), body;
  struct events_sample sample;
  uint64_t type;
  while (builder_ok(j->builder) && jfr_next_event(j, &r, &type, &body)) {
    const uint8_t *at = body.at;
    sample.handler = events_handler(j, type);
    if (!sample.handler || events_is_note(sample.handler)) continue;
    if (!events_run(j, sample.handler, &body, sample.slots))
      events_fail(j, at);
    else if (events_find_key(j, &sample))
      events_add(j, &sample);
  }
  return builder_ok(j->builder);
}
