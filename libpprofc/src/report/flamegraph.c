/* The -flamegraph report: the classic flame graph as one SVG. The drawing is flame/svg.c; this is
 * what it shows. */
#include "flame/flame.h"
#include "report/report.h"
#include "unit/unit.h"

/* "cpu, 76.73s in 5065 stacks" and what was left out of the profile. */
static void make_subtitle(const struct report *report, const struct flame_tree *tree, size_t stacks,
                          struct buffer *text) {
  char label[UNIT_LABEL_MAX];
  size_t type = report->value_index;
  buffer_add_str(text, report->type);
  buffer_add_text(text, ", ");
  buffer_add_str(text, report_value(report, flame_head(tree, 0, type), label));
  if (tree->has_base) {
    buffer_add_text(text, " against a base of ");
    buffer_add_str(text, report_value(report, flame_base(tree, 0, type), label));
  }
  buffer_printf(text, ", %zu different stacks", stacks);
}

static pprofc_str make_title(const struct report *report, const struct flame_tree *tree) {
  if (tree->has_base) return STR("Differential Flame Graph");
  const struct mappings *m = &report->profile->mappings;
  pprofc_str file = m->count ? profile_string(report->profile, m->items[0].file) : STR("");
  return file.size ? str_path_base(file) : STR("Flame Graph");
}

static pprofc_status draw(struct report *report, struct flame_tree *tree, size_t stacks,
                          struct output *out, pprofc_error *error) {
  struct buffer subtitle;
  buffer_init(&subtitle, report->mem, 1 << 20);
  make_subtitle(report, tree, stacks, &subtitle);
  struct flame_drawing drawing = {
      .tree = tree,
      .type = report->value_index,
      .width = tree->has_base ? FLAME_MAX : FLAME_HEAD,
      .title = make_title(report, tree),
      .subtitle = buffer_str(&subtitle),
      .type_name = report->type,
      .unit = report->sample_unit,
      .ratio = report->ratio,
  };
  pprofc_status status = subtitle.failed ? error_nomem(error) : flame_svg(&drawing, out, error);
  buffer_free(&subtitle);
  return status;
}

pprofc_status report_flamegraph(struct report *report, struct output *out, pprofc_error *error) {
  static const struct stack_policy policy = {.inlines = true,
                                             .function = true,
                                             .file = true,
                                             .line = true,
                                             .column = true,
                                             .address = true};
  struct stack_frames frames;
  struct stack_set set;
  struct flame_tree tree;
  pprofc_status status = stack_frames_build(report->profile, &policy, report->mem, &frames, error);
  if (status != PPROFC_OK) return status;
  status = stack_set_build(&frames, NULL, report->mem, &set, error);
  if (status == PPROFC_OK) {
    status = flame_tree_build(&frames, &set, report->mem, &tree, error);
    if (status == PPROFC_OK) {
      status = draw(report, &tree, set.count, out, error);
      flame_tree_free(&tree);
    }
    stack_set_free(&set);
  }
  stack_frames_free(&frames);
  return status;
}
