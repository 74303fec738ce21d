/* Reads a profile's table of times. Makes changed copies of it for edits. */
#include "profile/times.h"

/* ---- the values of events ---------------------------- */

/* Adds up the durations of each sample's events (times at which it ran). For a sample whose events
 * have no durations, counts the events instead. */
static void shares_add_up(struct time_shares *s) {
  const struct times *t = s->times;
  for (size_t i = 0; i < t->count; i++) {
    uint64_t *total = &s->total[t->sample[i]];
    *total = time_sum(*total, (uint64_t)t->duration[i]);
  }
  for (size_t i = 0; i < s->samples; i++) s->timed[i] = s->total[i] != 0;
  for (size_t i = 0; i < t->count; i++)
    if (!s->timed[t->sample[i]]) s->total[t->sample[i]]++;
}

bool time_shares_init(struct time_shares *s, const pprofc_profile *p) {
  *s = (struct time_shares){.mem = &p->mem, .times = p->times, .samples = p->samples.count};
  s->total = mem_zero_array(s->mem, s->samples, sizeof *s->total);
  s->timed = mem_zero_array(s->mem, s->samples, sizeof *s->timed);
  if (s->total && s->timed) {
    shares_add_up(s);
    return true;
  }
  time_shares_free(s);
  return false;
}

void time_shares_free(struct time_shares *s) {
  mem_free(s->mem, s->total, s->samples, sizeof *s->total);
  mem_free(s->mem, s->timed, s->samples, sizeof *s->timed);
  s->total = NULL;
  s->timed = NULL;
}

uint64_t time_shares_before(const struct time_shares *s, size_t event, int64_t at) {
  int64_t start = s->times->start[event], duration = s->times->duration[event];
  if (at <= start) return 0;
  if (!s->timed[s->times->sample[event]]) return 1;
  return (uint64_t)(at - start < duration ? at - start : duration);
}

double time_shares_of(const struct time_shares *s, size_t event) {
  uint32_t sample = s->times->sample[event];
  double part = s->timed[sample] ? (double)s->times->duration[event] : 1;
  return part / (double)s->total[sample];
}

/* ---- edits ------------------------------------------- */

/* Columns of the table of times that is being written. */
struct times_writer {
  uint32_t *sample;
  int64_t *start, *duration;
  struct time_track *tracks;
  struct times made;
};

static bool times_begin(struct times_writer *w, struct arena *arena, const struct times *old,
                        size_t count) {
  w->made = *old;
  w->made.count = w->made.track_count = 0;
  w->made.end = 0;
  w->sample = arena_array(arena, count, sizeof *w->sample);
  w->start = arena_array(arena, count, sizeof *w->start);
  w->duration = arena_array(arena, count, sizeof *w->duration);
  w->tracks = arena_array(arena, old->track_count, sizeof *w->tracks);
  w->made.sample = w->sample;
  w->made.start = w->start;
  w->made.duration = w->duration;
  w->made.tracks = w->tracks;
  return w->sample && w->start && w->duration && w->tracks;
}

static void times_put(struct times_writer *w, uint32_t sample, int64_t start, int64_t end) {
  size_t i = w->made.count++;
  w->sample[i] = sample;
  w->start[i] = start;
  w->duration[i] = end - start;
  if (end > w->made.end) w->made.end = end;
}

/* Ends a track whose first event has the index `first`. Drops the track if it has no events. */
static void times_end_track(struct times_writer *w, const struct time_track *old, size_t first) {
  if (w->made.count == first) return;
  struct time_track *track = &w->tracks[w->made.track_count++];
  *track = *old;
  track->first = first;
  track->count = w->made.count - first;
}

/* True if an edit keeps an event. If `number` is not NULL, the edit keeps the events of samples
 * that get a new index. Otherwise it keeps the events in the range of time. */
static bool times_keeps(const struct times *t, size_t event, const uint32_t *number,
                        struct time_range range) {
  return number ? number[t->sample[event]] != NONE : time_range_meets(range, t, event);
}

/* Copies the kept events, cut to the range of time. If `number` is not NULL, replaces the sample
 * index i of each event by number[i]. */
static bool times_edit(pprofc_profile *copy, const uint32_t *number, struct time_range range) {
  const struct times *old = copy->times;
  struct times_writer w;
  size_t count = 0;
  for (size_t i = 0; i < old->count; i++) count += times_keeps(old, i, number, range);
  if (!times_begin(&w, &copy->region->arena, old, count)) return false;
  for (size_t k = 0; k < old->track_count; k++) {
    const struct time_track *track = &old->tracks[k];
    size_t first = w.made.count;
    for (size_t i = track->first; i < track->first + track->count; i++) {
      int64_t start = old->start[i], end = times_event_end(old, i);
      if (!times_keeps(old, i, number, range)) continue;
      if (start < range.from) start = range.from;
      if (end > range.to) end = range.to;
      times_put(&w, number ? number[old->sample[i]] : old->sample[i], start, end);
    }
    times_end_track(&w, track, first);
  }
  copy->times = arena_copy(&copy->region->arena, &w.made, sizeof w.made);
  return copy->times != NULL;
}

bool times_renumber(pprofc_profile *copy, const uint32_t *number) {
  return !copy->times || times_edit(copy, number, TIME_RANGE_ALL);
}

bool times_clip(pprofc_profile *copy, struct time_range range) {
  return times_edit(copy, NULL, range);
}
