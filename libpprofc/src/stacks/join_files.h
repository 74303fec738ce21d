/* Finds the functions that base and head have in common. The functions of a pair have the same
 * name, but their files may be in different folders. docs/FLAMEGRAPHS.md has the rule. All reports
 * that join frames of base and head follow this rule. */
#ifndef PPROFC_STACKS_JOIN_FILES_H
#define PPROFC_STACKS_JOIN_FILES_H

#include "core/map.h"
#include "profile/profile.h"

#define SIDE_HEAD 1u
#define SIDE_BASE 2u

/* A function: its name and its file. */
struct joined_function {
  uint64_t name;  /* number that identifies the name; equal names have equal numbers */
  uint32_t file;  /* id of the file in the interner; join_files replaces the file of a base function
                     by the paired file of the head */
  uint32_t index; /* index of the function, which the caller sets, because join_files changes the
                     order */
  uint8_t sides;  /* set of the sides (SIDE_...) that have the function */
};

/* Replaces the file of each function of the base by the file of the same function in the head.
 * Sorts the functions. Returns false when out of memory. */
bool join_files(struct joined_function *functions, size_t count, const struct interner *texts,
                const pprofc_allocator *mem);

/* True if the profile is a difference: it has samples of a base, or values below zero. */
bool has_sides(const pprofc_profile *profile);

/* Returns for each location the set of sides (SIDE_...) whose samples use it. Ignores samples whose
 * values are all 0. The array is in the arena. Returns NULL when out of memory. */
uint8_t *location_sides(const pprofc_profile *profile, struct arena *arena);

#endif
