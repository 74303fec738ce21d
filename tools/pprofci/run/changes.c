/* Finds the largest changes of self time in a pair of profiles, and draws the page's picture. */
#include "run/changes.h"

#include "core/escape.h"
#include "core/log_guard.h"
#include "flame/flame.h"
#include "report/report.h"
#include "run/text.h"

#include <math.h>

#define LEAST_SHARE   0.01 /* of the base: smaller growth is not told */
#define LEAST_SAMPLES 5    /* more in the head than in the base, and beyond twice its error */
#define PICTURE_WIDTH 1180
#define PICTURE_LEAST 3 /* pixels: narrower frames are joined; the file has all */

/* What one function has by itself. */
struct self_sum {
  int64_t base, head;                 /* of the value shown */
  int64_t base_samples, head_samples; /* of the first column */
};

/* A drawing of a profile: the edited profile and its tree. */
struct drawn {
  struct pipeline_result result;
  struct flame_graph graph;
};

/* ---- the tree ---------------------------------------- */

static pprofc_status drawn_open(const pprofc_profile *profile, const pprofc_report_options *options,
                                struct drawn *d, pprofc_error *error) {
  static const struct pipeline_overrides overrides = {.default_granularity = "filefunctions"};
  static const struct flame_graph_options how = {.inlined = false};
  const struct pipeline_options asked = report_pipeline_options(options);
  pprofc_status status = pipeline_run(profile, &asked, &overrides, &d->result, error);
  if (status == PPROFC_OK)
    status = flame_graph_build(d->result.profile, &how, &profile->mem, &d->graph, error);
  if (status != PPROFC_OK) pipeline_free(&d->result);
  return status;
}

static void drawn_close(struct drawn *d) {
  flame_graph_free(&d->graph);
  pipeline_free(&d->result);
}

/* ---- functions that grew ----------------------------- */

static struct self_sum *sum_functions(struct drawn *d) {
  struct flame_tree *t = &d->graph.tree;
  size_t type = d->result.value_index;
  struct self_sum *sums = arena_zero_array(&t->arena, d->graph.frames.count, sizeof *sums);
  for (size_t i = 1; sums && i < t->count; i++) {
    struct self_sum *sum = &sums[t->frame[i]];
    sum->base = sum_add(sum->base, flame_self_base(t, i, type));
    sum->head = sum_add(sum->head, flame_self_head(t, i, type));
    sum->base_samples = sum_add(sum->base_samples, flame_self_base(t, i, 0));
    sum->head_samples = sum_add(sum->head_samples, flame_self_head(t, i, 0));
  }
  return sums;
}

/* Growth that sampling alone could make is not told. */
static bool is_beyond_chance(const struct drawn *d, const struct self_sum *sum) {
  pprofc_str type = profile_string(d->result.profile, d->result.profile->types[0].type);
  double more = (double)sum->head_samples - (double)sum->base_samples;
  double all = (double)sum->head_samples + (double)sum->base_samples;
  if (!str_equal(type, STR("samples"))) return true;
  return more >= LEAST_SAMPLES && more * more >= 4 * all;
}

static bool is_growth(const struct drawn *d, const struct self_sum *sum) {
  double grown = (double)sum->head - (double)sum->base;
  double base = (double)flame_base(&d->graph.tree, 0, d->result.value_index);
  return grown > 0 && grown >= base * LEAST_SHARE && is_beyond_chance(d, sum);
}

/* Puts a change into the list of the largest. */
static void keep_largest(struct run_pair *pair, const struct change *change) {
  size_t i = pair->change_count;
  if (i == CHANGES_MOST) {
    i--;
    if (pair->changes[i].head - pair->changes[i].base >= change->head - change->base) return;
  } else {
    pair->change_count++;
  }
  for (; i > 0; i--) {
    const struct change *before = &pair->changes[i - 1];
    if (before->head - before->base >= change->head - change->base) break;
    pair->changes[i] = *before;
  }
  pair->changes[i] = *change;
}

/* The whole growth of the profile, and what one operation is. */
struct growth {
  double whole, divisor;
};

