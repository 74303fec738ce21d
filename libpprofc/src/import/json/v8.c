/* Reads CPU profiles of V8: .cpuprofile files of all versions. timeline.c also uses these
 * functions, for recordings of Chromium. */
#include "import/json/json.h"

/* ---- pieces ------------------------------------------ */

void v8_init(struct v8_recording *r, struct arena *arena, pprofc_builder *builder) {
  *r = (struct v8_recording){0};
  call_tree_init(&r->tree, arena, builder);
  call_paths_init(&r->paths, arena->mem, builder);
  interner_init(&r->ids, arena->mem);
}

void v8_free(struct v8_recording *r) {
  call_tree_free(&r->tree);
  call_paths_free(&r->paths);
  interner_free(&r->ids);
}

static enum call_kind v8_kind_of(const struct node *json) {
  static const struct {
    const char *name;
    enum call_kind kind;
  } names[] = {{"(root)", CALL_OUTSIDE},
               {"(idle)", CALL_OUTSIDE},
               {"(program)", CALL_ON_TOP},
               {"(garbage collector)", CALL_ON_TOP}};
  const struct node *call = node_get(json, "callFrame");
  if (!call) call = json;
  pprofc_str name = node_text(call, "functionName");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (str_equal(name, str_of(names[i].name))) return names[i].kind;
  /* V8 runs the code in this file to create its own functions. */
  return str_equal(node_text(call, "url"), STR("native dummy.js")) ? CALL_OUTSIDE : CALL_FRAME;
}

static bool v8_ok(const struct v8_recording *r) {
  return builder_ok(r->tree.builder);
}

static uint32_t v8_add_node(struct v8_recording *r, const struct node *json) {
  return call_tree_add(&r->tree, json_id(node_get(json, "id")), json,
                       json_v8_frame(r->tree.builder, json), v8_kind_of(json));
}

void v8_add_nodes(struct v8_recording *r, const struct node *nodes) {
  for (size_t i = 0; i < node_size(nodes) && v8_ok(r); i++) v8_add_node(r, node_at(nodes, i));
}

void v8_add_samples(struct v8_recording *r, const struct node *samples) {
  struct arena *arena = r->tree.arena;
  size_t count = node_size(samples), total = r->sample_count + count;
  if (!import_need(r->tree.builder, ARRAY_RESERVE_IN(arena, r->samples, r->sample_room, total)))
    return;
  for (size_t i = 0; i < count && v8_ok(r); i++) {
    const struct node *id = node_at(samples, i);
    bool known = node_is(id, NODE_NUMBER) || node_is(id, NODE_STRING);
    uint32_t sample = known ? interner_add(&r->ids, id->text) : MAP_NONE;
    import_need(r->tree.builder, !known || sample != MAP_NONE);
    r->samples[r->sample_count++] = sample;
  }
}

void v8_add_deltas(struct v8_recording *r, const struct node *deltas) {
  struct arena *arena = r->tree.arena;
  size_t count = node_size(deltas), total = r->delta_count + count;
  if (!import_need(r->tree.builder, ARRAY_RESERVE_IN(arena, r->deltas, r->delta_room, total)))
    return;
  for (size_t i = 0; i < count; i++)
    r->deltas[r->delta_count++] = json_scaled(r->tree.builder, node_at(deltas, i), 3);
}

/* Links each node with its caller. The nodes of a file list either their children or their
 * parent. */
static void v8_link(struct v8_recording *r) {
  struct json_call_tree *t = &r->tree;
  for (uint32_t i = 0; i < t->count; i++) {
    const struct node *json = t->nodes[i].json, *children = node_get(json, "children");
    for (size_t k = 0; k < node_size(children); k++) {
      uint32_t child = call_tree_find(t, node_at(children, k));
      if (child != MAP_NONE && child != i) t->nodes[child].parent = i;
    }
    uint32_t parent = call_tree_find(t, node_get(json, "parent"));
    if (parent != MAP_NONE && parent != i) t->nodes[i].parent = parent;
  }
}

