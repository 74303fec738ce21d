/* Reads V8's heap profiles (.heapprofile), which Node (--heap-prof) and Chromium write. */
#include "import/json/json.h"

/* Returns the location of a node. The names of anonymous functions contain a line number that is
 * counted from 0, as in speedscope. */
static uint32_t heap_frame(pprofc_builder *builder, const struct node *node) {
  const struct node *call = node_get(node, "callFrame");
  int64_t line = json_member_line(call, "lineNumber"),
          column = json_member_line(call, "columnNumber");
  if (!call || node_text(call, "functionName").size) return json_v8_frame(builder, node);
  char room[IMPORT_SCRIPT_NAME];
  pprofc_str file = node_text(call, "url"), name = import_script_name(STR(""), file, line, room);
  int64_t from_one = line < 0 ? 0 : line + 1;
  if (line < 0) column = -1;
  return json_frame(builder, name, file, from_one, column < 0 ? 0 : column + 1);
}

JSON_SHAPE(json_heapprofile) {
  const struct node *head = node_get(root, "head");
  if (!node_is(head, NODE_OBJECT) || !node_get(head, "selfSize")) return false;
  struct json_visits visits;
  pprofc_builder_type(builder, "inuse_space", "bytes");
  json_visits_init(&visits, arena, builder);
  json_visit(&visits, head, MAP_NONE);
  for (size_t i = 0; builder_ok(builder) && i < visits.count; i++) {
    struct json_visit caller = visits.items[i];
    const struct node *children = node_get(caller.node, "children");
    for (size_t k = 0; k < node_size(children) && builder_ok(builder); k++) {
      const struct node *child = node_at(children, k);
      uint32_t location = heap_frame(builder, child);
      json_visit(&visits, child, call_paths_enter(&visits.paths, caller.path, location));
    }
  }
  for (size_t i = 0; builder_ok(builder) && i < visits.count; i++) {
    int64_t size = json_cost(builder, node_get(visits.items[i].node, "selfSize"));
    if (size) call_paths_sample(&visits.paths, visits.items[i].path, &size);
  }
  json_visits_free(&visits);
  return true;
}
