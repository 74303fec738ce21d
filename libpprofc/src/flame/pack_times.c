/* Writes the times of samples as bytes for the viewer: when each stack ran, by thread.
 *
 * The bytes are varints. They begin with the end of the recording in nanoseconds and the width of
 * buckets (0: every event is sent). The numbers of samples and events follow. Samples without
 * events or without a node are left out.
 *
 * Then the samples follow. A sample has its node, as the difference from the node of the previous
 * sample, and its values. Then the tracks follow. A track has its number of events, and the events.
 * An event has the time since the end of the previous event, and its duration. Then it has the
 * number of its sample, as the difference from the number in the previous event. */
#include "flame/pack.h"

/* Maximum number of events. If there are more, the events of a stack within a time interval are
 * added up. */
#ifndef TIMES_MOST
#define TIMES_MOST THRESHOLD((size_t)2000000)
#endif

/* Number of buckets (time intervals of equal width) with which times_fit begins. */
#define TIMES_BUCKETS (1 << 18)

struct packed_event {
  uint32_t sample; /* index of the sample in the output */
  int64_t start, duration;
};

struct times_packer {
  const struct flame_page *page;
  const struct times *times;
  const pprofc_allocator *mem;
  struct time_shares shares;
  uint32_t *number; /* for each sample, its index in the output, or NONE if it is left out */
  size_t numbered;  /* number of samples in the output */
  int64_t bucket;   /* width of the buckets (time intervals) in nanoseconds; 0: no buckets */
  struct packed_event *items; /* events of the current bucket (time interval), one per sample */
  size_t count, capacity;
  /* for each sample in the output: index in `items` of its event, valid only if items[index].sample
   * is this sample (the index may be from an earlier bucket) */
  uint32_t *place;
  struct buffer *out;         /* buffer for the bytes; NULL: only count the events */
  size_t written;             /* number of events that were written for the current track */
  struct packed_event before; /* event that was written last in the current track */
};

static void pack_put_event(struct times_packer *p, const struct packed_event *event) {
  p->written++;
  if (!p->out) return;
  int64_t start = event->start, after = sum_add(p->before.start, p->before.duration);
  if (p->bucket && start < after) start = after;
  pack_signed(p->out, sum_subtract(start, after));
  pack_varint(p->out, (uint64_t)event->duration);
  pack_signed(p->out, (int64_t)event->sample - p->before.sample);
  p->before = (struct packed_event){event->sample, start, event->duration};
}

static int times_compare_samples(const void *a, const void *b) {
  const struct packed_event *x = a, *y = b;
  return (x->sample > y->sample) - (x->sample < y->sample);
}

/* Writes the events of the current bucket (a time interval), sorted by their samples. */
static void times_put_bucket(struct times_packer *p) {
  if (p->out && p->count > 1) qsort(p->items, p->count, sizeof *p->items, times_compare_samples);
  for (size_t i = 0; i < p->count; i++) pack_put_event(p, &p->items[i]);
  p->count = 0;
}

/* Adds an event to the current bucket (a time interval). Events of a bucket with the same sample
 * become one event with the sum of their durations. If the event starts in another bucket, first
 * writes the current bucket, and then makes the other bucket the current one. */
static bool times_collect(struct times_packer *p, struct packed_event event) {
  event.start -= event.start % p->bucket;
  if (p->count && p->items[0].start != event.start) times_put_bucket(p);
  uint32_t at = p->place[event.sample];
  if (at < p->count && p->items[at].sample == event.sample) {
    p->items[at].duration = sum_add(p->items[at].duration, event.duration);
    return true;
  }
  p->place[event.sample] = (uint32_t)p->count;
  return ARRAY_PUSH(p->mem, p->items, p->count, p->capacity, event);
}

/* Writes the events of a track. If `out` is NULL, only counts them. */
static bool times_walk_track(struct times_packer *p, const struct time_track *track,
                             struct buffer *out) {
  p->out = out;
  p->written = 0;
  p->before = (struct packed_event){0};
  for (size_t i = track->first; i < track->first + track->count; i++) {
    uint32_t sample = p->times->sample[i], number = p->number[sample];
    if (budget_poll(p->mem, i)) return false;
    if (number == NONE) continue;
    /* Events without a duration have equal shares of the sample's values, so they get equal
     * durations. */
    int64_t duration = p->shares.timed[sample] ? p->times->duration[i] : 1;
    const struct packed_event event = {number, p->times->start[i], duration};
    if (!p->bucket)
      pack_put_event(p, &event);
    else if (!times_collect(p, event))
      return false;
  }
  if (p->count) times_put_bucket(p);
  return true;
}

