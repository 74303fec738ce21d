/* Finds pairs of functions whose changes cancel: cost that moved, was renamed or was inlined. Finds
 * callers whose change comes from their callees. */
#include "verdict/compare.h"

#include "core/array.h"
#include "verdict/similar.h"

#include <math.h>
#include <stdlib.h>

/* Number of the largest changes that can form pairs. */
#define CANDIDATES_MOST 512
/* A pair cancels when the rest is at most this share of the larger change. */
#define BALANCE_MOST 0.25
/* The weaker half of a pair has at least this raw p. */
#define WEAK_P 0.05

/* A pair of changes that cancel. */
struct balance {
  double rest;
  uint32_t fell, rose; /* indices of candidates */
};

struct relations {
  struct comparison *c;
  uint32_t *candidates; /* [CANDIDATES_MOST] rows */
  size_t count;
  struct balance *pairs;
  size_t pair_count, pair_capacity;
  uint32_t *candidate_of; /* [names] candidate of each name, or MAP_NONE */
  uint64_t *callers;      /* [count * words] a bit for each name */
  size_t words;
  double *explained; /* [names] sum of the changes of changed callees */
  size_t *seen;      /* [names] last sample that added to `explained` */
  size_t names;
};

static const pprofc_verdict_estimate *relations_flat(const struct relations *r,
                                                     uint32_t candidate) {
  return &r->c->row[r->candidates[candidate]].flat;
}

/* Returns the estimate after removing the common factor, because moved costs cancel there. */
static const struct estimate *relations_own(const struct relations *r, uint32_t candidate) {
  return &r->c->flat.of[r->c->line[r->candidates[candidate]]];
}

static void relations_choose(struct relations *r) {
  for (size_t i = 0; i < r->c->rows && r->count < CANDIDATES_MOST; i++) {
    const pprofc_verdict_estimate *e = &r->c->row[i].flat;
    bool weak = e->own == PPROFC_VERDICT_UNCHANGED && e->p < WEAK_P;
    if (weak || pprofc_verdict_is_change(e->own)) r->candidates[r->count++] = (uint32_t)i;
  }
}

/* True if two changes cancel: the rest is within their intervals and small. */
static bool relations_cancel(const struct relations *r, uint32_t fell, uint32_t rose) {
  const struct estimate *a = relations_own(r, fell), *b = relations_own(r, rose);
  if (!(a->delta < 0 && b->delta > 0)) return false;
  if (!(relations_flat(r, fell)->delta < 0 && relations_flat(r, rose)->delta > 0)) return false;
  if (!pprofc_verdict_is_change(relations_flat(r, fell)->own) &&
      !pprofc_verdict_is_change(relations_flat(r, rose)->own))
    return false;
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

/* ---- the pass over the samples ----------------------- */

static bool relations_alloc(struct relations *r) {
  const pprofc_allocator *mem = r->c->mem;
  r->names = r->c->names.texts.count;
  r->words = r->names / 64 + 1;
  r->candidate_of = mem_array(mem, r->names, sizeof *r->candidate_of);
  r->callers = mem_zero_array(mem, r->count * r->words, sizeof *r->callers);
  r->explained = mem_zero_array(mem, r->names, sizeof *r->explained);
  r->seen = mem_zero_array(mem, r->names, sizeof *r->seen);
  if (!r->candidate_of || !r->callers || !r->explained || !r->seen) return false;
  for (size_t i = 0; i < r->names; i++) r->candidate_of[i] = MAP_NONE;
  for (uint32_t i = 0; i < r->count; i++)
    r->candidate_of[interner_find(&r->c->names.texts, r->c->row[r->candidates[i]].name)] = i;
  return true;
}

static void relations_add_callers(struct relations *r, const struct walk *walk) {
  for (size_t i = 0; i + 1 < walk->depth; i++) {
    uint32_t candidate = r->candidate_of[walk->frames[i]], caller = walk->frames[i + 1];
    if (candidate == MAP_NONE) continue;
    r->callers[candidate * r->words + caller / 64] |= (uint64_t)1 << caller % 64;
  }
}

/* Adds the change of a changed leaf to each of its callers. */
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
    bool more = true;
    walk_restart(walk);
    while (more) {
      if (!walk_next(walk, &more)) return false;
      if (!more) break;
      relations_add_callers(r, walk);
      relations_explain(r, walk, weight, ++stamp);
    }
  }
  return true;
}

