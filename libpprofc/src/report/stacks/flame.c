/* The flame graph reports, -flamegraph (one SVG) and -flame (one HTML page): chooses the data
 * that flame/ draws. */
#include "flame/flame.h"
#include "core/array.h"
#include "core/budget.h"
#include "core/map.h"
#include "core/threshold.h"
#include "flame/label.h"
#include "report/report.h"
#include "report/stacks/flame_costs.h"
#include "report/stacks/flame_kept.h"
#include "report/stacks/flame_verdicts.h"
#include "unit/unit.h"

#include <stdlib.h>

#define MAX_VALUES   24u /* maximum number of values of a label key by which the page can group */
#define MAX_GROUPS   96u
#define MAX_LEFT_OUT 96u /* keys without groups that the page lists */

/* maximum number of nodes of the tree; the narrowest ones above it are folded */
#define MAX_NODES THRESHOLD((size_t)1 << 20)

struct flame_report {
  struct report *report;
  struct flame_graph graph;
  struct buffer subtitle;
  struct arena arena; /* memory of the rules and verdicts */
  struct origin_rules origins;
  const struct flame_verdicts *verdicts; /* or NULL */
  enum flame_coloring coloring;
  double least_pixels, least_share;
};

/* Appends a description: "cpu, 76.73s, 5065 different stacks". */
static void make_subtitle(struct flame_report *f) {
  const struct report *report = f->report;
  char label[UNIT_LABEL_MAX];
  size_t type = report->result.value_index;
  buffer_add_str(&f->subtitle, report->result.type);
  buffer_add_text(&f->subtitle, ", ");
  buffer_add_str(&f->subtitle, report_value(report, flame_head(&f->graph.tree, 0, type), label));
  if (f->graph.tree.has_base) {
    buffer_add_text(&f->subtitle, " against a base of ");
    buffer_add_str(&f->subtitle, report_value(report, flame_base(&f->graph.tree, 0, type), label));
  }
  buffer_printf(&f->subtitle, ", %zu different stacks", f->graph.set.count);
  if (f->graph.tree.folded)
    buffer_printf(&f->subtitle, "; %zu frames, each below %.2g%%, are folded", f->graph.tree.folded,
                  100 * f->graph.tree.least);
}

static pprofc_str make_title(const struct flame_report *f) {
  const char *title = f->report->options->title;
  if (title && *title) return str_of(title);
  const struct mappings *m = &f->report->result.profile->mappings;
  pprofc_str file =
      m->count ? profile_string(f->report->result.profile, m->items[0].file) : STR("");
  if (file.size) return str_path_base(file);
  return f->graph.tree.has_base ? STR("Differential Flame Graph") : STR("Flame Graph");
}

/* ---- options ----------------------------------------- */

static pprofc_status read_coloring(struct flame_report *f, pprofc_error *error) {
  static const char *const names[] = {"", "hot", "change", "origin", "package"};
  pprofc_str text = str_of(f->report->options->colors ? f->report->options->colors : "");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (str_equal(text, str_of(names[i]))) {
      f->coloring = (enum flame_coloring)i;
      return PPROFC_OK;
    }
  return error_set(error, PPROFC_E_INVALID, "colors must be hot, change, origin or package");
}

/* Parses "0.5" pixels, or "0.1%" of the width. */
static pprofc_status read_least(struct flame_report *f, pprofc_error *error) {
  const char *option = f->report->options->minwidth;
  pprofc_str text = str_of(option && *option ? option : "0.1");
  bool share = str_ends(text, STR("%"));
  double number;
  if (share) text.size--;
  if (!str_parse_float(text, &number) || !(number >= 0 && number <= 1e6))
    return error_set(error, PPROFC_E_INVALID, "minwidth must be pixels, or a part as in 0.1%%");
  if (share)
    f->least_share = number / 100;
  else
    f->least_pixels = number;
  return PPROFC_OK;
}

static pprofc_status read_options(struct flame_report *f, pprofc_error *error) {
  const pprofc_report_options *o = f->report->options;
  if (o->width < 0 || (o->width > 0 && o->width < 100) || o->width > 100000)
    return error_set(error, PPROFC_E_INVALID, "width must be between 100 and 100000 pixels");
  pprofc_status status = read_coloring(f, error);
  if (status == PPROFC_OK) status = read_least(f, error);
  if (status != PPROFC_OK || !o->origin_rules) return status;
  return origin_rules_parse(&f->origins, str_of(o->origin_rules), &f->arena, error);
}

