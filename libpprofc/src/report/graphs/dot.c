/* Prints the report dot: the call graph, for graphviz to draw (docs/spec/pprof.md, 21.10). */
#include "report/report.h"

/* ---- texts ------------------------------------------- */

static void add_visible(struct output *out, pprofc_str character, int32_t code, const char *slash) {
  if (code >= 0xA0) output_printf(out, "%su{%x}", slash, (unsigned)code);
  for (size_t i = 0; code < 0xA0 && i < character.size; i++)
    output_printf(out, "%sx%02x", slash, (unsigned char)character.data[i]);
}

/* Returns the offset of the first character at or after `from` that cannot be printed unchanged. If
 * `escape` is true, quotes and backslashes are also such characters. */
static size_t dot_plain_end(pprofc_str text, size_t from, bool escape) {
  while (from < text.size && text.data[from] >= ' ' && text.data[from] <= '~' &&
         !(escape && (text.data[from] == '"' || text.data[from] == '\\')))
    from++;
  return from;
}

/* Appends text. Makes its control bytes visible. With `escape`, also escapes quotes and
 * backslashes.
 */
static void dot_add_text(struct output *out, pprofc_str text, bool escape) {
  for (size_t i = 0; i < text.size;) {
    size_t start = i;
    i = dot_plain_end(text, i, escape);
    output_add(out, text.data + start, i - start);
    if (i == text.size) return;
    start = i;
    int32_t code = utf8_next(text, &i);
    pprofc_str character = str_slice(text, start, i);
    if (escape && (code == '"' || code == '\\')) {
      output_add_char(out, '\\');
      output_add_char(out, (char)code);
    } else if (code == '\n') {
      output_add_text(out, "\\l");
    } else if (code == '\t' || escape_terminal_clean(character)) {
      output_add_str(out, character);
    } else {
      add_visible(out, character, code, "\\\\");
    }
  }
}

/* Appends text for a quoted string of dot. Escapes quotes and backslashes, writes newlines as \l,
 * and makes other control bytes visible. */
static void dot_text(struct output *out, pprofc_str text) {
  dot_add_text(out, text, true);
}

/* Appends text that pprof does not escape. Escapes the text only if it would end the quoted string
 * of dot too early. */
static void dot_loose_text(struct output *out, pprofc_str text) {
  bool ends_string = (text.size && text.data[text.size - 1] == '\\') ||
                     str_find_char(text, '"') < text.size || str_find_char(text, '\n') < text.size;
  dot_add_text(out, text, ends_string);
}

/* ---- names ------------------------------------------- */

/* Appends a name. Replaces each "::" and each "." by a line break, written as the characters \n. */
static void add_broken(struct output *out, pprofc_str name) {
  size_t from = 0, i = 0;
  while (i < name.size) {
    pprofc_str rest = str_slice(name, i, name.size);
    const char *instead = NULL;
    size_t size = 1;
    if (str_starts(rest, STR("::"))) {
      instead = "\\n";
      size = 2;
    } else if (str_starts(rest, STR("[...]"))) {
      instead = "[\xE2\x80\xA6]";
      size = 5;
    } else if (rest.data[0] == '.') {
      instead = "\\n";
    }
    if (instead) {
      dot_text(out, str_slice(name, from, i));
      output_add_text(out, instead);
      from = i + size;
    }
    i += size;
  }
  dot_text(out, str_slice(name, from, name.size));
}

/* Appends the text of a node: address, name, and file with line. Each is on a separate line, which
 * ends with the characters \n. Returns false when out of memory. */
static bool dot_node_name(struct output *out, const struct graph *g, uint32_t node,
                          const pprofc_allocator *mem) {
  const struct node_info *info = &g->frames.infos[g->nodes[node].info];
  const pprofc_str *texts = g->frames.texts.items;
  pprofc_str file = texts[info->file];
  if (file.size) file = str_path_base(file);
  struct arena arena = arena_make(mem);
  pprofc_str name = shorten_function_name(texts[info->name], &arena);
  bool done = name.data != NULL;
  if (done && info->place->address) {
    output_printf(out, "%016llx", (unsigned long long)info->place->address);
    output_add_text(out, "\\n");
  }
  if (done && name.size) {
    add_broken(out, name);
    output_add_text(out, "\\n");
  }
  /* Append the file and the line. For a node without name, file and line, append the object file
   * instead. */
  struct node_place place = *info->place;
  place.address = 0;
  bool has_place = !name.size || info->place->line || file.size;
  if (done && has_place) {
    pprofc_str text = frame_name_of(&place, STR(""), file, texts[info->object], STR(""), &arena);
    done = text.data != NULL;
    if (done) {
      dot_loose_text(out, text);
      output_add_text(out, "\\n");
    }
  }
  arena_free(&arena);
  return done;
}

