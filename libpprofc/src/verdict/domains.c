/* Finds for each function that grew the smallest domain that explains its growth. A domain is a
 * group of functions between which cost may have moved, such as the functions of a type or file. It
 * explains the growth if its cost did not grow, and the cost's interval excludes the growth. */
#include "verdict/relations.h"

/* Limit for the summed change of a set of functions. The sum can exclude the growth of a function
 * only if its confidence interval is narrow. The half width of this interval must be at most this
 * share of the growth. */
#define DOMAIN_SEES 0.5
/* A set of functions explains growth in part if its shrinking functions cancel at least this share
 * of the growth of its other functions. */
#define DOMAIN_PART 0.25
/* Maximum number of sets that are tried for a function. */
#define DOMAIN_TRIES 6

struct domain_search {
  struct relations *r;
  struct arena *arena;
  bool *links; /* for each pair of candidates (rows that may have changed), true if cost may have
                  moved between them; index: first * count + second */
  bool *taken; /* for each candidate, true if one of `sets` explains its change */
  struct domain_set *sets; /* sets that become domains */
  size_t set_count;
  struct domain_set tries[DOMAIN_TRIES];
  struct domain_sum sums[DOMAIN_TRIES];
  size_t try_count;
  bool failed; /* true if memory ran out */
};

static bool search_rose(const struct domain_search *s, uint32_t candidate) {
  return relations_own(s->r, candidate)->delta > 0;
}

/* ---- sets of linked functions ------------------------ */

/* Starts a set whose first member is `seed`, with space for all candidates (rows that may have
 * changed). Returns NULL when out of memory. */
static struct domain_set *search_begin(struct domain_search *s, uint32_t seed) {
  struct domain_set *set = &s->tries[s->try_count];
  *set = (struct domain_set){.subtree = DOMAIN_NO_SUBTREE, .member_count = 1};
  set->members = arena_array(s->arena, s->r->count, sizeof *set->members);
  s->failed |= !set->members;
  if (set->members) set->members[0] = seed;
  return set->members ? set : NULL;
}

static void set_add(struct domain_set *set, uint32_t candidate) {
  for (size_t i = 0; i < set->member_count; i++)
    if (set->members[i] == candidate) return;
  set->members[set->member_count++] = candidate;
}

/* Makes the sum of the set from the rows of its functions. Adds the set to the sets to try. */
static void search_add_members(struct domain_search *s, struct domain_set *set) {
  set->sum = arena_array(s->arena, set->member_count, sizeof *set->sum);
  s->failed |= !set->sum;
  if (!set->sum) return;
  set->sum_count = set->member_count;
  for (size_t i = 0; i < set->member_count; i++)
    set->sum[i] = s->r->candidates[set->members[i]].row;
  domain_set_name(s->r, set);
  s->try_count++;
}

/* Adds the candidates that are linked with a member of the set: cost may have moved between
 * candidate and member. With `rose`, adds candidates that grew, else candidates that shrank.
 * Returns true if any candidate was added. */
static bool search_grow(const struct domain_search *s, struct domain_set *set, bool rose) {
  size_t before = set->member_count;
  for (size_t k = 0; k < before; k++)
    for (uint32_t i = 0; i < s->r->count; i++)
      if (!s->taken[i] && search_rose(s, i) == rose && s->links[set->members[k] * s->r->count + i])
        set_add(set, i);
  return set->member_count > before;
}

/* Adds a set of linked functions (cost may have moved between them) to the sets to try. Fills it
 * with shrinking functions that are linked with `seed`, then with growing functions that are linked
 * with the shrinking functions. With `all`, repeats both steps until no function is added. */
static void search_try_linked(struct domain_search *s, uint32_t seed, bool all) {
  struct domain_set *set = search_begin(s, seed);
  if (!set || !search_grow(s, set, false)) return;
  bool more = search_grow(s, set, true);
  size_t first = set->member_count;
  while (all && more) more = search_grow(s, set, false) && search_grow(s, set, true);
  if (!all || set->member_count > first) search_add_members(s, set);
}

/* Adds a set of two functions to the sets to try: `seed` and its partner. If `seed` is a renamed
 * function, its partner is the function with the other name. If not, its partner is a function
 * whose change cancels the change of `seed`. */
