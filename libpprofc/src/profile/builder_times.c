/* Collects events (the times at which samples ran) in the order of the file. Then writes them,
 * sorted by track (such as a thread), and in each track by start. */
#include "profile/builder_state.h"

struct builder_time_event {
  int64_t start, duration;
  uint32_t sample, track;
};

struct builder_times {
  const pprofc_allocator *mem;
  struct builder_time_event *events;
  size_t count, room;
  struct map by_track;
  struct time_track *tracks;
  size_t track_count, track_room;
  uint32_t last_track; /* index of the track that was found last */
  int64_t origin, clock_zero;
  bool has_origin, has_clock;
};

void builder_times_free(struct builder_times *t) {
  if (!t) return;
  const pprofc_allocator *mem = t->mem;
  loose_free(mem, t->events, t->room, sizeof *t->events);
  ARRAY_FREE(mem, t->tracks, t->track_room);
  map_free(&t->by_track);
  mem_free(mem, t, 1, sizeof *t);
}

static void builder_times_fail(pprofc_builder *b) {
  pprofc_error error;
  error_nomem(&error);
  builder_refuse(b, &error);
}

void builder_keep_times(pprofc_builder *b, bool keep) {
  if (!keep || !builder_ok(b)) return;
  b->times = mem_zero_array(&b->mem, 1, sizeof *b->times);
  if (!b->times) {
    builder_times_fail(b);
    return;
  }
  b->times->mem = &b->mem;
  map_init(&b->times->by_track, &b->mem);
}

bool builder_keeps_times(const pprofc_builder *b) {
  return b->times != NULL;
}

void builder_time_origin(pprofc_builder *b, int64_t at) {
  struct builder_times *t = b->times;
  if (!t || (t->has_origin && t->origin <= at)) return;
  t->origin = at;
  t->has_origin = true;
}

void builder_clock_zero(pprofc_builder *b, int64_t nanoseconds) {
  struct builder_times *t = b->times;
  if (!t) return;
  t->clock_zero = nanoseconds;
  t->has_clock = true;
}

pprofc_str builder_text(const pprofc_builder *b, uint32_t string) {
  return string < b->strings.count ? b->strings.items[string] : STR("");
}

/* ---- tracks ------------------------------------------ */

static bool same_track(const struct time_track *a, const struct time_track *b) {
  return str_equal(a->tid, b->tid) && str_equal(a->pid, b->pid) && str_equal(a->name, b->name) &&
         str_equal(a->process, b->process);
}

static bool track_copy(struct arena *arena, struct time_track *to, const struct time_track *from) {
  *to = (struct time_track){.name = arena_str(arena, from->name),
                            .process = arena_str(arena, from->process),
                            .pid = arena_str(arena, from->pid),
                            .tid = arena_str(arena, from->tid)};
  return to->name.data && to->process.data && to->pid.data && to->tid.data;
}

static uint64_t track_hash(const struct time_track *names) {
  uint64_t hash = hash_mix(hash_str(names->tid), hash_str(names->name));
  return hash_mix(hash_mix(hash, hash_str(names->pid)), hash_str(names->process));
}

uint32_t builder_add_track(pprofc_builder *b, const struct time_track *names) {
  struct builder_times *t = b->times;
  struct time_track copy;
  if (!t || !builder_ok(b)) return 0;
  if (!track_copy(&b->profile->region->arena, &copy, names) ||
      !MAP_PUSH(t->mem, &t->by_track, track_hash(names), t->tracks, t->track_count, t->track_room,
                copy)) {
    builder_times_fail(b);
    return 0;
  }
  return t->last_track = (uint32_t)t->track_count - 1;
}

uint32_t builder_track(pprofc_builder *b, const struct time_track *names) {
  struct builder_times *t = b->times;
  if (!t || !builder_ok(b)) return 0;
  if (t->track_count && same_track(&t->tracks[t->last_track], names)) return t->last_track;
  MAP_FIND(track, &t->by_track, track_hash(names), same_track(&t->tracks[track], names));
  return track != MAP_NONE ? (t->last_track = track) : builder_add_track(b, names);
}

/* ---- events ------------------------------------------ */

void builder_event_of(pprofc_builder *b, uint32_t sample, uint32_t track, int64_t start,
                      int64_t duration) {
  struct builder_times *t = b->times;
  if (!t || !builder_ok(b)) return;
  if (t->count == t->room &&
      !array_grow_loose(t->mem, &t->events, &t->room, t->count + 1, sizeof *t->events)) {
    builder_times_fail(b);
    return;
  }
  t->events[t->count++] =
      (struct builder_time_event){start, duration > 0 ? duration : 0, sample, track};
}

void builder_event(pprofc_builder *b, uint32_t track, int64_t start, int64_t duration) {
  size_t samples = b->columns[STACKS].count;
  if (samples && samples < NONE) builder_event_of(b, (uint32_t)samples - 1, track, start, duration);
}

size_t builder_sample_count(const pprofc_builder *b) {
  return b->columns[STACKS].count;
}

size_t builder_event_count(const pprofc_builder *b) {
  const struct builder_times *t = b->times;
  return t ? t->count : 0;
}

