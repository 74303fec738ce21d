/* Finds functions whose changes cancel each other because cost moved, or because a function was
 * renamed or inlined. Finds callers whose change comes from their callees. */
#include "verdict/relations.h"

/* ---- groups of rows --------------------------------- */

/* The functions below group rows by type and find the file of each candidate, because cost often
 * moves within a type or file. */

static int keyed_row_order(const void *a, const void *b) {
  const struct keyed_row *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return (x->row > y->row) - (x->row < y->row);
}

/* Returns the last two elements of a path, because whole paths would differ if base and head were
 * built in different folders. */
static pprofc_str groups_path_tail(pprofc_str path) {
  size_t slashes = 0, from = path.size;
  while (from && slashes < 2) slashes += path.data[--from] == '/';
  return str_slice(path, slashes == 2 ? from + 1 : 0, path.size);
}

/* ---- files ------------------------------------------- */

static void groups_add_file(struct relations *r, uint32_t name, pprofc_str path) {
  uint32_t candidate = r->candidate_of[name];
  if (candidate == MAP_NONE || r->candidates[candidate].file.size) return;
  r->candidates[candidate].file = groups_path_tail(path);
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

struct row_groups groups_find(const struct row_groups *groups, uint64_t key) {
  BISECT(low, groups->count, groups->items[low].key < key);
  size_t end = low;
  while (end < groups->count && groups->items[end].key == key) end++;
  return (struct row_groups){groups->items + low, key ? end - low : 0};
}

/* Groups the rows by type. Sets `file` and `wide` for each candidate. Returns false
 * when out of memory. */
static bool groups_fill(struct relations *r) {
  size_t rows = r->c->rows;
  r->types.items = arena_array(&r->arena, rows, sizeof *r->types.items);
  if (!r->types.items) return false;
  r->types.count = rows;
  for (uint32_t i = 0; i < rows; i++) {
    struct name_parts parts = name_split(r->c->row[i].name);
    r->types.items[i] = (struct keyed_row){name_type_key(&parts), i};
  }
  groups_fill_files(r);
  qsort(r->types.items, rows, sizeof *r->types.items, keyed_row_order);
  for (uint32_t i = 0; i < r->count; i++) {
    struct candidate *it = &r->candidates[i];
    it->wide = groups_share(r->c, groups_find(&r->types, it->type)) > DOMAIN_SHARE_MOST;
  }
  return true;
}

/* Largest sum of two changes that cancel, as a share of the larger change. */
#define BALANCE_MOST 0.25
/* Limit of the unadjusted p-value of a change that is not significant. Below this limit, the change
 * can still cancel the change of another function. */
#define WEAK_P 0.05

/* Two functions whose changes cancel. */
struct balance {
  double rest;
  uint32_t fell, rose; /* index of the candidate that shrank, and of the candidate that grew */
};

const pprofc_verdict_row *relations_row(const struct relations *r, uint32_t candidate) {
  return &r->c->row[r->candidates[candidate].row];
}

const struct estimate *relations_own(const struct relations *r, uint32_t candidate) {
  return &r->c->flat.of[r->c->line[r->candidates[candidate].row]];
}

bool relations_one_sided(const struct relations *r, uint32_t candidate) {
  const pprofc_verdict_estimate *e = &relations_row(r, candidate)->flat;
  return e->base == 0 || e->head == 0;
}

static void relations_choose(struct relations *r) {
  for (size_t i = 0; i < r->c->rows && r->count < CANDIDATES_MOST; i++) {
    const pprofc_verdict_row *row = &r->c->row[i];
    bool weak = row->flat.own == PPROFC_VERDICT_UNCHANGED && row->flat.p < WEAK_P;
    bool changed = pprofc_verdict_is_change(row->flat.own);
    if (!weak && !changed) continue;
    struct candidate *it = &r->candidates[r->count++];
    *it = (struct candidate){.row = (uint32_t)i,
                             .parts = name_split(row->name),
                             .partner = MAP_NONE,
                             .changed = changed};
    it->type = name_type_key(&it->parts);
  }
}

/* True if the changes of two functions cancel: their sum is small, and its confidence interval
 * contains 0. */
static bool relations_cancel(const struct relations *r, uint32_t fell, uint32_t rose) {
  const struct estimate *a = relations_own(r, fell), *b = relations_own(r, rose);
  if (!(a->delta < 0 && b->delta > 0)) return false;
  if (!(relations_row(r, fell)->flat.delta < 0 && relations_row(r, rose)->flat.delta > 0))
    return false;
  if (!r->candidates[fell].changed && !r->candidates[rose].changed) return false;
  double rest = fabs(a->delta + b->delta);
  double half = hypot((a->high - a->low) / 2, (b->high - b->low) / 2);
  return rest <= half && rest <= BALANCE_MOST * fmax(-a->delta, b->delta);
}

static int balance_order(const void *a, const void *b) {
  const struct balance *x = a, *y = b;
  if (x->rest != y->rest) return x->rest < y->rest ? -1 : 1;
  if (x->fell != y->fell) return x->fell < y->fell ? -1 : 1;
  return (x->rose > y->rose) - (x->rose < y->rose);
}

static bool relations_pair(struct relations *r) {
  for (uint32_t i = 0; i < r->count; i++)
    for (uint32_t j = 0; j < r->count; j++) {
      const struct estimate *a = relations_own(r, i), *b = relations_own(r, j);
      if (!relations_cancel(r, i, j)) continue;
      if (!ARRAY_RESERVE(r->c->mem, r->pairs, r->pair_capacity, r->pair_count + 1)) return false;
      r->pairs[r->pair_count++] = (struct balance){fabs(a->delta + b->delta), i, j};
    }
  if (r->pair_count) qsort(r->pairs, r->pair_count, sizeof *r->pairs, balance_order);
  return true;
}

/* ---- loop over the samples --------------------------- */

static bool relations_alloc(struct relations *r) {
  struct arena *arena = &r->arena;
  r->names = r->c->names.texts.count;
  r->words = r->names / 64 + 1;
  r->candidate_of = arena_array(arena, r->names, sizeof *r->candidate_of);
  r->both = arena_zero_array(arena, r->names, sizeof *r->both);
  r->sketch_of = arena_array(arena, r->names, sizeof *r->sketch_of);
  r->callers = arena_zero_array(arena, r->count * r->words, sizeof *r->callers);
  r->known = arena_zero_array(arena, r->words, sizeof *r->known);
  r->grown = arena_zero_array(arena, r->words, sizeof *r->grown);
  r->narrow = arena_zero_array(arena, r->words, sizeof *r->narrow);
  r->explained = arena_zero_array(arena, r->names, sizeof *r->explained);
  r->seen = arena_zero_array(arena, r->names, sizeof *r->seen);
  return r->candidate_of && r->both && r->sketch_of && r->callers && r->known && r->grown &&
         r->narrow && r->explained && r->seen;
}

/* Sets `both`, `known`, `grown` and `narrow` for the name of each row. */
static void relations_note_rows(struct relations *r) {
  const struct comparison *c = r->c;
  for (size_t i = 0; i < c->rows; i++) {
    const pprofc_verdict_estimate *cum = &c->row[i].cum;
    uint32_t name = interner_find(&c->names.texts, c->row[i].name);
    bool grew = pprofc_verdict_is_change(cum->own) && c->cum.of[c->line[i]].delta > 0;
    r->both[name] = cum->base > 0 && cum->head > 0;
    if (!r->both[name]) continue;
    bits_add(r->known, name);
    if (grew) bits_add(r->grown, name);
    if (relations_is_narrow(c, cum)) bits_add(r->narrow, name);
  }
}

/* For each name, sets its candidate and the hash of its last part (name_parts.last). */
static void relations_name(struct relations *r) {
  const struct comparison *c = r->c;
  for (size_t i = 0; i < r->names; i++) {
    struct name_parts parts = name_split(c->names.texts.items[i]);
    r->candidate_of[i] = MAP_NONE;
    r->sketch_of[i] = hash_str(parts.last);
  }
  relations_note_rows(r);
  for (uint32_t i = 0; i < r->count; i++) {
    r->candidates[i].name = interner_find(&c->names.texts, relations_row(r, i)->name);
    r->candidate_of[r->candidates[i].name] = i;
  }
}

static void sketch_add(struct sketch *sketch, uint64_t hash) {
  size_t bit = hash % (64 * SKETCH_WORDS);
  sketch->bits[bit / 64] |= (uint64_t)1 << bit % 64;
}

double sketch_overlap(const struct sketch *a, const struct sketch *b) {
  int common = 0, all = 0;
  for (size_t i = 0; i < SKETCH_WORDS; i++) {
    common += __builtin_popcountll(a->bits[i] & b->bits[i]);
    all += __builtin_popcountll(a->bits[i] | b->bits[i]);
  }
  return all ? (double)common / all : 1;
}

static void relations_add_caller(struct relations *r, uint32_t candidate, size_t caller) {
  bits_add(&r->callers[candidate * r->words], caller);
}

/* Adds the caller of each candidate in the current stack to the candidate's callers. Also adds the
 * nearest caller up the stack that is in both base and head. */
static void relations_add_callers(struct relations *r, const struct walk *walk) {
  size_t root = r->names, nearest = root;
  for (size_t i = walk->depth; i-- > 0;) {
    bool first = i + 1 == walk->depth;
    uint32_t caller = first ? MAP_NONE : walk->frames[i + 1];
    uint32_t candidate = r->candidate_of[walk->frames[i]];
    if (!first && r->both[caller]) nearest = caller;
    if (candidate != MAP_NONE) {
      relations_add_caller(r, candidate, nearest);
      if (!first) relations_add_caller(r, candidate, caller);
      if (!first) sketch_add(&r->candidates[candidate].callers, r->sketch_of[caller]);
    }
    if (!first && r->candidate_of[caller] != MAP_NONE)
      sketch_add(&r->candidates[r->candidate_of[caller]].callees, r->sketch_of[walk->frames[i]]);
  }
}

/* Adds the weighted value of the sample to `explained` of each caller in the stack, if the leaf of
 * the stack changed. Adds it only once to a recursive caller. */
static void relations_explain(struct relations *r, const struct walk *walk, double weight,
                              size_t stamp) {
  uint32_t leaf = walk->frames[0], row = r->c->row_of[leaf];
  if (row == MAP_NONE || !pprofc_verdict_is_change(r->c->row[row].flat.verdict)) return;
  r->seen[leaf] = stamp;
  for (size_t i = 1; i < walk->depth; i++) {
    uint32_t caller = walk->frames[i];
    if (r->seen[caller] == stamp) continue;
    r->seen[caller] = stamp;
    r->explained[caller] += weight * (double)walk->values[walk->quantum.value];
  }
}

static bool relations_walk(struct relations *r) {
  struct comparison *c = r->c;
  size_t stamp = 0;
  for (size_t run = 0; run < c->count; run++) {
    struct walk *walk = &c->runs[run].walk;
    double weight = comparison_weight(c, run);
    walk_restart(walk);
    while (walk_next(walk)) {
      relations_add_callers(r, walk);
      relations_explain(r, walk, weight, ++stamp);
    }
    if (walk->failed) return false;
  }
  return true;
}

/* ---- relations --------------------------------------- */

bool relations_calls(const struct relations *r, uint32_t caller, uint32_t callee) {
  return relations_has_caller(r, callee, r->candidates[caller].name);
}

bool relations_share_caller(const struct relations *r, uint32_t a, uint32_t b) {
  for (size_t i = 0; i < r->words; i++)
    if (r->callers[a * r->words + i] & r->callers[b * r->words + i]) return true;
  return false;
}

/* True if the compiler made both functions from one function, for example as copies or closures. */
static bool relations_same_stem(const struct candidate *a, const struct candidate *b) {
  return (a->parts.generated || b->parts.generated) && a->parts.last.size &&
         str_equal(a->parts.last, b->parts.last) && a->type == b->type &&
         str_equal(a->parts.package, b->parts.package);
}

/* True if both functions are in one package. If both have no package, as in C, their names must be
 * similar, or each function must be missing in base or in head. */
static bool relations_same_package(const struct relations *r, uint32_t a, uint32_t b) {
  const struct candidate *x = &r->candidates[a], *y = &r->candidates[b];
  if (!str_equal(x->parts.package, y->parts.package)) return false;
  if (x->parts.package.size) return true;
  return (relations_one_sided(r, a) && relations_one_sided(r, b)) ||
         names_similar(relations_row(r, a)->name, relations_row(r, b)->name);
}

/* True if the callers of two functions allow that one replaced the other. No caller may have grown.
 * At least two callers must call both functions. One function may have further callers, but only if
 * each common caller has at most half of all cost. */
static bool relations_same_callers(const struct relations *r, uint32_t a, uint32_t b) {
  bool wide = false;
  int common = 0, only_a = 0, only_b = 0;
  for (size_t i = 0; i < r->words; i++) {
    uint64_t of_a = r->callers[a * r->words + i] & r->known[i];
    uint64_t of_b = r->callers[b * r->words + i] & r->known[i];
    if ((of_a | of_b) & r->grown[i]) return false;
    wide |= (of_a & of_b & ~r->narrow[i]) != 0;
    common += __builtin_popcountll(of_a & of_b);
    only_a += __builtin_popcountll(of_a & ~of_b);
    only_b += __builtin_popcountll(of_b & ~of_a);
  }
  bool equal = !only_a && !only_b, within = !only_a || !only_b;
  return common > 1 && (equal || (within && !wide));
}

/* True if one function may have replaced the other: only base has one of the two functions, and
 * only head has the other. */
static bool relations_replaced(const struct relations *r, uint32_t a, uint32_t b) {
  const pprofc_verdict_row *x = relations_row(r, a), *y = relations_row(r, b);
  bool swapped =
      (x->flat.head == 0 && y->flat.base == 0) || (x->flat.base == 0 && y->flat.head == 0);
  return swapped && names_replaceable(x->name, y->name) && relations_same_callers(r, a, b);
}

/* True if one function calls the other. Also true if both belong to one type that has at most half
 * of all cost. */
static bool relations_close(const struct relations *r, uint32_t a, uint32_t b) {
  const struct candidate *x = &r->candidates[a], *y = &r->candidates[b];
  if (relations_calls(r, a, b) || relations_calls(r, b, a)) return true;
  return x->type && x->type == y->type && !x->wide;
}

bool relations_linked(const struct relations *r, uint32_t a, uint32_t b) {
  const struct candidate *x = &r->candidates[a], *y = &r->candidates[b];
  if (x->partner == b || relations_close(r, a, b)) return true;
  bool replaced = relations_one_sided(r, a) || relations_one_sided(r, b);
  bool file = x->file.size && str_equal(x->file, y->file);
  if (replaced && (file || relations_same_stem(x, y))) return true;
  if (relations_replaced(r, a, b)) return true;
  if (!relations_share_caller(r, a, b)) return false;
  return file || (replaced && relations_same_package(r, a, b));
}

static pprofc_verdict_relation relations_kind(const struct relations *r, uint32_t a, uint32_t b) {
  if (r->candidates[a].partner == b) return PPROFC_RELATION_RENAMED;
  if (relations_calls(r, a, b) || relations_calls(r, b, a)) return PPROFC_RELATION_INLINED;
  return relations_linked(r, a, b) ? PPROFC_RELATION_MOVED : PPROFC_RELATION_NONE;
}

/* Marks the pairs of functions whose changes cancel, the pair with the smallest sum first. A
 * function is in at most one pair. With `renames`, marks only the two names of a renamed function.
 */
static void relations_mark_pairs(struct relations *r, bool renames) {
  for (size_t i = 0; i < r->pair_count; i++) {
    size_t fell = r->candidates[r->pairs[i].fell].row, rose = r->candidates[r->pairs[i].rose].row;
    pprofc_verdict_row *a = &r->c->row[fell], *b = &r->c->row[rose];
    if (a->relation || b->relation) continue;
    pprofc_verdict_relation kind = relations_kind(r, r->pairs[i].fell, r->pairs[i].rose);
    if (kind == PPROFC_RELATION_NONE || (renames && kind != PPROFC_RELATION_RENAMED)) continue;
    a->relation = kind;
    b->relation = kind;
    a->partner = rose;
    b->partner = fell;
  }
}

static void relations_mark_callers(struct relations *r) {
  for (size_t i = 0; i < r->c->rows; i++) {
    pprofc_verdict_row *row = &r->c->row[i];
    if (!pprofc_verdict_is_change(row->cum.verdict)) continue;
    double explained = r->explained[interner_find(&r->c->names.texts, row->name)];
    double half = (row->cum.high - row->cum.low) / 2;
    /* Exact counts are unchanged if they differ by less than EXACT_FLOOR times the total. */
    if (r->c->quantum.sampling == SAMPLING_EXACT) half = EXACT_FLOOR * r->c->mean_total;
    row->via_callee = explained != 0 && fabs(row->cum.delta - explained) <= half;
  }
}

static bool relations_connect(struct relations *r) {
  if (!relations_pair(r) || !relations_alloc(r)) return false;
  relations_name(r);
  if (!groups_fill(r) || !relations_walk(r) || !renames_match(r)) return false;
  relations_mark_pairs(r, true);
  relations_mark_pairs(r, false);
  relations_mark_callers(r);
  return true;
}

/* Reads the samples a second time only if a row changed, because reading is slow. */
pprofc_status relations_find(struct comparison *c, pprofc_error *error) {
  struct relations r = {.c = c, .arena = arena_make(c->mem)};
  r.candidates = arena_array(&r.arena, CANDIDATES_MOST, sizeof *r.candidates);
  bool done = r.candidates != NULL;
  if (done) relations_choose(&r);
  if (done && r.count && c->summary.changed) done = relations_connect(&r) && domains_find(&r);
  ARRAY_FREE(c->mem, r.pairs, r.pair_capacity);
  arena_free(&r.arena);
  return done ? PPROFC_OK : error_nomem(error);
}
