/* Makes samples from a call graph. Divides each line's cost among the nodes of its function. A
 * node is a stack that ends at the function (callgrind.h). The divided costs are integers and
 * add up to the cost in the file. */
#include "import/callgrind/callgrind.h"

/* Limits: the frames in the samples of one function, the frames in all samples, and the number of
 * samples (SAMPLES_ALWAYS plus SAMPLES_FOR_EACH for each line). A function has a sample for each
 * combination of line and node. If its samples exceed a limit, the reader treats all its lines as
 * one line. Profiles of compilers need about 30 samples for each line. */
#define MAX_FRAMES_EACH  ((uint64_t)1 << 21)
#define MAX_FRAMES_ALL   ((uint64_t)1 << 24)
#define SAMPLES_ALWAYS   ((uint64_t)1 << 12)
#define SAMPLES_FOR_EACH 64u

/* Number of classes into which round_up sorts remainders (fractional parts). Each class is a range
 * between 0 and 1, and all ranges have the same width. */
#define REMAINDERS 1024

/* Shares below this value are rounding errors of sums. */
#define NOISE 1e-9

/* ---- division into integers -------------------------- */

static size_t remainder_class(double exact) {
  size_t class = (size_t)((exact - floor(exact)) * REMAINDERS);
  return class < REMAINDERS ? class : REMAINDERS - 1;
}

/* Adds 1 to the `left` values of `out` with the largest remainders. If `out` has fewer values,
 * returns the number of missing values, else 0. */
static int64_t round_up(int64_t total, const double *weights, double sum, size_t count,
                        int64_t left, int64_t *out, size_t stride) {
  uint32_t classes[REMAINDERS] = {0};
  for (size_t i = 0; i < count; i++)
    if (weights[i] > 0) classes[remainder_class((double)total * (weights[i] / sum))]++;
  size_t lowest = REMAINDERS;
  int64_t above = 0; /* number of values whose remainder is in class `lowest` or a higher class; all
                        are rounded up */
  while (lowest > 0 && above + classes[lowest - 1] <= left) above += classes[--lowest];
  /* number of values in the next lower class that are also rounded up */
  int64_t in_lowest = lowest > 0 ? left - above : 0;
  for (size_t i = 0; i < count; i++) {
    if (!(weights[i] > 0)) continue;
    size_t class = remainder_class((double)total * (weights[i] / sum));
    bool more = class >= lowest || (class + 1 == lowest && in_lowest-- > 0);
    out[i * stride] += more;
    left -= more;
  }
  return left;
}

static void split_magnitude(int64_t total, const double *weights, size_t count, int64_t *out,
                            size_t stride) {
  double sum = 0;
  size_t heaviest = 0;
  for (size_t i = 0; i < count; i++) {
    out[i * stride] = 0;
    if (!(weights[i] > 0)) continue;
    sum += weights[i];
    if (weights[i] > weights[heaviest] || !(weights[heaviest] > 0)) heaviest = i;
  }
  if (total <= 0 || !(sum > 0)) return;
  int64_t left = total;
  for (size_t i = 0; i < count; i++) {
    if (!(weights[i] > 0)) continue;
    double exact = floor((double)total * (weights[i] / sum));
    /* A double cannot represent every large total, so `exact` may exceed `left`. */
    int64_t whole = exact < (double)left ? (int64_t)exact : left;
    out[i * stride] = whole;
    left -= whole;
  }
  if (left > 0) left = round_up(total, weights, sum, count, left, out, stride);
  out[heaviest * stride] += left;
}

void callgrind_split(int64_t total, const double *weights, size_t count, int64_t *out,
                     size_t stride) {
  split_magnitude(total < 0 ? -total : total, weights, count, out, stride);
  for (size_t i = 0; total < 0 && i < count; i++) out[i * stride] = -out[i * stride];
}

/* ---- locations --------------------------------------- */

uint32_t callgrind_mapping(const struct callgrind_graph *graph, pprofc_builder *builder,
                           uint32_t object) {
  struct mapping mapping = {.file = object,
                            .limit = graph->has_addresses ? INT64_MAX : 0,
                            .flags = PPROFC_HAS_FUNCTIONS | PPROFC_HAS_FILENAMES |
                                     PPROFC_HAS_LINE_NUMBERS | PPROFC_HAS_INLINE_FRAMES};
  return object ? builder_add_mapping(builder, &mapping) : NONE;
}

