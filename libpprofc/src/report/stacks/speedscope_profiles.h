/* Chooses the profiles of a speedscope file and computes the weights of stacks. */
#ifndef PPROFC_REPORT_STACKS_SPEEDSCOPE_PROFILES_H
#define PPROFC_REPORT_STACKS_SPEEDSCOPE_PROFILES_H

#include "report/report.h"
#include "stacks/stacks.h"

/* Part of the values that a profile has. speedscope does not accept negative weights, so a
 * difference has a profile for each sign. */
enum speedscope_part { PART_ALL, PART_BASE, PART_HEAD, PART_SLOWER, PART_FASTER };

#define SPEEDSCOPE_PARTS_MAX 4

/* A profile of the file. */
struct speedscope_profile {
  size_t type; /* index of the sample type */
  enum speedscope_part part;
  const char *unit; /* name of the unit as speedscope spells it */
  int64_t factor;   /* factor that converts a value of the profile to `unit` */
  double ratio;     /* additional factor, from the option divide_by */
  int64_t least;    /* stacks below this weight share a sample */
  uint64_t total;   /* sum of all weights */
};

/* Returns the suffix for the profile's name, such as " (slower)". */
const char *speedscope_part_suffix(enum speedscope_part part);

/* Fills in the profiles of all sample types, and returns their number. Each type has the parts with
 * a total above 0, and at least one part. `profiles` has space for SPEEDSCOPE_PARTS_MAX parts of
 * each type. */
size_t speedscope_choose(const struct report *report, const struct stack_set *set,
                         struct speedscope_profile *profiles);

/* Returns the profile that opens first: the shown sample type. In a difference, it is the slower
 * part. */
size_t speedscope_active(const struct report *report, const struct speedscope_profile *profiles,
                         size_t count);

/* Returns the weight of a stack in the unit of speedscope. It is at least 0. */
int64_t speedscope_weight(const struct speedscope_profile *profile, const struct stack_set *set,
                          size_t stack);

#endif