static void search_try_pair(struct domain_search *s, uint32_t seed) {
  const pprofc_verdict_row *row = relations_row(s->r, seed);
  uint32_t partner = s->r->candidates[seed].partner;
  if (partner == MAP_NONE && row->relation)
    partner =
        s->r->candidate_of[interner_find(&s->r->c->names.texts, s->r->c->row[row->partner].name)];
  if (partner == MAP_NONE || s->taken[partner]) return;
  struct domain_set *set = search_begin(s, seed);
  if (!set) return;
  set_add(set, partner);
  set->cancels = s->r->candidates[seed].partner == MAP_NONE;
  search_add_members(s, set);
}

/* ---- all functions of a type or a caller ------------- */

/* Adds the set of all functions of the type (class) of `seed` to the sets to try. The set also has
 * functions that are too small to be candidates. */
static void search_try_type(struct domain_search *s, uint32_t seed) {
  const struct candidate *of = &s->r->candidates[seed];
  if (!of->type || of->wide) return;
  struct row_groups rows = groups_find(&s->r->types, of->type);
  struct domain_set *set = search_begin(s, seed);
  if (!set) return;
  set->sum = arena_array(s->arena, rows.count, sizeof *set->sum);
  s->failed |= !set->sum;
  if (!set->sum) return;
  for (uint32_t i = 0; i < s->r->count; i++)
    if (!s->taken[i] && s->r->candidates[i].type == of->type) set_add(set, i);
  for (size_t i = 0; i < rows.count; i++) set->sum[set->sum_count++] = rows.items[i].row;
  set->kind = PPROFC_DOMAIN_TYPE;
  set->name = of->parts.type;
  s->try_count++;
}

/* Adds a set to the sets to try. The sum of the set is the cum value of the function `name`. Its
 * members are `seed` and the candidates below `name` that shrank, appeared or vanished. */
static void search_try_subtree(struct domain_search *s, uint32_t seed, uint32_t name) {
  const struct comparison *c = s->r->c;
  uint32_t row = c->row_of[name];
  if (row == MAP_NONE || !relations_is_narrow(c, &c->row[row].cum)) return;
  struct domain_set *set = search_begin(s, seed);
  if (!set) return;
  for (uint32_t i = 0; i < s->r->count; i++) {
    bool fits = !search_rose(s, i) || relations_one_sided(s->r, i);
    bool below = s->r->candidates[i].name == name || relations_has_caller(s->r, i, name);
    if (!s->taken[i] && fits && below) set_add(set, i);
  }
  set->subtree = row;
  set->kind = PPROFC_DOMAIN_CALLER;
  set->name = c->row[row].name;
  s->try_count++;
}

/* Returns the only caller of a candidate (a row that may have changed) that is in both base and
 * head. Returns MAP_NONE if there are several such callers or no such caller. */
static uint32_t search_only_caller(const struct relations *r, uint32_t candidate) {
  uint32_t found = MAP_NONE;
  for (uint32_t name = 0; name < r->names; name++) {
    if (!r->both[name] || !relations_has_caller(r, candidate, name)) continue;
    if (found != MAP_NONE) return MAP_NONE;
    found = name;
  }
  return found;
}

/* ---- the choice -------------------------------------- */

static void search_fill_tries(struct domain_search *s, uint32_t seed) {
  s->try_count = 0;
  search_try_pair(s, seed);
  search_try_linked(s, seed, false);
  search_try_type(s, seed);
  search_try_subtree(s, seed, s->r->candidates[seed].name);
  uint32_t caller = MAP_NONE;
  if (relations_one_sided(s->r, seed)) caller = search_only_caller(s->r, seed);
  if (caller != MAP_NONE) search_try_subtree(s, seed, caller);
  search_try_linked(s, seed, true);
}

static double search_size(const struct domain_sum *sum) {
  return sum->shown.base + sum->shown.head;
}

/* Judges the sets to try. Sorts them by size, smallest first. */
static void search_judge(struct domain_search *s) {
  for (size_t i = 0; i < s->try_count && !s->failed; i++) {
    struct domain_set set = s->tries[i];
    struct domain_sum sum;
    size_t at = i;
    s->failed |= !domain_sums(s->r->c, &set, 1, &sum);
    if (s->failed) return;
    for (; at && search_size(&s->sums[at - 1]) > search_size(&sum); at--) {
      s->tries[at] = s->tries[at - 1];
      s->sums[at] = s->sums[at - 1];
    }
    s->tries[at] = set;
    s->sums[at] = sum;
  }
}

