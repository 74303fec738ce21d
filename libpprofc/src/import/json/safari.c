/* Reads recordings of Safari's timelines: stacks of a sampling profiler, each with its duration. */
#include "import/json/json.h"

/* Reads the frames of a stack and returns its depth. */
static size_t safari_stack(pprofc_builder *builder, const struct node *frames,
                           struct json_stack *stack) {
  size_t depth = 0, count = node_size(frames);
  if (!json_stack_reserve(stack, builder, count)) return 0;
  for (; depth < count; depth++) {
    const struct node *frame = node_at(frames, depth);
    int64_t line = json_member_int(frame, "line", 0), column = json_member_int(frame, "column", 0);
    if (line < 0) line = 0;
    stack->frames[depth] = json_script_frame(
        builder, node_text(frame, "name"), node_text(frame, "url"), line, column > 0 ? column : 0);
  }
  return depth;
}

JSON_SHAPE(json_safari) {
  const struct node *recording = node_get(root, "recording");
  const struct node *samples = node_get(recording, "sampleStackTraces");
  const struct node *durations = node_get(recording, "sampleDurations");
  if (!node_is(samples, NODE_ARRAY)) return false;
  json_wall_types(builder, 0);
  struct json_stack stack = {.arena = arena};
  /* Sum of the durations so far, in seconds. The value of a sample is the difference of two rounded
   * sums, so rounding errors do not add up. */
  double before = 0;
  size_t empty = 0;
  for (size_t i = 0; i < node_size(samples) && builder_ok(builder); i++) {
    size_t depth = safari_stack(builder, node_get(node_at(samples, i), "stackFrames"), &stack);
    const struct node *node = node_at(durations, i);
    double duration = json_amount(builder, node, 0), after = before + (duration > 0 ? duration : 0);
    int64_t values[2] = {1, json_rounded(builder, node, after * 1e9) - llround(before * 1e9)};
    if (!depth) {
      empty++;
      continue;
    }
    before = after;
    pprofc_builder_sample(builder, stack.frames, depth, values);
  }
  import_account_one(builder, node_size(samples) - empty, "samples", empty, "sample has no stack",
                     "samples have no stack");
  import_compare_version(builder, "Safari's timelines", json_member_int(root, "version", 0), 1);
  return true;
}
