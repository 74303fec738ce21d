/* Reads the functions of a pair from the JSON report of its profiles. */
#include "page/functions.h"

#include "core/json_tree.h"
#include "run/profiles.h"
#include "run/text.h"

#include <math.h>
#include <stdlib.h>

#define JSON_MOST ((size_t)64 << 20)

/* ---- the report -------------------------------------- */

/* Returns the profiles of a side: the given files, or the files that another run kept. */
static struct profile_files side_files(struct arena *arena, const struct run_pair *pair, int side) {
  struct profile_files files = {NULL, 0};
  if (!pair->names[side]) return files;
  if (!pair->folder)
    return (struct profile_files){(const char *const *)pair->runs[side], run_drawn(pair, side)};
  const char **path = arena_array(arena, 1, sizeof *path);
  if (!path) return files;
  *path = text_printf(arena, "%s/profiles/%s.pb.gz", pair->folder, pair->names[side]);
  if (*path) files = (struct profile_files){path, 1};
  return files;
}

static int functions_add(void *context, const void *data, size_t size) {
  struct buffer *buffer = context;
  buffer_add(buffer, data, size);
  return buffer->failed;
}

/* Returns the difference of both sides, or the only side. */
static struct profile_source source_of(struct arena *arena, const struct run_pair *pair) {
  struct profile_source source = {side_files(arena, pair, SIDE_BASE),
                                  side_files(arena, pair, SIDE_HEAD)};
  if (!source.head.count) source = (struct profile_source){source.head, source.base};
  return source;
}

static const struct node *read_report(const struct ci_run *run, const struct run_pair *pair,
                                      struct arena *arena, const struct profile_source *source) {
  pprofc_report_options options;
  pprofc_profile *profile;
  struct buffer text;
  struct node *root = NULL;
  if (!source->head.count || source_open(source, run->mem, &profile, NULL) != PPROFC_OK)
    return NULL;
  pprofc_report_options_init(&options);
  options.format = "json";
  if (pair->sample_index) options.sample_index = pair->sample_index;
  if (pair->hide) options.hide = pair->hide;
  buffer_init(&text, run->mem, JSON_MOST);
  pprofc_status status = pprofc_report(profile, &options, functions_add, &text, NULL);
  pprofc_str kept = status == PPROFC_OK ? buffer_keep(&text, arena) : STR("");
  if (kept.size && json_tree_parse(arena, NULL, kept, &root, NULL) != PPROFC_OK) root = NULL;
  buffer_free(&text);
  pprofc_profile_release(profile);
  return root;
}

/* ---- rows -------------------------------------------- */

/* The values of the report that are shown, and their divisors. */
struct shown_values {
  size_t type;
  double divisors[SIDES];
  bool two;  /* true if the pair has both sides */
  int alone; /* side that is not missing */
};

static double value_at(const struct node *from, const char *key, const struct shown_values *v,
                       int side) {
  return (double)node_integer(node_at(node_get(from, key), v->type)) / v->divisors[side];
}

/* Returns the number of operations, or of runs, in the profile of a side. */
static double work_of(const struct run_pair *pair, int side) {
  size_t runs = pair->comparison_count ? pair->comparisons[0].runs[side] : pair->run_count[side];
  double work = runs && !run_is_counted(pair) ? (double)runs : 1;
  return pair->iterations > 0 ? work * pair->iterations : work;
}

static void take_sides(const struct node *from, const char *key, const char *base_key,
                       const struct shown_values *v, double *sides) {
  if (v->two) {
    sides[SIDE_HEAD] = value_at(from, key, v, SIDE_HEAD);
    sides[SIDE_BASE] = value_at(from, base_key, v, SIDE_BASE);
  } else {
    sides[v->alone] = value_at(from, key, v, v->alone);
  }
}

static void take_rows(struct function_list *list, const struct node *root,
                      const struct shown_values *v) {
  const struct node *functions = node_get(root, "functions");
  list->rows = arena_zero_array(&list->arena, node_size(functions), sizeof *list->rows);
  for (size_t i = 0; list->rows && i < node_size(functions); i++) {
    const struct node *from = node_at(functions, i);
    struct function_values *row = &list->rows[list->count++];
    row->name = node_text(from, "name");
    row->file = node_text(from, "file");
    row->line = node_integer(node_get(from, "line"));
    take_sides(from, "flat", "base_flat", v, row->flat);
    take_sides(from, "cum", "base_cum", v, row->cum);
  }
  take_sides(root, "head", "base", v, list->total);
}

void functions_init(const struct ci_run *run, struct function_list *list) {
  *list = (struct function_list){.type = STR(""), .unit = STR("")};
  arena_init(&list->arena, run->mem);
}

void functions_read(const struct ci_run *run, const struct run_pair *pair,
                    struct function_list *list) {
  functions_init(run, list);
  const struct profile_source source = source_of(&list->arena, pair);
  const struct node *root = read_report(run, pair, &list->arena, &source);
  if (!root) return;
  int64_t index = node_integer(node_get(root, "sample_index"));
  struct shown_values v = {.two = source.base.count > 0, .alone = SIDE_BASE};
  if (index > 0) v.type = (size_t)index;
  for (int side = 0; side < SIDES; side++) v.divisors[side] = work_of(pair, side);
  if (pair->names[SIDE_HEAD]) v.alone = SIDE_HEAD;
  const struct node *type = node_at(node_get(root, "sample_types"), v.type);
  list->type = node_text(type, "type");
  list->unit = node_text(type, "unit");
  take_rows(list, root, &v);
}

void functions_free(struct function_list *list) {
  arena_free(&list->arena);
}

/* ---- order ------------------------------------------- */

static int by_size(double x, double y, const struct function_values *a,
                   const struct function_values *b) {
  if (x != y) return x < y ? 1 : -1;
  return str_compare(a->name, b->name);
}

static int by_base_flat(const void *a, const void *b) {
  const struct function_values *x = a, *y = b;
  return by_size(x->flat[SIDE_BASE], y->flat[SIDE_BASE], x, y);
}

static int by_head_flat(const void *a, const void *b) {
  const struct function_values *x = a, *y = b;
  return by_size(x->flat[SIDE_HEAD], y->flat[SIDE_HEAD], x, y);
}

static int by_flat_change(const void *a, const void *b) {
  const struct function_values *x = a, *y = b;
  return by_size(fabs(x->flat[SIDE_HEAD] - x->flat[SIDE_BASE]),
                 fabs(y->flat[SIDE_HEAD] - y->flat[SIDE_BASE]), x, y);
}

void functions_sort(struct function_list *list, enum function_order order) {
  static int (*const orders[])(const void *, const void *) = {by_base_flat, by_head_flat,
                                                              by_flat_change};
  if (list->count) qsort(list->rows, list->count, sizeof *list->rows, orders[order]);
}
