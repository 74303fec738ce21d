/* Finds renames by names, callers and callees. Costs decide only between equal evidence. */
#include "core/array.h"
#include "verdict/name_parts.h"
#include "verdict/relations.h"

#include <math.h>
#include <stdlib.h>

/* Scores for the names of a pair. Equal last parts score SCORE_LAST. If the types are also equal,
 * SCORE_LOCAL is added. Callers and callees together add at most 2. */
#define SCORE_LAST  4.0
#define SCORE_LOCAL 2.0
/* Minimum score of two names with different last parts. Callers and callees of both names must be
 * nearly equal for this score. */
#define SCORE_SETS 1.5
/* A pair of names is certain if its score exceeds the score of every other pair with one of its
 * names by this margin. */
#define SCORE_MARGIN 0.2

struct rename {
  double score, rest; /* evidence that both are one function; difference of their costs */
  uint32_t gone, made;
};

struct rename_list {
  struct relations *r;
  float *scores; /* score for each old and new name; 0: no evidence */
  struct rename *items;
  size_t count, capacity;
};

static int rename_order(const void *a, const void *b) {
  const struct rename *x = a, *y = b;
  if (x->score != y->score) return x->score > y->score ? -1 : 1;
  if (x->rest != y->rest) return x->rest < y->rest ? -1 : 1;
  if (x->gone != y->gone) return x->gone < y->gone ? -1 : 1;
  return (x->made > y->made) - (x->made < y->made);
}

/* Returns the name without its package: "(*Writer).flush". */
static pprofc_str rename_local(const struct candidate *c) {
  const char *from =
      c->parts.type.size ? c->parts.type.data + c->parts.package.size : c->parts.last.data;
  return (pprofc_str){from, (size_t)(c->parts.last.data + c->parts.last.size - from)};
}

/* Returns the score that a vanished and a new name are one function, 0 without evidence. */
static double rename_score(const struct relations *r, uint32_t gone, uint32_t made) {
  const struct candidate *a = &r->candidates[gone], *b = &r->candidates[made];
  bool callers = relations_share_caller(r, gone, made);
  double score = sketch_overlap(&a->callers, &b->callers);
  if (callers) score = 1;
  double callees = sketch_overlap(&a->callees, &b->callees);
  if (a->parts.last.size && str_equal(a->parts.last, b->parts.last)) {
    if (a->parts.generated != b->parts.generated) return 0;
    bool local = str_equal(rename_local(a), rename_local(b));
    return score + callees + SCORE_LAST + (local ? SCORE_LOCAL : 0);
  }
  pprofc_str x = relations_row(r, gone)->name, y = relations_row(r, made)->name;
  if (!callers || !names_similar(x, y)) return 0;
  score += callees;
  return score >= SCORE_SETS ? score : 0;
}

static bool renames_fill(struct rename_list *list) {
  const struct relations *r = list->r;
  for (uint32_t i = 0; i < r->count; i++) {
    if (relations_row(r, i)->flat.head != 0) continue;
    for (uint32_t j = 0; j < r->count; j++) {
      if (relations_row(r, j)->flat.base != 0) continue;
      double score = rename_score(r, i, j);
      if (!(score > 0)) continue;
      double rest = fabs(relations_own(r, i)->delta + relations_own(r, j)->delta);
      if (!ARRAY_RESERVE(r->c->mem, list->items, list->capacity, list->count + 1)) return false;
      list->items[list->count++] = (struct rename){score, rest, i, j};
      list->scores[i * r->count + j] = (float)score;
    }
  }
  if (list->count) qsort(list->items, list->count, sizeof *list->items, rename_order);
  return true;
}

/* True if another free name has nearly the same score, so that only cost would decide. */
static bool rename_is_ambiguous(const struct rename_list *list, const struct rename *it) {
  const struct relations *r = list->r;
  float least = (float)(it->score - SCORE_MARGIN);
  for (uint32_t i = 0; i < r->count; i++) {
    if (r->candidates[i].partner != MAP_NONE) continue;
    if (i != it->made && list->scores[it->gone * r->count + i] > least) return true;
    if (i != it->gone && list->scores[i * r->count + it->made] > least) return true;
  }
  return false;
}

static void renames_pair(const struct rename_list *list) {
  for (size_t i = 0; i < list->count; i++) {
    const struct rename *it = &list->items[i];
    struct candidate *gone = &list->r->candidates[it->gone];
    struct candidate *made = &list->r->candidates[it->made];
    if (gone->partner != MAP_NONE || made->partner != MAP_NONE) continue;
    if (rename_is_ambiguous(list, it)) continue;
    gone->partner = it->made;
    made->partner = it->gone;
  }
}

bool renames_match(struct relations *r) {
  struct rename_list list = {.r = r};
  size_t cells = (size_t)r->count * r->count;
  list.scores = mem_zero_array(r->c->mem, cells, sizeof *list.scores);
  bool done = list.scores && renames_fill(&list);
  if (done) renames_pair(&list);
  mem_free(r->c->mem, list.scores, cells, sizeof *list.scores);
  ARRAY_FREE(r->c->mem, list.items, list.capacity);
  return done;
}
