/* Pairs the files of base and head for each function name.
 *
 * If base and head each have the name in one file, these files are paired. If base or head has the
 * name in several files, each file contains a separate function. In this case, files with equal
 * paths are paired first, then the paths with the longest common end. The common end must include
 * the file name. Other files stay unpaired. */
#include "stacks/join_files.h"
#include "profile/delta.h"

#include <stdlib.h>

/* Maximum number of path components that are compared. It keeps the time linear in the number of
 * paths. */
#define MOST_COMPONENTS 64u
#define MOST_BYTES      4096u

/* A file in which only base or only head has a function of the current name. */
struct lone_file {
  pprofc_str path;
  uint32_t file;
  /* id of the file on the other side (base or head) that is paired with this file, or NONE */
  uint32_t partner;
  uint32_t shared; /* number of components at the end of the path that are equal in the previous
                      file of `lone` */
  bool is_head;
};

/* The files that have a function of a certain name. */
struct files_of_name {
  struct lone_file *lone; /* files that only base or only head has */
  size_t count;
  size_t heads, bases; /* number of files that only head has, and that only base has */
  size_t both;         /* number of files that both base and head have */
  /* indices of files in `lone`, ranked by path_length; scratch memory with the size of `lone` */
  struct ranked *head_order, *base_order;
};

/* ---- ends of paths ----------------------------------- */

static bool join_files_is_separator(char c) {
  return c == '/' || c == '\\';
}

static bool component_begins(pprofc_str path, size_t at) {
  return at == 0 || join_files_is_separator(path.data[at - 1]);
}

/* Returns how many whole components the ends of two paths have in common. */
static uint32_t shared_components(pprofc_str a, pprofc_str b) {
  uint32_t shared = 0;
  size_t i = a.size, j = b.size;
  if (!i || !j) return 0;
  while (a.size - i < MOST_BYTES && shared < MOST_COMPONENTS) {
    bool begins = component_begins(a, i);
    if (begins != component_begins(b, j)) break;
    if (begins) {
      shared++;
      if (!i || !j) break;
    }
    i--;
    j--;
    if (!begins && a.data[i] != b.data[j]) break;
  }
  return shared;
}

/* Returns the place of a byte in the order of paths. compare_ends compares paths from their ends to
 * their starts. Separators come first in the order, so that the paths a.c and x/a.c are adjacent.
 * Without this rule, the path x-a.c would come between them. */
static int path_rank(char c) {
  return join_files_is_separator(c) ? -1 : (int)(unsigned char)c;
}

/* Compares two paths from their ends to their starts, so that the sort makes paths with a common
 * end adjacent. */
static int compare_ends(const void *left, const void *right) {
  const struct lone_file *x = left, *y = right;
  size_t i = x->path.size, j = y->path.size;
  for (size_t n = 0; i && j && n < MOST_BYTES; n++) {
    int a = path_rank(x->path.data[--i]), b = path_rank(y->path.data[--j]);
    if (a != b) return a < b ? -1 : 1;
  }
  if (!i != !j) return i ? 1 : -1;
  return x->file < y->file ? -1 : x->file > y->file;
}

/* ---- pairs ------------------------------------------- */

static double path_length(pprofc_str path) {
  double length = 1;
  for (size_t i = 0; i < path.size; i++) length += join_files_is_separator(path.data[i]);
  return length;
}

static void pair_lone(struct lone_file *head, struct lone_file *base) {
  head->partner = base->file;
  base->partner = head->file;
}

/* Pairs the files lone[from] to lone[to - 1], whose paths have a common end. Pairs the shortest
 * path of the head with the shortest path of the base, then the second shortest paths, and so on.
 * The length of a path is the number of its components. */
static void pair_run(struct files_of_name *f, size_t from, size_t to) {
  size_t heads = 0, bases = 0;
  for (size_t i = from; i < to; i++) {
    if (f->lone[i].partner != NONE) continue;
    if (f->lone[i].is_head)
      f->head_order[heads++].index = i;
    else
      f->base_order[bases++].index = i;
  }
  if (!heads || !bases) return;
  for (size_t i = 0; i < heads; i++)
    f->head_order[i].rank = path_length(f->lone[f->head_order[i].index].path);
  for (size_t i = 0; i < bases; i++)
    f->base_order[i].rank = path_length(f->lone[f->base_order[i].index].path);
  ranked_sort(f->head_order, heads);
  ranked_sort(f->base_order, bases);
  for (size_t i = 0; i < heads && i < bases; i++)
    pair_lone(&f->lone[f->head_order[i].index], &f->lone[f->base_order[i].index]);
}

/* Pairs files by the end of their paths. Files whose paths have the longest common ends are paired
 * first. */
static void pair_ends(struct files_of_name *f) {
  qsort(f->lone, f->count, sizeof *f->lone, compare_ends);
  uint32_t most = 0;
  for (size_t i = 1; i < f->count; i++) {
    f->lone[i].shared = shared_components(f->lone[i - 1].path, f->lone[i].path);
    if (f->lone[i].shared > most) most = f->lone[i].shared;
  }
  for (uint32_t level = most; level > 0; level--)
    for (size_t from = 0, to; from < f->count; from = to) {
      for (to = from + 1; to < f->count && f->lone[to].shared >= level;) to++;
      if (to - from > 1) pair_run(f, from, to);
    }
}

static void pair_files(struct files_of_name *f) {
  if (!f->heads || !f->bases) return;
  if (!f->both && f->heads == 1 && f->bases == 1)
    pair_lone(&f->lone[0], &f->lone[1]);
  else
    pair_ends(f);
}

/* ---- names ------------------------------------------- */