static pprofc_status flame_report_judge(struct flame_report *f, bool reverse, pprofc_error *error) {
  const pprofc_verdicts *verdicts = f->report->options->verdicts;
  if (!verdicts || !f->graph.tree.has_base) return PPROFC_OK;
  struct flame_verdicts *made = arena_alloc(&f->arena, sizeof *made);
  if (!made) return error_nomem(error);
  f->verdicts = made;
  return flame_verdicts_make(&f->graph.tree, f->report->result.value_index, reverse, verdicts,
                             &f->arena, made, error);
}

static void flame_report_end(struct flame_report *f) {
  arena_free(&f->arena);
  buffer_free(&f->subtitle);
  flame_graph_free(&f->graph);
}

/* After a failure there is nothing to free. */
static pprofc_status flame_report_begin(struct flame_report *f, struct report *report, bool reverse,
                                        pprofc_error *error) {
  *f = (struct flame_report){.report = report};
  arena_init(&f->arena, report->mem);
  const struct flame_graph_options options = {.inlined = true,
                                              .reverse = reverse,
                                              .threads = report->options->threads,
                                              .most_nodes = MAX_NODES,
                                              .trim_path = report->options->trim_path,
                                              .source_path = report->options->source_path};
  pprofc_status status = read_options(f, error);
  if (status == PPROFC_OK)
    status = flame_graph_build(report->result.profile, &options, report->mem, &f->graph, error);
  if (status != PPROFC_OK) {
    arena_free(&f->arena);
    return status;
  }
  buffer_init(&f->subtitle, report->mem, SIZE_MAX / 2);
  make_subtitle(f);
  stack_set_free(&f->graph.set); /* the tree has all data */
  status = f->subtitle.failed ? error_nomem(error) : flame_report_judge(f, reverse, error);
  if (status == PPROFC_OK && !label_cut_frames(&f->graph.frames)) status = error_nomem(error);
  if (status != PPROFC_OK) flame_report_end(f);
  return status;
}

static struct flame_drawing drawing_of(struct flame_report *f) {
  return (struct flame_drawing){
      .tree = &f->graph.tree,
      .type = f->report->result.value_index,
      .width = f->graph.tree.has_base ? FLAME_MAX : FLAME_HEAD,
      .title = make_title(f),
      .subtitle = buffer_str(&f->subtitle),
      .unit = f->report->result.sample_unit,
      .ratio = f->report->result.ratio,
      .picture_width = (unsigned)f->report->options->width,
      .least_pixels = f->least_pixels,
      .least_share = f->least_share,
      .coloring = f->coloring,
      .origins = &f->origins,
      .inverted = f->report->options->inverted,
      .verdicts = f->verdicts,
  };
}

/* Draws one picture with the given function. */
static pprofc_status draw(struct report *report, struct output *out,
                          pprofc_status (*drawer)(const struct flame_drawing *, struct output *,
                                                  pprofc_error *),
                          pprofc_error *error) {
  struct flame_report f;
  pprofc_status status = flame_report_begin(&f, report, report->options->reverse, error);
  if (status != PPROFC_OK) return status;
  struct flame_drawing drawing = drawing_of(&f);
  status = drawer(&drawing, out, error);
  flame_report_end(&f);
  return status;
}

pprofc_status report_flamegraph(struct report *report, struct output *out, pprofc_error *error) {
  return draw(report, out, flame_svg, error);
}

/* ---- label groups of the page ------------------------ */

/* One value of a label key, and the samples that have it. */
struct page_group {
  uint32_t key, value; /* ids in the interner */
  uint32_t *samples;
  size_t count, capacity;
};

struct grouping {
  struct flame_report *flame;
  struct arena arena;
  struct interner texts;
  struct page_group groups[MAX_GROUPS];
  size_t count;
  struct interner left_out; /* keys that cannot be grouped */
  struct map children;      /* hash of (parent, frame) to node of the tree */
};

