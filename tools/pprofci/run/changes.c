/* Finds the user's function whose calls led to a change, and draws the page's flame graph. */
#include "run/code.h"

#include "flame/label.h"
#include "report/stacks/flame_verdicts.h"
#include "run/files.h"
#include "verdict/print/print.h"

#define LEAST_SHARE   0.01 /* minimum growth that is shown, as a fraction of the base's total */
#define PICTURE_WIDTH 1180
/* Minimum width of a frame in pixels in the picture on the page, which merges narrower frames. The
 * flame graph in its own file shows all frames. */
#define PICTURE_LEAST 3
/* Minimum width of a frame in pixels in pictures of counted instructions, whose stacks are deep.
 * The larger minimum keeps the page small. */
#define PICTURE_LEAST_COUNTED 12

pprofc_status drawn_open(const pprofc_profile *profile, const pprofc_report_options *options,
                         struct drawn *d, pprofc_error *error) {
  static const struct pipeline_overrides overrides = {.default_granularity = "filefunctions",
                                                      .aggregates = true};
  pprofc_status status = pipeline_run(profile, options, &overrides, &d->result, error);
  const struct flame_graph_options how = {.granularity = d->result.granularity};
  if (status == PPROFC_OK)
    status = flame_graph_build(d->result.profile, &how, &profile->mem, &d->graph, error);
  if (status != PPROFC_OK) pipeline_free(&d->result);
  return status;
}

void drawn_close(struct drawn *d) {
  flame_graph_free(&d->graph);
  pipeline_free(&d->result);
}

/* Frames on the path from the root to the current node. */
struct open_path {
  uint32_t *frames;
  bool *opened; /* for each frame on the path, true if it is the outermost frame of its function */
  size_t depth;
};

/* Enters a node in a walk over the tree. Clears `open` of functions that the walk has left. Returns
 * true if the node is the outermost frame of its function. */
static bool path_enter(struct open_path *path, const struct flame_tree *t, size_t node,
                       struct drawn_sum *sums) {
  for (; path->depth >= t->depth[node]; path->depth--)
    if (path->opened[path->depth]) sums[path->frames[path->depth]].open = false;
  path->depth = t->depth[node];
  struct drawn_sum *sum = &sums[t->frame[node]];
  bool outermost = !sum->open;
  path->frames[path->depth] = t->frame[node];
  path->opened[path->depth] = outermost;
  sum->open = true;
  return outermost;
}

struct drawn_sum *drawn_sums(struct drawn *d) {
  struct flame_tree *t = &d->graph.tree;
  size_t type = d->result.value_index, room = t->max_depth + 2;
  struct drawn_sum *sums = arena_zero_array(&t->arena, d->graph.frames.count, sizeof *sums);
  struct open_path path = {.frames = arena_array(&t->arena, room, sizeof *path.frames),
                           .opened = arena_zero_array(&t->arena, room, sizeof *path.opened)};
  if (!path.frames || !path.opened) return NULL;
  for (size_t i = 1; sums && i < t->count; i++) {
    struct drawn_sum *sum = &sums[t->frame[i]];
    sum->flat[SIDE_BASE] = sum_add(sum->flat[SIDE_BASE], flame_self_base(t, i, type));
    sum->flat[SIDE_HEAD] = sum_add(sum->flat[SIDE_HEAD], flame_self_head(t, i, type));
    if (!path_enter(&path, t, i, sums)) continue;
    int64_t base = flame_base(t, i, type), head = flame_head(t, i, type);
    double grown = (double)head - (double)base;
    sum->cum[SIDE_BASE] = sum_add(sum->cum[SIDE_BASE], base);
    sum->cum[SIDE_HEAD] = sum_add(sum->cum[SIDE_HEAD], head);
    if (sum->depth && grown <= sum->grown) continue;
    sum->grown = grown;
    sum->depth = t->depth[i];
  }
  return sums;
}

static double grown_by(const struct drawn_sum *sum) {
  return (double)sum->cum[SIDE_HEAD] - (double)sum->cum[SIDE_BASE];
}

static bool is_verdict_of_growth(const pprofc_verdict_row *row) {
  pprofc_verdict verdict = row->cum.verdict;
  bool grew = pprofc_verdict_is_certain(verdict) && row->cum.delta > 0;
  return grew || verdict == PPROFC_VERDICT_UNKNOWN;
}

/* True if the function or the total grew by more than the noise between runs. */
static bool is_beyond_chance(const struct judged *judged, pprofc_str name) {
  const pprofc_verdict_row *row = noise_find(&judged->reports[0], name);
  return row && (is_verdict_of_growth(row) || noise_grew(&judged->reports[0]));
}

static bool is_growth(const struct drawn *d, const struct drawn_sum *sum) {
  double grown = grown_by(sum);
  double base = (double)flame_base(&d->graph.tree, 0, d->result.value_index);
  return grown > 0 && grown >= base * LEAST_SHARE;
}

/* True for code of the user's repository, but not for its tests. */
static bool is_own(const struct stack_frame *frame, struct arena *arena) {
  if (str_ends(frame->file, STR("_test.go"))) return false;
  return place_in_checkout(text_keep(arena, frame->file)).size > 0;
}

