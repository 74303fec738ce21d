/* V8's .heapprofile, as Node (--heap-prof) and Chromium write it. */
#include "core/buffer.h"
#include "import/json/call_tree.h"
#include "import/json/json.h"

#define HEAP_MOST_NODES ((size_t)1 << 24)

/* A node in the order of the walk, callers before callees. */
struct visit {
  const struct node *node;
  uint32_t above; /* index of the caller's visit, MAP_NONE for the root */
  uint32_t location;
};

/* Lines in the names of anonymous functions are from 0 here, as speedscope has them. */
static uint32_t heap_frame(pprofc_builder *builder, const struct node *node) {
  const struct node *call = node_get(node, "callFrame");
  int64_t line = json_member_line(call, "lineNumber"),
          column = json_member_line(call, "columnNumber");
  if (!call || node_text(call, "functionName").size) return json_v8_frame(builder, node);
  pprofc_str file = node_text(call, "url");
  int64_t from_one = line < 0 ? 0 : line + 1;
  if (line < 0) column = -1;
  return json_anonymous_frame(builder, file, line, from_one, column < 0 ? 0 : column + 1);
}

static const struct visit *visits_of(const struct buffer *visits) {
  return (const struct visit *)(const void *)visits->data;
}

static size_t visits_count(const struct buffer *visits) {
  return visits->size / sizeof(struct visit);
}

static void visits_add(struct buffer *visits, pprofc_builder *builder, const struct node *node,
                       uint32_t above) {
  struct visit visit = {node, above, heap_frame(builder, node)};
  buffer_add(visits, &visit, sizeof visit);
}

/* Fills frames (room for JSON_MOST_DEPTH) with the stack of a visit, leaf first, without the root.
 */
static size_t visits_stack(const struct buffer *visits, uint32_t visit, uint32_t *frames) {
  const struct visit *all = visits_of(visits);
  size_t depth = 0;
  if (visits->failed) return 0;
  for (; all[visit].above != MAP_NONE && depth < JSON_MOST_DEPTH; visit = all[visit].above)
    frames[depth++] = all[visit].location;
  return depth;
}

pprofc_status json_heapprofile(const struct node *root, pprofc_builder *builder,
                               struct arena *arena, pprofc_error *error) {
  const struct node *head = node_get(root, "head");
  if (!node_is(head, NODE_OBJECT) || !node_get(head, "selfSize")) return PPROFC_E_NO_MATCH;
  pprofc_builder_type(builder, "inuse_space", "bytes");
  struct buffer visits;
  buffer_init(&visits, arena->mem, HEAP_MOST_NODES * sizeof(struct visit));
  uint32_t *frames = arena_array(arena, JSON_MOST_DEPTH, sizeof *frames);
  visits_add(&visits, builder, head, MAP_NONE);
  for (uint32_t i = 0; frames && !visits.failed && builder_ok(builder) && i < visits_count(&visits);
       i++) {
    const struct node *node = visits_of(&visits)[i].node;
    const struct node *children = node_get(node, "children");
    for (size_t k = 0; k < node_size(children); k++)
      visits_add(&visits, builder, node_at(children, k), i);
    int64_t size = json_cost(builder, node_get(node, "selfSize"));
    size_t depth = visits_stack(&visits, i, frames);
    if (size) pprofc_builder_sample(builder, frames, depth, &size);
  }
  bool failed = !frames || visits.failed;
  buffer_free(&visits);
  return failed ? error_nomem(error) : PPROFC_OK;
}
