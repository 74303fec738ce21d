/* Reads JSON of stackprof (Ruby). `raw` is a list of runs. A run consists of the depth of a stack,
 * its frames (root first), and the number of consecutive samples with this stack. `raw_lines`
 * (version 0.2.27) has the line numbers of these frames. */
#include "import/json/json.h"

enum stackprof_mode { STACKPROF_WALL, STACKPROF_CPU, STACKPROF_COUNT };

struct stackprof {
  pprofc_builder *builder;
  struct json_call_tree frames; /* frames by id, without callers */
  uint32_t *functions;          /* function of each frame */
  enum stackprof_mode mode;
  int64_t interval; /* sampling interval in nanoseconds */
  const struct node *raw, *lines;
  const struct node *deltas; /* wall time between samples, in microseconds */
  size_t sample;             /* number of samples read */
  /* Stack of the current sample, and the last stack in which the garbage collector did not run. */
  struct json_stack stack, collected;
  size_t collected_depth, runs, bad;
  size_t empty;   /* number of stacks without a known frame */
  size_t unknown; /* number of frames that are missing in the table of frames */
};

static void stackprof_add_frames(struct stackprof *s, struct arena *arena,
                                 const struct node *frames) {
  size_t count = 0;
  for (const struct node *frame = frames->first; frame; frame = frame->next) count++;
  s->functions = arena_array(arena, count + 1, sizeof *s->functions);
  if (!import_need(s->builder, s->functions != NULL)) return;
  for (const struct node *frame = frames->first; frame; frame = frame->next) {
    pprofc_str name = node_text(frame, "name");
    int64_t line = json_member_line(frame, "line");
    bool collector = str_equal(name, STR("(garbage collection)"));
    if (!name.size) name = STR("(unknown)");
    if (line < 0) line = 0;
    uint32_t function = builder_add_function(s->builder, builder_string(s->builder, name), 0,
                                             builder_string(s->builder, node_text(frame, "file")),
                                             s->lines ? line : 0);
    uint32_t location = import_location(s->builder, NONE, function, line);
    enum call_kind kind = collector ? CALL_ON_TOP : CALL_FRAME;
    uint32_t node = call_tree_add(&s->frames, frame->key, frame, location, kind);
    if (node == MAP_NONE) return;
    s->functions[node] = function;
  }
}

/* Returns the sum of the measured times of the next *count samples, in nanoseconds. Sets *count to
 * the number of samples without a measured time. */
static int64_t stackprof_measured(struct stackprof *s, int64_t *count) {
  int64_t time = 0;
  for (; *count > 0 && s->sample < node_size(s->deltas); --*count) {
    int64_t delta = json_scaled(s->builder, node_at(s->deltas, s->sample++), 3);
    if (delta > 0 && __builtin_add_overflow(time, delta, &time)) time = INT64_MAX;
  }
  return time;
}

/* Computes both values of `count` samples: their number, and their time. The time is the measured
 * time, or else the sampling interval for each sample. */
static void stackprof_values(struct stackprof *s, int64_t count, int64_t values[2]) {
  if (count < 0) count = 0;
  values[0] = count;
  values[1] = s->mode == STACKPROF_WALL ? stackprof_measured(s, &count) : 0;
  int64_t rest;
  if (__builtin_mul_overflow(count, s->interval, &rest) ||
      __builtin_add_overflow(values[1], rest, &values[1]))
    values[1] = INT64_MAX;
}

/* Completes a sample's stack of `depth` frames, and returns the new depth. If the frames belong to
 * the garbage collector, their callers are the frames of the last stack without the collector. */
static size_t stackprof_place(struct stackprof *s, size_t depth, bool collector) {
  size_t below = collector ? s->collected_depth : 0;
  if (!json_stack_reserve(&s->stack, s->builder, depth + below) ||
      !json_stack_reserve(&s->collected, s->builder, depth))
    return 0;
  if (collector) {
    if (below) memcpy(s->stack.frames + depth, s->collected.frames, below * sizeof(uint32_t));
    return depth + below;
  }
  if (depth) memcpy(s->collected.frames, s->stack.frames, depth * sizeof(uint32_t));
  s->collected_depth = depth;
  return depth;
}

/* Returns the location of a frame, with its line if the file has lines. `at` is the index of the
 * frame in `raw`. */
static uint32_t stackprof_location(struct stackprof *s, uint32_t frame, size_t at) {
  int64_t line = 0;
  if (!s->lines) return s->frames.nodes[frame].location;
  if (!node_to_integer(node_at(s->lines, at), &line) || line < 0) line = 0;
  return import_location(s->builder, NONE, s->functions[frame], line);
}

