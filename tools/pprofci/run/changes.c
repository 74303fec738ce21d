/* Finds the largest changes of self time in a pair of profiles, and draws the page's picture. */
#include "run/changes.h"

#include "core/escape.h"
#include "core/log_guard.h"
#include "flame/flame.h"
#include "page/place.h"
#include "report/report.h"
#include "run/text.h"

#include <math.h>

#define LEAST_SHARE   0.01 /* of the base: smaller growth is not told */
#define LEAST_SAMPLES 5    /* more in the head than in the base, and beyond twice its error */
#define PICTURE_WIDTH 1180
#define PICTURE_LEAST 3 /* pixels: narrower frames are joined; the file has all */

/* Values of both sides: those that are shown, and those of the first column. */
struct both_sides {
  int64_t base, head;
  int64_t base_samples, head_samples;
};

/* What one function has by itself, and with what it calls. */
struct self_sum {
  struct both_sides self, cum; /* cum: of its outermost frames */
  uint32_t depth;              /* of its first frame */
  bool open;                   /* on the path that is being walked */
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

/* The functions of the path to the node that is being looked at. */
struct open_path {
  uint32_t *frames;
  bool *opened; /* this frame is the outermost of its function */
  size_t depth;
};

/* Goes on to a node: functions that are left are open no more. True when this is the outermost
 * frame of its function. */
static bool path_enter(struct open_path *path, const struct flame_tree *t, size_t node,
                       struct self_sum *sums) {
  for (; path->depth >= t->depth[node]; path->depth--)
    if (path->opened[path->depth]) sums[path->frames[path->depth]].open = false;
  path->depth = t->depth[node];
  struct self_sum *sum = &sums[t->frame[node]];
  bool outermost = !sum->open;
  path->frames[path->depth] = t->frame[node];
  path->opened[path->depth] = outermost;
  sum->open = true;
  return outermost;
}

static void add_sides(struct both_sides *sum, const struct flame_tree *t, const int64_t *values,
                      size_t type) {
  const int64_t *base = t->has_base ? values + t->types : NULL;
  sum->head = sum_add(sum->head, values[type]);
  sum->head_samples = sum_add(sum->head_samples, values[0]);
  if (!base) return;
  sum->base = sum_add(sum->base, base[type]);
  sum->base_samples = sum_add(sum->base_samples, base[0]);
}

static struct self_sum *sum_functions(struct drawn *d) {
  struct flame_tree *t = &d->graph.tree;
  size_t type = d->result.value_index, room = t->max_depth + 2;
  struct self_sum *sums = arena_zero_array(&t->arena, d->graph.frames.count, sizeof *sums);
  struct open_path path = {.frames = arena_array(&t->arena, room, sizeof *path.frames),
                           .opened = arena_zero_array(&t->arena, room, sizeof *path.opened)};
  if (!path.frames || !path.opened) return NULL;
  for (size_t i = 1; sums && i < t->count; i++) {
    struct self_sum *sum = &sums[t->frame[i]];
    if (path_enter(&path, t, i, sums)) add_sides(&sum->cum, t, t->total + i * t->columns, type);
    if (!sum->depth) sum->depth = t->depth[i];
    add_sides(&sum->self, t, t->self + i * t->columns, type);
  }
  return sums;
}

static double grown_by(const struct both_sides *sum) {
  return (double)sum->head - (double)sum->base;
}

/* Growth that sampling alone could make is not told. */
static bool is_beyond_chance(const struct drawn *d, const struct both_sides *sum) {
  pprofc_str type = profile_string(d->result.profile, d->result.profile->types[0].type);
  double more = (double)sum->head_samples - (double)sum->base_samples;
  double all = (double)sum->head_samples + (double)sum->base_samples;
  if (!str_equal(type, STR("samples"))) return true;
  return more >= LEAST_SAMPLES && more * more >= 4 * all;
}

static bool is_growth(const struct drawn *d, const struct both_sides *sum) {
  double grown = grown_by(sum);
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

static struct change change_of(struct ci_run *run, const struct stack_frame *frame,
                               const struct both_sides *sum, const struct growth *growth) {
  double grown = grown_by(sum);
  pprofc_str name = escape_line_keep(frame->name, &run->arena);
  struct change change = {.name = text_keep(&run->arena, name),
                          .file = text_keep(&run->arena, frame->file),
                          .line = frame->line,
                          .base = (double)sum->base / growth->divisor,
                          .head = (double)sum->head / growth->divisor,
                          .share = growth->whole > 0 ? grown / growth->whole : (double)NAN};
  if (!change.file) change.name = NULL;
  return change;
}

static bool add_change(struct ci_run *run, struct run_pair *pair, const struct stack_frame *frame,
                       const struct both_sides *sum, const struct growth *growth) {
  struct change change = change_of(run, frame, sum, growth);
  if (change.name) keep_largest(pair, &change);
  return change.name != NULL;
}

/* Code of this checkout, which its author can change; tests are what measures it. */
static bool is_own(const struct stack_frame *frame, struct arena *arena) {
  const char *file = text_keep(arena, frame->file);
  if (!file || str_ends(frame->file, STR("_test.go"))) return false;
  return place_in_checkout(file).size > 0;
}

#define LINES_MOST 256 /* of a function */

/* How much the lines of one function grew. */
struct line_growth {
  int64_t line, grown;
};

/* The line of the function that a location has, or 0. Names and files have been made visible or
 * trimmed nowhere yet, so both are compared as the profile has them. */
static int64_t line_in(const pprofc_profile *profile, uint32_t location,
                       const struct stack_frame *frame) {
  pprofc_location at = pprofc_profile_location(profile, location);
  for (size_t i = 0; i < at.line_count; i++) {
    pprofc_line line = pprofc_profile_line(profile, location, i);
    if (line.function == PPROFC_NONE) continue;
    pprofc_function function = pprofc_profile_function(profile, line.function);
    if (str_equal(function.name, frame->name) && str_equal(function.filename, frame->file))
      return line.line;
  }
  return 0;
}

static void grow_line(struct line_growth *lines, size_t *count, int64_t line, int64_t grown) {
  size_t i = 0;
  while (i < *count && lines[i].line != line) i++;
  if (i == LINES_MOST) return;
  if (i == *count) lines[(*count)++] = (struct line_growth){line, 0};
  lines[i].grown = sum_add(lines[i].grown, grown);
}

/* The line of a function through which most of the growth goes; 0 when it is not known. Samples of
 * the base count negative in a difference. */
static int64_t find_line(struct ci_run *run, const pprofc_profile *profile, size_t type,
                         const struct stack_frame *frame) {
  struct line_growth lines[LINES_MOST];
  pprofc_samples_view samples;
  size_t count = 0, depth = pprofc_profile_max_depth(profile), best = 0;
  uint32_t *stack = arena_array(&run->arena, depth + 1, sizeof *stack);
  pprofc_profile_samples(profile, &samples);
  for (size_t i = 0; stack && i < samples.count; i++) {
    size_t frames = pprofc_profile_stack(profile, i, stack, depth);
    int64_t line = 0;
    for (size_t k = 0; k < frames && !line; k++) line = line_in(profile, stack[k], frame);
    if (line) grow_line(lines, &count, line, samples.values[i * samples.types + type]);
  }
  for (size_t i = 1; i < count; i++)
    if (lines[i].grown > lines[best].grown) best = i;
  return count ? lines[best].line : 0;
}

#define OWN_SHARE 0.7 /* of what goes through the outermost such function */

/* Finds the innermost function of this checkout that most of the growth goes through. */
static bool find_own(struct ci_run *run, struct run_pair *pair, const struct drawn *d,
                     const struct self_sum *sums, const struct growth *growth,
                     const pprofc_profile *profile) {
  const struct stack_frames *frames = &d->graph.frames;
  double most = 0;
  size_t found = SIZE_MAX;
  bool *own = arena_zero_array(&run->arena, frames->count, sizeof *own);
  if (!own) return false;
  for (size_t i = 0; i < frames->count; i++) {
    own[i] = is_growth(d, &sums[i].cum) && is_own(&frames->items[i], &run->arena);
    if (own[i]) most = fmax(most, grown_by(&sums[i].cum));
  }
  for (size_t i = 0; i < frames->count; i++) {
    if (!own[i] || grown_by(&sums[i].cum) < OWN_SHARE * most) continue;
    if (found == SIZE_MAX || sums[i].depth > sums[found].depth) found = i;
  }
  if (found == SIZE_MAX) return true;
  pair->own = change_of(run, &frames->items[found], &sums[found].cum, growth);
  if (!pair->own.line)
    pair->own.line = find_line(run, profile, d->result.value_index, &frames->items[found]);
  return pair->own.name != NULL;
}

/* The functions that explain the change of a pair. To be replaced by those of a test over several
 * profiles; until then they are the largest changes of self time, and nothing was tested. */
static pprofc_status explain_change(struct ci_run *run, struct run_pair *pair, struct drawn *d,
                                    const pprofc_profile *profile, pprofc_error *error) {
  const struct flame_tree *t = &d->graph.tree;
  size_t type = d->result.value_index;
  struct growth growth = {(double)flame_head(t, 0, type) - (double)flame_base(t, 0, type),
                          pair->iterations > 0 ? pair->iterations : 1};
  const struct self_sum *sums = sum_functions(d);
  if (!sums) return error_nomem(error);
  pair->unit = text_keep(&run->arena, d->result.sample_unit);
  if (!pair->unit) return error_nomem(error);
  for (size_t i = 0; i < d->graph.frames.count; i++)
    if (is_growth(d, &sums[i].self) &&
        !add_change(run, pair, &d->graph.frames.items[i], &sums[i].self, &growth))
      return error_nomem(error);
  return find_own(run, pair, d, sums, &growth, profile) ? PPROFC_OK : error_nomem(error);
}

/* ---- the picture ------------------------------------- */

static int add_to_picture(void *context, const void *data, size_t size) {
  struct buffer *buffer = context;
  buffer_add(buffer, data, size);
  return buffer->failed;
}

static pprofc_status draw_picture(struct ci_run *run, struct run_pair *pair, struct drawn *d,
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
static bool draw_zoomed(struct ci_run *run, struct run_pair *pair, const pprofc_profile *profile,
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

pprofc_status changes_find(struct ci_run *run, struct run_pair *pair, const pprofc_profile *profile,
                           const pprofc_report_options *options, pprofc_error *error) {
  struct drawn d;
  pprofc_status status = drawn_open(profile, options, &d, error);
  if (status != PPROFC_OK) return status;
  if (d.graph.tree.has_base) status = explain_change(run, pair, &d, profile, error);
  if (status == PPROFC_OK && !draw_zoomed(run, pair, profile, options))
    status = draw_picture(run, pair, &d, error);
  drawn_close(&d);
  return status;
}
