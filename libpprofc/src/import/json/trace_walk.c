/* Begin and end events of one thread become a walk through its stacks. Ends at the same time come
 * in whatever order fits what is open. */
#include "import/json/trace.h"

#include "core/array.h"

struct trace_walker {
  struct arena *arena;
  const struct trace_marks *begins, *ends;
  size_t begin; /* the next one */
  size_t end;   /* the first end that is not taken */
  size_t batch_end;
  struct end_lists *lists;
  uint32_t *next_of_key, *next_of_name;
  bool *taken;
  struct call_walk *walk;
  const struct trace_mark **open; /* begins, outermost first */
  uint32_t *nodes;                /* of `walk`, for each of them */
  size_t depth, open_room, node_room;
  int64_t clock;
  struct trace_faults *faults;
};

/* ---- ends at the same time --------------------------- */

static void end_list_push(struct end_list *list, uint32_t batch, uint32_t *next, size_t end) {
  next[end] = list->batch == batch ? list->first : MAP_NONE;
  *list = (struct end_list){batch, (uint32_t)end};
}

/* The first end of a list that was not taken; MAP_NONE when there is none. */
static uint32_t end_list_first(struct end_list *list, uint32_t batch, const uint32_t *next,
                               const bool *taken) {
  if (list->batch != batch) return MAP_NONE;
  while (list->first != MAP_NONE && taken[list->first]) list->first = next[list->first];
  return list->first;
}

/* Finds the ends with the time of the next one, and lists them. */
static void ends_batch(struct trace_walker *w) {
  const struct trace_mark *ends = w->ends->at;
  size_t last = w->end + 1;
  while (last < w->ends->count && ends[last].at == ends[w->end].at) last++;
  w->batch_end = last;
  w->lists->batch++;
  for (size_t i = last; i-- > w->end;) {
    end_list_push(&w->lists->by_key[ends[i].key], w->lists->batch, w->next_of_key, i);
    end_list_push(&w->lists->by_name[ends[i].name], w->lists->batch, w->next_of_name, i);
  }
}

/* The end that fits the innermost open frame: by key, else by name, else one without a name;
 * MAP_NONE when none does. */
static uint32_t ends_fitting(struct trace_walker *w) {
  if (w->end >= w->batch_end) ends_batch(w);
  if (!w->depth) return MAP_NONE;
  const struct trace_mark *top = w->open[w->depth - 1];
  uint32_t batch = w->lists->batch;
  uint32_t found = end_list_first(&w->lists->by_key[top->key], batch, w->next_of_key, w->taken);
  if (found != MAP_NONE) return found;
  found = end_list_first(&w->lists->by_name[top->name], batch, w->next_of_name, w->taken);
  if (found != MAP_NONE || w->lists->nameless == MAP_NONE) return found;
  return end_list_first(&w->lists->by_name[w->lists->nameless], batch, w->next_of_name, w->taken);
}

/* Takes the end that fits, else the next one. */
static const struct trace_mark *ends_take(struct trace_walker *w) {
  uint32_t found = ends_fitting(w);
  if (found == MAP_NONE) found = (uint32_t)w->end;
  w->taken[found] = true;
  while (w->end < w->batch_end && w->taken[w->end]) w->end++;
  return &w->ends->at[found];
}

/* ---- the walk ---------------------------------------- */

/* What is open ran until now. */
static void walker_advance(struct trace_walker *w, int64_t at) {
  int64_t passed;
  if (w->depth && at > w->clock && !__builtin_sub_overflow(at, w->clock, &passed))
    w->walk->nodes[w->nodes[w->depth - 1]].values[1] += passed;
  if (at > w->clock) w->clock = at;
}

static bool walker_enter(struct trace_walker *w, const struct trace_mark *begin) {
  size_t depth = w->depth;
  if (!ARRAY_RESERVE_IN(w->arena, w->open, w->open_room, depth + 1)) return false;
  if (!ARRAY_RESERVE_IN(w->arena, w->nodes, w->node_room, depth + 1)) return false;
  uint32_t node = call_walk_enter(w->walk, depth ? w->nodes[depth - 1] : MAP_NONE, begin->location);
  if (node == MAP_NONE) return false;
  w->walk->nodes[node].values[0]++;
  w->open[depth] = begin;
  w->nodes[depth] = node;
  w->depth++;
  return true;
}

/* An end that fits nothing says nothing about time either: what never ends lasts until the last
 * event that counts, as in speedscope. */
static void walker_leave(struct trace_walker *w, const struct trace_mark *end) {
  if (!w->depth || (w->open[w->depth - 1]->name != end->name && end->name != w->lists->nameless)) {
    w->faults->unmatched++;
    return;
  }
  walker_advance(w, end->at);
  w->depth--;
}

/* Whether the next event is a begin. At the same time an end comes first when it fits what is open,
 * unless it ends that begin: a frame without duration. One that fits nothing, or anything, cannot
 * end a begin that the file has after it. */
static bool walker_begins(struct trace_walker *w) {
  if (w->begin == w->begins->count) return false;
  if (w->end >= w->ends->count) return true;
  const struct trace_mark *begin = &w->begins->at[w->begin], *end = &w->ends->at[w->end];
  if (begin->at != end->at) return begin->at < end->at;
  if (begin->key == end->key) return true;
  uint32_t fitting = ends_fitting(w);
  if (fitting != MAP_NONE) end = &w->ends->at[fitting];
  bool open = fitting == MAP_NONE || end->name == w->lists->nameless;
  return open && begin->place <= end->place;
}

bool end_lists_init(struct end_lists *lists, struct arena *arena, size_t key_count,
                    uint32_t nameless) {
  *lists =
      (struct end_lists){.nameless = nameless,
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
                const struct trace_marks *ends, struct end_lists *lists, struct call_walk *walk,
                struct trace_faults *faults) {
  struct trace_walker w = {.arena = arena,
                           .begins = begins,
                           .ends = ends,
                           .lists = lists,
                           .walk = walk,
                           .faults = faults,
                           .clock = INT64_MIN};
  if (!walker_init(&w)) return false;
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
