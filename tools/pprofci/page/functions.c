/* Adds up the values of each function in a pair of profiles. */
#include "page/html.h"

#include "run/code.h"
#include "run/files.h"
#include "run/profiles.h"

/* Returns the profiles of base or head: this run's inputs, or for a merged pair, the profile in the
 * artifacts of its job. */
static struct profile_files side_files(struct arena *arena, const struct run_pair *pair, int side) {
  if (!pair->names[side]) return (struct profile_files){NULL, 0};
  if (!pair->folder)
    return (struct profile_files){(const char *const *)pair->runs[side], run_drawn(pair, side)};
  const char **path = arena_array(arena, 1, sizeof *path);
  *path = text_printf(arena, "%s/profiles/%s.pb.gz", pair->folder, pair->names[side]);
  return (struct profile_files){path, 1};
}

/* Returns the difference between base and head, or the only profile. */
static struct profile_source source_of(struct arena *arena, const struct run_pair *pair) {
  struct profile_source source = {side_files(arena, pair, SIDE_BASE),
                                  side_files(arena, pair, SIDE_HEAD)};
  if (!source.head.count) source = (struct profile_source){source.head, source.base};
  return source;
}

/* Returns the number by which sums of base or head are divided. This is the number of operations in
 * all runs, or the number of runs if the operations are unknown. */
static double work_of(const struct run_pair *pair, int side) {
  size_t runs = pair->run_count[side];
  if (pair->comparison_count) {
    const pprofc_verdict_summary *judged = &pair->comparisons[0].summary;
    runs = side == SIDE_BASE ? judged->base_runs : judged->head_runs;
  }
  double work = runs && !run_is_counted(pair) ? (double)runs : 1;
  return pair->iterations > 0 ? work * pair->iterations : work;
}

/* Converts the sums of base and head to values per operation, or per run if the number of
 * operations is unknown. A single profile has its sum at SIDE_HEAD. */
static void take_sides(const struct run_pair *pair, const int64_t sums[SIDES], double *sides) {
  bool two = pair->names[SIDE_BASE] && pair->names[SIDE_HEAD];
  for (int side = 0; side < SIDES; side++)
    if (pair->names[side]) sides[side] = (double)sums[two ? side : SIDE_HEAD] / work_of(pair, side);
}

/* Copies into `list` the functions that have a value other than 0. */
static void take_rows(struct function_list *list, struct drawn *d, const struct run_pair *pair) {
  const struct flame_tree *t = &d->graph.tree;
  const struct drawn_sum *sums = drawn_sums(d);
  size_t count = d->graph.frames.count, type = d->result.value_index;
  const int64_t total[SIDES] = {flame_base(t, 0, type), flame_head(t, 0, type)};
  list->type = arena_str(&list->arena, d->result.type);
  list->unit = arena_str(&list->arena, d->result.sample_unit);
  list->rows = arena_zero_array(&list->arena, count, sizeof *list->rows);
  for (size_t i = 0; i < count; i++) {
    const struct stack_frame *frame = &d->graph.frames.items[i];
    const int64_t *flat = sums[i].flat, *cum = sums[i].cum;
    if (!flat[SIDE_BASE] && !flat[SIDE_HEAD] && !cum[SIDE_BASE] && !cum[SIDE_HEAD]) continue;
    struct function_values *row = &list->rows[list->count++];
    row->name = arena_str(&list->arena, frame->name);
    row->file = arena_str(&list->arena, frame->file);
    row->line = frame->line;
    take_sides(pair, flat, row->flat);
    take_sides(pair, cum, row->cum);
  }
  take_sides(pair, total, list->total);
}

void functions_init(struct function_list *list) {
  *list = (struct function_list){.type = STR(""), .unit = STR(""), .arena = ci_arena()};
}

void functions_read(const struct ci_run *run, const struct run_pair *pair,
                    struct function_list *list) {
  functions_init(list);
  const struct profile_source source = source_of(&list->arena, pair);
  pprofc_report_options options;
  pprofc_profile *profile;
  struct drawn d;
  if (!source.head.count || source_open(&source, run->mem, &profile, NULL) != PPROFC_OK) return;
  pprofc_report_options_init(&options);
  if (pair->sample_index) options.sample_index = pair->sample_index;
  if (pair->hide) options.hide = pair->hide;
  if (drawn_open(profile, &options, &d, NULL) == PPROFC_OK) {
    take_rows(list, &d, pair);
    drawn_close(&d);
  }
  pprofc_profile_release(profile);
}

static double sort_number(const struct function_values *row, enum function_order order) {
  if (order == BY_CHANGE) return fabs(row->flat[SIDE_HEAD] - row->flat[SIDE_BASE]);
  return row->flat[order == BY_BASE ? SIDE_BASE : SIDE_HEAD];
}

static int by_order(const void *a, const void *b, const void *order) {
  const struct function_values *row = a, *other = b;
  double x = sort_number(row, *(const enum function_order *)order);
  double y = sort_number(other, *(const enum function_order *)order);
  if (x != y) return x < y ? 1 : -1;
  return str_compare(row->name, other->name);
}

void functions_sort(struct function_list *list, enum function_order order) {
  array_sort(list->rows, list->count, sizeof *list->rows, by_order, &order);
}
