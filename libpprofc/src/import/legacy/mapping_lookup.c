/* Giving each location of an old profile its mapping (5.8, the last steps).
 *
 * The rule is "the first mapping in order that covers the address", with mappings that may overlap
 * and may grow while locations are placed. A tree over the boundaries answers that in logarithmic
 * time, so that a hostile file with many mappings and many addresses takes no quadratic one. */
#include "import/legacy/legacy.h"

#include <stdlib.h>

/* Ranges of addresses, each with a number; asks for the least number at an address. Leaves are the
 * stretches between neighbouring bounds; a node holds the least number of the ranges that were put
 * on it. */
struct span_tree {
  uint32_t *least; /* [2 * leaves] */
};

struct lookup {
  struct legacy *l;
  uint64_t *bounds; /* ascending, no doubles */
  size_t bound_count, capacity;
  struct span_tree covered; /* [start, limit) */
  struct span_tree below;   /* [start - offset, start) of mappings whose offset is not 0 */
  uint32_t fake;            /* the mapping of addresses that have none, or NONE */
};

static int compare_bounds(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return (a > b) - (a < b);
}

/* The index of the last bound that is not above the address, or bound_count when all are. */
static size_t leaf_of(const struct lookup *k, uint64_t address) {
  size_t low = 0, high = k->bound_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (k->bounds[middle] <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low ? low - 1 : k->bound_count;
}

static void span_put(const struct lookup *k, struct span_tree *tree, uint64_t from, uint64_t to,
                     uint32_t number) {
  if (from >= to) return;
  size_t left = leaf_of(k, from) + k->bound_count, right = leaf_of(k, to) + k->bound_count;
  for (; left < right; left /= 2, right /= 2) {
    if (left & 1) {
      if (number < tree->least[left]) tree->least[left] = number;
      left++;
    }
    if (right & 1) {
      right--;
      if (number < tree->least[right]) tree->least[right] = number;
    }
  }
}

static uint32_t span_find(const struct lookup *k, const struct span_tree *tree, uint64_t address) {
  size_t leaf = leaf_of(k, address);
  uint32_t least = NONE;
  if (leaf == k->bound_count) return least;
  for (leaf += k->bound_count; leaf; leaf /= 2)
    if (tree->least[leaf] < least) least = tree->least[leaf];
  return least;
}

/* Where the file of a mapping would begin if nothing of it were missing; its start when that makes
 * no sense. */
static uint64_t origin(const struct legacy_mapping *m) {
  return m->offset <= m->start ? m->start - m->offset : m->start;
}

static bool lookup_init(struct lookup *k, struct legacy *l) {
  size_t count = legacy_mapping_count(l);
  const struct legacy_mapping *m = legacy_mappings(l);
  *k = (struct lookup){.l = l, .capacity = 3 * count + 1, .fake = NONE};
  k->bounds = mem_array(l->mem, k->capacity, sizeof *k->bounds);
  k->covered.least = mem_array(l->mem, 2 * k->capacity, sizeof(uint32_t));
  k->below.least = mem_array(l->mem, 2 * k->capacity, sizeof(uint32_t));
  if (!k->bounds || !k->covered.least || !k->below.least) return false;
  memset(k->covered.least, 0xFF, 2 * k->capacity * sizeof(uint32_t));
  memset(k->below.least, 0xFF, 2 * k->capacity * sizeof(uint32_t));

  size_t n = 0;
  k->bounds[n++] = 0;
  for (size_t i = 0; i < count; i++) {
    k->bounds[n++] = m[i].start;
    k->bounds[n++] = m[i].limit;
    k->bounds[n++] = origin(&m[i]);
  }
  qsort(k->bounds, n, sizeof *k->bounds, compare_bounds);
  for (size_t i = 0; i < n; i++)
    if (i == 0 || k->bounds[i] != k->bounds[i - 1]) k->bounds[k->bound_count++] = k->bounds[i];

  for (size_t i = 0; i < count; i++) {
    span_put(k, &k->covered, m[i].start, m[i].limit, (uint32_t)i);
    if (m[i].offset) span_put(k, &k->below, origin(&m[i]), m[i].start, (uint32_t)i);
  }
  return true;
}

static void lookup_free(struct lookup *k) {
  mem_free(k->l->mem, k->bounds, k->capacity, sizeof *k->bounds);
  mem_free(k->l->mem, k->covered.least, 2 * k->capacity, sizeof(uint32_t));
  mem_free(k->l->mem, k->below.least, 2 * k->capacity, sizeof(uint32_t));
}

/* A mapping of everything, made when the first address needs it. */
static uint32_t fake_mapping(struct lookup *k) {
  if (k->fake != NONE) return k->fake;
  k->fake = (uint32_t)legacy_mapping_count(k->l);
  struct legacy_mapping everything = {0, UINT64_MAX, 0, STR(""), STR("")};
  buffer_add(&k->l->mappings, &everything, sizeof everything);
  return k->fake;
}

static uint32_t lookup_mapping(struct lookup *k, uint64_t address) {
  uint32_t index = span_find(k, &k->covered, address);
  if (index != NONE) return index;
  /* The fake mapping is one of the list from then on, and covers all but the very last address. */
  if (k->fake != NONE && address != UINT64_MAX) return k->fake;
  index = span_find(k, &k->below, address);
  if (index == NONE) return fake_mapping(k);
  /* The first part of a mapping was split off and lost: it grows downwards. The stretch counts as
   * covered now, so that `below` is not asked about it again. */
  struct legacy_mapping *m = &legacy_mappings(k->l)[index];
  span_put(k, &k->covered, origin(m), m->start, index);
  m->start -= m->offset;
  m->offset = 0;
  return index;
}

/* Regions of the main program that its profiler is known to report wrongly. */
static void repair_main(struct legacy *l) {
  const uint64_t usual_start = 0x400000;
  struct legacy_mapping *m = legacy_mappings(l);
  size_t count = legacy_mapping_count(l);
  if (count > 1 && str_starts(m[0].file, STR("/anon_hugepage")) && m[0].limit == m[1].start) {
    memmove(m, m + 1, (count - 1) * sizeof *m);
    l->mappings.size -= sizeof *m;
    count--;
  }
  if (count && m[0].start - m[0].offset == usual_start) {
    m[0].start = usual_start;
    m[0].offset = 0;
  }
}

pprofc_status legacy_assign_mappings(struct legacy *l) {
  repair_main(l);
  struct lookup k;
  bool made = lookup_init(&k, l);
  for (size_t i = 0; made && i < legacy_location_count(l); i++) {
    struct legacy_location *location = &legacy_locations(l)[i];
    if (location->address && location->mapping == NONE)
      location->mapping = lookup_mapping(&k, location->address);
  }
  lookup_free(&k);
  return made ? legacy_status(l) : error_nomem(l->error);
}