/* Reads the run at index `at` of `raw` and returns the index of the next run. */
static size_t stackprof_run(struct stackprof *s, size_t at) {
  int64_t height;
  bool known = node_to_integer(node_at(s->raw, at++), &height);
  size_t left = node_size(s->raw) - at, depth = 0;
  s->runs++;
  if (!known || height < 0 || (uint64_t)height >= left) {
    s->bad++;
    return node_size(s->raw);
  }
  bool collector = false;
  if (!json_stack_reserve(&s->stack, s->builder, (size_t)height)) return node_size(s->raw);
  for (size_t i = (size_t)height; i-- > 0;) {
    uint32_t frame = call_tree_find(&s->frames, node_at(s->raw, at + i));
    if (frame == MAP_NONE) {
      s->unknown++;
      continue;
    }
    collector = i == 0 && s->frames.nodes[frame].kind == CALL_ON_TOP;
    s->stack.frames[depth++] = stackprof_location(s, frame, at + i);
  }
  at += (size_t)height;
  int64_t values[2];
  stackprof_values(s, json_cost(s->builder, node_at(s->raw, at)), values);
  depth = stackprof_place(s, depth, collector);
  s->empty += !depth;
  if (depth && (values[0] || values[1]))
    pprofc_builder_sample(s->builder, s->stack.frames, depth, values);
  return at + 1;
}

/* Reads files of `stackprof` without --raw, which have only the self samples of each frame. Ignores
 * measured times, because the file does not assign them to frames. */
static void stackprof_flat(struct stackprof *s) {
  s->deltas = NULL;
  for (size_t i = 0; i < s->frames.count; i++) {
    int64_t count = json_cost(s->builder, node_get(s->frames.nodes[i].json, "samples")), values[2];
    if (count <= 0) continue;
    stackprof_values(s, count, values);
    pprofc_builder_sample(s->builder, &s->frames.nodes[i].location, 1, values);
  }
  pprofc_builder_comment(s->builder,
                         "the file has no stacks (stackprof writes them with raw: true)");
}

static const struct {
  const char *name;
  enum stackprof_mode mode;
} stackprof_modes[] = {
    {"cpu", STACKPROF_CPU}, {"object", STACKPROF_COUNT}, {"custom", STACKPROF_COUNT}};

static void stackprof_types(struct stackprof *s, const struct node *root) {
  pprofc_str mode = node_text(root, "mode");
  s->mode = STACKPROF_WALL;
  for (size_t i = 0; i < sizeof stackprof_modes / sizeof *stackprof_modes; i++)
    if (str_equal(mode, str_of(stackprof_modes[i].name))) s->mode = stackprof_modes[i].mode;
  const char *type = s->mode == STACKPROF_CPU ? "cpu" : "wall";
  pprofc_builder_type(s->builder, "samples", "count");
  s->interval =
      s->mode == STACKPROF_COUNT ? 0 : json_scaled(s->builder, node_get(root, "interval"), 3);
  if (s->mode == STACKPROF_COUNT) return;
  pprofc_builder_type(s->builder, type, "nanoseconds");
  pprofc_builder_period(s->builder, type, "nanoseconds", s->interval);
}

static bool stackprof_is_profile(const struct node *root) {
  return node_is(node_get(root, "frames"), NODE_OBJECT) && node_get(root, "mode") &&
         node_get(root, "interval") && node_get(root, "samples");
}

JSON_SHAPE(json_stackprof) {
  if (!stackprof_is_profile(root)) return false;
  struct stackprof s = {.builder = builder,
                        .raw = node_get(root, "raw"),
                        .lines = node_get(root, "raw_lines"),
                        .deltas = node_get(root, "raw_timestamp_deltas")};
  if (!node_is(s.raw, NODE_ARRAY)) s.raw = NULL;
  if (node_size(s.lines) != node_size(s.raw)) s.lines = NULL;
  s.stack.arena = s.collected.arena = arena;
  call_tree_init(&s.frames, arena, builder);
  stackprof_types(&s, root);
  stackprof_add_frames(&s, arena, node_get(root, "frames"));
  for (size_t at = 0; at < node_size(s.raw) && builder_ok(builder);) at = stackprof_run(&s, at);
  if (!s.raw && builder_ok(builder)) stackprof_flat(&s);
  const struct import_loss losses[] = {
      {s.bad, "stack could not be read", "stacks could not be read"},
      {s.empty, "stack is empty", "stacks are empty"},
      {0}};
  import_account(builder, s.runs - s.bad - s.empty, "stacks", losses);
  import_note_count(builder, s.unknown, "frame is not in the table of frames",
                    "frames are not in the table of frames");
  import_compare_version(builder, "stackprof's format", json_member_int(root, "version", 0), 1);
  call_tree_free(&s.frames);
  return true;
}