uint32_t callgrind_location(const struct callgrind_graph *graph, pprofc_builder *builder,
                            uint32_t function, const struct callgrind_place *place) {
  const struct callgrind_function *f = &graph->functions[function];
  uint32_t mapping = callgrind_mapping(graph, builder, f->object);
  pprofc_line lines[2];
  size_t count = 0;
  if (place->inlined)
    lines[count++] =
        (pprofc_line){builder_add_function(builder, place->inlined, place->inlined, place->file, 0),
                      place->line, 0};
  bool own = !place->inlined;
  uint32_t file = own ? place->file : f->file;
  if (f->symbol.file) file = f->symbol.file;
  lines[count++] = (pprofc_line){
      builder_add_function(builder, f->symbol.text, f->symbol.system, file, f->symbol.line),
      own ? place->line : 0, 0};
  return pprofc_builder_location(builder, mapping, place->address, lines, count);
}

/* ---- samples ----------------------------------------- */

struct sampling {
  const struct callgrind_graph *graph;
  struct callgrind_tree tree;
  pprofc_builder *builder;
  const struct label *labels;
  size_t label_count;
  uint64_t frames_left, samples_left;
  uint32_t *stack; /* frames of a stack; room for the deepest stack and two leaves */
  double *weights; /* weights of one function's nodes, grouped by type */
  int64_t *values; /* costs after the division: one for each node and type */
  size_t places;   /* number of nodes of the function that has the most nodes */
  int64_t cut[CALLGRIND_MAX_EVENTS]; /* for each type, the cost of the pruned branches */
};

/* Adds a sample with one or two leaf frames and the callers of a node. If `node` is NONE,
 * there are no callers. */
static void samples_add(struct sampling *s, const uint32_t *leaves, size_t leaf_count,
                        uint32_t node, const int64_t *values) {
  if (values_are_zero(values, s->graph->types)) return;
  size_t depth = leaf_count;
  memcpy(s->stack, leaves, leaf_count * sizeof *leaves);
  for (uint32_t p = node; p != NONE; p = s->tree.nodes[p].above)
    if (s->tree.nodes[p].site != NONE) s->stack[depth++] = s->tree.nodes[p].site;
  pprofc_builder_sample(s->builder, s->stack, depth, values);
  for (size_t i = 0; i < s->label_count; i++) builder_add_label(s->builder, &s->labels[i]);
}

/* Collects in s->weights the weights of a function's nodes, and after them the weight of pruned
 * nodes. Sets *frames to the sum of the nodes' depths. Returns the number of nodes. */
static size_t samples_gather(struct sampling *s, uint32_t function, uint64_t *frames) {
  size_t types = s->graph->types, count = 0;
  double missing[CALLGRIND_MAX_EVENTS];
  for (size_t t = 0; t < types; t++) missing[t] = 1;
  *frames = 0;
  for (uint32_t p = s->tree.first[function]; p != NONE; p = s->tree.nodes[p].next) {
    for (size_t t = 0; t < types; t++) {
      double weight = callgrind_weights(&s->tree, p)[t];
      s->weights[t * (s->places + 1) + count] = weight;
      missing[t] -= weight;
    }
    *frames += s->tree.nodes[p].depth;
    count++;
  }
  for (size_t t = 0; t < types; t++)
    s->weights[t * (s->places + 1) + count] = missing[t] > NOISE || !count ? missing[t] : 0;
  return count;
}

/* Divides the cost of one line among the nodes of its function. */
static void share_line(struct sampling *s, uint32_t function, size_t count, uint32_t leaf,
                       const int64_t *costs) {
  size_t types = s->graph->types;
  for (size_t t = 0; t < types; t++)
    callgrind_split(costs[t], s->weights + t * (s->places + 1), count + 1, s->values + t, types);
  size_t row = 0;
  for (uint32_t p = s->tree.first[function]; p != NONE; p = s->tree.nodes[p].next)
    samples_add(s, &leaf, 1, p, s->values + types * row++);
  for (size_t t = 0; t < types; t++) s->cut[t] += s->values[types * count + t];
}

/* Adds samples as if all costs of a function were at its first line. share_function calls this
 * function if the number of lines times the number of nodes exceeds a limit. */
static void share_as_one(struct sampling *s, uint32_t function, size_t count) {
  const struct callgrind_graph *graph = s->graph;
  uint32_t first = graph->functions[function].first_cost;
  int64_t costs[CALLGRIND_MAX_EVENTS] = {0};
  for (uint32_t c = first; c != NONE; c = graph->costs[c].next)
    for (size_t t = 0; t < graph->types; t++) costs[t] += callgrind_cost_values(graph, c)[t];
  struct callgrind_place place = graph->costs[first].place;
  share_line(s, function, count, callgrind_location(graph, s->builder, function, &place), costs);
}