/* ---- relations --------------------------------------- */

static bool relations_calls(const struct relations *r, uint32_t caller, uint32_t callee) {
  pprofc_str name = r->c->row[r->candidates[caller]].name;
  uint32_t id = interner_find(&r->c->names.texts, name);
  return r->callers[callee * r->words + id / 64] >> id % 64 & 1;
}

static bool relations_share_caller(const struct relations *r, uint32_t a, uint32_t b) {
  for (size_t i = 0; i < r->words; i++)
    if (r->callers[a * r->words + i] & r->callers[b * r->words + i]) return true;
  return false;
}

static pprofc_verdict_relation relations_kind(const struct relations *r, uint32_t a, uint32_t b) {
  if (relations_calls(r, a, b) || relations_calls(r, b, a)) return PPROFC_RELATION_INLINED;
  if (!relations_share_caller(r, a, b)) return PPROFC_RELATION_NONE;
  bool replaced = relations_flat(r, a)->head == 0 && relations_flat(r, b)->base == 0;
  if (!replaced) return PPROFC_RELATION_MOVED;
  pprofc_str gone = r->c->row[r->candidates[a]].name, made = r->c->row[r->candidates[b]].name;
  return names_similar(gone, made) ? PPROFC_RELATION_RENAMED : PPROFC_RELATION_NONE;
}

/* Takes pairs with the smallest rest first, each function once. */
static void relations_mark_pairs(struct relations *r) {
  for (size_t i = 0; i < r->pair_count; i++) {
    size_t fell = r->candidates[r->pairs[i].fell], rose = r->candidates[r->pairs[i].rose];
    pprofc_verdict_row *a = &r->c->row[fell], *b = &r->c->row[rose];
    if (a->relation || b->relation) continue;
    pprofc_verdict_relation kind = relations_kind(r, r->pairs[i].fell, r->pairs[i].rose);
    if (kind == PPROFC_RELATION_NONE) continue;
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
    /* Exact counts that differ by less than the floor are unchanged. */
    if (r->c->quantum.sampling == SAMPLING_EXACT) half = EXACT_FLOOR * r->c->mean_total;
    row->via_callee = explained != 0 && fabs(row->cum.delta - explained) <= half;
  }
}

static void relations_free(struct relations *r) {
  const pprofc_allocator *mem = r->c->mem;
  mem_free(mem, r->candidates, CANDIDATES_MOST, sizeof *r->candidates);
  ARRAY_FREE(mem, r->pairs, r->pair_capacity);
  mem_free(mem, r->candidate_of, r->names, sizeof *r->candidate_of);
  mem_free(mem, r->callers, r->count * r->words, sizeof *r->callers);
  mem_free(mem, r->explained, r->names, sizeof *r->explained);
  mem_free(mem, r->seen, r->names, sizeof *r->seen);
}

/* Reads the samples again only if something changed. */
pprofc_status relations_find(struct comparison *c, pprofc_error *error) {
  struct relations r = {.c = c};
  r.candidates = mem_array(c->mem, CANDIDATES_MOST, sizeof *r.candidates);
  bool done = r.candidates != NULL;
  if (done) relations_choose(&r);
  if (done && r.count && c->summary.changed) {
    done = relations_pair(&r) && relations_alloc(&r) && relations_walk(&r);
    if (done) relations_mark_pairs(&r);
    if (done) relations_mark_callers(&r);
  }
  relations_free(&r);
  return done ? PPROFC_OK : error_nomem(error);
}
