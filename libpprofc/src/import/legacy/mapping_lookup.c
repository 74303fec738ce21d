/* Assigns a mapping to each location of an old profile (docs/spec/pprof.md, 5.8, last steps).
 *
 * A location belongs to the first mapping that contains its address. Mappings may overlap, and may
 * grow while mappings are assigned. A segment tree over the bounds of the mappings finds the
 * mapping in logarithmic time. Without the tree, a malicious file with many mappings and addresses
 * would need quadratic time. */
#include "import/legacy/legacy.h"

/* Segment tree over numbered address ranges. Its leaves are the intervals between adjacent bounds
 * of the ranges. Of all ranges that contain an address, a lookup finds the range with the smallest
 * number. */
struct span_tree {
  uint32_t *least; /* for each node: smallest number of the ranges that are stored in the node */
};

struct lookup {
  struct legacy *l;
  uint64_t *bounds; /* bounds of the address intervals, ascending, without duplicates */
  size_t bound_count, capacity;
  struct span_tree covered; /* ranges [start, limit) of the mappings */
  struct span_tree below;   /* ranges [start - offset, start) of mappings with an offset */
  uint32_t fake;            /* mapping for the addresses outside of all other mappings, or NONE */
};

static int compare_bounds(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return (a > b) - (a < b);
}

/* Returns the leaf that contains an address: the index of the last bound <= address, or bound_count
 * if all bounds are larger. */
static size_t leaf_of(const struct lookup *k, uint64_t address) {
  BISECT(at, k->bound_count, k->bounds[at] <= address);
  return at ? at - 1 : k->bound_count;
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

/* Returns the address at which the mapping would start if it began at offset 0 of its file. Returns
 * the mapping's start if the offset is larger than the start. */
static uint64_t origin(const struct legacy_mapping *m) {
  return m->offset <= m->start ? m->start - m->offset : m->start;
}

static bool lookup_init(struct lookup *k, struct legacy *l) {
  size_t count = l->mapping_count;
  const struct legacy_mapping *m = l->mappings;
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

/* Returns the mapping for addresses outside of all other mappings, and adds it at its first use. */
static uint32_t fake_mapping(struct lookup *k) {
  if (k->fake != NONE) return k->fake;
  struct legacy *l = k->l;
  struct legacy_mapping everything = {0, UINT64_MAX, 0, STR(""), STR("")};
  k->fake = (uint32_t)l->mapping_count;
  import_need(l->builder,
              ARRAY_PUSH(l->mem, l->mappings, l->mapping_count, l->mapping_room, everything));
  return k->fake;
}

static uint32_t lookup_mapping(struct lookup *k, uint64_t address) {
  uint32_t index = span_find(k, &k->covered, address);
  if (index != NONE) return index;
  /* If k->fake exists, it maps every address outside of the other mappings, except UINT64_MAX. */
  if (k->fake != NONE && address != UINT64_MAX) return k->fake;
  index = span_find(k, &k->below, address);
  if (index == NONE) return fake_mapping(k);
  /* The address belongs to the start of a mapped file, but the memory map does not list this start.
   * Extend the mapping of the file down to offset 0. Mark the added range as covered, so that the
   * tree `below` does not find it again. */
  struct legacy_mapping *m = &k->l->mappings[index];
  span_put(k, &k->covered, origin(m), m->start, index);
  m->start -= m->offset;
  m->offset = 0;
  return index;
}

/* Corrects mappings of the main program that some profilers report wrongly. */
static void repair_main(struct legacy *l) {
  const uint64_t usual_start = 0x400000;
  struct legacy_mapping *m = l->mappings;
  if (l->mapping_count > 1 && str_starts(m[0].file, STR("/anon_hugepage")) &&
      m[0].limit == m[1].start)
    memmove(m, m + 1, --l->mapping_count * sizeof *m);
  if (l->mapping_count && m[0].start - m[0].offset == usual_start) {
    m[0].start = usual_start;
    m[0].offset = 0;
  }
}

void legacy_assign_mappings(struct legacy *l) {
  repair_main(l);
  struct lookup k;
  bool made = import_need(l->builder, lookup_init(&k, l));
  for (size_t i = 0; made && builder_ok(l->builder) && i < l->location_count; i++) {
    struct legacy_location *location = &l->locations[i];
    if (location->address && location->mapping == NONE)
      location->mapping = lookup_mapping(&k, location->address);
  }
  lookup_free(&k);
}