/* ---- samples ----------------------------------------- */

#define V8_MAX_ON_TOP 16u

/* The current stack, root first: the callers of `base`, `base` itself, and `on_top`: V8's own
 * nodes, such as "(program)". */
struct v8_stack {
  uint32_t base; /* innermost node that is not V8's own, or MAP_NONE */
  uint32_t on_top[V8_MAX_ON_TOP];
  size_t on_top_count;
};

/* Updates the stack for a sample at `node`. The nodes "(garbage collector)" and "(program)" run as
 * callees of the previous stack. If `node` is one of these and already in the stack, drops its
 * callees. */
static void v8_place(struct v8_stack *stack, const struct json_call_tree *t, uint32_t node) {
  if (t->nodes[node].kind != CALL_ON_TOP) {
    *stack = (struct v8_stack){.base = t->nodes[node].kind == CALL_OUTSIDE ? MAP_NONE : node};
    return;
  }
  size_t k = 0;
  while (k < stack->on_top_count && stack->on_top[k] != node) k++;
  if (k == V8_MAX_ON_TOP) return;
  stack->on_top[k] = node;
  stack->on_top_count = k + 1;
}

/* Returns the call path of a stack. Returns MAP_NONE if the stack is empty, and on failure. */
static uint32_t v8_path(struct v8_recording *r, const struct v8_stack *stack) {
  const struct call_node *nodes = r->tree.nodes;
  uint32_t path = stack->base == MAP_NONE ? MAP_NONE : nodes[stack->base].path;
  for (size_t k = 0; k < stack->on_top_count && v8_ok(r); k++)
    path = call_paths_enter(&r->paths, path, nodes[stack->on_top[k]].location);
  return path;
}

static int64_t v8_sum(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? a : sum;
}

/* Returns the end of the run that begins at sample `first`: consecutive samples with the same node.
 * *clock is the time of `first`, and becomes the start of the next run. For the last run, it
 * becomes the time of the last sample. */
static size_t v8_run(const struct v8_recording *r, size_t first, int64_t *clock) {
  size_t i = first;
  do {
    i++;
    if (i < r->delta_count && i < r->sample_count) *clock = v8_sum(*clock, r->deltas[i]);
  } while (i < r->sample_count && r->samples[i] == r->samples[first]);
  return i;
}

/* Sets r->node_of, the node of each id. */
static void v8_find_nodes(struct v8_recording *r) {
  r->node_of = arena_array(r->tree.arena, r->ids.count, sizeof *r->node_of);
  import_need(r->tree.builder, r->node_of != NULL);
  for (size_t i = 0; r->node_of && i < r->ids.count; i++) {
    struct node id = {.kind = NODE_STRING, .text = r->ids.items[i]};
    r->node_of[i] = call_tree_find(&r->tree, &id);
  }
}

/* Returns the node of a sample; MAP_NONE if the file does not contain the node. */
static uint32_t v8_sample_node(const struct v8_recording *r, size_t i) {
  return r->samples[i] == MAP_NONE ? MAP_NONE : r->node_of[r->samples[i]];
}

/* Adds one sample to the profile for each run: consecutive samples with the same node. A run lasts
 * until the next run; the duration of the last sample is unknown. If the clock goes back, no time
 * passes until the clock reaches its latest value again. */
