/* Pairs of measurements: one benchmark in one unit, before and after a change. The gate compares
 * pairs, and estimates noise from them. Unlike tables (tables.h), pairs have a fixed key and two
 * sides, base and head. They keep the order of measurement, because drift and rounds depend on this
 * order. */
#ifndef PPROFC_BENCH_PAIRS_H
#define PPROFC_BENCH_PAIRS_H

#include "bench/set.h"

enum { PAIR_BASE, PAIR_HEAD, PAIR_SIDES };

struct pair_side {
  /* first: index in pairs.values of the first measurement of this side (base or head); count:
   * number of measurements of this side */
  size_t first, count;
  uint32_t input, line; /* input and line of the first measurement; undefined if count is 0 */
};

struct pair {
  uint32_t package, unit; /* indices in pairs.texts of the package's name and the unit */
  uint32_t name;          /* string index of the benchmark's name in the set */
  bool bad;               /* true if a value is not a finite number */
  bool rescaled; /* true if the gate divided the values by the machine's speed in each round */
  struct pair_side sides[PAIR_SIDES];
};

struct pairs {
  const pprofc_allocator *mem;
  const struct pprofc_bench *set;
  uint32_t head; /* string index of the label of the head's inputs; all other inputs are the base */
  struct arena arena;    /* memory for the texts */
  struct interner texts; /* packages, units and rounds; text 0 is "" */
  struct map map;        /* map from package, name and unit to the index of the pair */
  struct pair *items;    /* pairs in the order of their first measurement */
  size_t count, capacity;
  size_t expected; /* index of the pair that the next search tries first, because most inputs list
                      the benchmarks in the same order */
  uint32_t *units; /* cache of indices in `texts`: [2 * u] for values in unit u of the set, [2 * u +
                      1] for a value of 0 in unit u (pairs_add_unit); MAP_NONE: unknown */
  size_t unit_count;
  /* Value of each measurement. Each side (base or head) of a pair has adjacent values, in the order
   * of the inputs. */
  double *values;
  /* for each measurement, index in `texts` of its round: the value of the key "round", or
   * "PROCESS/ROUND" for a side (base or head) with several processes. NULL: no rounds. */
  uint32_t *rounds;
  uint32_t *inputs; /* for each measurement, index of its input; NULL if the argument `head` of
                       pairs_make was not NULL */
  bool has_rounds;
  size_t value_count;
  /* for each `bad` pair, the index in set->results of the first result with a value that is not a
   * finite number; ascending */
  size_t *flaws;
  size_t flaw_count, flaw_capacity;
  size_t processes[PAIR_SIDES]; /* for base and for head, number of processes that ran benchmarks */
};

/* Groups the measurements of a set. The set must outlive the pairs. Inputs with the label `head`
 * are the head, and all others are the base. If `head` is NULL, all are the base. Tidies the units,
 * even for values of 0: "0 ns/op" becomes sec/op. If CPU time has two parts (user-sec/op,
 * sys-sec/op), adds their sum (cpu-sec/op). Returns false when out of memory; the caller frees the
 * pairs even then. */
bool pairs_make(struct pairs *pairs, const struct pprofc_bench *set, const char *head,
                const pprofc_allocator *mem);
void pairs_free(struct pairs *pairs);

/* These functions do the work of pairs_make in two steps. pairs_group finds the pairs, and counts
 * their measurements. pairs_store stores the measurements. `releases` is the set if pairs_store may
 * free the results and measurements of the set; otherwise it is NULL. */
bool pairs_group(struct pairs *pairs, const struct pprofc_bench *set, const char *head,
                 const pprofc_allocator *mem);
bool pairs_store(struct pairs *pairs, const struct pprofc_bench *releases);

/* Frees the memory of the values before index `end`. Afterwards, the caller must not read these
 * values. */
void pairs_release_values(const struct pairs *pairs, size_t end);

static inline pprofc_str pairs_text(const struct pairs *pairs, uint32_t id) {
  return pairs->texts.items[id];
}

#endif
