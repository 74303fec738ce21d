/* Groups rows by type and by file. Functions in one group are probably the same code. */
#include "core/array.h"
#include "core/hash.h"
#include "verdict/relations.h"

#include <stdlib.h>

static int keyed_row_order(const void *a, const void *b) {
  const struct keyed_row *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return (x->row > y->row) - (x->row < y->row);
}

/* Returns the last two elements of a path. Whole paths would not match if base and head are in
 * different folders. */
static pprofc_str groups_path_tail(pprofc_str path) {
  size_t slashes = 0, from = path.size;
  while (from && slashes < 2) slashes += path.data[--from] == '/';
  return str_slice(path, slashes == 2 ? from + 1 : 0, path.size);
}

static uint64_t groups_file_key(pprofc_str file) {
  return file.size ? hash_str(file) | 1 : 0;
}

/* ---- files ------------------------------------------- */

static void groups_add_file(struct relations *r, uint32_t name, pprofc_str path) {
  uint32_t row = r->c->row_of[name], candidate = r->candidate_of[name];
  if (row == MAP_NONE || r->files.items[row].key) return;
  pprofc_str file = groups_path_tail(path);
  r->files.items[row].key = groups_file_key(file);
  if (candidate != MAP_NONE) r->candidates[candidate].file = file;
}

static void groups_fill_files(struct relations *r) {
  for (size_t run = 0; run < r->c->count; run++) {
    const struct walk *walk = &r->c->runs[run].walk;
    const struct functions *functions = &walk->profile->functions;
    for (size_t f = 0; f < functions->count; f++)
      groups_add_file(r, walk->ids[f], profile_string(walk->profile, functions->filename[f]));
  }
}

/* ---- types ------------------------------------------- */

/* Returns the share of the given rows in the total cost of base and head. */
static double groups_share(const struct comparison *c, struct row_groups rows) {
  double sum = 0, all = c->summary.total_base + c->summary.total_head;
  for (size_t i = 0; i < rows.count; i++) {
    const pprofc_verdict_estimate *e = &c->row[rows.items[i].row].flat;
    sum += e->base + e->head;
  }
  return all > 0 ? sum / all : 1;
}

static void groups_fill_types(struct relations *r) {
  for (size_t i = 0; i < r->c->rows; i++) {
    struct name_parts parts = name_split(r->c->row[i].name);
    r->types.items[i].key = name_type_key(&parts);
  }
}

struct row_groups groups_find(const struct row_groups *groups, uint64_t key) {
  BISECT(low, groups->count, groups->items[low].key < key);
  size_t end = low;
  while (end < groups->count && groups->items[end].key == key) end++;
  return (struct row_groups){groups->items + low, key ? end - low : 0};
}

bool groups_fill(struct relations *r) {
  size_t rows = r->c->rows;
  r->types.items = mem_array(r->c->mem, rows, sizeof *r->types.items);
  r->files.items = mem_array(r->c->mem, rows, sizeof *r->files.items);
  if (!r->types.items || !r->files.items) return false;
  r->types.count = r->files.count = rows;
  for (uint32_t i = 0; i < rows; i++)
    r->types.items[i] = r->files.items[i] = (struct keyed_row){0, i};
  groups_fill_types(r);
  groups_fill_files(r);
  qsort(r->types.items, rows, sizeof *r->types.items, keyed_row_order);
  qsort(r->files.items, rows, sizeof *r->files.items, keyed_row_order);
  for (uint32_t i = 0; i < r->count; i++) {
    struct candidate *it = &r->candidates[i];
    it->wide = groups_share(r->c, groups_find(&r->types, it->type)) > DOMAIN_SHARE_MOST;
  }
  return true;
}

void groups_free(struct relations *r) {
  mem_free(r->c->mem, r->types.items, r->c->rows, sizeof *r->types.items);
  mem_free(r->c->mem, r->files.items, r->c->rows, sizeof *r->files.items);
}