static bool sum_grew(const struct domain_sum *sum) {
  return pprofc_verdict_is_change(sum->shown.own) && sum->own.delta > 0;
}

/* True if the interval of a sum is narrow enough to exclude growth by `delta`. */
static bool sum_sees(const struct domain_sum *sum, double delta) {
  bool judged = sum->shown.own >= PPROFC_VERDICT_UNCHANGED;
  return judged && (sum->own.high - sum->own.low) / 2 <= DOMAIN_SEES * delta;
}

/* True if the shrinking functions of the set cancel at least DOMAIN_PART of the growth of its other
 * functions. */
static bool search_is_part(const struct domain_search *s, size_t at) {
  double rose = 0;
  for (size_t i = 0; i < s->tries[at].member_count; i++)
    rose += fmax(relations_own(s->r, s->tries[at].members[i])->delta, 0);
  return s->sums[at].own.delta <= (1 - DOMAIN_PART) * rose;
}

/* True if the sum of a set of more than two linked functions grew. In such a set, one function may
 * have lost cost to several others, so a pair of its functions does not explain the growth, even if
 * the changes of the pair cancel. */
static bool search_is_shared(const struct domain_search *s, double needed) {
  for (size_t i = 0; i < s->try_count; i++)
    if (s->tries[i].sum_count > 2 && s->tries[i].kind != PPROFC_DOMAIN_TYPE &&
        sum_sees(&s->sums[i], needed) && sum_grew(&s->sums[i]))
      return true;
  return false;
}

/* Accepts a set as a domain (functions between which cost moved). A function that grew becomes a
 * member only if the interval of the set's sum is narrow enough to exclude this growth. */
static void search_take(struct domain_search *s, size_t at) {
  struct domain_set *set = &s->sets[s->set_count++];
  *set = s->tries[at];
  set->member_count = 0;
  for (size_t i = 0; i < s->tries[at].member_count; i++) {
    uint32_t member = set->members[i];
    double delta = relations_own(s->r, member)->delta;
    if (s->r->candidates[member].changed && delta > 0 && !sum_sees(&s->sums[at], delta)) continue;
    set->members[set->member_count++] = member;
    s->taken[member] = true;
  }
}

/* Accepts the smallest set whose sum did not grow. The interval of this sum must exclude the growth
 * of `seed` and the growth of each smaller set. If every sum grew, accepts the smallest set that
 * explains a part of the growth (search_is_part). */
static void search_explain(struct domain_search *s, uint32_t seed) {
  double needed = relations_own(s->r, seed)->delta;
  size_t part = SIZE_MAX;
  search_fill_tries(s, seed);
  search_judge(s);
  bool shared = search_is_shared(s, needed);
  for (size_t i = 0; i < s->try_count && !s->failed; i++) {
    if (!sum_sees(&s->sums[i], needed) || (s->tries[i].cancels && shared)) continue;
    if (!sum_grew(&s->sums[i])) {
      search_take(s, i);
      return;
    }
    needed = fmin(needed, s->sums[i].own.delta);
    if (part == SIZE_MAX && search_is_part(s, i)) part = i;
  }
  if (part != SIZE_MAX && !s->failed) search_take(s, part);
}

static bool search_begin_all(struct domain_search *s) {
  size_t count = s->r->count;
  s->links = arena_zero_array(s->arena, count * count, sizeof *s->links);
  s->taken = arena_zero_array(s->arena, count, sizeof *s->taken);
  s->sets = arena_array(s->arena, count, sizeof *s->sets);
  if (!s->links || !s->taken || !s->sets) return false;
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < i; k++)
      s->links[i * count + k] = s->links[k * count + i] =
          search_rose(s, i) != search_rose(s, k) && relations_linked(s->r, i, k);
  return true;
}

static void search_run(struct domain_search *s) {
  s->failed = !search_begin_all(s);
  for (uint32_t i = 0; i < s->r->count && !s->failed; i++) {
    bool grew =
        s->r->candidates[i].changed && search_rose(s, i) && relations_row(s->r, i)->flat.delta > 0;
    if (grew && !s->taken[i]) search_explain(s, i);
  }
}

/* ---- renamed packages -------------------------------- */

