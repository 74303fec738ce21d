/* Reads JSON of Scalene: stacks (--stacks), or times and memory of lines if the file has no
 * stacks. */
#include "import/json/json.h"

#define SCALENE_VALUES 4

struct scalene {
  pprofc_builder *builder;
  struct json_stack stack;
  uint64_t samples, bad;
};

static int64_t scalene_time(const struct scalene *s, const struct node *object, const char *key) {
  return json_scaled(s->builder, node_get(object, key), 9);
}

/* Parses a frame like "/app/a.py name:12;" and returns its location. */
static uint32_t scalene_frame(struct scalene *s, pprofc_str text) {
  int64_t line = 0;
  if (str_ends(text, STR(";"))) text.size--;
  size_t colon = str_find_last_char(text, ':');
  pprofc_str name = str_slice(text, 0, colon), file = STR("");
  if (!str_parse_int(str_from(text, colon + 1), 10, &line) || line < 0) line = 0;
  size_t blank = str_find_last_char(name, ' ');
  if (blank < name.size) {
    file = str_slice(name, 0, blank);
    name = str_from(name, blank + 1);
  }
  return json_plain_frame(s->builder, name, file, line);
}

/* Sets the last value, the CPU time, to the sum of the times in Python and in native code. */
static void scalene_add_up(int64_t *values) {
  if (__builtin_add_overflow(values[1], values[2], &values[3])) values[3] = INT64_MAX;
}

/* Adds a sample type for each of the three kinds of time. */
static void scalene_times(struct scalene *s) {
  pprofc_builder_type(s->builder, "python", "nanoseconds");
  pprofc_builder_type(s->builder, "native", "nanoseconds");
  pprofc_builder_type(s->builder, "cpu", "nanoseconds");
}

/* Adds a sample for a stack. `item` has the frames of the stack, root first, and its counts. */
static void scalene_add_stack(struct scalene *s, const struct node *item) {
  const struct node *frames = node_at(item, 0);
  size_t depth = node_size(frames);
  if (!depth || !node_is(node_at(item, 1), NODE_OBJECT)) {
    s->bad++;
    return;
  }
  if (!json_stack_reserve(&s->stack, s->builder, depth)) return;
  for (size_t i = 0; i < depth; i++) {
    const struct node *frame = node_at(frames, depth - 1 - i);
    s->stack.frames[i] =
        scalene_frame(s, node_is(frame, NODE_STRING) ? frame->text : STR("(unknown)"));
  }
  const struct node *counts = node_at(item, 1);
  int64_t values[SCALENE_VALUES] = {json_cost(s->builder, node_get(counts, "count")),
                                    scalene_time(s, counts, "python_time"),
                                    scalene_time(s, counts, "c_time")};
  scalene_add_up(values);
  pprofc_builder_sample(s->builder, s->stack.frames, depth, values);
  s->samples++;
}

static void scalene_add_stacks(struct scalene *s, const struct node *stacks) {
  pprofc_builder_type(s->builder, "samples", "count");
  scalene_times(s);
  for (size_t i = 0; i < node_size(stacks) && builder_ok(s->builder); i++)
    scalene_add_stack(s, node_at(stacks, i));
}

/* Adds the times of a line and the memory that the line allocated. Scalene gives the times in
 * percent of the run, the memory in MiB. */
static void scalene_add_line(struct scalene *s, pprofc_str file, const struct node *line,
                             double seconds) {
  static const char *const shares[] = {"n_cpu_percent_python", "n_cpu_percent_c"};
  int64_t values[SCALENE_VALUES] = {0};
  for (size_t i = 0; i < 2; i++) {
    const struct node *share = node_get(line, shares[i]);
    values[1 + i] =
        json_rounded(s->builder, share, json_amount(s->builder, share, 0) / 100 * seconds * 1e9);
  }
  const struct node *memory = node_get(line, "n_malloc_mb");
  values[0] = json_rounded(s->builder, memory, json_amount(s->builder, memory, 0) * 1048576);
  scalene_add_up(values);
  s->samples++;
  if (values_are_zero(values, SCALENE_VALUES)) return;
  int64_t number = json_member_line(line, "lineno");
  uint32_t location = json_plain_frame(s->builder, file, file, number > 0 ? number : 0);
  pprofc_builder_sample(s->builder, &location, 1, values);
}

static void scalene_add_files(struct scalene *s, const struct node *root) {
  double seconds = json_amount(s->builder, node_get(root, "elapsed_time_sec"), 0);
  pprofc_builder_type(s->builder, "alloc_space", "bytes");
  scalene_times(s);
  pprofc_builder_comment(s->builder, "stacks are single lines: run Scalene with --stacks");
  const struct node *files = node_get(root, "files");
  for (const struct node *file = node_is(files, NODE_OBJECT) ? files->first : NULL; file;
       file = file->next) {
    const struct node *lines = node_get(file, "lines");
    for (size_t i = 0; i < node_size(lines); i++)
      scalene_add_line(s, file->key, node_at(lines, i), seconds);
  }
}

JSON_SHAPE(json_scalene) {
  const struct node *stacks = node_get(root, "stacks");
  if (!node_is(node_get(root, "files"), NODE_OBJECT) || !node_get(root, "elapsed_time_sec"))
    return false;
  struct scalene s = {.builder = builder, .stack = {.arena = arena}};
  if (node_size(stacks))
    scalene_add_stacks(&s, stacks);
  else
    scalene_add_files(&s, root);
  import_account_one(builder, s.samples, "stacks", s.bad, "stack cannot be read",
                     "stacks cannot be read");
  return true;
}
