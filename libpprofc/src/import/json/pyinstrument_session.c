/* Reads sessions of pyinstrument (-r session). Each sample has a stack, root first, and a time in
 * seconds. */
#include "import/json/json.h"

struct pyinstrument_session {
  pprofc_builder *builder;
  struct json_stack stack;
  uint64_t samples;
};

/* Parses a frame: name, file and line of the function, separated by NUL bytes. Attributes follow,
 * each after a byte 1: "l12" is the current line. Returns the location. */
static uint32_t session_frame(pprofc_builder *b, pprofc_str text) {
  pprofc_str name = STR(""), file = STR(""), place = STR(""), attribute;
  int64_t line = 0;
  str_next(&text, '\0', &name);
  str_next(&text, '\0', &file);
  str_next(&text, '\1', &place);
  if (str_starts(file, STR("<"))) file = STR("");
  if (file.size) str_parse_int(place, 10, &line);
  while (file.size && str_next(&text, '\1', &attribute))
    if (str_starts(attribute, STR("l"))) str_parse_int(str_from(attribute, 1), 10, &line);
  return json_plain_frame(b, name, file, line > 0 ? line : 0);
}

/* Adds a sample. Returns false if the sample has no readable stack. */
static bool session_sample(struct pyinstrument_session *s, const struct node *record) {
  const struct node *frames = node_at(record, 0);
  size_t depth = node_size(frames);
  if (!depth || !node_is(node_at(record, 1), NODE_NUMBER) ||
      !json_stack_reserve(&s->stack, s->builder, depth))
    return false;
  for (size_t i = 0; i < depth; i++) {
    const struct node *frame = node_at(frames, depth - 1 - i);
    if (!node_is(frame, NODE_STRING)) return false;
    s->stack.frames[i] = session_frame(s->builder, frame->text);
  }
  const int64_t values[] = {1, json_scaled(s->builder, node_at(record, 1), 9)};
  pprofc_builder_sample(s->builder, s->stack.frames, depth, values);
  return true;
}

JSON_SHAPE(json_pyinstrument_session) {
  const struct node *records = node_get(root, "frame_records"),
                    *count = node_get(root, "sample_count");
  if (!node_is(records, NODE_ARRAY) || !count) return false;
  pprofc_builder_type(builder, "samples", "count");
  pprofc_builder_type(builder, "wall", "nanoseconds");
  pprofc_builder_default_type(builder, "wall");
  pprofc_builder_time(builder, json_scaled(builder, node_get(root, "start_time"), 9),
                      json_scaled(builder, node_get(root, "duration"), 9));
  struct pyinstrument_session s = {.builder = builder, .stack = {.arena = arena}};
  for (size_t i = 0; i < node_size(records) && builder_ok(builder); i++)
    s.samples += session_sample(&s, node_at(records, i));
  import_account_one(builder, s.samples, "samples", node_size(records) - s.samples,
                     "sample has no readable stack", "samples have no readable stack");
  import_compare_total(builder, "samples", (uint64_t)json_cost(builder, count), node_size(records));
  return true;
}
