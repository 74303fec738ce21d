/* Parses the record of a run in a store. Compares the positions of runs. */
#include "gate/read/record.h"

#include "core/map.h"
#include "stats/robust.h"

#include <math.h>

/* True if the id of a commit is valid. Ids become elements of file names and keys. */
static bool record_is_commit(pprofc_str id) {
  static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-";
  if (!id.size || id.size > 100 || *id.data == '.' || *id.data == '-') return false;
  for (size_t i = 0; i < id.size; i++)
    if (!memchr(letters, id.data[i], sizeof letters - 1)) return false;
  return true;
}

pprofc_status record_parse(struct arena *arena, const char *path, pprofc_str data,
                           struct run_record *record, pprofc_error *error) {
  struct node *root;
  int64_t order = -1, time;
  pprofc_status status = json_tree_parse(arena, path, data, &root, error);
  if (status != PPROFC_OK) return status;
  if (node_integer(node_get(root, "version")) != 1)
    return error_set(error, PPROFC_E_FORMAT, "'%s' is not a run record of version 1", path);
  if (!node_to_integer(node_get(root, "order"), &order)) order = -1;
  *record = (struct run_record){.place = {order, 0, node_text(root, "commit")},
                                .branch = node_text(root, "branch"),
                                .machine = node_text(root, "machine"),
                                .verdict = node_text(root, "verdict"),
                                .headline = node_text(root, "headline"),
                                .status = node_integer(node_get(root, "status")),
                                .series = node_get(root, "series"),
                                .profiles = node_get(root, "profiles")};
  if (!record_is_commit(record->place.commit) || !node_to_integer(node_get(root, "time"), &time) ||
      !node_is(record->series, NODE_ARRAY) || !node_is(record->profiles, NODE_ARRAY))
    return error_set(error, PPROFC_E_FORMAT, "'%s' is an incomplete run record", path);
  record->place.time = time;
  return PPROFC_OK;
}

bool record_series_read(const struct node *item, const pprofc_allocator *mem,
                        struct record_series *series) {
  const struct node *list = node_get(item, "values");
  size_t size = node_size(list);
  double few[32], value;
  double *values = size <= 32 ? few : mem_array(mem, size, sizeof *values);
  *series = (struct record_series){.group = node_text(item, "group"),
                                   .name = node_text(item, "benchmark"),
                                   .unit = node_text(item, "unit"),
                                   .direction = (int)node_integer(node_get(item, "direction"))};
  if (!values) return false;
  for (const struct node *one = size ? list->first : NULL; one; one = one->next)
    if (node_is(one, NODE_NUMBER) && str_parse_float(one->text, &value) && isfinite(value))
      values[series->count++] = value;
  series->center = stats_median(values, series->count);
  if (values != few) mem_free(mem, values, size, sizeof *values);
  return true;
}

static int record_compare(int64_t a, int64_t b) {
  return (a > b) - (a < b);
}

int record_by_order(const void *a, const void *b) {
  const struct record_place *x = a, *y = b;
  int order = record_compare(x->order, y->order);
  if (!order) order = record_compare(x->time, y->time);
  return order ? order : str_compare(x->commit, y->commit);
}

int record_by_time(const void *a, const void *b) {
  const struct record_place *x = a, *y = b;
  int order = record_compare(x->time, y->time);
  if (!order) order = record_compare(x->order, y->order);
  return order ? order : str_compare(x->commit, y->commit);
}

bool record_trunk(const pprofc_allocator *mem, const pprofc_str *first, size_t count, size_t stride,
                  pprofc_str *trunk) {
  struct interner branches;
  size_t most = 0, *counts = mem_zero_array(mem, count, sizeof *counts);
  bool good = counts != NULL;
  *trunk = STR("");
  interner_init(&branches, mem);
  for (size_t i = 0; good && i < count; i++) {
    const void *at = (const char *)first + i * stride;
    const pprofc_str *branch = at;
    uint32_t id = interner_add(&branches, *branch);
    good = id != MAP_NONE;
    if (!good || ++counts[id] <= most) continue;
    most = counts[id];
    *trunk = *branch;
  }
  interner_free(&branches);
  mem_free(mem, counts, count, sizeof *counts);
  return good;
}