static void free_group(struct grouping *g, struct page_group *group) {
  ARRAY_FREE(g->arena.mem, group->samples, group->capacity);
}

/* Drops the groups of a key permanently. */
static bool leave_out(struct grouping *g, uint32_t key) {
  size_t kept = 0;
  for (size_t i = 0; i < g->count; i++) {
    if (g->groups[i].key == key)
      free_group(g, &g->groups[i]);
    else
      g->groups[kept++] = g->groups[i];
  }
  g->count = kept;
  return interner_add(&g->left_out, g->texts.items[key]) != MAP_NONE;
}

/* Finds or adds the group of a label. *group is NULL if the key has too many values or the page
 * has no room for more groups; the key is then dropped. False when out of memory. */
static bool group_of(struct grouping *g, uint32_t key, uint32_t value, struct page_group **group) {
  size_t same_key = 0;
  *group = NULL;
  for (size_t i = 0; i < g->count; i++) {
    if (g->groups[i].key == key && g->groups[i].value == value) {
      *group = &g->groups[i];
      return true;
    }
    same_key += g->groups[i].key == key;
  }
  /* Some nodes of a group may have been folded. */
  if (same_key == MAX_VALUES || g->count == MAX_GROUPS || g->flame->graph.tree.folded)
    return leave_out(g, key);
  *group = &g->groups[g->count++];
  **group = (struct page_group){.key = key, .value = value};
  return true;
}

/* Adds a sample to the group of one of its labels. */
static bool note_label(struct grouping *g, uint32_t sample, pprofc_str name, pprofc_str text) {
  if (interner_find(&g->left_out, name) != MAP_NONE) return true;
  uint32_t key = interner_add(&g->texts, name), value = interner_add(&g->texts, text);
  struct page_group *group;
  if (key == MAP_NONE || value == MAP_NONE || !group_of(g, key, value, &group)) return false;
  if (!group || (group->count && group->samples[group->count - 1] == sample)) return true;
  if (!ARRAY_RESERVE(g->arena.mem, group->samples, group->capacity, group->count + 1)) return false;
  group->samples[group->count++] = sample;
  return true;
}

/* Groups samples by their string labels except the label that marks samples of a base. False when
 * out of memory or stopped. */
static bool find_groups(struct grouping *g) {
  const pprofc_profile *p = g->flame->report->result.profile;
  for (size_t i = 0; p->samples.label_set && i < p->samples.count; i++) {
    const struct label *labels = sample_labels(&p->samples, i);
    if (budget_poll(g->arena.mem, i)) return false;
    for (size_t k = 0; k < label_count(&p->samples, i); k++) {
      pprofc_str name = profile_string(p, labels[k].key);
      if (labels[k].is_number || str_equal(name, BASE_LABEL)) continue;
      if (!note_label(g, (uint32_t)i, name, profile_string(p, labels[k].string))) return false;
    }
  }
  return true;
}

static uint64_t child_hash(uint32_t parent, uint32_t frame) {
  return hash_mix(parent, frame);
}

static bool map_children(struct grouping *g) {
  const struct flame_tree *t = &g->flame->graph.tree;
  if (!map_reserve(&g->children, t->count)) return false;
  for (size_t i = 1; i < t->count; i++)
    if (budget_poll(g->arena.mem, i) ||
        !map_insert(&g->children, child_hash(t->parent[i], t->frame[i]), (uint32_t)i))
      return false;
  return true;
}

static uint32_t grouping_find_child(const struct grouping *g, uint32_t parent, uint32_t frame) {
  const struct flame_tree *t = &g->flame->graph.tree;
  struct map_probe probe = map_start(&g->children, child_hash(parent, frame));
  uint32_t node;
  while ((node = map_next(&g->children, &probe)) != MAP_NONE)
    if (t->parent[node] == parent && t->frame[node] == frame) return node;
  return 0;
}

/* Finds the nodes at which the stacks of a group end. Stacks are in the order of the tree, so
 * the nodes are ascending. */