static int compare_functions(const void *left, const void *right) {
  const struct joined_function *x = left, *y = right;
  if (x->name != y->name) return x->name < y->name ? -1 : 1;
  if (x->file != y->file) return x->file < y->file ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

static size_t same_file_end(const struct joined_function *functions, size_t from, size_t end) {
  size_t to = from + 1;
  while (to < end && functions[to].file == functions[from].file) to++;
  return to;
}

/* Lists the files that only base or only head has. `functions` are the functions of one name,
 * sorted by file. */
static void list_files(struct files_of_name *f, const struct joined_function *functions,
                       size_t count, const struct interner *texts) {
  f->count = f->heads = f->bases = f->both = 0;
  for (size_t from = 0, to; from < count; from = to) {
    to = same_file_end(functions, from, count);
    uint8_t sides = 0;
    for (size_t i = from; i < to; i++) sides |= functions[i].sides;
    bool is_head = sides == SIDE_HEAD, is_base = sides == SIDE_BASE;
    f->heads += is_head;
    f->bases += is_base;
    f->both += sides == (SIDE_HEAD | SIDE_BASE);
    if (!is_head && !is_base) continue;
    f->lone[f->count++] = (struct lone_file){.path = texts->items[functions[from].file],
                                             .file = functions[from].file,
                                             .partner = NONE,
                                             .is_head = is_head};
  }
}

static int compare_lone(const void *left, const void *right) {
  const struct lone_file *x = left, *y = right;
  return x->file < y->file ? -1 : x->file > y->file;
}

/* Replaces the file of each base function by the head file that is paired with it. Visits the
 * functions and the files in one loop, because both are sorted by file. */
static void rename_files(struct files_of_name *f, struct joined_function *functions, size_t count) {
  if (!f->heads || !f->bases) return;
  qsort(f->lone, f->count, sizeof *f->lone, compare_lone);
  for (size_t i = 0, at = 0; i < count; i++) {
    while (at < f->count && f->lone[at].file < functions[i].file) at++;
    if (at == f->count) return;
    const struct lone_file *lone = &f->lone[at];
    if (lone->file == functions[i].file && !lone->is_head && lone->partner != NONE)
      functions[i].file = lone->partner;
  }
}

bool join_files(struct joined_function *functions, size_t count, const struct interner *texts,
                const pprofc_allocator *mem) {
  if (count < 2) return true;
  struct files_of_name f = {.lone = mem_array(mem, count, sizeof *f.lone)};
  f.head_order = mem_array(mem, count, sizeof *f.head_order);
  f.base_order = mem_array(mem, count, sizeof *f.base_order);
  bool ok = f.lone && f.head_order && f.base_order;
  if (ok) qsort(functions, count, sizeof *functions, compare_functions);
  for (size_t from = 0, to; ok && from < count; from = to) {
    for (to = from + 1; to < count && functions[to].name == functions[from].name;) to++;
    list_files(&f, functions + from, to - from, texts);
    pair_files(&f);
    rename_files(&f, functions + from, to - from);
  }
  mem_free(mem, f.base_order, count, sizeof *f.base_order);
  mem_free(mem, f.head_order, count, sizeof *f.head_order);
  mem_free(mem, f.lone, count, sizeof *f.lone);
  return ok;
}

/* ---- sides ------------------------------------------- */

static bool join_files_is_negative(const int64_t *values, size_t types) {
  for (size_t i = 0; i < types; i++)
    if (values[i] < 0) return true;
  return false;
}

/* Returns the side of a sample: SIDE_BASE or SIDE_HEAD. If no samples have the label of the base,
 * as with the option -base, samples with negative values are the base. */
static uint8_t sample_side(const pprofc_profile *p, const uint8_t *side_of_set, size_t sample) {
  size_t each = profile_values_each(p);
  if (side_of_set) return side_of_set[p->samples.label_set[sample]];
  return join_files_is_negative(p->samples.values + sample * each, each) ? SIDE_BASE : SIDE_HEAD;
}

/* Returns for each set of labels its side (SIDE_BASE or SIDE_HEAD). Returns NULL when out of
 * memory. */
static uint8_t *label_set_sides(const pprofc_profile *p, struct arena *arena) {
  size_t count = p->samples.label_set_count;
  uint8_t *sides = arena_array(arena, count, sizeof *sides);
  for (uint32_t i = 0; sides && i < count; i++)
    sides[i] = label_set_is_base(p, i) ? SIDE_BASE : SIDE_HEAD;
  return sides;
}

bool has_sides(const pprofc_profile *profile) {
  size_t count = profile->samples.count * profile_values_each(profile);
  return profile_has_base(profile) || join_files_is_negative(profile->samples.values, count);
}

uint8_t *location_sides(const pprofc_profile *profile, struct arena *arena) {
  const struct samples *s = &profile->samples;
  size_t each = profile_values_each(profile);
  bool labelled = profile_has_base(profile);
  uint8_t *sides = arena_zero_array(arena, profile->locations.count, sizeof *sides);
  uint8_t *side_of_set = labelled ? label_set_sides(profile, arena) : NULL;
  struct stack_delta delta;
  if (!sides || (labelled && !side_of_set) || !delta_init(&delta, arena->mem, s, 0)) return NULL;
  for (uint8_t side = SIDE_HEAD; side <= SIDE_BASE; side++) {
    delta_restart(&delta, 0);
    for (size_t i = 0; i < s->count; i++) {
      if (values_are_zero(s->values + i * each, each) ||
          sample_side(profile, side_of_set, i) != side)
        continue;
      delta_next(&delta, i);
      for (size_t k = 0; k < delta.count; k++) sides[delta.fresh[k].location] |= side;
    }
  }
  delta_free(&delta, arena->mem);
  return sides;
}
