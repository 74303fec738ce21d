/* Prints the reports -flamegraph (an SVG) and -flame (an HTML page). Prepares the data that flame/
 * draws. */
#include "flame/flame.h"
#include "core/budget.h"
#include "core/threshold.h"
#include "flame/label.h"
#include "report/report.h"
#include "report/stacks/flame_groups.h"
#include "report/stacks/flame_kept.h"
#include "report/stacks/flame_verdicts.h"
#include "unit/unit.h"

/* Maximum length of the page's list of label keys that have too many values for groups. */
#define MAX_LEFT_OUT 96u

/* Maximum number of nodes in the tree. A larger tree folds narrow siblings into one node. */
#define MAX_NODES THRESHOLD((size_t)1 << 20)

struct flame_report {
  struct report *report;
  struct flame_graph graph;
  struct buffer subtitle;
  struct arena arena; /* memory for `origins` and `verdicts` */
  struct origin_rules origins;
  const struct flame_verdicts *verdicts; /* verdicts of the difference, or NULL */
  enum flame_coloring coloring;
  double least_pixels, least_share;
};

/* Appends a total of the tree to the subtitle. If there are verdicts, the total is in the unit of
 * the verdicts, such as the mean per run or the value per second. */
static void add_total(struct flame_report *f, int64_t total, double scale) {
  char label[UNIT_LABEL_MAX];
  if (f->verdicts) total = number_from_double((double)total * scale * f->verdicts->ratio);
  buffer_add_str(&f->subtitle, report_value(f->report, total, label));
}

/* Appends a description of the profile to the subtitle: "cpu, 76.73s, 5065 different stacks". */
static void make_subtitle(struct flame_report *f) {
  const struct flame_tree *tree = &f->graph.tree;
  size_t type = f->report->result.value_index;
  buffer_add_str(&f->subtitle, f->report->result.type);
  if (f->verdicts && str_equal(f->verdicts->unit, STR("%"))) {
    buffer_add_text(&f->subtitle, ", in percent of the total");
  } else {
    buffer_add_text(&f->subtitle, ", ");
    add_total(f, flame_head(tree, 0, type), f->verdicts ? f->verdicts->head_scale : 1);
    if (tree->has_base) {
      buffer_add_text(&f->subtitle, " against a base of ");
      add_total(f, flame_base(tree, 0, type), 1);
    }
  }
  buffer_printf(&f->subtitle, ", %zu different stacks", f->graph.set.count);
  if (f->graph.tree.folded)
    buffer_printf(&f->subtitle, "; %zu frames, each below %.2g%%, are folded", f->graph.tree.folded,
                  100 * f->graph.tree.least);
}

static pprofc_str make_title(const struct flame_report *f) {
  const char *title = f->report->options->title;
  if (title && *title) return str_of(title);
  pprofc_str program = report_program(f->report->result.profile);
  if (program.size) return program;
  return f->graph.tree.has_base ? STR("Differential Flame Graph") : STR("Flame Graph");
}

/* ---- options ----------------------------------------- */

static pprofc_status read_coloring(struct flame_report *f, pprofc_error *error) {
  static const char *const names[] = {"", "hot", "change", "origin", "package", NULL};
  const char *colors = f->report->options->colors;
  int coloring = str_index(str_of(colors ? colors : ""), names);
  f->coloring = (enum flame_coloring)coloring;
  if (coloring >= 0) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID, "colors must be hot, change, origin or package");
}

/* Parses the option minwidth: "0.5" (pixels) or "0.1%" (of the width). The default is 0.1
 * pixels. */
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

/* Builds the tree of the report. After an error the caller has nothing to free. */
static pprofc_status flame_report_begin(struct flame_report *f, struct report *report, bool reverse,
                                        pprofc_error *error) {
  *f = (struct flame_report){.report = report};
  arena_init(&f->arena, report->mem);
  const struct flame_graph_options options = {.granularity = report->result.granularity,
                                              .inlined = true,
                                              .reverse = reverse,
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
  status = flame_report_judge(f, reverse, error);
  if (status == PPROFC_OK) make_subtitle(f);
  /* Free the stacks now, because the tree has all their data. */
  stack_set_free(&f->graph.set);
  if (status == PPROFC_OK && f->subtitle.failed) status = error_nomem(error);
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
      .totals = f->report->result.totals,
      .picture_width = (unsigned)f->report->options->width,
      .least_pixels = f->least_pixels,
      .least_share = f->least_share,
      .coloring = f->coloring,
      .origins = &f->origins,
      .inverted = f->report->options->inverted,
      .verdicts = f->verdicts,
  };
}

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

/* ---- the page ---------------------------------------- */

/* Output of the report: a page, or data for the viewer. */
struct flame_form {
  bool data, all; /* data: write only the data of the viewer, not the page; all: write the data of
                     every node */
  struct flame_data_range range;
};

#define WHOLE_NODES  THRESHOLD(50000u) /* maximum number of nodes of a tree that is sent whole */
#define WIDEST_NODES THRESHOLD(20000u) /* number of nodes of a larger tree that are sent first */

static bool is_whole(const struct grouping *g, const struct flame_form *form) {
  if (!form->data || form->all) return true;
  return !form->range.node && (g->graph->tree.count <= WHOLE_NODES || flame_has_times(g));
}

static pprofc_status write_page(struct flame_report *f, struct grouping *g, struct flame_form *form,
                                struct output *out, pprofc_error *error) {
  struct flame_group *groups = NULL;
  struct flame_cost costs[FLAME_COSTS_MAX];
  bool whole = is_whole(g, form);
  const uint32_t *node_of = NULL;
  pprofc_status status = whole ? flame_groups_make(g, &groups, error) : PPROFC_OK;
  if (status == PPROFC_OK && whole && flame_has_times(g))
    status = flame_times_make(g, &node_of, error);
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
      .ratio = f->report->result.ratio,
      .node_of = node_of,
      .totals = f->report->result.totals,
  };
  if (!form->data) return flame_html(&page, out, error);
  form->range.limit = whole ? 0 : WIDEST_NODES;
  return flame_data(&page, form->range, out, error);
}

static pprofc_status flame_report_write(struct flame_report *f, struct flame_form *form,
                                        struct output *out, pprofc_error *error) {
  struct grouping grouping;
  flame_groups_begin(&grouping, f->report, &f->graph);
  pprofc_status status = write_page(f, &grouping, form, out, error);
  flame_groups_end(&grouping);
  return status;
}

/* Parses the variant: "" or "html" for a page, and "data", "data:NODE" or "data:all" for data. */
static pprofc_status read_form(const char *variant, struct flame_form *form, pprofc_error *error) {
  uint64_t node = 0;
  *form = (struct flame_form){0};
  pprofc_str text = str_of(variant ? variant : "");
  if (!text.size || str_equal(text, STR("html"))) return PPROFC_OK;
  form->data = true;
  form->all = str_equal(text, STR("data:all"));
  if (form->all || str_equal(text, STR("data"))) return PPROFC_OK;
  bool good = str_starts(text, STR("data:")) &&
              str_parse_uint(str_slice(text, 5, text.size), 10, &node) && node < NONE;
  if (!good) return error_set(error, PPROFC_E_INVALID, "flame must be html, text or data");
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
  /* The writer takes temporary memory from the tree's allocator, so replace it by `mem` in this
   * copy. The writer does not change the tree. */
  f.graph.tree.arena.mem = mem;
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