#define LINES_MOST 256 /* maximum number of lines of a function for which growth is added up */

struct line_growth {
  int64_t line, grown;
};

/* Returns the line of the function `frame` at a location. Returns 0 if the location does not
 * contain this function. Compares the names exactly as the profile stores them. */
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

/* Returns the line with the largest growth in a function, or 0. In `profile`, a difference of base
 * and head, values of the base are negative. */
static int64_t find_line(struct ci_run *run, const pprofc_profile *profile, size_t type,
                         const struct stack_frame *frame) {
  struct line_growth lines[LINES_MOST];
  pprofc_samples_view samples;
  size_t count = 0, depth = pprofc_profile_max_depth(profile), best = 0;
  uint32_t *stack = arena_array(&run->arena, depth + 1, sizeof *stack);
  pprofc_profile_samples(profile, &samples);
  for (size_t i = 0; i < samples.count; i++) {
    size_t frames = pprofc_profile_stack(profile, i, stack, depth);
    int64_t line = 0;
    for (size_t k = 0; k < frames && !line; k++) line = line_in(profile, stack[k], frame);
    if (line) grow_line(lines, &count, line, samples.values[i * samples.types + type]);
  }
  for (size_t i = 1; i < count; i++)
    if (lines[i].grown > lines[best].grown) best = i;
  return count ? lines[best].line : 0;
}

/* Minimum growth of the function that the page names, as a share of the largest growth among the
 * functions of the user's repository. */
#define OWN_SHARE 0.7

/* Finds the largest growth of a function of the user's repository. Returns the innermost function
 * with at least OWN_SHARE of this growth, or SIZE_MAX. */
static size_t find_own(struct ci_run *run, const struct drawn *d, const struct drawn_sum *sums,
                       const struct judged *judged, bool *own) {
  const struct stack_frames *frames = &d->graph.frames;
  double most = 0;
  size_t found = SIZE_MAX;
  for (size_t i = 0; i < frames->count; i++) {
    const struct stack_frame *frame = &frames->items[i];
    own[i] = is_growth(d, &sums[i]) && is_own(frame, &run->arena) &&
             is_beyond_chance(judged, frame->name);
    if (own[i]) most = fmax(most, grown_by(&sums[i]));
  }
  for (size_t i = 0; i < frames->count; i++) {
    if (!own[i] || grown_by(&sums[i]) < OWN_SHARE * most) continue;
    if (found == SIZE_MAX || sums[i].depth > sums[found].depth) found = i;
  }
  return found;
}

/* Sets pair->own, the change of the function `frame` of the user's repository. Takes the change
 * from the verdict on the function with its callees. If this verdict does not report growth,
 * computes the change from the profiles. */
static void set_own(struct ci_run *run, struct run_pair *pair, const struct judged *judged,
                    const struct stack_frame *frame, const struct drawn_sum *sum) {
  const struct noise_report *report = &judged->reports[0];
  const pprofc_verdict_row *row = noise_find(report, frame->name);
  const struct blame blame = blame_of(report);
  if (is_verdict_of_growth(row)) {
    pair->own = judged_with_callees(report, row);
  } else {
    double each = pair->iterations > 0 ? pair->iterations : 1;
    pair->own = (struct change){.base = (double)sum->cum[SIDE_BASE] / each /
                                        (double)run_drawn(pair, SIDE_BASE),
                                .low = (double)NAN,
                                .high = (double)NAN,
                                .q = (double)NAN,
                                .verdict = ""};
    pair->own.head = (double)sum->cum[SIDE_HEAD] / each / (double)run_drawn(pair, SIDE_HEAD);
    pair->own.delta = pair->own.head - pair->own.base;
  }
  pair->own.code = code_compared(run, pair, judged, frame->name);
  pair->own.name = text_shown(&run->arena, frame->name);
  pair->own.file = text_keep(&run->arena, frame->file);
  pair->own.line = frame->line;
  pair->own.share = blame_share(&blame, pair->own.delta);
}

/* Finds the file and line in the user's repository that explain the change between two profiles. */
static pprofc_status explain_change(struct ci_run *run, struct run_pair *pair, struct drawn *d,
                                    const pprofc_profile *profile, const struct judged *judged,
                                    pprofc_error *error) {
  const struct drawn_sum *sums = drawn_sums(d);
  bool *own = arena_zero_array(&run->arena, d->graph.frames.count, sizeof *own);
  if (!sums) return error_nomem(error);
  size_t found = find_own(run, d, sums, judged, own);
  if (found == SIZE_MAX) return PPROFC_OK;
  const struct stack_frame *frame = &d->graph.frames.items[found];
  set_own(run, pair, judged, frame, &sums[found]);
  if (!pair->own.line) pair->own.line = find_line(run, profile, d->result.value_index, frame);
  return PPROFC_OK;
}

