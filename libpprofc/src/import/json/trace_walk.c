/* Follows the begin and end events of one thread to find its stacks. Sorts events by time if the
 * events do not nest in the order of the file. If several end events have the same time, the event
 * that matches the innermost open frame comes first. */
#include "import/json/trace.h"

struct trace_walker {
  struct arena *arena;
  const struct trace_marks *begins, *ends;
  size_t begin;     /* index of the next begin event */
  size_t end;       /* index of the first unused end event */
  size_t batch_end; /* index after the last end event of the current group, whose events have the
                       same time */
  struct end_lists *lists;
  uint32_t *next_of_key, *next_of_name; /* for each end event: index of the next end event with the
                                           same key, and with the same name */
  bool *taken;                          /* true for each end event that was already used */
  struct trace_sums *sums;
  const struct trace_mark **open; /* begin events of the open frames, outermost first */
  uint32_t *open_sums;            /* for each open frame: index of its sum in `sums` */
  size_t depth;
  bool in_file_order; /* true if the events nest in the order of the file */
  int64_t clock;      /* latest time so far, in nanoseconds */
  struct trace_faults *faults;
};

static uint32_t walker_name(const struct trace_walker *w, const struct trace_mark *mark) {
  return w->lists->keys[mark->key].name;
}

/* ---- end events at the same time --------------------- */

static void end_list_push(struct end_list *list, uint32_t batch, uint32_t *next, size_t end) {
  next[end] = list->batch == batch ? list->first : MAP_NONE;
  *list = (struct end_list){batch, (uint32_t)end};
}

/* Returns the first unused end event of a list, or MAP_NONE. */
static uint32_t end_list_first(struct end_list *list, uint32_t batch, const uint32_t *next,
                               const bool *taken) {
  if (list->batch != batch) return MAP_NONE;
  while (list->first != MAP_NONE && taken[list->first]) list->first = next[list->first];
  return list->first;
}

/* Collects the end events that have the same time as the next end event. */
static void ends_batch(struct trace_walker *w) {
  const struct trace_mark *ends = w->ends->at;
  size_t last = w->end + 1;
  while (last < w->ends->count && ends[last].at == ends[w->end].at) last++;
  w->batch_end = last;
  w->lists->batch++;
  for (size_t i = last; i-- > w->end;) {
    end_list_push(&w->lists->by_key[ends[i].key], w->lists->batch, w->next_of_key, i);
    end_list_push(&w->lists->by_name[walker_name(w, &ends[i])], w->lists->batch, w->next_of_name,
                  i);
  }
}

/* Returns the index of the end event that matches the innermost open frame. Prefers an end event
 * with the same key as the frame. The second choice is an event with the same name, and the third
 * an event without a name. Returns MAP_NONE if no end event matches. */
static uint32_t ends_fitting(struct trace_walker *w) {
  if (w->end >= w->batch_end) ends_batch(w);
  if (!w->depth) return MAP_NONE;
  const struct trace_mark *top = w->open[w->depth - 1];
  uint32_t batch = w->lists->batch;
  uint32_t found = end_list_first(&w->lists->by_key[top->key], batch, w->next_of_key, w->taken);
  if (found != MAP_NONE) return found;
  found = end_list_first(&w->lists->by_name[walker_name(w, top)], batch, w->next_of_name, w->taken);
  if (found != MAP_NONE || w->lists->nameless == MAP_NONE) return found;
  return end_list_first(&w->lists->by_name[w->lists->nameless], batch, w->next_of_name, w->taken);
}

/* Takes the end event that matches the innermost open frame, or else the next end event. Returns
 * the event. */
static const struct trace_mark *ends_take(struct trace_walker *w) {
  if (w->in_file_order) return &w->ends->at[w->end++];
  uint32_t found = ends_fitting(w);
  if (found == MAP_NONE) found = (uint32_t)w->end;
  w->taken[found] = true;
  while (w->end < w->batch_end && w->taken[w->end]) w->end++;
  return &w->ends->at[found];
}

/* ---- the walk ---------------------------------------- */

/* Adds the time since the last event to the innermost open frame, and moves the clock to `at`. */
static void walker_advance(struct trace_walker *w, int64_t at) {
  int64_t passed;
  if (w->depth && at > w->clock && !__builtin_sub_overflow(at, w->clock, &passed)) {
    uint32_t sum = w->open_sums[w->depth - 1];
    w->sums->items[sum].values[1] += passed;
    builder_event_of(w->sums->paths.builder, sum, w->sums->track, w->clock, passed);
  }
  if (at > w->clock) w->clock = at;
}

/* Returns the index of the sum for a call path and an event key. Adds the sum if it is new. Returns
 * MAP_NONE when out of memory. */
static uint32_t trace_sum_of(struct trace_sums *s, uint32_t path, uint32_t key) {
  if (path == MAP_NONE || s->count >= MAP_NONE - 1) return MAP_NONE;
  uint64_t hash = hash_mix(path, key);
  MAP_FIND(index, &s->by_event, hash, s->items[index].path == path && s->items[index].key == key);
  if (index != MAP_NONE) return index;
  bool added = MAP_PUSH(s->paths.mem, &s->by_event, hash, s->items, s->count, s->room,
                        (struct trace_sum){path, key, {0, 0}});
  return added ? (uint32_t)s->count - 1 : MAP_NONE;
}