static void v8_add_times(struct v8_recording *r, call_label_fn label, const void *context,
                         struct v8_counts *counts) {
  pprofc_builder *builder = r->tree.builder;
  struct v8_stack stack = {.base = MAP_NONE};
  int64_t clock = r->delta_count ? r->deltas[0] : 0, latest = clock;
  size_t end;
  for (size_t i = 0; i < r->sample_count && builder_ok(builder); i = end) {
    uint32_t node = v8_sample_node(r, i);
    end = v8_run(r, i, &clock);
    int64_t values[2] = {(int64_t)(end - i), clock > latest ? clock - latest : 0};
    int64_t start = v8_sum(r->start, latest);
    if (clock > latest) latest = clock;
    uint64_t *known = node == MAP_NONE ? &counts->missing : &counts->read;
    if (node != MAP_NONE) v8_place(&stack, &r->tree, node);
    uint32_t path = v8_path(r, &stack);
    if (path == MAP_NONE) {
      counts->idle_time = v8_sum(counts->idle_time, values[1]);
      *(node == MAP_NONE ? known : &counts->idle) += end - i;
      continue;
    }
    *known += end - i;
    call_paths_sample(&r->paths, path, values);
    if (label) label(builder, context);
    builder_event(builder, r->track, start, values[1]);
  }
  if (r->sample_count > r->delta_count) counts->untimed += r->sample_count - r->delta_count;
}

void v8_account(pprofc_builder *builder, const struct v8_counts *counts) {
  const struct import_loss losses[] = {
      {counts->missing, "sample refers to a missing node", "samples refer to missing nodes"}, {0}};
  import_note_count(builder, counts->untimed, "sample has no time", "samples have no time");
  import_account(builder, counts->read + counts->idle, "samples", losses);
  import_note_count(builder, counts->idle, "sample is idle", "samples are idle");
  import_note_count(builder, (uint64_t)(counts->idle_time / 1000000), "ms of idle time was skipped",
                    "ms of idle time were skipped");
}

/* Returns the sum of the hit counts of all nodes. If `functions` is true, counts only nodes that
 * are functions. */
static int64_t v8_hits(const struct v8_recording *r, bool functions) {
  int64_t hits = 0;
  for (size_t i = 0; i < r->tree.count; i++) {
    if (functions && r->tree.nodes[i].kind != CALL_FRAME) continue;
    int64_t count = json_cost(r->tree.builder, node_get(r->tree.nodes[i].json, "hitCount"));
    if (count > 0) hits = v8_sum(hits, count);
  }
  return hits;
}

/* Adds a comment if samples are missing, according to the hit counts of nodes. Fewer hits than
 * samples are normal: some writers leave the counts at 0, and V8 counts no hit for the first sample
 * and for deoptimizations. Hits of "(program)" do not count, because V8 counts them without a
 * sample while a worker starts. */
static void v8_compare_hits(const struct v8_recording *r) {
  uint64_t hits = (uint64_t)v8_hits(r, true);
  if (hits > r->sample_count)
    import_compare_total(r->tree.builder, "samples", hits, r->sample_count);
}

/* Adds samples for a file that has only the hit counts of nodes. */
static void v8_add_hits(struct v8_recording *r, int64_t duration) {
  int64_t hits = v8_hits(r, false), before = 0;
  double each = hits ? (double)duration / (double)hits : 0;
  for (size_t i = 0; i < r->tree.count && v8_ok(r); i++) {
    int64_t count = json_cost(r->tree.builder, node_get(r->tree.nodes[i].json, "hitCount"));
    if (count <= 0) continue;
    int64_t until = v8_sum(before, count);
    int64_t values[2] = {count, llround((double)until * each) - llround((double)before * each)};
    before = until;
    uint32_t path = r->tree.nodes[i].path;
    if (path != MAP_NONE) call_paths_sample(&r->paths, path, values);
  }
}

void v8_finish(struct v8_recording *r, call_label_fn label, const void *context,
               struct v8_counts *counts) {
  if (!v8_ok(r)) return;
  v8_link(r);
  call_tree_make_paths(&r->tree, &r->paths);
  v8_find_nodes(r);
  v8_add_times(r, label, context, counts);
}

/* ---- files ------------------------------------------- */