/* True if both sets have functions renamed from the same package to the same other package. */
static bool search_same_packages(const struct domain_search *s, const struct domain_set *a,
                                 const struct domain_set *b) {
  if (a->kind != PPROFC_DOMAIN_RENAMED || b->kind != PPROFC_DOMAIN_RENAMED) return false;
  const struct candidate *all = s->r->candidates;
  pprofc_str from = all[a->members[0]].parts.package, to = all[a->members[1]].parts.package;
  return str_equal(from, all[b->members[0]].parts.package) &&
         str_equal(to, all[b->members[1]].parts.package) && !str_equal(from, to);
}

/* Joins the set `first` with all later sets for which search_same_packages is true. Stores the
 * result in *joined. Returns false if there is no such later set. */
static bool search_join(struct domain_search *s, size_t first, struct domain_set *joined) {
  size_t sets = 0;
  s->try_count = 0;
  joined->members = NULL;
  for (size_t i = first; i < s->set_count; i++) {
    if (!search_same_packages(s, &s->sets[first], &s->sets[i])) continue;
    if (!sets++) {
      if (!search_begin(s, s->sets[i].members[0])) return false;
      *joined = s->tries[0];
    }
    set_add(joined, s->sets[i].members[0]);
    set_add(joined, s->sets[i].members[1]);
  }
  return sets > 1;
}

/* Replaces the sets that search_join joins by the joined set, unless the cost of the joined set
 * changed by more than noise. */
static void search_join_renames(struct domain_search *s, size_t first) {
  struct domain_set joined;
  if (s->sets[first].kind != PPROFC_DOMAIN_RENAMED || s->sets[first].member_count != 2) return;
  if (!search_join(s, first, &joined)) return;
  s->tries[0] = joined;
  search_add_members(s, &s->tries[0]);
  search_judge(s);
  if (s->failed || pprofc_verdict_is_change(s->sums[0].shown.own)) return;
  struct domain_set like = s->sets[first];
  size_t kept = first;
  for (size_t i = first; i < s->set_count; i++)
    if (!search_same_packages(s, &like, &s->sets[i])) s->sets[kept++] = s->sets[i];
  s->sets[kept++] = s->tries[0];
  s->set_count = kept;
}

/* ---- results ----------------------------------------- */

static int domain_row_order(const void *a, const void *b) {
  size_t x = *(const size_t *)a, y = *(const size_t *)b;
  return (x > y) - (x < y);
}

static int domain_order(const void *a, const void *b) {
  const pprofc_verdict_domain *x = a, *y = b;
  return (x->rows[0] > y->rows[0]) - (x->rows[0] < y->rows[0]);
}

static bool domain_keep(const struct domain_search *s, const struct domain_set *set,
                        const struct domain_sum *sum, pprofc_verdict_domain *domain) {
  struct arena *arena = &s->r->c->arena;
  size_t *rows = arena_array(arena, set->member_count, sizeof *rows);
  pprofc_str name = arena_str(arena, set->name), renamed = arena_str(arena, set->renamed);
  if (!rows || !name.data || !renamed.data) return false;
  for (size_t i = 0; i < set->member_count; i++) rows[i] = s->r->candidates[set->members[i]].row;
  qsort(rows, set->member_count, sizeof *rows, domain_row_order);
  *domain = (pprofc_verdict_domain){.kind = set->kind,
                                    .name = name,
                                    .renamed = renamed,
                                    .net = sum->shown,
                                    .moved = !pprofc_verdict_is_change(sum->shown.own),
                                    .rows = rows,
                                    .row_count = set->member_count};
  return true;
}

static bool domains_keep(const struct domain_search *s) {
  struct comparison *c = s->r->c;
  struct domain_sum *sums = arena_array(s->arena, s->set_count, sizeof *sums);
  c->domains = arena_array(&c->arena, s->set_count, sizeof *c->domains);
  c->domain_of = arena_array(&c->arena, c->rows, sizeof *c->domain_of);
  if (!sums || !c->domains || !c->domain_of) return false;
  if (!domain_sums(c, s->sets, s->set_count, sums)) return false;
  for (size_t i = 0; i < s->set_count; i++)
    if (!domain_keep(s, &s->sets[i], &sums[i], &c->domains[i])) return false;
  c->domain_count = s->set_count;
  qsort(c->domains, c->domain_count, sizeof *c->domains, domain_order);
  for (size_t i = 0; i < c->rows; i++) c->domain_of[i] = MAP_NONE;
  for (uint32_t i = 0; i < c->domain_count; i++)
    for (size_t k = 0; k < c->domains[i].row_count; k++) c->domain_of[c->domains[i].rows[k]] = i;
  return true;
}