/* ---- colours ----------------------------------------- */

static unsigned channel(double v) {
  return v == v ? (unsigned)(int)(v * 255.0) & 0xFF : 0;
}

void dot_color(struct output *out, double score, bool light) {
  double saturation = light ? 0.1 : 1.0;
  const double value = light ? 0.93 : 0.7;
  if (score > 1.0) score = 1.0;
  if (score < -1.0) score = -1.0;
  /* A share (`score`) of 0 is grey. The function pow makes the colours of small shares clearly
   * differ from grey. */
  if (fabs(score) < 0.2) saturation *= fabs(score) / 0.2;
  if (score > 0.0) score = pow(score, 0.3);
  if (score < 0.0) score = -pow(-score, 0.3);
  double r = value, g = value, b = value * (1 - saturation);
  if (score < 0.0)
    r = value * (1 + saturation * score);
  else
    g = value * (1 - saturation * score);
  output_printf(out, "#%02x%02x%02x", channel(r), channel(g), channel(b));
}

/* Maximum number of string tags (label texts) below a node, and of number tags below a node or a
 * string tag. */
#define MAX_TAGS 4

struct dot {
  struct report *report;
  struct graph graph;
  struct output *out;
  struct arena arena;
  uint32_t *number;      /* for each node, number of its box, from 1; 0 if the node is not shown */
  uint8_t *has_nodelets; /* for each node, 1 if boxes for its tags were printed */
  bool failed;           /* true if memory ran out */
};

static void dot_add_value(const struct dot *d, int64_t value) {
  char text[UNIT_LABEL_MAX];
  dot_loose_text(d->out, report_value(d->report, value, text));
}

/* Appends a value and its share of the total: "10ms (14.29%)". */
static void add_share(const struct dot *d, int64_t value) {
  char text[32];
  dot_add_value(d, value);
  output_add_text(d->out, " (");
  output_add_str(d->out, unit_percentage_trimmed(value, d->report->result.total, text));
  output_add_char(d->out, ')');
}

static double share_of_total(const struct dot *d, int64_t value) {
  return (double)value / (double)number_abs(d->report->result.total);
}

/* ---- the legend -------------------------------------- */

struct legend_text {
  struct buffer text; /* lines of the legend, each with a newline at its end */
  size_t first;       /* size of the first line of `text` in bytes */
};

static void dot_add_label(void *context, const char *prefix, pprofc_str text) {
  struct legend_text *l = context;
  bool first = l->text.size == 0;
  buffer_add_text(&l->text, prefix);
  buffer_add_str(&l->text, text);
  if (first) l->first = l->text.size;
  buffer_add_char(&l->text, '\n');
}

static void dot_print_head(struct dot *d) {
  pprofc_str name = report_program(d->report->result.profile);
  output_add_text(d->out, "digraph \"");
  dot_loose_text(d->out, name.size ? name : STR("unnamed"));
  output_add_text(d->out, "\" {\nnode [style=filled fillcolor=\"#f8f8f8\"]\n");

  struct graph_summary legend = pipeline_summary(&d->graph);
  struct legend_text l = {.first = 0};
  buffer_init(&l.text, d->report->mem, SIZE_MAX);
  labels_graph(d->report, &legend, true, dot_add_label, &l);
  if (l.text.failed) d->failed = true;
  output_add_text(d->out, "subgraph cluster_L { \"");
  dot_text(d->out, str_slice(buffer_str(&l.text), 0, l.first));
  output_add_text(d->out, "\" [shape=box fontsize=16 label=\"");
  dot_text(d->out, buffer_str(&l.text));
  output_add_char(d->out, '"');
  if (name.size) {
    output_add_text(d->out, " tooltip=\"");
    dot_loose_text(d->out, name);
    output_add_char(d->out, '"');
  }
  output_add_text(d->out, "] }\n");
  buffer_free(&l.text);
}

/* ---- nodes ------------------------------------------- */