static pprofc_status place_group(struct grouping *g, const struct page_group *from,
                                 struct flame_group *to, pprofc_error *error) {
  struct flame_report *f = g->flame;
  struct stack_selection selection = {.samples = from->samples, .count = from->count};
  struct stack_set set;
  pprofc_status status = stack_set_build(&f->graph.frames, &selection, f->report->mem, &set, error);
  if (status != PPROFC_OK) return status;
  size_t columns = f->graph.tree.columns;
  uint32_t *nodes = arena_array(&g->arena, set.count, sizeof *nodes);
  int64_t *self = arena_zero_array(&g->arena, set.count * columns, sizeof *self);
  uint32_t *frames = arena_array(&g->arena, set.max_depth, sizeof *frames);
  uint32_t *path = arena_zero_array(&g->arena, set.max_depth + 1, sizeof *path);
  bool good = nodes && self && frames && path;
  for (size_t i = 0; good && i < set.count; i++) {
    good = !budget_poll(g->arena.mem, i);
    stack_set_go_on(&set, i, frames);
    for (uint32_t d = set.shared[i]; d < set.depth[i]; d++)
      path[d + 1] = grouping_find_child(g, path[d], frames[d]);
    nodes[i] = path[set.depth[i]];
    /* A group without base samples has fewer columns than the tree. */
    for (size_t c = 0; c < set.columns && c < columns; c++)
      self[i * columns + c] = stack_values(&set, i)[c];
  }
  to->count = set.count;
  to->node = nodes;
  to->self = self;
  stack_set_free(&set);
  return good ? PPROFC_OK : error_nomem(error);
}

static pprofc_str group_name(struct grouping *g, const struct page_group *group) {
  struct buffer text;
  buffer_init(&text, g->arena.mem, SIZE_MAX / 2);
  buffer_add_str(&text, g->texts.items[group->key]);
  buffer_add_char(&text, '=');
  buffer_add_str(&text, g->texts.items[group->value]);
  pprofc_str name = buffer_keep(&text, &g->arena);
  buffer_free(&text);
  return name;
}

static pprofc_status make_groups(struct grouping *g, struct flame_group **groups,
                                 pprofc_error *error) {
  if (!find_groups(g)) return error_nomem(error);
  *groups = arena_array(&g->arena, g->count, sizeof **groups);
  if (!*groups || (g->count && !map_children(g))) return error_nomem(error);
  for (size_t i = 0; i < g->count; i++) {
    (*groups)[i].name = group_name(g, &g->groups[i]);
    if (!(*groups)[i].name.data) return error_nomem(error);
    pprofc_status status = place_group(g, &g->groups[i], &(*groups)[i], error);
    if (status != PPROFC_OK) return status;
  }
  return PPROFC_OK;
}

/* ---- the page ---------------------------------------- */

/* Writes the tree as a page or as data for the viewer. */
struct flame_form {
  bool data;
  struct flame_data_range range;
};

#define WHOLE_NODES  THRESHOLD(50000u) /* maximum number of nodes sent at once */
#define WIDEST_NODES THRESHOLD(20000u) /* number of nodes sent at once for larger trees */

static bool is_whole(const struct grouping *g, const struct flame_form *form) {
  return !form->data || (!form->range.node && g->flame->graph.tree.count <= WHOLE_NODES);
}

static pprofc_status write_page(struct grouping *g, struct flame_form *form, struct output *out,
                                pprofc_error *error) {
  struct flame_report *f = g->flame;
  struct flame_group *groups = NULL;
  struct flame_cost costs[FLAME_COSTS_MAX];
  bool whole = is_whole(g, form);
  pprofc_status status = whole ? make_groups(g, &groups, error) : PPROFC_OK;
  if (status != PPROFC_OK) return status;
  struct flame_page page = {
      .tree = &f->graph.tree,
      .type = f->report->result.value_index,
      .title = make_title(f),
      .subtitle = buffer_str(&f->subtitle),
      .unit = f->report->result.sample_unit,
      .origins = &f->origins,
      .groups = groups,
      .group_count = g->count,
      .left_out = g->left_out.items,
      .left_out_count = g->left_out.count < MAX_LEFT_OUT ? g->left_out.count : MAX_LEFT_OUT,
      .link = f->report->options->source_link,
      .costs = costs,
      .cost_count = flame_costs_find(f->report->result.profile, costs),
      .verdicts = f->verdicts,
  };
  if (!form->data) return flame_html(&page, out, error);
  form->range.limit = whole ? 0 : WIDEST_NODES;
  return flame_data(&page, form->range, out, error);
}

