/* Iterates over the samples of a run as stacks of names. Inlined functions are frames. Drops frames
 * without a function. Also drops leaf frames that rules fold into their callers (rules.h). */
#ifndef PPROFC_VERDICT_WALK_H
#define PPROFC_VERDICT_WALK_H

#include "core/map.h"
#include "profile/stack.h"
#include "verdict/quantum.h"
#include "verdict/rules.h"

/* Names of all runs. A name gets the next id at its first use. */
struct names {
  const pprofc_allocator *mem;
  const struct rules *rules;
  struct arena arena;
  struct interner texts;
  uint8_t *flags; /* NAME_* flags for each name */
  size_t flag_capacity;
  bool lines; /* true if a name identifies a line instead of a function */
};

void names_init(struct names *names, const pprofc_allocator *mem, const struct rules *rules);
void names_free(struct names *names);

/* Returns the id of a name. Adds the name and applies the rules to it if it is new. Returns
 * MAP_NONE when out of memory. */
uint32_t names_add(struct names *names, pprofc_str name);

struct walk {
  const pprofc_profile *profile;
  const struct names *names;
  struct quantum quantum;
  bool inlines; /* true: inlined functions are frames; false: they count as part of their callers */
  uint32_t *ids; /* for each function of the profile, or for each line: id of its name */
  struct stack_reader reader;
  size_t next;
  uint32_t *frames; /* frames of the current sample, leaf first */
  size_t frame_capacity, depth;
  const int64_t *values; /* values of the current sample */
  bool failed;           /* out of memory */
};

/* Adds the names of the profile's functions or lines. Starts before the first sample. The caller
 * frees `walk`, even after an error. */
pprofc_status walk_init(struct walk *walk, const pprofc_profile *profile, size_t value,
                        bool inlines, struct names *names, pprofc_error *error);
void walk_free(struct walk *walk);

/* Moves back to the position before the first sample. */
void walk_restart(struct walk *walk);

/* Moves to the next sample with value and frame. Returns false at the end, and sets `failed` and
 * returns false when out of memory. */
bool walk_next(struct walk *walk);

#endif