static pprofc_status draw_picture(struct ci_run *run, struct run_picture *picture, struct drawn *d,
                                  enum flame_width width, const struct flame_verdicts *verdicts,
                                  pprofc_error *error) {
  const struct flame_drawing drawing = {
      .tree = &d->graph.tree,
      .type = d->result.value_index,
      .width = width,
      .verdicts = verdicts,
      .title = STR(""),
      .subtitle = STR(""),
      .type_name = d->result.type,
      .unit = d->result.sample_unit,
      .ratio = d->result.ratio,
      .picture_width = PICTURE_WIDTH,
      .least_pixels = d->least_pixels,
      .inverted = true,
      .embedded = true,
      .part = &picture->part,
  };
  struct buffer text = ci_buffer();
  struct output *out = arena_alloc(&run->arena, sizeof *out);
  output_init(out, buffer_write, &text);
  pprofc_status status = flame_svg(&drawing, out, error);
  if (status == PPROFC_OK) status = output_flush(out, error);
  picture->frames = buffer_take(&text, &run->arena);
  return status;
}

/* Collects the verdicts on the functions of a picture. Sets *judged to NULL if the picture has no
 * base or no verdicts. */
static pprofc_status drawn_judge(struct drawn *d, const pprofc_verdicts *verdicts,
                                 const struct flame_verdicts **judged, pprofc_error *error) {
  struct arena *arena = &d->graph.tree.arena;
  *judged = NULL;
  if (!verdicts || !d->graph.tree.has_base) return PPROFC_OK;
  struct flame_verdicts *made = arena_alloc(arena, sizeof *made);
  if (!made) return error_nomem(error);
  *judged = made;
  return flame_verdicts_make(&d->graph.tree, d->result.value_index, false, verdicts, arena, made,
                             error);
}

/* Draws the difference, base and head, with the frames in the same order. The verdicts set the
 * colours of the difference. Omits a picture of base or head without visible frames. */
static pprofc_status draw_pictures(struct ci_run *run, struct run_pair *pair, struct drawn *d,
                                   const pprofc_verdicts *verdicts, pprofc_error *error) {
  static const enum flame_width widths[SIDES] = {FLAME_BASE, FLAME_HEAD};
  bool two = d->graph.tree.has_base;
  d->least_pixels = run_is_counted(pair) ? PICTURE_LEAST_COUNTED : PICTURE_LEAST;
  const struct flame_verdicts *judged;
  pprofc_error ignored;
  pprofc_status status = drawn_judge(d, verdicts, &judged, error);
  if (status != PPROFC_OK) return status;
  if (!label_cut_frames(&d->graph.frames)) return error_nomem(error);
  for (int side = 0; two && side < SIDES; side++) {
    status = draw_picture(run, &pair->pictures[side], d, widths[side], NULL, &ignored);
    if (status == PPROFC_E_NOMEM) return error_nomem(error);
    if (status != PPROFC_OK) pair->pictures[side].frames = STR("");
  }
  return draw_picture(run, &pair->pictures[SIDES], d, two ? FLAME_MAX : FLAME_HEAD, judged, error);
}

/* Regular expression for the interpreter's frames between functions of Python or JavaScript. */
#define INTERPRETER                                                                                \
  "^(_PyEval_EvalFrameDefault|py_trampoline_evaluator|_PyEval_Vector|_?PyFunction_Vectorcall|"     \
  "_?PyObject_(Vectorcall|Call)\\w*|_PyVectorcall_Call|method_vectorcall\\w*|"                     \
  "Builtins_\\w*(Handler|Call|Receiver|Trampoline|Entry)\\w*)$"

/* Draws only the benchmark's function and its callees. Returns false if nothing would be visible.
 * Also returns false if there is a base (`has_base`) that lacks this function, because the picture
 * would show no difference. */
static bool draw_zoomed(struct ci_run *run, struct run_pair *pair, const pprofc_profile *profile,
                        const pprofc_report_options *options, bool has_base) {
  struct drawn d;
  pprofc_error ignored;
  pprofc_report_options zoomed = *options;
  if (!pair->function) return false;
  zoomed.show_from = pair->function;
  if (run_is_counted(pair) || *run->options->walltime) zoomed.hide = INTERPRETER;
  if (drawn_open(profile, &zoomed, &d, &ignored) != PPROFC_OK) return false;
  bool drawn = d.graph.tree.has_base == has_base &&
               draw_pictures(run, pair, &d, options->verdicts, &ignored) == PPROFC_OK;
  drawn_close(&d);
  return drawn;
}

pprofc_status changes_find(struct ci_run *run, struct run_pair *pair, const pprofc_profile *profile,
                           const pprofc_report_options *options, const struct judged *judged,
                           pprofc_error *error) {
  struct drawn d;
  pprofc_status status = drawn_open(profile, options, &d, error);
  if (status != PPROFC_OK) return status;
  if (d.graph.tree.has_base && judged)
    status = explain_change(run, pair, &d, profile, judged, error);
  if (status == PPROFC_OK && d.graph.tree.has_base && judged)
    lines_find(run, pair, profile, d.result.value_index, judged);
  if (status == PPROFC_OK && !draw_zoomed(run, pair, profile, options, d.graph.tree.has_base))
    status = draw_pictures(run, pair, &d, options->verdicts, error);
  drawn_close(&d);
  return status;
}
