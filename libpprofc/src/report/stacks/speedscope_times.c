/* Writes the profiles of a speedscope file in the order of time. */
#include "report/stacks/speedscope_profiles.h"

#include "core/buffer.h"
#include "profile/stack.h"

#include <math.h>

struct track_writer {
  const struct speedscope_tracks *t;
  struct time_shares shares;
  const struct time_track *track;
  bool timed;       /* true if weights are durations */
  int64_t first;    /* start of the earliest event in any track */
  int64_t clock;    /* time at which the event that was written last ends */
  bool any;         /* true if the current JSON array has an element */
  double all, lost; /* time of all events, and the part of this time that track_take drops */
  struct buffer name;
};

/* The elements that an event adds to a track: a pause before the event, and the weight of the
 * event. An element of weight 0 is not written. */
struct track_step {
  int64_t pause, weight;
};

/* Returns the value of an event's sample for the sample type of the file. */
static int64_t track_sample_value(const pprofc_profile *p, size_t type, size_t event) {
  const struct value_column column = profile_values(p, type);
  return column.values[p->times->sample[event] * column.step];
}

bool speedscope_has_events(const pprofc_profile *p, size_t type) {
  size_t i = 0;
  while (i < p->times->count && track_sample_value(p, type, i) <= 0) i++;
  return i < p->times->count;
}

static int64_t track_value(const struct track_writer *w, size_t event) {
  const struct speedscope_profile *shown = w->t->shown;
  double value = (double)track_sample_value(w->t->profile, shown->type, event);
  value *= time_shares_of(&w->shares, event) * (double)shown->factor;
  return value > 0 && value < 0x1p63 ? llround(value) : 0;
}

/* True if the event's sample has a value of the sample type that the file shows. Other events
 * belong to other sample types: waits, for example, if the file shows CPU time. */
static bool track_shows(const struct track_writer *w, size_t event) {
  return track_sample_value(w->t->profile, w->t->shown->type, event) > 0;
}

/* Returns the pause before an event and the weight of the event. If weights are durations,
 * drops the part of the event before the clock, because the file shows an earlier event at that
 * time. Then moves the clock to the end of the event. */
static struct track_step track_take(struct track_writer *w, size_t event) {
  const struct times *times = w->t->profile->times;
  int64_t start = times->start[event], end = times_event_end(times, event);
  if (!w->timed) return (struct track_step){0, track_value(w, event)};
  if (!track_shows(w, event)) return (struct track_step){0, 0};
  w->all += (double)(end - start);
  if (start < w->clock) {
    int64_t at = end < w->clock ? end : w->clock;
    w->lost += (double)(at - start);
    start = at;
  }
  if (end == start) return (struct track_step){0, 0};
  struct track_step step = {start - w->clock, end - start};
  w->clock = end;
  return step;
}

static void track_begin(struct track_writer *w, const char *key) {
  json_begin_array(json_key(w->t->json, key));
  w->clock = w->first;
  w->any = false;
}

/* Writes the frames of a location. Returns the depth of the stack with these frames. */
static size_t track_put_location(const struct track_writer *w, uint32_t location, size_t depth) {
  const struct stack_frames *f = w->t->frames;
  for (uint32_t i = f->location_from[location]; i < f->location_from[location + 1]; i++) {
    const struct number_text *number = &w->t->numbers[f->location_frames[i]];
    if (w->t->max_depth && depth == w->t->max_depth) break;
    output_add(w->t->json->out, number->text + !depth, number->size - (size_t)!depth);
    depth++;
  }
  return depth;
}

static void track_put_stack(const struct track_writer *w, uint32_t sample) {
  struct stack_reader reader = stack_reader_at(&w->t->profile->samples, sample);
  struct packed_stack stack = stack_of(&reader, sample);
  uint32_t id;
  size_t depth = 0;
  output_add_char(w->t->json->out, '[');
  while (stack_take_root_id(&stack, &id)) {
    uint32_t location = stack_location(stack.map, id);
    if (location != LOCATION_HIDDEN) depth = track_put_location(w, location, depth);
  }
  output_add_char(w->t->json->out, ']');
}