static pprofc_status flame_report_write(struct flame_report *f, struct flame_form *form,
                                        struct output *out, pprofc_error *error) {
  const pprofc_allocator *mem = f->report->mem;
  struct grouping grouping = {.flame = f};
  arena_init(&grouping.arena, mem);
  interner_init(&grouping.texts, mem);
  interner_init(&grouping.left_out, mem);
  map_init(&grouping.children, mem);
  pprofc_status status = write_page(&grouping, form, out, error);
  map_free(&grouping.children);
  for (size_t i = 0; i < grouping.count; i++) free_group(&grouping, &grouping.groups[i]);
  interner_free(&grouping.left_out);
  interner_free(&grouping.texts);
  arena_free(&grouping.arena);
  return status;
}

/* Parses the variant: "" or "html" (a page), "data" or "data:NODE". */
static pprofc_status read_form(const char *variant, struct flame_form *form, pprofc_error *error) {
  uint64_t node = 0;
  *form = (struct flame_form){0};
  pprofc_str text = str_of(variant ? variant : "");
  if (!text.size || str_equal(text, STR("html"))) return PPROFC_OK;
  form->data = true;
  if (str_equal(text, STR("data"))) return PPROFC_OK;
  bool good = str_starts(text, STR("data:")) &&
              str_parse_uint(str_slice(text, 5, text.size), 10, &node) && node < NONE;
  if (!good) return error_set(error, PPROFC_E_INVALID, "a flame graph is html, text or data");
  form->range.node = (uint32_t)node;
  return PPROFC_OK;
}

pprofc_status report_flame(struct report *report, struct output *out, pprofc_error *error) {
  const char *variant = report->options->argument;
  if (variant && strcmp(variant, "text") == 0) return draw(report, out, flame_text, error);
  struct flame_report f;
  struct flame_form form;
  pprofc_status status = read_form(variant, &form, error);
  if (status == PPROFC_OK) status = flame_report_begin(&f, report, false, error);
  if (status != PPROFC_OK) return status;
  status = flame_report_write(&f, &form, out, error);
  flame_report_end(&f);
  return status;
}

/* ---- a graph that is kept ---------------------------- */

struct flame_kept {
  const pprofc_profile *profile;
  struct report report;
  struct flame_report flame;
};

pprofc_status flame_kept_open(const pprofc_profile *profile, const pprofc_report_options *options,
                              struct flame_kept **kept, pprofc_error *error) {
  struct flame_kept *k = mem_zero_array(&profile->mem, 1, sizeof *k);
  if (!k) return budget_status(&profile->mem, error_nomem(error), error);
  k->profile = profile;
  pprofc_status status = report_open(&k->report, profile, options, error);
  if (status == PPROFC_OK) status = flame_report_begin(&k->flame, &k->report, false, error);
  if (status == PPROFC_OK) {
    *kept = k;
    return status;
  }
  pipeline_free(&k->report.result);
  mem_free(&profile->mem, k, 1, sizeof *k);
  return budget_status(&profile->mem, status, error);
}

pprofc_status flame_kept_write(const struct flame_kept *kept, uint32_t node,
                               const pprofc_allocator *mem, pprofc_write_fn write, void *context,
                               pprofc_error *error) {
  struct report report = kept->report;
  struct flame_report f = kept->flame;
  struct flame_form form = {.data = true, .range.node = node};
  struct output out;
  report.mem = mem;
  f.report = &report;
  f.graph.tree.arena.mem = mem; /* only fields that writing needs; nothing is added to the tree */
  output_init(&out, write, context);
  output_watch(&out, mem);
  pprofc_status status = flame_report_write(&f, &form, &out, error);
  if (status == PPROFC_OK) status = output_flush(&out, error);
  return budget_status(mem, status, error);
}

void flame_kept_close(struct flame_kept *kept) {
  if (!kept) return;
  const pprofc_allocator *mem = &kept->profile->mem;
  flame_report_end(&kept->flame);
  pipeline_free(&kept->report.result);
  mem_free(mem, kept, 1, sizeof *kept);
}
