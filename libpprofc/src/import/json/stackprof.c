/* JSON of stackprof (Ruby): `raw` is a list of runs, each the depth, the frames from the root on,
 * and how many samples in a row had this stack. */
#include "core/map.h"
#include "import/json/call_tree.h"
#include "import/json/json.h"

enum stackprof_mode { STACKPROF_WALL, STACKPROF_CPU, STACKPROF_COUNT };

struct stackprof {
  pprofc_builder *builder;
  struct json_call_tree frames; /* by id, without callers */
  enum stackprof_mode mode;
  int64_t interval;            /* nanoseconds, of CPU time */
  const struct node *deltas;   /* microseconds, one for each sample, of wall time */
  size_t sample;               /* how many were read */
  uint32_t *stack, *collected; /* leaf first; the stack before the collector ran */
  size_t collected_depth, bad;
};

static bool stackprof_add_frames(struct stackprof *s, const struct node *frames) {
  for (const struct node *frame = frames->first; frame; frame = frame->next) {
    pprofc_str name = node_text(frame, "name");
    int64_t line = json_member_int(frame, "line", 0);
    bool collector = str_equal(name, STR("(garbage collection)"));
    if (!name.size) name = STR("(unknown)");
    uint32_t location =
        json_plain_frame(s->builder, name, node_text(frame, "file"), line > 0 ? line : 0, 0);
    enum call_kind kind = collector ? CALL_ON_TOP : CALL_FRAME;
    if (call_tree_add(&s->frames, frame->key, frame, location, kind) == MAP_NONE) return false;
  }
  return true;
}

/* Two values: how many samples, and their time. */
static void stackprof_values(struct stackprof *s, int64_t count, int64_t values[2]) {
  int64_t time = 0;
  if (count < 0) count = 0;
  if (s->mode == STACKPROF_CPU && __builtin_mul_overflow(count, s->interval, &time))
    time = INT64_MAX;
  if (s->mode == STACKPROF_WALL)
    for (int64_t i = 0; i < count && s->sample < node_size(s->deltas); i++) {
      int64_t delta = json_scaled(node_at(s->deltas, s->sample++), 3);
      if (delta > 0 && __builtin_add_overflow(time, delta, &time)) time = INT64_MAX;
    }
  values[0] = count;
  values[1] = time;
}

/* The collector runs above the stack that ran before it. */
static size_t stackprof_place(struct stackprof *s, size_t depth, bool collector) {
  if (!collector) {
    memcpy(s->collected, s->stack, depth * sizeof *s->stack);
    s->collected_depth = depth;
    return depth;
  }
  size_t below = s->collected_depth < JSON_MOST_DEPTH ? s->collected_depth : JSON_MOST_DEPTH - 1;
  memcpy(s->stack + 1, s->collected, below * sizeof *s->stack);
  return below + 1;
}

/* Reads one run, which begins at `at`; returns where the next one does. */
static size_t stackprof_run(struct stackprof *s, const struct node *raw, size_t at) {
  int64_t height = node_integer(node_at(raw, at++));
  size_t left = node_size(raw) - at, depth = 0;
  if (height < 0 || (uint64_t)height >= left) {
    s->bad++;
    return node_size(raw);
  }
  bool collector = false;
  for (size_t i = (size_t)height; i-- > 0;) {
    uint32_t frame = call_tree_find(&s->frames, node_at(raw, at + i));
    if (frame == MAP_NONE) {
      s->bad++;
      continue;
    }
    collector = height == 1 && s->frames.nodes[frame].kind == CALL_ON_TOP;
    if (depth < JSON_MOST_DEPTH) s->stack[depth++] = s->frames.nodes[frame].location;
  }
  at += (size_t)height;
  int64_t values[2];
  stackprof_values(s, node_integer(node_at(raw, at)), values);
  depth = stackprof_place(s, depth, collector);
  if (depth && (values[0] || values[1])) pprofc_builder_sample(s->builder, s->stack, depth, values);
  return at + 1;
}

/* Files of `stackprof` without --raw: how often each frame was the innermost one. */
static void stackprof_flat(struct stackprof *s) {
  for (size_t i = 0; i < s->frames.count; i++) {
    int64_t values[2] = {json_member_int(s->frames.nodes[i].json, "samples", 0), 0};
    if (values[0] <= 0) continue;
    if (__builtin_mul_overflow(values[0], s->interval, &values[1])) values[1] = INT64_MAX;
    pprofc_builder_sample(s->builder, &s->frames.nodes[i].location, 1, values);
  }
  pprofc_builder_comment(s->builder,
                         "the file has no stacks (stackprof writes them with raw: true)");
}

static void stackprof_types(struct stackprof *s, const struct node *root) {
  pprofc_str mode = node_text(root, "mode");
  s->mode = STACKPROF_WALL;
  if (str_equal(mode, STR("cpu"))) s->mode = STACKPROF_CPU;
  if (str_equal(mode, STR("object"))) s->mode = STACKPROF_COUNT;
  const char *type = s->mode == STACKPROF_CPU ? "cpu" : "wall";
  pprofc_builder_type(s->builder, "samples", "count");
  s->interval = s->mode == STACKPROF_COUNT ? 0 : json_scaled(node_get(root, "interval"), 3);
  if (s->mode == STACKPROF_COUNT) return;
  pprofc_builder_type(s->builder, type, "nanoseconds");
  pprofc_builder_period(s->builder, type, "nanoseconds", s->interval);
}

static bool stackprof_is_profile(const struct node *root) {
  return node_is(node_get(root, "frames"), NODE_OBJECT) && node_get(root, "mode") &&
         node_get(root, "interval") && node_get(root, "samples");
}

pprofc_status json_stackprof(const struct node *root, pprofc_builder *builder, struct arena *arena,
                             pprofc_error *error) {
  if (!stackprof_is_profile(root)) return PPROFC_E_NO_MATCH;
  const struct node *raw = node_get(root, "raw");
  struct stackprof s = {.builder = builder, .deltas = node_get(root, "raw_timestamp_deltas")};
  s.stack = arena_array(arena, JSON_MOST_DEPTH, sizeof *s.stack);
  s.collected = arena_array(arena, JSON_MOST_DEPTH, sizeof *s.collected);
  if (!s.stack || !s.collected) return error_nomem(error);
  call_tree_init(&s.frames, arena);
  stackprof_types(&s, root);
  bool good = stackprof_add_frames(&s, node_get(root, "frames"));
  for (size_t at = 0; good && at < node_size(raw) && builder_ok(builder);)
    at = stackprof_run(&s, raw, at);
  if (good && !raw) stackprof_flat(&s);
  json_comment(builder, s.bad, "frames or stacks could not be read");
  call_tree_free(&s.frames);
  return good ? PPROFC_OK : error_nomem(error);
}