static void dot_print_node(struct dot *d, uint32_t node, double max_flat) {
  struct output *out = d->out;
  const struct graph_node *n = &d->graph.nodes[node];
  int64_t flat = node_flat(n), cum = node_cum(n);
  output_printf(out, "N%u [label=\"", d->number[node]);
  if (!dot_node_name(out, &d->graph, node, d->report->mem)) d->failed = true;
  if (flat)
    add_share(d, flat);
  else
    output_add_char(out, '0');
  if (cum != flat) {
    output_add_text(out, flat ? "\\nof " : " of ");
    add_share(d, cum);
  }
  double magnitude = (double)number_abs(flat);
  int64_t size = 8;
  if (max_flat != 0 && flat && magnitude <= max_flat)
    size += number_from_double(ceil(16.0 * sqrt(magnitude / max_flat)));
  output_printf(out, "\" id=\"node%u\" fontsize=%lld shape=box tooltip=\"", d->number[node],
                (long long)size);
  dot_text(out, graph_name(&d->graph, node));
  output_add_text(out, " (");
  dot_add_value(d, cum);
  output_add_text(out, ")\" color=\"");
  dot_color(out, share_of_total(d, cum), false);
  output_add_text(out, "\" fillcolor=\"");
  dot_color(out, share_of_total(d, cum), true);
  output_add_text(out, "\"]\n");
}

static double largest_flat(const struct graph *g) {
  double largest = 0;
  for (size_t i = 0; i < g->shown_count; i++) {
    double flat = (double)number_abs(node_flat(&g->nodes[g->shown[i]]));
    if (i == 0 || flat > largest) largest = flat;
  }
  return largest;
}

/* ---- tags -------------------------------------------- */

/* Identity of a box. The box of node 2 has the id "N2". The box of the node's first tag has the id
 * "N2_0". */
struct box {
  uint32_t node, tag; /* number of a node; index of its tag, or NONE for the box of the node */
};

static void add_box(struct output *out, struct box box) {
  output_printf(out, "N%u", box.node);
  if (box.tag != NONE) output_printf(out, "_%u", box.tag);
}

/* Prints the box of a tag, and an edge from the box `source` to this box. `number` is true for a
 * number tag. `text` is the text of the box. */
static void print_nodelet(struct dot *d, struct box source, bool number, uint32_t index,
                          pprofc_str text, int64_t weight, const char *style) {
  struct output *out = d->out;
  for (int i = 0; i < 2; i++) {
    output_add_text(out, i ? " id=\"" : "");
    if (number) output_add_char(out, 'N');
    add_box(out, source);
    output_printf(out, "_%u", index);
    output_add_text(out, i ? "\" fontsize=8 shape=box3d tooltip=\"" : " [label = \"");
    if (i == 0) {
      if (number)
        dot_loose_text(out, text);
      else
        dot_add_text(out, text, false);
      output_add_char(out, '"');
    }
  }
  dot_add_value(d, weight);
  output_add_text(out, "\"]\n");
  add_box(out, source);
  output_add_text(out, number ? " -> N" : " -> ");
  add_box(out, source);
  output_printf(out, "_%u [label=\" ", index);
  dot_add_value(d, weight);
  output_add_text(out, "\" weight=100 tooltip=\"");
  dot_add_value(d, weight);
  output_add_text(out, "\" labeltooltip=\"");
  dot_add_value(d, weight);
  output_add_text(out, "\"");
  output_add_text(out, style);
  output_add_text(out, "]\n");
}

/* Returns the distance between the numbers of two tags. It is exact, because all number tags have
 * the same unit. */
static double tag_distance(const struct graph_tag *tag, const struct graph_tag *seed) {
  double value = (double)seed->value;
  if (value < (double)tag->value) return (double)tag->value - value;
  return value - (double)tag->value;
}

/* Appends the text of a group of number tags: its range, such as "16B..64B", or its only number. */
static bool name_group(struct dot *d, struct graph_tag *group, int64_t low, int64_t high,
                       bool single) {
  pprofc_str unit = d->graph.options.bytes_unit;
  char first[UNIT_LABEL_MAX], last[UNIT_LABEL_MAX];
  pprofc_str a = unit_label(low, unit, STR("auto"), first);
  pprofc_str b = unit_label(high, unit, STR("auto"), last);
  char *text = arena_alloc(&d->arena, a.size + b.size + 2);
  if (!text) return false;
  memcpy(text, a.data, a.size);
  group->name = (pprofc_str){text, a.size};
  if (single) return true;
  memcpy(text + a.size, "..", 2);
  memcpy(text + a.size + 2, b.data, b.size);
  group->name.size += 2 + b.size;
  return true;
}