static bool walker_enter(struct trace_walker *w, const struct trace_mark *begin) {
  size_t depth = w->depth;
  struct trace_sums *sums = w->sums;
  uint32_t caller = depth ? sums->items[w->open_sums[depth - 1]].path : MAP_NONE;
  uint32_t path = call_paths_enter(&sums->paths, caller, w->lists->keys[begin->key].location);
  uint32_t sum = trace_sum_of(sums, path, begin->key);
  if (sum == MAP_NONE) return false;
  sums->items[sum].values[0]++;
  /* A frame without self time would have no recorded time, so record a duration of 0. */
  if (!sums->items[sum].values[1])
    builder_event_of(sums->paths.builder, sum, sums->track, w->clock, 0);
  w->open[depth] = begin;
  w->open_sums[depth] = sum;
  w->depth++;
  return true;
}

/* True if an end event has the name of a begin event, or no name. */
static bool walker_fits(const struct trace_walker *w, const struct trace_mark *begin,
                        const struct trace_mark *end) {
  uint32_t name = walker_name(w, end);
  return walker_name(w, begin) == name || name == w->lists->nameless;
}

/* Closes the innermost frame if the end event matches this frame. Otherwise counts the end event as
 * unmatched and ignores its time, as speedscope does. */
static void walker_leave(struct trace_walker *w, const struct trace_mark *end) {
  if (!w->depth || !walker_fits(w, w->open[w->depth - 1], end)) {
    w->faults->unmatched++;
    return;
  }
  walker_advance(w, end->at);
  w->depth--;
}

/* True if a begin event comes before an end event that has the same time. */
static bool walker_begins_first(struct trace_walker *w, const struct trace_mark *begin,
                                const struct trace_mark *end) {
  if (begin->key == end->key) return true; /* a frame without duration begins before it ends */
  uint32_t fitting = ends_fitting(w);
  if (fitting != MAP_NONE) end = &w->ends->at[fitting];
  /* An end event with the name of the innermost open frame comes before a begin event. */
  if (fitting != MAP_NONE && walker_name(w, end) != w->lists->nameless) return false;
  return begin->place <= end->place;
}

/* True if the next event is a begin event. */
static bool walker_begins(struct trace_walker *w) {
  if (w->begin == w->begins->count) return false;
  if (w->end >= w->ends->count) return true;
  const struct trace_mark *begin = &w->begins->at[w->begin], *end = &w->ends->at[w->end];
  if (w->in_file_order) return begin->place < end->place;
  return begin->at == end->at ? walker_begins_first(w, begin, end) : begin->at < end->at;
}

/* Sets in_file_order to true if the times never decrease in the order of the file, and each end
 * event matches the innermost begin event. Sets it to false if there are complete events, whose
 * ends have no position in the file. */
static void walker_find_order(struct trace_walker *w) {
  const struct trace_mark *last = NULL;
  w->in_file_order = true;
  while (w->in_file_order && (w->begin < w->begins->count || w->end < w->ends->count)) {
    bool begins = walker_begins(w);
    const struct trace_mark *mark = begins ? &w->begins->at[w->begin++] : &w->ends->at[w->end++];
    bool later =
        mark->place != MAP_NONE && (!last || (mark->at >= last->at && mark->place > last->place));
    if (begins) w->open[w->depth++] = mark;
    w->in_file_order = later && (begins || (w->depth && walker_fits(w, w->open[--w->depth], mark)));
    last = mark;
  }
  w->begin = w->end = w->depth = 0;
}

bool end_lists_init(struct end_lists *lists, struct arena *arena, const struct trace_key *keys,
                    size_t key_count, uint32_t nameless) {
  *lists =
      (struct end_lists){.keys = keys,
                         .nameless = nameless,
                         .by_key = arena_zero_array(arena, key_count, sizeof *lists->by_key),
                         .by_name = arena_zero_array(arena, key_count, sizeof *lists->by_name)};
  return lists->by_key && lists->by_name;
}

static bool walker_init(struct trace_walker *w) {
  size_t count = w->ends->count;
  w->next_of_key = arena_array(w->arena, count, sizeof *w->next_of_key);
  w->next_of_name = arena_array(w->arena, count, sizeof *w->next_of_name);
  w->taken = arena_zero_array(w->arena, count, sizeof *w->taken);
  return w->next_of_key && w->next_of_name && w->taken;
}

bool trace_walk(struct arena *arena, const struct trace_marks *begins,
                const struct trace_marks *ends, struct end_lists *lists, struct trace_sums *sums,
                struct trace_faults *faults) {
  struct trace_walker w = {.arena = arena,
                           .begins = begins,
                           .ends = ends,
                           .lists = lists,
                           .sums = sums,
                           .faults = faults,
                           .clock = INT64_MIN};
  w.open = arena_array(arena, begins->count, sizeof *w.open);
  w.open_sums = arena_array(arena, begins->count, sizeof *w.open_sums);
  if (!w.open || !w.open_sums) return false;
  walker_find_order(&w);
  if (!w.in_file_order && !walker_init(&w)) return false;
  while (w.begin < begins->count || w.end < ends->count) {
    if (walker_begins(&w)) {
      const struct trace_mark *begin = &begins->at[w.begin++];
      walker_advance(&w, begin->at);
      if (!walker_enter(&w, begin)) return false;
    } else {
      walker_leave(&w, ends_take(&w));
    }
  }
  faults->open += w.depth;
  return true;
}
