/* Measurements in pairs: those of one benchmark in one unit, before a change and after it. The gate
 * compares pairs, and learns noise from them.
 *
 * Tables (tables.h) group by projections that the user chooses, into any number of columns. Pairs
 * have one fixed key and two sides, and keep the order of measurement, because drift and rounds
 * depend on it; docs/ARCHITECTURE.md gives the reasons. */
#ifndef PPROFC_BENCH_PAIRS_H
#define PPROFC_BENCH_PAIRS_H

#include "bench/set.h"

enum { PAIR_BASE, PAIR_HEAD, PAIR_SIDES };

struct pair_side {
  size_t first, count;  /* values of the pairs */
  uint32_t input, line; /* of the first one; mean nothing when count is 0 */
};

struct pair {
  uint32_t package, unit; /* texts of the pairs */
  uint32_t name;          /* string of the set */
  bool bad;               /* a value is no finite number */
  struct pair_side sides[PAIR_SIDES];
};

struct pairs {
  const pprofc_allocator *mem;
  const struct pprofc_bench *set;
  uint32_t head;         /* the label of inputs of the head, a string of the set */
  struct arena arena;    /* bytes of texts */
  struct interner texts; /* packages, units, rounds; 0 is the empty one */
  struct map map;        /* package, name and unit to index */
  struct pair *items;    /* in order of first measurement */
  size_t count, capacity;
  size_t
      expected; /* the pair behind the last one that was found: runs mostly have the same order */
  uint32_t
      *units; /* texts: two for each unit of the set, the second of zeros; MAP_NONE: not known */
  size_t unit_count;
  /* One entry a measurement; those of a side follow one another in the order of the inputs. */
  double *values;
  uint32_t *rounds; /* texts: the value of the key "round"; 0 for none. NULL: no value has one */
  uint32_t *inputs; /* of the set; NULL when there is a head */
  bool has_rounds;
  size_t value_count;
  size_t *flaws; /* results: the first bad value of each bad pair, in the order of the inputs */
  size_t flaw_count, flaw_capacity;
};

/* Groups the measurements of a set, which must outlive the pairs. Inputs with the label `head` are
 * that side, all others the base; with NULL all are the base. Units are tidied: "0 ns/op" is in
 * sec/op, too. CPU time in two parts (user-sec/op, sys-sec/op) also counts as their sum
 * (cpu-sec/op). False when out of memory; free the pairs even then. */
bool pairs_make(struct pairs *pairs, const struct pprofc_bench *set, const char *head,
                const pprofc_allocator *mem);
void pairs_free(struct pairs *pairs);

/* The same in two steps: pairs_group finds the pairs and counts their measurements, pairs_store
 * gives them these. `forgets` is the set when its results and measurements are not read again, or
 * NULL: they are given back as they are stored. */
bool pairs_group(struct pairs *pairs, const struct pprofc_bench *set, const char *head,
                 const pprofc_allocator *mem);
bool pairs_store(struct pairs *pairs, const struct pprofc_bench *forgets);

/* Gives back what is stored of the pairs before `end`: it is not read again. */
void pairs_forget(const struct pairs *pairs, size_t end);

static inline pprofc_str pairs_text(const struct pairs *pairs, uint32_t id) {
  return pairs->texts.items[id];
}

#endif
