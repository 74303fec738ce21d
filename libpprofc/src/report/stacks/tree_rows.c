/* Returns the call tree as data. Copies the tree that flame graphs draw. */
#include "core/budget.h"
#include "core/error.h"
#include "pprofc/graph.h"
#include "report/report.h"
#include "stacks/layout.h"

struct pprofc_tree {
  struct region *region; /* memory for this struct, the nodes and all texts */
  pprofc_tree_node *nodes;
  size_t count;
  pprofc_value_type type;
};

/* Copies a frame to a node, but not its position and values. Returns false when out of memory. */
static bool tree_copy_frame(const struct stack_frame *frame, struct arena *arena,
                            pprofc_tree_node *out) {
  *out = (pprofc_tree_node){.name = arena_str(arena, frame->name),
                            .file = arena_str(arena, frame->file),
                            .line = frame->line,
                            .address = frame->address,
                            .inlined = frame->inlined};
  return out->name.data && out->file.data;
}

/* Copies the nodes. Nodes with the same frame share the texts in `frames`. */
static bool tree_copy_nodes(const struct report *report, const struct flame_tree *t,
                            const pprofc_tree_node *frames, pprofc_tree_node *nodes) {
  const struct pipeline_result *r = &report->result;
  const size_t type = r->value_index;
  for (size_t i = 0; i < t->count; i++) {
    if (budget_poll(report->mem, i)) return false;
    nodes[i] = i ? frames[t->frame[i]] : (pprofc_tree_node){.name = STR(""), .file = STR("")};
    nodes[i].parent = i ? t->parent[i] : SIZE_MAX;
    nodes[i].end = t->end[i];
    nodes[i].self = pipeline_ratio(r, flame_self_head(t, i, type));
    nodes[i].total = pipeline_ratio(r, flame_head(t, i, type));
    nodes[i].base_self = pipeline_ratio(r, flame_self_base(t, i, type));
    nodes[i].base_total = pipeline_ratio(r, flame_base(t, i, type));
  }
  return true;
}

static pprofc_tree *tree_copy(const struct report *report, const struct flame_tree *t,
                              struct region *region) {
  struct arena *arena = &region->arena;
  pprofc_tree *tree = arena_zero_array(arena, 1, sizeof *tree);
  pprofc_tree_node *nodes = arena_array(arena, t->count, sizeof *nodes);
  pprofc_tree_node *frames = mem_array(report->mem, t->frames->count, sizeof *frames);
  bool done = tree && nodes && frames;
  for (size_t i = 0; done && i < t->frames->count; i++)
    done = tree_copy_frame(&t->frames->items[i], arena, &frames[i]);
  done = done && tree_copy_nodes(report, t, frames, nodes);
  mem_free(report->mem, frames, t->frames->count, sizeof *frames);
  if (!done) return NULL;
  *tree = (pprofc_tree){.region = region, .nodes = nodes, .count = t->count};
  tree->type.type = arena_str(arena, report->result.type);
  tree->type.unit = arena_str(arena, report->result.sample_unit);
  return tree->type.type.data && tree->type.unit.data ? tree : NULL;
}

static pprofc_status tree_build(const struct report *report, pprofc_tree **tree,
                                pprofc_error *error) {
  const pprofc_report_options *o = report->options;
  const struct flame_graph_options options = {.granularity = report->result.granularity,
                                              .inlined = true,
                                              .reverse = o->reverse,
                                              .trim_path = o->trim_path,
                                              .source_path = o->source_path};
  struct flame_graph graph;
  pprofc_status status =
      flame_graph_build(report->result.profile, &options, report->mem, &graph, error);
  if (status) return status;
  struct region *region = region_new(report->mem);
  pprofc_tree *made = region ? tree_copy(report, &graph.tree, region) : NULL;
  flame_graph_free(&graph);
  if (made)
    *tree = made;
  else
    region_release(region);
  return made ? PPROFC_OK : error_nomem(error);
}

pprofc_status pprofc_tree_new(const pprofc_profile *profile, const pprofc_report_options *options,
                              pprofc_tree **tree, pprofc_error *error) {
  pprofc_report_options o;
  struct report report = {0};
  pprofc_status status = OPTIONS_COPY(pprofc_report_options, &o, options, error);
  if (status) return status;
  o.format = "flame";
  status = report_open(&report, profile, &o, error);
  if (!status) status = tree_build(&report, tree, error);
  pipeline_free(&report.result);
  return budget_status(&profile->mem, status, error);
}

void pprofc_tree_free(pprofc_tree *tree) {
  if (tree) region_release(tree->region);
}

const pprofc_tree_node *pprofc_tree_nodes(const pprofc_tree *tree, size_t *count) {
  *count = tree->count;
  return tree->nodes;
}

pprofc_value_type pprofc_tree_type(const pprofc_tree *tree) {
  return tree->type;
}