/* Adds the nodes of the format before 2017, in which nodes contain their children. */
static void v8_add_head(struct v8_recording *r, const struct node *head) {
  v8_add_node(r, head);
  for (uint32_t i = 0; i < r->tree.count && v8_ok(r); i++) {
    const struct node *children = node_get(r->tree.nodes[i].json, "children");
    for (size_t k = 0; k < node_size(children); k++) {
      uint32_t child = v8_add_node(r, node_at(children, k));
      if (child != MAP_NONE) r->tree.nodes[child].parent = i;
    }
  }
}

/* Converts the times of samples to time deltas. If the file has no times, assumes equal intervals
 * between samples. */
static void v8_add_timestamps(struct v8_recording *r, const struct node *timestamps,
                              int64_t duration) {
  size_t count = node_size(timestamps);
  bool regular = !count && r->sample_count;
  if (regular) count = r->sample_count;
  if (!import_need(r->tree.builder,
                   ARRAY_RESERVE_IN(r->tree.arena, r->deltas, r->delta_room, count)))
    return;
  int64_t before = 0, each = regular ? duration / (int64_t)count : 0;
  for (size_t i = 0; i < count; i++) {
    int64_t at =
        regular ? (int64_t)i * each : json_scaled(r->tree.builder, node_at(timestamps, i), 3);
    int64_t delta;
    bool good = i && !__builtin_sub_overflow(at, before, &delta);
    r->deltas[r->delta_count++] = good ? delta : 0;
    before = at;
  }
}

static void v8_read(const struct node *root, pprofc_builder *builder, struct arena *arena) {
  const struct node *head = node_get(root, "head"), *samples = node_get(root, "samples");
  /* Profiles from before 2017 have times in seconds, later profiles in microseconds. */
  int scale = head ? 9 : 3;
  int64_t start = json_scaled(builder, node_get(root, "startTime"), scale), duration;
  if (__builtin_sub_overflow(json_scaled(builder, node_get(root, "endTime"), scale), start,
                             &duration) ||
      duration < 0)
    duration = 0;
  struct v8_recording r;
  v8_init(&r, arena, builder);
  json_wall_types(builder, 0);
  if (duration) pprofc_builder_time(builder, 0, duration);
  if (head)
    v8_add_head(&r, head);
  else
    v8_add_nodes(&r, node_get(root, "nodes"));
  v8_add_samples(&r, samples);
  if (head || !node_size(node_get(root, "timeDeltas")))
    v8_add_timestamps(&r, node_get(root, "timestamps"), duration);
  else
    v8_add_deltas(&r, node_get(root, "timeDeltas"));
  r.track = builder_track(builder, &(struct time_track){.name = STR("main")});
  builder_time_origin(builder, 0);
  struct v8_counts counts = {0};
  v8_finish(&r, NULL, NULL, &counts);
  v8_account(builder, &counts);
  if (r.sample_count)
    v8_compare_hits(&r);
  else
    v8_add_hits(&r, duration);
  v8_free(&r);
}

static bool v8_is_node(const struct node *node) {
  return node_get(node, "callFrame") || node_get(node, "functionName");
}

/* True for a CPU profile. A heap profile may also have a `head`, but with `selfSize`. */
static bool v8_is_profile(const struct node *root) {
  const struct node *head = node_get(root, "head"), *nodes = node_get(root, "nodes");
  if (head)
    return v8_is_node(head) && (node_get(head, "hitCount") || node_get(root, "samples")) &&
           !node_get(head, "selfSize");
  return node_is(nodes, NODE_ARRAY) && node_get(root, "startTime") &&
         (v8_is_node(node_at(nodes, 0)) || node_is(node_get(root, "samples"), NODE_ARRAY));
}

JSON_SHAPE(json_cpuprofile) {
  /* Paths at which a document may contain the profile: the document itself, or a member of the
   * inspector's reply to Profiler.stop. */
  static const char *const places[] = {"", "profile", "result.profile", "cpuProfile"};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    const struct node *profile = *places[i] ? node_path(root, places[i]) : root;
    if (!v8_is_profile(profile)) continue;
    v8_read(profile, builder, arena);
    return true;
  }
  return false;
}