/* Merges number tags into MAX_TAGS groups. Each of the first MAX_TAGS tags begins a group. Each
 * other tag joins the group whose first tag has the nearest number. Returns false when out of
 * memory. */
static bool collapse(struct dot *d, const struct graph_tag *tags, size_t count,
                     struct graph_tag groups[MAX_TAGS]) {
  int64_t low[MAX_TAGS], high[MAX_TAGS];
  bool single[MAX_TAGS];
  for (size_t i = 0; i < MAX_TAGS; i++) {
    groups[i] = tags[i];
    low[i] = high[i] = tags[i].value;
    single[i] = true;
  }
  for (size_t i = MAX_TAGS; i < count; i++) {
    size_t best = 0;
    for (size_t k = 1; k < MAX_TAGS; k++)
      if (tag_distance(&tags[i], &tags[k]) < tag_distance(&tags[i], &tags[best])) best = k;
    struct graph_tag *group = &groups[best];
    group->flat = sum_add(group->flat, tags[i].flat);
    group->flat_div = sum_add(group->flat_div, tags[i].flat_div);
    group->cum = sum_add(group->cum, tags[i].cum);
    group->cum_div = sum_add(group->cum_div, tags[i].cum_div);
    if (tags[i].value < low[best]) low[best] = tags[i].value;
    if (tags[i].value > high[best]) high[best] = tags[i].value;
    single[best] = false;
  }
  for (size_t i = 0; i < MAX_TAGS; i++) {
    if (!name_group(d, &groups[i], low[i], high[i], single[i])) return false;
    groups[i].flat = tag_flat(&groups[i]);
    groups[i].cum = tag_cum(&groups[i]);
    groups[i].flat_div = groups[i].cum_div = 0;
  }
  return true;
}

/* Prints the boxes of number tags below the box `source`. Returns true if at least one box was
 * printed. */
static bool print_numbers(struct dot *d, struct graph_tag *tags, size_t count, bool flat_tags,
                          struct box source) {
  struct graph_tag groups[MAX_TAGS];
  graph_sort_tags(tags, count, flat_tags);
  if (count > MAX_TAGS) {
    if (!collapse(d, tags, count, groups)) {
      d->failed = true;
      return false;
    }
    tags = groups;
    count = MAX_TAGS;
    graph_sort_tags(tags, count, flat_tags);
  }
  bool any = false;
  for (uint32_t i = 0; i < count; i++) {
    int64_t flat = tag_flat(&tags[i]), cum = tag_cum(&tags[i]);
    bool solid = flat_tags || flat == cum;
    int64_t weight = solid ? flat : cum;
    if (!weight) continue;
    print_nodelet(d, source, true, i, tags[i].name, weight, solid ? "" : " style=\"dotted\"");
    any = true;
  }
  return any;
}

/* Moves the number tags (`number` is true) or the string tags to the front of `tags`. If any_labels
 * is false, moves only tags whose field `labels` is equal to `labels`. Returns how many tags it
 * moved. */
static size_t dot_gather(struct graph_tag *tags, size_t count, bool number, bool any_labels,
                         uint32_t labels) {
  size_t n = 0;
  for (size_t i = 0; i < count; i++) {
    if (tags[i].is_number != number || (!any_labels && tags[i].labels != labels)) continue;
    struct graph_tag tag = tags[i];
    tags[i] = tags[n];
    tags[n++] = tag;
  }
  return n;
}

static bool print_nodelets(struct dot *d, uint32_t node) {
  const struct graph *g = &d->graph;
  if (!g->tag_from) return false;
  struct graph_tag *tags = g->tags + g->tag_from[node];
  size_t count = g->tag_from[node + 1] - g->tag_from[node];
  bool flat_tags = g->out_from[node + 1] > g->out_from[node], any = false;
  size_t labels = dot_gather(tags, count, false, true, 0);
  struct graph_tag *numbers = tags + labels;
  size_t number_count = count - labels;
  graph_sort_tags(tags, labels, flat_tags);
  struct box box = {d->number[node], NONE};
  for (uint32_t i = 0; i < labels && i < MAX_TAGS; i++) {
    int64_t weight = flat_tags ? tag_flat(&tags[i]) : tag_cum(&tags[i]);
    if (!weight) continue;
    print_nodelet(d, box, false, i, tags[i].name, weight, "");
    any = true;
    size_t n = dot_gather(numbers, number_count, true, false, tags[i].labels);
    print_numbers(d, numbers, n, flat_tags, (struct box){d->number[node], i});
  }
  size_t n = dot_gather(numbers, number_count, true, false, 0);
  return print_numbers(d, numbers, n, flat_tags, box) || any;
}