static void share_function(struct sampling *s, uint32_t function) {
  const struct callgrind_graph *graph = s->graph;
  uint32_t first = graph->functions[function].first_cost;
  uint64_t frames, lines = 0;
  if (first == NONE) return;
  size_t count = samples_gather(s, function, &frames);
  for (uint32_t c = first; c != NONE; c = graph->costs[c].next) lines++;
  bool many = count > 1 && (frames > MAX_FRAMES_EACH / lines || frames * lines > s->frames_left ||
                            count * lines > s->samples_left);
  if (many) {
    share_as_one(s, function, count);
    return;
  }
  s->frames_left -= count > 1 ? frames * lines : 0;
  s->samples_left -= count > 1 ? count * lines : 0;
  for (uint32_t c = first; c != NONE; c = graph->costs[c].next) {
    uint32_t leaf = callgrind_location(graph, s->builder, function, &graph->costs[c].place);
    share_line(s, function, count, leaf, callgrind_cost_values(graph, c));
  }
}

/* Divides the cost of pruned branches among the nodes where the branches were pruned. */
static void split_cut(const struct sampling *s, double *weights, int64_t *values) {
  size_t types = s->graph->types, count = s->tree.node_count;
  for (size_t t = 0; t < types; t++) {
    double sum = weights[count] = s->tree.pruned_roots[t];
    for (size_t p = 0; p < count; p++) sum += weights[p] = callgrind_pruned(&s->tree, p)[t];
    if (!(sum > 0)) weights[count] = 1;
    callgrind_split(s->cut[t], weights, count + 1, values + t, types);
  }
}

/* Adds samples with the leaf "[pruned]" for the cost of pruned branches. The leaf's caller is the
 * function that makes the pruned calls, without a line number. */
static void add_cut(struct sampling *s, const int64_t *values) {
  size_t types = s->graph->types, count = s->tree.node_count;
  uint32_t leaves[2] = {import_marker(s->builder, STR("[pruned]"))};
  for (uint32_t p = 0; p < count; p++) {
    if (values_are_zero(values + p * types, types)) continue;
    uint32_t function = s->tree.nodes[p].function;
    struct callgrind_place place = {s->graph->functions[function].file, 0, 0, 0};
    leaves[1] = callgrind_location(s->graph, s->builder, function, &place);
    samples_add(s, leaves, 2, p, values + p * types);
  }
  samples_add(s, leaves, 1, NONE, values + count * types);
}

static void share_cut(struct sampling *s, struct arena *arena) {
  size_t rows = s->tree.node_count + 1;
  if (values_are_zero(s->cut, s->graph->types)) return;
  double *weights = arena_array(arena, rows, sizeof *weights);
  int64_t *values = arena_array(arena, rows * s->graph->types, sizeof *values);
  if (!import_need(s->builder, weights && values)) return;
  split_cut(s, weights, values);
  add_cut(s, values);
}

/* ---- all samples ------------------------------------- */

/* Sets *places to the largest number of nodes of a function, and *depth to the largest depth of
 * a node. */
static void samples_measure(const struct callgrind_tree *tree, size_t *places, size_t *depth) {
  *places = *depth = 0;
  for (size_t f = 0; f < tree->functions; f++) {
    size_t count = 0;
    for (uint32_t p = tree->first[f]; p != NONE; p = tree->nodes[p].next) {
      if (tree->nodes[p].depth > *depth) *depth = tree->nodes[p].depth;
      count++;
    }
    if (count > *places) *places = count;
  }
}

static void samples_make(struct sampling *s) {
  size_t depth, types = s->graph->types;
  samples_measure(&s->tree, &s->places, &depth);
  size_t cells = (s->places + 1) * types;
  struct arena arena = arena_make(s->graph->mem);
  s->stack = arena_array(&arena, depth + 2, sizeof *s->stack);
  s->weights = arena_array(&arena, cells, sizeof *s->weights);
  s->values = arena_array(&arena, cells, sizeof *s->values);
  import_need(s->builder, s->stack && s->weights && s->values);
  for (uint32_t f = 0; f < s->tree.functions && builder_ok(s->builder); f++) share_function(s, f);
  if (builder_ok(s->builder)) share_cut(s, &arena);
  arena_free(&arena);
}

void callgrind_samples(const struct callgrind_graph *graph, pprofc_builder *builder,
                       pprofc_call_stacks stacks, const struct label *labels, size_t label_count,
                       bool *joined) {
  uint64_t lines = graph->cost_count;
  struct sampling s = {.graph = graph,
                       .builder = builder,
                       .labels = labels,
                       .label_count = label_count,
                       .frames_left = MAX_FRAMES_ALL,
                       .samples_left = SAMPLES_ALWAYS + SAMPLES_FOR_EACH * lines};
  callgrind_tree_init(&s.tree, graph, builder, stacks);
  if (builder_ok(builder)) samples_make(&s);
  *joined = s.tree.joined;
  callgrind_tree_free(&s.tree);
}
