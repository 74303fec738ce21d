/* Explains functions whose cum value grew. For each of them, judges the sum of the self values of
 * all its direct and indirect callees, including calls from other functions. If that sum did not
 * grow, calls only moved to the function from other callers. For a function that only the head has,
 * also judges the caller that all its stacks share. If the caller did not grow, the function only
 * took over work of the caller's former callees. */
#include "verdict/relations.h"

/* Largest half width of a sum's confidence interval, as a share of the growth of the cum value. A
 * wider interval cannot exclude the growth. */
#define CALLS_SEE 0.5
/* Maximum number of callers that struct shared_callers keeps for a function. */
#define CALLERS_MOST 16

/* Rows of the functions that call a new function in all its stacks read so far, nearest first. */
struct shared_callers {
  uint32_t rows[CALLERS_MOST];
  uint32_t count;
  bool begun; /* true if a stack was read */
};

struct calls {
  struct comparison *c;
  struct arena arena;
  uint32_t grown[CANDIDATES_MOST]; /* rows of functions whose cum value grew */
  size_t count;
  uint32_t *grown_of; /* for each row: its index in `grown`, or MAP_NONE */
  uint64_t *below; /* for each function in `grown`: bit set of the functions (rows) that are leaves
                      in its stacks */
  size_t words;
  struct shared_callers *callers; /* for each function in `grown`, the callers that all its stacks
                                     have; empty if the base has the function */
};

/* Returns the growth of a row's cum value without the factor that all functions of a run share. */
static double calls_growth(const struct comparison *c, uint32_t row) {
  return c->cum.of[c->line[row]].delta;
}

static bool calls_begin(struct calls *s) {
  const struct comparison *c = s->c;
  s->words = c->rows / 64 + 1;
  s->grown_of = arena_array(&s->arena, c->rows, sizeof *s->grown_of);
  for (uint32_t i = 0; s->grown_of && i < c->rows; i++) {
    const pprofc_verdict_estimate *cum = &c->row[i].cum;
    bool grew = pprofc_verdict_is_change(cum->own) && cum->delta > 0 && calls_growth(c, i) > 0;
    s->grown_of[i] = MAP_NONE;
    if (!grew || s->count == CANDIDATES_MOST) continue;
    s->grown_of[i] = (uint32_t)s->count;
    s->grown[s->count++] = i;
  }
  s->below = arena_zero_array(&s->arena, s->count * s->words, sizeof *s->below);
  s->callers = arena_zero_array(&s->arena, s->count, sizeof *s->callers);
  return s->grown_of && s->below && s->callers;
}

/* ---- callers of new functions ------------------------ */

/* True if a row may be the caller that explains a new function. Both base and head must have the
 * row, and the row must have at most DOMAIN_SHARE_MOST of all cost. */
static bool callers_fit(const struct comparison *c, uint32_t row) {
  if (row == MAP_NONE) return false;
  const pprofc_verdict_estimate *cum = &c->row[row].cum;
  return cum->base > 0 && cum->head > 0 && relations_is_narrow(c, cum);
}

/* True if the row is among the frames of the stack from the index `at` to the root. */
static bool callers_in(const struct comparison *c, const struct walk *walk, size_t at,
                       uint32_t row) {
  while (at < walk->depth && c->row_of[walk->frames[at]] != row) at++;
  return at < walk->depth;
}

/* Removes the callers that the current stack lacks. For the first stack, adds its callers instead.
 * The frame at `at` is the caller of the new function in this stack. */
static void callers_note(const struct comparison *c, struct shared_callers *callers,
                         const struct walk *walk, size_t at) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < callers->count; i++)
    if (callers_in(c, walk, at, callers->rows[i])) callers->rows[kept++] = callers->rows[i];
  for (size_t i = at; !callers->begun && i < walk->depth && kept < CALLERS_MOST; i++) {
    uint32_t row = c->row_of[walk->frames[i]];
    if (callers_fit(c, row)) callers->rows[kept++] = row;
  }
  callers->count = kept;
  callers->begun = true;
}

