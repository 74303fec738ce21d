/* Reads JSON of pyinstrument (-r json): a tree of frames. The time of a frame is in seconds and
 * includes its callees. */
#include "core/array.h"
#include "import/call_paths.h"
#include "import/json/json.h"

/* A frame of the tree, with its call path. The reader visits callers before callees. */
struct pyinstrument_visit {
  const struct node *node;
  uint32_t path;
};

struct pyinstrument {
  struct arena *arena;
  pprofc_builder *builder;
  struct pyinstrument_visit *visits;
  size_t count, room;
  struct call_paths paths;
};

static int64_t pyinstrument_time(const struct pyinstrument *p, const struct node *frame) {
  return json_scaled(p->builder, node_get(frame, "time"), 9);
}

/* True for "[self]", a node that represents the self time of its caller. */
static bool pyinstrument_is_self(const struct node *frame) {
  return str_equal(node_text(frame, "function"), STR("[self]")) &&
         !node_text(frame, "file_path").size;
}

static bool pyinstrument_push(struct pyinstrument *p, const struct node *frame, uint32_t caller) {
  pprofc_str file = node_text(frame, "file_path");
  if (str_starts(file, STR("<"))) file = STR("");
  int64_t line = json_member_line(frame, "line_no");
  uint32_t location = json_plain_frame(p->builder, node_text(frame, "function"), file,
                                       file.size && line > 0 ? line : 0, 0);
  struct pyinstrument_visit visit = {frame, call_paths_enter(&p->paths, caller, location)};
  return visit.path != MAP_NONE && ARRAY_PUSH_IN(p->arena, p->visits, p->count, p->room, visit);
}

/* Adds the callees of a frame to the walk, and a sample with the self time of the frame. */
static bool pyinstrument_walk_frame(struct pyinstrument *p, struct pyinstrument_visit visit) {
  const struct node *callees = node_get(visit.node, "children");
  int64_t own = pyinstrument_time(p, visit.node);
  for (size_t i = 0; i < node_size(callees); i++) {
    const struct node *callee = node_at(callees, i);
    if (pyinstrument_is_self(callee)) continue;
    int64_t time = pyinstrument_time(p, callee);
    own = own > time ? own - time : 0;
    if (!pyinstrument_push(p, callee, visit.path)) return false;
  }
  if (own > 0) call_paths_sample(&p->paths, visit.path, &own);
  return true;
}

JSON_SHAPE(json_pyinstrument) {
  const struct node *tree = node_get(root, "root_frame");
  (void)error;
  if (!node_is(tree, NODE_OBJECT) || !node_get(root, "sample_count")) return PPROFC_E_NO_MATCH;
  pprofc_builder_type(builder, "wall", "nanoseconds");
  pprofc_builder_time(builder, json_scaled(builder, node_get(root, "start_time"), 9),
                      json_scaled(builder, node_get(root, "duration"), 9));
  struct pyinstrument p = {.arena = arena, .builder = builder};
  call_paths_init(&p.paths, arena->mem, builder);
  bool good = pyinstrument_push(&p, tree, MAP_NONE);
  for (size_t i = 0; good && i < p.count && builder_ok(builder); i++)
    good = pyinstrument_walk_frame(&p, p.visits[i]);
  call_paths_free(&p.paths);
  return good ? PPROFC_OK : error_nomem(error);
}
