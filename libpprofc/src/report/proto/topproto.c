/* Writes the report -topproto: a profile with a sample for each node of the report -top
 * (docs/spec/pprof.md, 21.6). */
#include "codec/codec.h"
#include "report/report.h"

/* First strings of the new profile. The texts of the graph follow these strings. */
enum { TEXT_NONE, TEXT_CUM, TEXT_FLAT, TEXT_UNIT, TEXT_PERIOD, TEXT_PERIOD_UNIT, TEXT_FIRST };

struct top_profile {
  struct report *report;
  const struct graph *graph;
  struct arena *arena;
  uint32_t *name, *file; /* for each function, the string ids of its name and file */
  int64_t *start_line;
  size_t function_count;
  struct map function_map;
};

static bool make_strings(struct top_profile *t, pprofc_profile *p) {
  const pprofc_profile *source = t->report->result.profile;
  const struct interner *texts = &t->graph->frames.texts;
  pprofc_str *items = arena_array(t->arena, texts->count + TEXT_FIRST, sizeof *items);
  if (!items) return false;
  items[TEXT_NONE] = STR("");
  items[TEXT_CUM] = STR("cum");
  items[TEXT_FLAT] = STR("flat");
  items[TEXT_UNIT] = t->report->output_unit;
  items[TEXT_PERIOD] = profile_string(source, source->period_type.type);
  items[TEXT_PERIOD_UNIT] = profile_string(source, source->period_type.unit);
  memcpy(items + TEXT_FIRST, texts->items, texts->count * sizeof *items);
  p->strings = (struct strings){texts->count + TEXT_FIRST, items};
  return true;
}

/* Returns the index of a node's function. Nodes with the same name, file and start line share a
 * function. Returns NONE when out of memory. */
static uint32_t topproto_find_function(struct top_profile *t, const struct node_info *info) {
  uint32_t name = info->name + TEXT_FIRST, file = info->file + TEXT_FIRST;
  uint64_t hash = hash_mix(hash_mix(name, file), (uint64_t)info->place->start_line);
  MAP_FIND(i, &t->function_map, hash,
           t->name[i] == name && t->file[i] == file && t->start_line[i] == info->place->start_line);
  if (i != MAP_NONE) return i;
  i = (uint32_t)t->function_count;
  if (!map_insert(&t->function_map, hash, i)) return NONE;
  t->name[i] = name;
  t->file[i] = file;
  t->start_line[i] = info->place->start_line;
  t->function_count++;
  return i;
}

static bool make_locations(struct top_profile *t, pprofc_profile *p) {
  const struct graph *g = t->graph;
  size_t count = g->shown_count;
  uint64_t *address = arena_array(t->arena, count, sizeof *address);
  uint32_t *mapping = arena_array(t->arena, count, sizeof *mapping);
  uint32_t *line_from = arena_array(t->arena, count + 1, sizeof *line_from);
  struct line *lines = arena_array(t->arena, count, sizeof *lines);
  uint32_t *system_name = arena_zero_array(t->arena, count, sizeof *system_name);
  t->name = arena_array(t->arena, count, sizeof *t->name);
  t->file = arena_array(t->arena, count, sizeof *t->file);
  t->start_line = arena_array(t->arena, count, sizeof *t->start_line);
  if (!address || !mapping || !line_from || !lines || !system_name || !t->name || !t->file ||
      !t->start_line)
    return false;
  for (uint32_t i = 0; i < count; i++) {
    const struct node_info *info = &g->frames.infos[g->nodes[g->shown[i]].info];
    uint32_t function = topproto_find_function(t, info);
    if (function == NONE) return false;
    address[i] = info->place->address;
    mapping[i] = NONE;
    line_from[i] = i;
    lines[i] = (struct line){function, info->place->line, info->place->column};
  }
  line_from[count] = (uint32_t)count;
  p->locations = (struct locations){count, NULL, address, mapping, line_from, lines, NULL};
  p->functions =
      (struct functions){t->function_count, NULL, t->name, system_name, t->file, t->start_line};
  return true;
}

/* Makes a sample for each node. The stack of sample i is location i. */
static bool topproto_make_samples(struct top_profile *t, pprofc_profile *p) {
  static const struct segment plain = {.map = NULL};
  const struct graph *g = t->graph;
  size_t count = g->shown_count;
  int64_t *values = arena_array(t->arena, count, 2 * sizeof *values);
  const uint8_t **stack = arena_array(t->arena, count, sizeof *stack);
  uint32_t *stack_size = arena_array(t->arena, count, sizeof *stack_size);
  uint8_t *bytes = arena_array(t->arena, count, 5);
  if (!values || !stack || !stack_size || !bytes) return false;
  for (uint32_t i = 0; i < count; i++) {
    const struct graph_node *n = &g->nodes[g->shown[i]];
    values[(size_t)2 * i] = report_converted(t->report, node_cum(n));
    values[(size_t)2 * i + 1] = report_converted(t->report, node_flat(n));
    stack[i] = bytes;
    stack_size[i] = (uint32_t)varint_put(bytes, i + 1);
    bytes += stack_size[i];
  }
  p->samples = (struct samples){
      .count = count,
      .values = values,
      .stack = stack,
      .stack_size = stack_size,
      .segments = &plain,
      .segment_count = 1,
      .max_depth = 1,
  };
  return true;
}

static bool topproto_fill(struct top_profile *t, pprofc_profile *p) {
  static const struct value_type types[] = {{TEXT_CUM, TEXT_UNIT}, {TEXT_FLAT, TEXT_UNIT}};
  const pprofc_profile *source = t->report->result.profile;
  p->types = types;
  p->type_count = 2;
  p->time_nanos = source->time_nanos;
  p->duration_nanos = source->duration_nanos;
  p->period = source->period;
  p->period_type = (struct value_type){TEXT_PERIOD, TEXT_PERIOD_UNIT};
  map_init(&t->function_map, t->report->mem);
  bool done = make_strings(t, p) && make_locations(t, p) && topproto_make_samples(t, p);
  map_free(&t->function_map);
  return done;
}

pprofc_status report_topproto(struct report *report, struct output *out, pprofc_error *error) {
  struct graph g;
  pprofc_status status = pipeline_graph(&report->result, 0, &g, &report->output_unit, error);
  pprofc_profile *p = status ? NULL : profile_new(report->mem);
  if (p) {
    struct top_profile t = {.report = report, .graph = &g, .arena = &p->region->arena};
    status = topproto_fill(&t, p) ? pprof_encode(p, output_take, out, error) : error_nomem(error);
  } else if (!status) {
    status = error_nomem(error);
  }
  pprofc_profile_release(p);
  graph_free(&g);
  return status;
}

/* ---- the profile itself ----------------------------- */

pprofc_status report_divide(const struct report *report, pprofc_profile **divided,
                            pprofc_error *error) {
  *divided = NULL;
  if (!(report->result.ratio > 0) || report->result.ratio == 1) return PPROFC_OK;
  return transform_divide(report->result.profile, report->result.ratio, divided, error);
}

pprofc_status report_proto(struct report *report, struct output *out, pprofc_error *error) {
  pprofc_profile *divided;
  pprofc_status status = report_divide(report, &divided, error);
  if (status != PPROFC_OK) return status;
  status = pprof_encode(divided ? divided : report->result.profile, output_take, out, error);
  pprofc_profile_release(divided);
  return status;
}
