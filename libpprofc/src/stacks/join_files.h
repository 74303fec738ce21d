/* Finds the functions that base and head have in common: functions with the same name, from sources
 * built in any folder. docs/FLAMEGRAPHS.md has the rule; every report that joins frames uses these
 * functions. */
#ifndef PPROFC_STACKS_JOIN_FILES_H
#define PPROFC_STACKS_JOIN_FILES_H

#include "core/map.h"
#include "profile/profile.h"

#define SIDE_HEAD 1u
#define SIDE_BASE 2u

/* A function by its name and its file. */
struct joined_function {
  uint64_t name;  /* number of the name; equal for equal names */
  uint32_t file;  /* id of the file in the interner; a path of base becomes the path of head */
  uint32_t index; /* index of the entry, set by the caller */
  uint8_t sides;  /* set of the sides (SIDE_...) that have the function */
};

/* Gives each function of the base the file of the same function in the head. Sorts the functions.
 * Returns false when out of memory. */
bool join_files(struct joined_function *functions, size_t count, const struct interner *texts,
                const pprofc_allocator *mem);

/* True if the profile is a difference: with samples of a base, or with values below zero. */
bool has_sides(const pprofc_profile *profile);

/* Returns the sides whose samples use each location, in the arena; samples without a value count
 * for no side. Returns NULL when out of memory. */
uint8_t *location_sides(const pprofc_profile *profile, struct arena *arena);

#endif