void builder_event_numbers(pprofc_builder *b, size_t first, const uint32_t *number) {
  struct builder_times *t = b->times;
  if (!t) return;
  size_t kept = first;
  for (size_t i = first; i < t->count; i++) {
    uint32_t sample = number[t->events[i].sample];
    if (sample == NONE) continue;
    t->events[kept] = t->events[i];
    t->events[kept++].sample = sample;
  }
  t->count = kept;
}

/* ---- the table --------------------------------------- */

/* Returns a - b, for a >= b. Returns INT64_MAX if the difference does not fit. */
static int64_t time_between(int64_t a, int64_t b) {
  int64_t between;
  return __builtin_sub_overflow(a, b, &between) ? INT64_MAX : between;
}

/* Sets for each track the number of its events and its first event. Also sets the start of the
 * recording. */
static void times_count(struct builder_times *t) {
  size_t first = 0;
  for (size_t i = 0; i < t->count; i++) {
    t->tracks[t->events[i].track].count++;
    if (!t->has_origin || t->events[i].start < t->origin) t->origin = t->events[i].start;
    t->has_origin = true;
  }
  for (size_t k = 0; k < t->track_count; k++) {
    t->tracks[k].first = first;
    first += t->tracks[k].count;
    t->tracks[k].count = 0;
  }
}

/* Columns of the table under construction. */
struct time_columns {
  uint32_t *sample;
  int64_t *start, *duration;
};

/* Writes each event to a row of its track. The rows of a track have the order of the file. */
static void times_write(struct builder_times *t, const struct time_columns *to, int64_t *end) {
  *end = 0;
  for (size_t i = 0; i < t->count; i++) {
    const struct builder_time_event *event = &t->events[i];
    struct time_track *track = &t->tracks[event->track];
    size_t row = track->first + track->count++;
    int64_t start = time_between(event->start, t->origin), most = INT64_MAX - start;
    to->sample[row] = event->sample;
    to->start[row] = start;
    to->duration[row] = event->duration < most ? event->duration : most;
    if (start + to->duration[row] > *end) *end = start + to->duration[row];
  }
}

static int times_by_start(const void *a, const void *b, const void *context) {
  const int64_t *start = context;
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  if (start[x] != start[y]) return start[x] < start[y] ? -1 : 1;
  return (x > y) - (x < y);
}

static bool times_are_sorted(const int64_t *start, size_t count) {
  size_t i = 1;
  while (i < count && start[i - 1] <= start[i]) i++;
  return i >= count;
}

/* Sorts the rows of a track by start. `order` and `old` have space for `count` items. */
static void track_sort(const struct time_columns *rows, size_t count, uint32_t *order,
                       struct builder_time_event *old) {
  for (size_t i = 0; i < count; i++) {
    order[i] = (uint32_t)i;
    old[i] = (struct builder_time_event){rows->start[i], rows->duration[i], rows->sample[i], 0};
  }
  array_sort(order, count, sizeof *order, times_by_start, rows->start);
  for (size_t i = 0; i < count; i++) {
    rows->start[i] = old[order[i]].start;
    rows->duration[i] = old[order[i]].duration;
    rows->sample[i] = old[order[i]].sample;
  }
}

/* Sorts the tracks whose events are not in the order of time. Uses the collected events as a
 * buffer, because they are no longer needed. Returns false when out of memory. */
static bool times_sort(struct builder_times *t, const struct time_columns *columns) {
  for (size_t k = 0; k < t->track_count; k++) {
    const struct time_track *track = &t->tracks[k];
    const struct time_columns rows = {columns->sample + track->first, columns->start + track->first,
                                      columns->duration + track->first};
    if (times_are_sorted(rows.start, track->count)) continue;
    uint32_t *order = mem_array(t->mem, track->count, sizeof *order);
    if (!order) return false;
    track_sort(&rows, track->count, order, t->events);
    mem_free(t->mem, order, track->count, sizeof *order);
  }
  return true;
}

/* Copies the tracks that have events. */
static struct time_track *times_tracks(const struct builder_times *t, struct arena *arena,
                                       size_t *count) {
  struct time_track *tracks = arena_array(arena, t->track_count, sizeof *tracks);
  *count = 0;
  for (size_t k = 0; tracks && k < t->track_count; k++)
    if (t->tracks[k].count) tracks[(*count)++] = t->tracks[k];
  return tracks;
}

static const struct times *times_make(struct builder_times *t, struct arena *arena) {
  struct times *made = arena_zero_array(arena, 1, sizeof *made);
  const struct time_columns columns = {arena_array(arena, t->count, sizeof *columns.sample),
                                       arena_array(arena, t->count, sizeof *columns.start),
                                       arena_array(arena, t->count, sizeof *columns.duration)};
  if (!made || !columns.sample || !columns.start || !columns.duration) return NULL;
  if (t->count >= NONE) return NULL;
  times_count(t);
  times_write(t, &columns, &made->end);
  if (!times_sort(t, &columns)) return NULL;
  made->count = t->count;
  made->sample = columns.sample;
  made->start = columns.start;
  made->duration = columns.duration;
  made->tracks = times_tracks(t, arena, &made->track_count);
  if (t->has_clock && __builtin_add_overflow(t->clock_zero, t->origin, &made->clock_start))
    made->clock_start = 0;
  return made->tracks ? made : NULL;
}

void builder_times_finish(pprofc_builder *b) {
  if (!builder_event_count(b)) return;
  b->profile->times = times_make(b->times, &b->profile->region->arena);
  if (!b->profile->times) builder_times_fail(b);
}
