/* Reads V8's heap profiles (.heapprofile), which Node (--heap-prof) and Chromium write. */
#include "core/buffer.h"
#include "import/call_paths.h"
#include "import/json/json.h"

#define HEAP_MAX_NODES ((size_t)1 << 24)

/* A node of the tree. The reader visits callers before callees. */
struct visit {
  const struct node *node;
  uint32_t path; /* call path of the node, without the root; MAP_NONE for the root */
};

/* Returns the location of a node. The names of anonymous functions contain a line that counts from
 * 0, as in speedscope. */
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

static void visits_add(struct buffer *visits, const struct node *node, uint32_t path) {
  struct visit visit = {node, path};
  buffer_add(visits, &visit, sizeof visit);
}

/* Lists all nodes below `head`, callers before callees. Returns false when out of memory. */
static bool visits_find(struct buffer *visits, struct call_paths *paths, pprofc_builder *builder,
                        const struct node *head) {
  visits_add(visits, head, MAP_NONE);
  for (size_t i = 0; !visits->failed && builder_ok(builder) && i < visits_count(visits); i++) {
    struct visit caller = visits_of(visits)[i];
    const struct node *children = node_get(caller.node, "children");
    for (size_t k = 0; k < node_size(children); k++) {
      const struct node *child = node_at(children, k);
      uint32_t path = call_paths_enter(paths, caller.path, heap_frame(builder, child));
      if (path == MAP_NONE) return false;
      visits_add(visits, child, path);
    }
  }
  return !visits->failed;
}

JSON_SHAPE(json_heapprofile) {
  const struct node *head = node_get(root, "head");
  if (!node_is(head, NODE_OBJECT) || !node_get(head, "selfSize")) return PPROFC_E_NO_MATCH;
  struct buffer visits;
  struct call_paths paths;
  pprofc_builder_type(builder, "inuse_space", "bytes");
  buffer_init(&visits, arena->mem, HEAP_MAX_NODES * sizeof(struct visit));
  call_paths_init(&paths, arena->mem, builder);
  bool good = visits_find(&visits, &paths, builder, head);
  for (size_t i = 0; good && builder_ok(builder) && i < visits_count(&visits); i++) {
    const struct visit *visit = &visits_of(&visits)[i];
    int64_t size = json_cost(builder, node_get(visit->node, "selfSize"));
    if (size) call_paths_sample(&paths, visit->path, &size);
  }
  buffer_free(&visits);
  call_paths_free(&paths);
  return good ? PPROFC_OK : error_nomem(error);
}