/* ---- loop over the samples --------------------------- */

static void calls_add_stack(struct calls *s, const struct walk *walk) {
  uint32_t leaf = s->c->row_of[walk->frames[0]];
  for (size_t i = 0; i < walk->depth && leaf != MAP_NONE; i++) {
    uint32_t row = s->c->row_of[walk->frames[i]];
    uint32_t grown = row == MAP_NONE ? MAP_NONE : s->grown_of[row];
    if (grown == MAP_NONE) continue;
    bits_add(&s->below[grown * s->words], leaf);
    if (!(s->c->row[row].cum.base > 0)) callers_note(s->c, &s->callers[grown], walk, i + 1);
  }
}

static bool calls_read(struct calls *s) {
  for (size_t run = 0; run < s->c->count; run++) {
    struct walk *walk = &s->c->runs[run].walk;
    walk_restart(walk);
    while (walk_next(walk)) calls_add_stack(s, walk);
    if (walk->failed) return false;
  }
  return true;
}

/* True if `below`, the set of leaves in the stacks of a function, has a row of the domain. A domain
 * is a group of functions between which cost may have moved. */
static bool calls_reach(const uint64_t *below, const pprofc_verdict_domain *domain) {
  for (size_t k = 0; k < domain->row_count; k++)
    if (bits_have(below, domain->rows[k])) return true;
  return false;
}

/* Adds rows of `domain` to the set `below`. The row `at` is in both sets. If the function of `at`
 * was renamed, adds only the row with its other name. If not, adds all rows of `domain` whose
 * functions were not renamed, because renamed functions would only widen the interval of the sum.
 */
static void calls_add_names(const struct calls *s, uint64_t *below,
                            const pprofc_verdict_domain *domain, size_t at) {
  bool paired = s->c->row[at].relation == PPROFC_RELATION_RENAMED;
  if (paired) bits_add(below, s->c->row[at].partner);
  for (size_t k = 0; !paired && k < domain->row_count; k++)
    if (s->c->row[domain->rows[k]].relation != PPROFC_RELATION_RENAMED)
      bits_add(below, domain->rows[k]);
}

/* Adds all rows of a domain (a group of functions between which cost moved) to the set `below`, if
 * the set has one of these rows. For renamed functions, calls_add_names chooses the rows. */
static void calls_add_domains(const struct calls *s, uint64_t *below) {
  for (size_t i = 0; i < s->c->domain_count; i++) {
    const pprofc_verdict_domain *domain = &s->c->domains[i];
    bool any = calls_reach(below, domain), renamed = domain->kind == PPROFC_DOMAIN_RENAMED;
    for (size_t k = 0; any && k < domain->row_count; k++) {
      size_t row = domain->rows[k];
      if (!renamed)
        bits_add(below, row);
      else if (bits_have(below, row))
        calls_add_names(s, below, domain, row);
    }
  }
}

/* Returns the estimate of `sum`, the sum of all callees. If a domain (functions between which cost
 * may have moved) contains a callee and grew more, returns the domain's estimate. The reason is
 * that cost may have moved from the callees to other functions of the domain. */
static pprofc_verdict_estimate calls_net(const struct calls *s, size_t at,
                                         const struct domain_sum *sum) {
  pprofc_verdict_estimate net = sum->shown;
  for (size_t i = 0; i < s->c->domain_count; i++) {
    const pprofc_verdict_domain *domain = &s->c->domains[i];
    bool more = !domain->moved && domain->net.delta > net.delta;
    if (more && calls_reach(&s->below[at * s->words], domain)) net = domain->net;
  }
  return net;
}

static bool calls_fill(struct calls *s, size_t at, struct domain_set *set) {
  uint64_t *below = &s->below[at * s->words];
  size_t count = 0;
  calls_add_domains(s, below);
  for (size_t i = 0; i < s->words; i++) count += (size_t)__builtin_popcountll(below[i]);
  *set = (struct domain_set){.subtree = DOMAIN_NO_SUBTREE,
                             .sum = arena_array(&s->arena, count, sizeof *set->sum)};
  for (size_t i = 0; set->sum && i < s->c->rows; i++)
    if (bits_have(below, i)) set->sum[set->sum_count++] = i;
  return set->sum != NULL;
}