/* ---- edges ------------------------------------------- */

/* Returns the width of an edge, from 1 to 1 + most. It is 1 plus `most` times the edge's share of
 * the total. */
static int64_t thickness(const struct dot *d, int64_t weight, int64_t most) {
  int64_t share = number_abs(number_divide(number_multiply(weight, most), d->report->result.total));
  return 1 + (share < most ? share : most);
}

static void dot_print_edge(const struct dot *d, const struct graph_edge *e) {
  struct output *out = d->out;
  const struct graph *g = &d->graph;
  int64_t weight = edge_weight(e);
  output_printf(out, "N%u -> N%u [label=\" ", d->number[e->source], d->number[e->target]);
  dot_add_value(d, weight);
  output_add_text(out, e->is_inline ? "\\n (inline)\"" : "\"");
  if (d->report->result.total) {
    int64_t pull = thickness(d, weight, 100), width = thickness(d, weight, 5);
    if (pull > 1) output_printf(out, " weight=%lld", (long long)pull);
    if (width > 1) output_printf(out, " penwidth=%lld", (long long)width);
    output_add_text(out, " color=\"");
    dot_color(out, share_of_total(d, weight), false);
    output_add_char(out, '"');
  }
  for (int i = 0; i < 2; i++) {
    output_add_text(out, i ? " labeltooltip=\"" : " tooltip=\"");
    dot_text(out, graph_name(g, e->source));
    output_add_text(out, e->residual ? " ... " : " -> ");
    dot_text(out, graph_name(g, e->target));
    output_add_text(out, " (");
    dot_add_value(d, weight);
    output_add_text(out, ")\"");
  }
  if (e->residual) output_add_text(out, " style=\"dotted\"");
  if (d->has_nodelets[e->source]) output_add_text(out, " minlen=2");
  output_add_text(out, "]\n");
}

/* ---- the report -------------------------------------- */

static void print_graph(struct dot *d) {
  const struct graph *g = &d->graph;
  d->number = arena_zero_array(&d->arena, g->node_count, sizeof *d->number);
  d->has_nodelets = arena_zero_array(&d->arena, g->node_count, 1);
  if (!d->number || !d->has_nodelets) {
    d->failed = true;
    return;
  }
  for (uint32_t i = 0; i < g->shown_count; i++) d->number[g->shown[i]] = i + 1;
  double max_flat = largest_flat(g);
  for (size_t i = 0; i < g->shown_count && !d->out->failed; i++) {
    uint32_t node = g->shown[i];
    dot_print_node(d, node, max_flat);
    d->has_nodelets[node] = print_nodelets(d, node);
  }
  for (size_t i = 0; i < g->sorted_count && !d->out->failed; i++) {
    const struct graph_edge *e = &g->edges[g->sorted[i]];
    /* Like pprof, print edges to boxes without a value, unless the page shows the graph. */
    bool shown = d->number[e->target] || !g->options.by_change;
    if (d->number[e->source] && shown) dot_print_edge(d, e);
  }
}

pprofc_status dot_write(struct report *report, const struct graph *graph, struct output *out,
                        pprofc_error *error) {
  struct dot d = {.report = report, .graph = *graph, .out = out};
  arena_init(&d.arena, report->mem);
  dot_print_head(&d);
  if (d.graph.shown_count) print_graph(&d);
  output_add_text(out, "}\n");
  arena_free(&d.arena);
  return d.failed ? error_nomem(error) : PPROFC_OK;
}

pprofc_status report_dot(struct report *report, struct output *out, pprofc_error *error) {
  struct graph graph;
  const char *order = report->options->argument;
  unsigned wanted = DOT_GRAPH;
  if (order && strcmp(order, "change") == 0) wanted |= PIPELINE_BY_CHANGE;
  pprofc_status status =
      pipeline_graph(&report->result, wanted, &graph, &report->output_unit, error);
  if (!status) status = dot_write(report, &graph, out, error);
  graph_free(&graph);
  return status;
}
