/* Reads JSON of pyinstrument (-r json): a tree of frames. The time of a frame is in seconds and
 * includes its callees. */
#include "import/json/json.h"

static int64_t pyinstrument_time(const struct json_visits *v, const struct node *frame) {
  return json_scaled(v->paths.builder, node_get(frame, "time"), 9);
}

/* True for "[self]", a node that represents the self time of its caller. */
static bool pyinstrument_is_self(const struct node *frame) {
  return str_equal(node_text(frame, "function"), STR("[self]")) &&
         !node_text(frame, "file_path").size;
}

static void pyinstrument_push(struct json_visits *v, const struct node *frame, uint32_t caller) {
  pprofc_str file = node_text(frame, "file_path");
  if (str_starts(file, STR("<"))) file = STR("");
  int64_t line = json_member_line(frame, "line_no");
  uint32_t location = json_plain_frame(v->paths.builder, node_text(frame, "function"), file,
                                       file.size && line > 0 ? line : 0);
  json_visit(v, frame, call_paths_enter(&v->paths, caller, location));
}

/* Adds the callees of a frame to the walk, and a sample with the self time of the frame. */
static void pyinstrument_walk_frame(struct json_visits *v, struct json_visit visit) {
  const struct node *callees = node_get(visit.node, "children");
  int64_t own = pyinstrument_time(v, visit.node);
  for (size_t i = 0; i < node_size(callees); i++) {
    const struct node *callee = node_at(callees, i);
    if (pyinstrument_is_self(callee)) continue;
    int64_t time = pyinstrument_time(v, callee);
    own = own > time ? own - time : 0;
    pyinstrument_push(v, callee, visit.path);
  }
  if (own > 0) call_paths_sample(&v->paths, visit.path, &own);
}

JSON_SHAPE(json_pyinstrument) {
  const struct node *tree = node_get(root, "root_frame");
  if (!node_is(tree, NODE_OBJECT) || !node_get(root, "sample_count")) return false;
  pprofc_builder_type(builder, "wall", "nanoseconds");
  pprofc_builder_time(builder, json_scaled(builder, node_get(root, "start_time"), 9),
                      json_scaled(builder, node_get(root, "duration"), 9));
  struct json_visits visits;
  json_visits_init(&visits, arena, builder);
  pyinstrument_push(&visits, tree, MAP_NONE);
  for (size_t i = 0; i < visits.count && builder_ok(builder); i++)
    pyinstrument_walk_frame(&visits, visits.items[i]);
  json_visits_free(&visits);
  return true;
}