/* Numbers the samples that have both events and a node. */
static bool times_number_samples(struct times_packer *p, size_t samples) {
  p->number = mem_array(p->mem, samples, sizeof *p->number);
  if (!p->number) return false;
  for (size_t i = 0; i < samples; i++) p->number[i] = NONE;
  for (size_t i = 0; i < p->times->count; i++) p->number[p->times->sample[i]] = 0;
  for (size_t i = 0; i < samples; i++) {
    if (p->number[i] == NONE) continue;
    p->number[i] = p->page->node_of[i] == NONE ? NONE : (uint32_t)p->numbered++;
  }
  p->place = mem_zero_array(p->mem, p->numbered, sizeof *p->place);
  return p->place != NULL;
}

/* Widens the buckets (time intervals) until at most TIMES_MOST events remain, or until each track
 * has a single bucket. Sets *events to the number of events. */
static bool times_fit(struct times_packer *p, size_t *events) {
  for (*events = 0;; *events = 0) {
    for (size_t i = 0; i < p->times->track_count; i++) {
      if (!times_walk_track(p, &p->times->tracks[i], NULL)) return false;
      *events += p->written;
    }
    int64_t end = p->times->end, wide = p->bucket;
    if (*events <= TIMES_MOST || wide > end || wide == INT64_MAX) return true;
    if (__builtin_mul_overflow(wide, 4, &p->bucket)) p->bucket = INT64_MAX;
    if (!wide) p->bucket = end / TIMES_BUCKETS + 1;
  }
}

static void times_put_samples(struct times_packer *p, size_t samples, struct buffer *out) {
  const struct flame_tree *t = p->page->tree;
  struct value_column values = profile_values(t->frames->profile, 0);
  uint32_t before = 0;
  for (size_t i = 0; i < samples; i++) {
    if (p->number[i] == NONE) continue;
    pack_signed(out, (int64_t)p->page->node_of[i] - before);
    before = p->page->node_of[i];
    for (size_t c = 0; c < t->types; c++) pack_signed(out, values.values[i * values.step + c]);
  }
}

static bool times_put_all(struct times_packer *p, size_t samples, struct buffer *out) {
  size_t events;
  if (!times_number_samples(p, samples) || !times_fit(p, &events)) return false;
  pack_varint(out, (uint64_t)p->times->end);
  pack_varint(out, (uint64_t)p->bucket);
  pack_varint(out, p->numbered);
  pack_varint(out, events);
  times_put_samples(p, samples, out);
  for (size_t i = 0; i < p->times->track_count; i++) {
    if (!times_walk_track(p, &p->times->tracks[i], NULL)) return false;
    pack_varint(out, p->written);
    if (!times_walk_track(p, &p->times->tracks[i], out)) return false;
  }
  return !out->failed;
}

pprofc_status flame_pack_times(const struct flame_page *page, struct buffer *out,
                               pprofc_error *error) {
  const pprofc_profile *profile = page->tree->frames->profile;
  struct times_packer p = {.page = page, .times = profile->times, .mem = page->tree->arena.mem};
  if (!page->node_of) return PPROFC_OK;
  bool done = time_shares_init(&p.shares, profile);
  if (done) {
    done = times_put_all(&p, profile->samples.count, out);
    time_shares_free(&p.shares);
  }
  mem_free(p.mem, p.place, p.numbered, sizeof *p.place);
  mem_free(p.mem, p.number, profile->samples.count, sizeof *p.number);
  ARRAY_FREE(p.mem, p.items, p.capacity);
  return done ? PPROFC_OK : error_nomem(error);
}

/* Writes the name of a track: "worker", "thread 7". If there are several processes, adds the name
 * of the process. */
static void times_put_name(const struct time_track *track, bool processes,
                           struct json_writer *json) {
  struct buffer name = buffer_make(json->scratch.mem, SIZE_MAX / 2);
  pprofc_str process = track->process.size ? track->process : track->pid;
  if (processes && process.size) {
    buffer_add_str(&name, process);
    buffer_add_text(&name, ", ");
  }
  if (track->name.size)
    buffer_add_str(&name, track->name);
  else
    buffer_add_text(&name, "thread ");
  if (!track->name.size) buffer_add_str(&name, track->tid);
  flame_put_shown(json, buffer_str(&name));
  json->scratch.failed |= name.failed;
  buffer_free(&name);
}

void flame_put_tracks(const struct flame_page *page, struct json_writer *json) {
  const struct times *times = page->tree->frames->profile->times;
  bool processes = false;
  for (size_t i = 1; i < times->track_count; i++)
    processes |= !str_equal(times->tracks[i].pid, times->tracks[0].pid);
  json_begin_array(json_key(json, "tracks"));
  for (size_t i = 0; i < times->track_count; i++)
    times_put_name(&times->tracks[i], processes, json);
  json_end(json);
}