static bool add_change(struct run *run, struct run_pair *pair, const struct stack_frame *frame,
                       const struct self_sum *sum, const struct growth *growth) {
  double grown = (double)sum->head - (double)sum->base;
  pprofc_str name = escape_line_keep(frame->name, &run->arena);
  struct change change = {.name = text_keep(&run->arena, name),
                          .file = text_keep(&run->arena, frame->file),
                          .line = frame->line,
                          .base = (double)sum->base / growth->divisor,
                          .head = (double)sum->head / growth->divisor,
                          .share = growth->whole > 0 ? grown / growth->whole : (double)NAN};
  if (!change.name || !change.file) return false;
  keep_largest(pair, &change);
  return true;
}

/* The functions that explain the change of a pair. To be replaced by those of a test over several
 * profiles; until then they are the largest changes of self time, and nothing was tested. */
static pprofc_status explain_change(struct run *run, struct run_pair *pair, struct drawn *d,
                                    pprofc_error *error) {
  const struct flame_tree *t = &d->graph.tree;
  size_t type = d->result.value_index;
  struct growth growth = {(double)flame_head(t, 0, type) - (double)flame_base(t, 0, type),
                          pair->iterations > 0 ? pair->iterations : 1};
  const struct self_sum *sums = sum_functions(d);
  if (!sums) return error_nomem(error);
  pair->unit = text_keep(&run->arena, d->result.sample_unit);
  if (!pair->unit) return error_nomem(error);
  for (size_t i = 0; i < d->graph.frames.count; i++)
    if (is_growth(d, &sums[i]) &&
        !add_change(run, pair, &d->graph.frames.items[i], &sums[i], &growth))
      return error_nomem(error);
  return PPROFC_OK;
}

/* ---- the picture ------------------------------------- */

static int add_to_picture(void *context, const void *data, size_t size) {
  struct buffer *buffer = context;
  buffer_add(buffer, data, size);
  return buffer->failed;
}

static pprofc_status draw_picture(struct run *run, struct run_pair *pair, struct drawn *d,
                                  pprofc_error *error) {
  const struct flame_drawing drawing = {
      .tree = &d->graph.tree,
      .type = d->result.value_index,
      .width = d->graph.tree.has_base ? FLAME_MAX : FLAME_HEAD,
      .title = STR(""),
      .subtitle = STR(""),
      .type_name = d->result.type,
      .unit = d->result.sample_unit,
      .ratio = d->result.ratio,
      .picture_width = PICTURE_WIDTH,
      .least_pixels = PICTURE_LEAST,
      .inverted = true,
      .embedded = true,
  };
  struct buffer text;
  struct output *out = arena_alloc(&run->arena, sizeof *out);
  if (!out) return error_nomem(error);
  buffer_init(&text, run->mem, (size_t)64 << 20);
  output_init(out, add_to_picture, &text);
  pprofc_status status = flame_svg(&drawing, out, error);
  if (status == PPROFC_OK) status = output_flush(out, error);
  if (status == PPROFC_OK) {
    pair->picture = buffer_keep(&text, &run->arena);
    if (!pair->picture.data) status = error_nomem(error);
  }
  buffer_free(&text);
  return status;
}

/* Zoomed to the function of the benchmark: what its runner does beside it is not its work. False
 * when there is nothing to see that way. */
static bool draw_zoomed(struct run *run, struct run_pair *pair, const pprofc_profile *profile,
                        const pprofc_report_options *options) {
  struct drawn d;
  pprofc_error ignored;
  pprofc_report_options zoomed = *options;
  if (!pair->function) return false;
  zoomed.show_from = pair->function;
  if (drawn_open(profile, &zoomed, &d, &ignored) != PPROFC_OK) return false;
  bool drawn = draw_picture(run, pair, &d, &ignored) == PPROFC_OK;
  drawn_close(&d);
  return drawn;
}

pprofc_status changes_find(struct run *run, struct run_pair *pair, const pprofc_profile *profile,
                           const pprofc_report_options *options, pprofc_error *error) {
  struct drawn d;
  pprofc_status status = drawn_open(profile, options, &d, error);
  if (status != PPROFC_OK) return status;
  if (d.graph.tree.has_base) status = explain_change(run, pair, &d, error);
  if (status == PPROFC_OK && !draw_zoomed(run, pair, profile, options))
    status = draw_picture(run, pair, &d, error);
  drawn_close(&d);
  return status;
}
