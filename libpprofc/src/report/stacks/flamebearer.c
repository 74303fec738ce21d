/* Prints the report -flamebearer: JSON for flame graphs in Pyroscope and similar tools. Writes the
 * format "single", or "double" for a difference. In "double", the left side is the base. */
#include "core/json_write.h"
#include "profile/sum.h"
#include "report/report.h"
#include "stacks/layout.h"
#include "unit/unit.h"

struct flamebearer {
  struct report *report;
  struct json_writer json;
  struct flame_graph graph;
  uint32_t *by_level;  /* nodes, sorted by level; the nodes of a level are in preorder */
  uint32_t *level_end; /* for each level, the index in by_level after its last node */
  /* for each node, the position at which it starts on its level, in head and in base, in the unit
   * of the values */
  int64_t *head_at, *base_at;
};

/* Sorts the nodes by depth, and computes where each node starts on its level. The counting sort
 * keeps the preorder within a level. */
static bool flamebearer_place(struct flamebearer *f) {
  struct flame_tree *t = &f->graph.tree;
  size_t type = f->report->result.value_index;
  f->by_level = arena_array(&t->arena, t->count, sizeof *f->by_level);
  f->level_end = arena_zero_array(&t->arena, t->max_depth + 2, sizeof *f->level_end);
  f->head_at = arena_zero_array(&t->arena, t->count, sizeof *f->head_at);
  f->base_at = arena_zero_array(&t->arena, t->count, sizeof *f->base_at);
  int64_t *head_next = arena_zero_array(&t->arena, t->count, sizeof *head_next);
  int64_t *base_next = arena_zero_array(&t->arena, t->count, sizeof *base_next);
  if (!f->by_level || !f->level_end || !f->head_at || !f->base_at || !head_next || !base_next)
    return false;
  for (size_t i = 0; i < t->count; i++) f->level_end[t->depth[i] + 1]++;
  for (size_t d = 0; d <= t->max_depth; d++) f->level_end[d + 1] += f->level_end[d];
  for (size_t i = 0; i < t->count; i++) f->by_level[f->level_end[t->depth[i]]++] = (uint32_t)i;
  for (size_t i = 0; i < t->count; i++) { /* Parents precede their children. */
    if (i) {
      uint32_t parent = t->parent[i];
      f->head_at[i] = head_next[parent];
      f->base_at[i] = base_next[parent];
      head_next[parent] = sum_add(head_next[parent], number_abs(flame_head(t, i, type)));
      base_next[parent] = sum_add(base_next[parent], number_abs(flame_base(t, i, type)));
    }
    head_next[i] = f->head_at[i];
    base_next[i] = f->base_at[i];
  }
  return true;
}

static void put_names(struct flamebearer *f) {
  json_pack(&f->json, "names:[s", "total");
  for (size_t i = 0; i < f->graph.frames.count; i++)
    json_string(&f->json, f->graph.frames.items[i].name);
  json_end(&f->json);
}

/* Writes four numbers for each node: distance from the end of the previous node, total, self, and
 * number of the name. In a difference, writes seven: the first three for the base, the first three
 * for the head, the name. */
static void put_levels(struct flamebearer *f) {
  const struct flame_tree *t = &f->graph.tree;
  size_t type = f->report->result.value_index, at = 0;
  json_begin_array(json_key(&f->json, "levels"));
  for (size_t d = 0; d <= t->max_depth; d++) {
    int64_t head_end = 0, base_end = 0;
    json_begin_array(&f->json);
    for (; at < f->level_end[d]; at++) {
      uint32_t node = f->by_level[at];
      int64_t head = number_abs(flame_head(t, node, type)),
              base = number_abs(flame_base(t, node, type));
      if (t->has_base) {
        json_int(&f->json, sum_subtract(f->base_at[node], base_end));
        json_int(&f->json, base);
        json_int(&f->json, number_abs(flame_self_base(t, node, type)));
        base_end = sum_add(f->base_at[node], base);
      }
      json_int(&f->json, sum_subtract(f->head_at[node], head_end));
      json_int(&f->json, head);
      json_int(&f->json, number_abs(flame_self_head(t, node, type)));
      json_uint(&f->json, t->frame[node] == NONE ? 0 : (uint64_t)t->frame[node] + 1);
      head_end = sum_add(f->head_at[node], head);
    }
    json_end(&f->json);
  }
  json_end(&f->json);
}

static void put_flamebearer(struct flamebearer *f) {
  const struct flame_tree *t = &f->graph.tree;
  size_t type = f->report->result.value_index;
  int64_t most = 0;
  for (size_t i = 0; i < t->count; i++) {
    int64_t self =
        sum_add(number_abs(flame_self_head(t, i, type)), number_abs(flame_self_base(t, i, type)));
    if (self > most) most = self;
  }
  json_pack(&f->json, "flamebearer:{");
  put_names(f);
  put_levels(f);
  int64_t head = number_abs(flame_head(t, 0, type)), base = number_abs(flame_base(t, 0, type));
  json_pack(&f->json, "numTicks:i maxSelf:i}", sum_add(head, base), most);
  if (t->has_base) json_pack(&f->json, "leftTicks:i rightTicks:i", base, head);
}

/* Returns the name of a unit in Pyroscope. A unit of time is "samples" there. */
static const char *pyroscope_unit(pprofc_str unit) {
  if (unit_is_time(unit)) return "samples";
  return unit_compatible(unit, STR("B")) ? "bytes" : "objects";
}

/* Writes the metadata. Pyroscope divides times by the sample rate to get seconds. So the rate is
 * the number of time units in a second, such as 1e9 for nanoseconds. */
static void put_metadata(struct flamebearer *f) {
  pprofc_str unit = f->report->result.sample_unit;
  double factor = unit_is_time(unit) ? unit_factor(unit) : 0;
  int64_t rate = factor > 0 ? (int64_t)(1e9 / factor) : 100;
  json_pack(&f->json, "metadata:{format:s spyName:s sampleRate:i units:s name:S}",
            f->graph.tree.has_base ? "double" : "single", "", rate, pyroscope_unit(unit),
            f->report->result.type);
}

static bool flamebearer_write_file(struct flamebearer *f, struct output *out) {
  if (!flamebearer_place(f)) return false;
  json_init(&f->json, out, f->report->mem);
  json_pack(&f->json, "{version:1");
  put_flamebearer(f);
  put_metadata(f);
  return json_finish_file(&f->json);
}

pprofc_status report_flamebearer(struct report *report, struct output *out, pprofc_error *error) {
  struct flamebearer f = {.report = report};
  const struct flame_graph_options options = {.granularity = report->result.granularity,
                                              .trim_path = report->options->trim_path,
                                              .source_path = report->options->source_path};
  pprofc_status status =
      flame_graph_build(report->result.profile, &options, report->mem, &f.graph, error);
  if (status != PPROFC_OK) return status;
  if (!flamebearer_write_file(&f, out)) status = error_nomem(error);
  flame_graph_free(&f.graph);
  return status;
}
