/* Estimates which resource limits a function, from the counters of callgrind.
 *
 * The weights are the usual estimate of cycles: 1 for an access, 5 for a first-level miss, 35 for a
 * last-level miss. System time counts as cycles at 3 GHz. Profiles of -simulate have the sums of
 * misses (L1m, LLm) instead of misses by type of access. */
#include "report/stacks/flame_costs.h"

static const struct {
  const char *kind, *type;
  double weight;
} known[] = {
    {"instruction", "Ir", 1}, {"cache", "I1mr", 5},   {"cache", "D1mr", 5},
    {"cache", "D1mw", 5},     {"memory", "ILmr", 30}, {"memory", "DLmr", 30},
    {"memory", "DLmw", 30},   {"cache", "L1m", 5},    {"memory", "LLm", 30},
    {"system", "sysTime", 3},
};

size_t flame_costs_find(const pprofc_profile *profile, struct flame_cost costs[FLAME_COSTS_MAX]) {
  size_t count = 0;
  bool instructions = false;
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    for (size_t i = 0; i < profile->type_count && count < FLAME_COSTS_MAX; i++) {
      pprofc_str type = profile_string(profile, profile->types[i].type);
      if (!str_equal(type, str_of(known[k].type))) continue;
      costs[count++] = (struct flame_cost){known[k].kind, i, known[k].weight};
      instructions |= k == 0;
    }
  return instructions && count > 1 ? count : 0;
}