/* ---- the choice -------------------------------------- */

/* Stores a sum as the explanation of a row, if the interval of the sum is narrow enough to show the
 * growth of the row. Keeps an earlier explanation if its sum did not grow, or grew less than this
 * sum. */
static void calls_keep(const struct calls *s, size_t at, const struct domain_sum *sum,
                       pprofc_verdict_domain *domain) {
  struct comparison *c = s->c;
  const pprofc_verdict_domain **kept = &c->calls_of[s->grown[at]];
  double half = (sum->own.high - sum->own.low) / 2;
  if (sum->shown.own < PPROFC_VERDICT_UNCHANGED) return;
  if (!(half <= CALLS_SEE * calls_growth(c, s->grown[at]))) return;
  domain->moved = !pprofc_verdict_is_change(domain->net.own);
  bool less = !*kept || domain->moved || domain->net.delta < (*kept)->net.delta;
  if (less && !(*kept && (*kept)->moved)) *kept = domain;
}

/* Judges the sum of all callees of each function in `grown`. */
static bool calls_judge(struct calls *s, struct domain_set *sets, struct domain_sum *sums,
                        pprofc_verdict_domain *domains) {
  for (size_t i = 0; i < s->count; i++)
    if (!calls_fill(s, i, &sets[i])) return false;
  if (!domain_sums(s->c, sets, s->count, sums)) return false;
  for (size_t i = 0; i < s->count; i++) {
    domains[i].net = calls_net(s, i, &sums[i]);
    calls_keep(s, i, &sums[i], &domains[i]);
  }
  return true;
}

/* Judges for each new function the nearest caller that is in all its stacks. */
static bool callers_judge(struct calls *s, struct domain_set *sets, struct domain_sum *sums,
                          pprofc_verdict_domain *domains) {
  size_t count = 0;
  for (size_t i = 0; i < s->count; i++)
    if (s->callers[i].count) sets[count++] = (struct domain_set){.subtree = s->callers[i].rows[0]};
  if (!count) return true;
  if (!domain_sums(s->c, sets, count, sums)) return false;
  for (size_t i = s->count; i-- > 0;) {
    if (!s->callers[i].count) continue;
    domains[i].net = sums[--count].shown;
    domains[i].name = s->c->row[s->callers[i].rows[0]].name;
    calls_keep(s, i, &sums[count], &domains[i]);
  }
  return true;
}

static bool calls_explain(struct calls *s) {
  struct comparison *c = s->c;
  struct domain_set *sets = arena_array(&s->arena, s->count, sizeof *sets);
  struct domain_sum *sums = arena_array(&s->arena, s->count, sizeof *sums);
  pprofc_verdict_domain *domains = arena_array(&c->arena, 2 * s->count, sizeof *domains);
  size_t *rows = arena_array(&c->arena, s->count, sizeof *rows);
  c->calls_of = arena_zero_array(&c->arena, c->rows, sizeof *c->calls_of);
  if (!sets || !sums || !domains || !rows || !c->calls_of || !calls_read(s)) return false;
  for (size_t i = 0; i < s->count; i++) {
    rows[i] = s->grown[i];
    domains[i] = (pprofc_verdict_domain){.kind = PPROFC_DOMAIN_CALLER,
                                         .name = c->row[rows[i]].name,
                                         .renamed = STR(""),
                                         .rows = &rows[i],
                                         .row_count = 1};
    domains[s->count + i] = domains[i];
  }
  return calls_judge(s, sets, sums, domains) && callers_judge(s, sets, sums, domains + s->count);
}

pprofc_status calls_find(struct comparison *c, pprofc_error *error) {
  struct calls s = {.c = c, .arena = arena_make(c->mem)};
  bool done = calls_begin(&s) && (!s.count || calls_explain(&s));
  arena_free(&s.arena);
  return done ? PPROFC_OK : error_nomem(error);
}
