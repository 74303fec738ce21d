/* Pairs of measurements: one benchmark in one unit, before and after a change. The gate compares
 * pairs and estimates noise from them.
 *
 * Tables (tables.h) group by projections that the user chooses, into any number of columns. Pairs
 * have one fixed key and two sides, and keep the order of measurement, because drift and rounds
 * depend on this order; docs/EXTENDING.md gives the reasons. */
#ifndef PPROFC_BENCH_PAIRS_H
#define PPROFC_BENCH_PAIRS_H

#include "bench/set.h"

enum { PAIR_BASE, PAIR_HEAD, PAIR_SIDES };

struct pair_side {
  size_t first, count;  /* range of the pair's measurements in pairs.values */
  uint32_t input, line; /* input and line of the first value; undefined if count is 0 */
};

struct pair {
  uint32_t package, unit; /* text indices of the package and the unit */
  uint32_t name;          /* string index of the name in the set */
  bool bad;               /* true if a value is not a finite number */
  bool rescaled; /* true if the gate divided the values by the speed of the machine in each round */
  struct pair_side sides[PAIR_SIDES];
};

struct pairs {
  const pprofc_allocator *mem;
  const struct pprofc_bench *set;
  uint32_t head;         /* string index in the set: label of the inputs of the head */
  struct arena arena;    /* arena that holds the texts */
  struct interner texts; /* packages, units and rounds; text 0 is "" */
  struct map map;        /* index of a pair by package, name and unit */
  struct pair *items;    /* pairs in order of first measurement */
  size_t count, capacity;
  size_t expected; /* index after the pair found last; it is tried first, because runs mostly have
                      the same order */
  uint32_t *units; /* text indices of the tidied units: two per unit of the set, the second for
                      values of zero; MAP_NONE if not known yet */
  size_t unit_count;
  /* One entry per measurement. The measurements of a side are contiguous, in the order of the
   * inputs. */
  double *values;
  uint32_t
      *rounds; /* text index of each measurement's round: the process if the side has several, and
                  the value of the key "round"; 0: neither. NULL if no measurement has a round */
  uint32_t *inputs; /* index of the input of each measurement; NULL if there is a head */
  bool has_rounds;
  size_t value_count;
  size_t *flaws; /* for each bad pair, in input order: index of the first result with a bad value */
  size_t flaw_count, flaw_capacity;
  size_t processes[PAIR_SIDES]; /* number of processes; 0 if the side has no input */
};

/* Groups the measurements of a set, which must outlive the pairs. Inputs with the label `head`
 * are the head, all others the base; with NULL all are the base. Units are tidied, also for
 * zeros: "0 ns/op" becomes sec/op. CPU time in two parts (user-sec/op, sys-sec/op) also adds
 * their sum (cpu-sec/op). False when out of memory; the caller frees the pairs even then. */
bool pairs_make(struct pairs *pairs, const struct pprofc_bench *set, const char *head,
                const pprofc_allocator *mem);
void pairs_free(struct pairs *pairs);

/* Groups in two steps: pairs_group finds the pairs and counts their measurements, pairs_store
 * stores them. `releases` is the set if the caller does not need its results and measurements
 * again, or NULL; pairs_store frees them as it proceeds. */
bool pairs_group(struct pairs *pairs, const struct pprofc_bench *set, const char *head,
                 const pprofc_allocator *mem);
bool pairs_store(struct pairs *pairs, const struct pprofc_bench *releases);

/* Frees the memory of the values before `end`, which must not be read again. */
void pairs_release_values(const struct pairs *pairs, size_t end);

static inline pprofc_str pairs_text(const struct pairs *pairs, uint32_t id) {
  return pairs->texts.items[id];
}

#endif