const pprofc_verdict_domain *comparison_domain(const struct comparison *c, size_t row) {
  if (!c->domain_of || c->domain_of[row] == MAP_NONE) return NULL;
  return &c->domains[c->domain_of[row]];
}

bool domains_find(struct relations *r) {
  struct arena arena;
  struct domain_search s = {.r = r, .arena = &arena};
  arena_init(&arena, r->c->mem);
  search_run(&s);
  for (size_t i = 0; i < s.set_count && !s.failed; i++) search_join_renames(&s, i);
  bool done = !s.failed && (!s.set_count || domains_keep(&s));
  arena_free(&arena);
  return done;
}

/* ---- sums of domains -------------------------------- */

/* A matrix with the sum of a set in each row. The model judges the sum like any other row. */

struct sums_rows {
  double *values, *quantum, *density;
  bool *aside;
};

static void sums_fill_flat(const struct comparison *c, const struct domain_set *set, size_t at,
                           const struct sums_rows *rows) {
  const struct matrix *m = &c->flat_matrix;
  double noise = 0, value = 0, samples = 0, squares = 0;
  for (size_t i = 0; i < set->sum_count; i++) {
    size_t line = c->line[set->sum[i]];
    double of = c->flat.of[line].samples;
    samples += of;
    squares += of * of;
    for (size_t r = 0; r < m->runs; r++) {
      double x = m->values[line * m->runs + r];
      rows->values[at * m->runs + r] += x;
      value += x;
      noise += x * m->quantum[line];
    }
  }
  rows->quantum[at] = value > 0 ? noise / value : 0;
  rows->density[at] = samples > 0 ? squares / (samples * samples) : 1;
}

static void sums_fill_subtree(const struct comparison *c, size_t row, size_t at,
                              const struct sums_rows *rows) {
  const struct matrix *m = &c->cum_matrix;
  size_t line = c->line[row];
  for (size_t r = 0; r < m->runs; r++)
    rows->values[at * m->runs + r] = m->values[line * m->runs + r];
  rows->quantum[at] = m->quantum[line];
  rows->density[at] = 1;
}

/* Makes a matrix in `arena` that has a row for each set. `values` is NULL when out of memory. */
static struct sums_rows sums_matrix(const struct comparison *c, const struct domain_set *sets,
                                    size_t count, struct arena *arena) {
  size_t runs = c->flat_matrix.runs;
  struct sums_rows rows = {NULL, arena_array(arena, count, sizeof(double)),
                           arena_array(arena, count, sizeof(double)),
                           arena_zero_array(arena, count, sizeof(bool))};
  if (!rows.quantum || !rows.density || !rows.aside) return rows;
  rows.values = arena_zero_array(arena, count * runs, sizeof(double));
  for (size_t i = 0; rows.values && i < count; i++) {
    if (sets[i].subtree == DOMAIN_NO_SUBTREE)
      sums_fill_flat(c, &sets[i], i, &rows);
    else
      sums_fill_subtree(c, sets[i].subtree, i, &rows);
  }
  return rows;
}

bool domain_sums(struct comparison *c, const struct domain_set *sets, size_t count,
                 struct domain_sum *sums) {
  struct model_settings settings = comparison_settings(c);
  struct fit fit;
  struct arena arena = arena_make(c->mem);
  pprofc_verdict_estimate *words = arena_array(&arena, count, sizeof *words);
  struct sums_rows rows = sums_matrix(c, sets, count, &arena);
  struct matrix m = c->flat_matrix;
  m.rows = count;
  m.values = rows.values;
  m.quantum = rows.quantum;
  m.density = rows.density;
  m.aside = rows.aside;
  bool done = words && rows.values && model_apply(&m, &settings, &c->flat, &arena, &fit) &&
              family_words(c, &m, &fit, words);
  for (size_t i = 0; done && i < count; i++) sums[i] = (struct domain_sum){fit.of[i], words[i]};
  arena_free(&arena);
  return done;
}
