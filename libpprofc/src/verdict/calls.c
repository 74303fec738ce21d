/* Explains functions whose cum value grew. For each of them, judges the sum of the self values of
 * all its direct and indirect callees, including calls from other functions. If that sum did not
 * grow, calls only moved to the function from other callers. */
#include "verdict/relations.h"

#include <stdlib.h>

/* Largest half width of a sum's confidence interval, as a share of the growth of the cum value. A
 * wider interval cannot exclude the growth. */
#define CALLS_SEE 0.5

struct calls {
  struct comparison *c;
  struct arena arena;
  uint32_t grown[CANDIDATES_MOST]; /* rows of functions whose cum value grew */
  size_t count;
  uint32_t *grown_of; /* for each row: its index in `grown`, or MAP_NONE */
  uint64_t *below; /* for each function in `grown`: bit set of the functions (rows) that are leaves
                      in its stacks */
  size_t words;
};

/* Returns the growth of a row's cum value without the factor that all functions of a run share
 * (model.h). */
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
  return s->grown_of && s->below;
}

static void calls_add_stack(struct calls *s, const struct walk *walk) {
  uint32_t leaf = s->c->row_of[walk->frames[0]];
  for (size_t i = 0; i < walk->depth && leaf != MAP_NONE; i++) {
    uint32_t row = s->c->row_of[walk->frames[i]];
    uint32_t grown = row == MAP_NONE ? MAP_NONE : s->grown_of[row];
    if (grown != MAP_NONE) s->below[grown * s->words + leaf / 64] |= (uint64_t)1 << leaf % 64;
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

/* True if a row of the domain is a leaf in the stacks of the function. A domain is a group of
 * functions between which cost may have moved. */
static bool calls_reach(const uint64_t *below, const pprofc_verdict_domain *domain) {
  for (size_t k = 0; k < domain->row_count; k++)
    if (below[domain->rows[k] / 64] >> domain->rows[k] % 64 & 1) return true;
  return false;
}

/* Adds all rows of a domain (a group of functions between which cost moved) to the set `below`, if
 * the set has at least one of them. */
static void calls_add_domains(const struct calls *s, uint64_t *below) {
  for (size_t i = 0; i < s->c->domain_count; i++) {
    const pprofc_verdict_domain *domain = &s->c->domains[i];
    bool any = calls_reach(below, domain);
    for (size_t k = 0; any && k < domain->row_count; k++)
      below[domain->rows[k] / 64] |= (uint64_t)1 << domain->rows[k] % 64;
  }
}

/* Returns the estimate of the whole set. If a domain in the set grew more, returns the domain's
 * estimate, because cost of other rows may have moved out of the set. A domain is a group of
 * functions between which cost may have moved. */
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
    if (below[i / 64] >> i % 64 & 1) set->sum[set->sum_count++] = i;
  return set->sum != NULL;
}

/* Stores the sums whose interval is narrow enough to show whether the cost grew. */
static bool calls_keep(const struct calls *s, const struct domain_sum *sums) {
  struct comparison *c = s->c;
  pprofc_verdict_domain *kept = arena_array(&c->arena, s->count, sizeof *kept);
  size_t *rows = arena_array(&c->arena, s->count, sizeof *rows);
  c->calls_of = arena_zero_array(&c->arena, c->rows, sizeof *c->calls_of);
  if (!kept || !rows || !c->calls_of) return false;
  for (size_t i = 0; i < s->count; i++) {
    uint32_t row = s->grown[i];
    double half = (sums[i].own.high - sums[i].own.low) / 2;
    if (sums[i].shown.own < PPROFC_VERDICT_UNCHANGED) continue;
    if (!(half <= CALLS_SEE * calls_growth(c, row))) continue;
    rows[i] = row;
    kept[i] = (pprofc_verdict_domain){.kind = PPROFC_DOMAIN_CALLER,
                                      .name = c->row[row].name,
                                      .renamed = STR(""),
                                      .net = calls_net(s, i, &sums[i]),
                                      .rows = &rows[i],
                                      .row_count = 1};
    kept[i].moved = !pprofc_verdict_is_change(kept[i].net.own);
    c->calls_of[row] = &kept[i];
  }
  return true;
}

static bool calls_judge(struct calls *s) {
  struct domain_set *sets = arena_array(&s->arena, s->count, sizeof *sets);
  struct domain_sum *sums = arena_array(&s->arena, s->count, sizeof *sums);
  bool done = sets && sums && calls_read(s);
  for (size_t i = 0; i < s->count && done; i++) done = calls_fill(s, i, &sets[i]);
  return done && domain_sums(s->c, sets, s->count, sums) && calls_keep(s, sums);
}

pprofc_status calls_find(struct comparison *c, pprofc_error *error) {
  struct calls *s = mem_array(c->mem, 1, sizeof *s);
  if (!s) return error_nomem(error);
  *s = (struct calls){.c = c};
  arena_init(&s->arena, c->mem);
  bool done = calls_begin(s) && (!s->count || calls_judge(s));
  arena_free(&s->arena);
  mem_free(c->mem, s, 1, sizeof *s);
  return done ? PPROFC_OK : error_nomem(error);
}