static void track_put_comma(struct track_writer *w) {
  output_add_text(w->t->json->out, w->any ? ",\n" : "\n");
  w->any = true;
}

static void track_write_samples(struct track_writer *w) {
  const struct times *times = w->t->profile->times;
  track_begin(w, "samples");
  for (size_t i = w->track->first; i < w->track->first + w->track->count; i++) {
    struct track_step step = track_take(w, i);
    if (step.pause) {
      track_put_comma(w);
      output_add_text(w->t->json->out, "[]");
    }
    if (!step.weight) continue;
    track_put_comma(w);
    track_put_stack(w, times->sample[i]);
  }
  json_end(w->t->json);
}

static void track_write_weights(struct track_writer *w) {
  track_begin(w, "weights");
  for (size_t i = w->track->first; i < w->track->first + w->track->count; i++) {
    struct track_step step = track_take(w, i);
    if (step.pause) json_int(w->t->json, step.pause);
    if (step.weight) json_int(w->t->json, step.weight);
  }
  json_end(w->t->json);
}

/* Writes the start and the end of a track. If the events have no durations, the start is 0, and the
 * end is the sum of the values. */
static void track_write_bounds(struct track_writer *w) {
  int64_t start = w->timed ? w->first : 0, end = start;
  w->clock = start;
  for (size_t i = w->track->first; i < w->track->first + w->track->count; i++) {
    struct track_step step = track_take(w, i);
    if (w->timed) end = w->clock;
    if (!w->timed && __builtin_add_overflow(end, step.weight, &end)) end = INT64_MAX;
  }
  json_pack(w->t->json, "unit:s startValue:i endValue:i",
            w->timed ? "nanoseconds" : w->t->shown->unit, start, end);
}

static void track_add_part(struct track_writer *w, const char *before, pprofc_str text) {
  if (!text.size) return;
  if (w->name.size) buffer_add_text(&w->name, before);
  buffer_add_str(&w->name, text);
}

/* Writes the name of a track: "renderer, main, tid 12". */
static void track_write_name(struct track_writer *w) {
  buffer_clear(&w->name);
  track_add_part(w, "", w->track->process);
  track_add_part(w, ", ", w->track->name);
  if (w->track->tid.size) {
    buffer_add_text(&w->name, w->name.size ? ", tid " : "tid ");
    buffer_add_str(&w->name, w->track->tid);
  }
  if (!w->name.size) buffer_add_text(&w->name, "samples");
  json_string(json_key(w->t->json, "name"), buffer_str(&w->name));
}

/* Writes a track. Writes nothing if no event has a value of the sample type. */
static void track_write(struct track_writer *w) {
  const struct times *times = w->t->profile->times;
  bool any = w->timed = false;
  for (size_t i = w->track->first; i < w->track->first + w->track->count && !w->timed; i++) {
    any |= track_shows(w, i);
    w->timed = times->duration[i] > 0 && track_shows(w, i);
  }
  if (!any) return;
  json_pack(w->t->json, "\n{type:s", "sampled");
  track_write_name(w);
  track_write_bounds(w);
  track_write_samples(w);
  track_write_weights(w);
  json_end(w->t->json);
}

bool speedscope_write_tracks(const struct speedscope_tracks *t, double *lost) {
  const struct times *times = t->profile->times;
  struct track_writer w = {.t = t, .first = INT64_MAX};
  for (size_t i = 0; i < times->track_count; i++) {
    int64_t start = times->start[times->tracks[i].first];
    if (start < w.first) w.first = start;
  }
  if (!time_shares_init(&w.shares, t->profile)) return false;
  buffer_init(&w.name, t->frames->arena.mem, SIZE_MAX / 2);
  for (size_t i = 0; i < times->track_count && !t->json->out->failed; i++) {
    w.track = &times->tracks[i];
    track_write(&w);
  }
  *lost = w.all > 0 ? w.lost / w.all : 0;
  bool good = !w.name.failed;
  buffer_free(&w.name);
  time_shares_free(&w.shares);
  return good;
}
