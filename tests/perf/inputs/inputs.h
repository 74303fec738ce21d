/* Creates the profiles that scripts/bench.sh measures. Declares the parameters of a simulated
 * program, and functions that add a recording of the program to a builder. All inputs have fixed
 * seeds. */
#ifndef PERF_INPUTS_H
#define PERF_INPUTS_H

#include "pprofc/builder.h"

/* Parameters of one program. `version` 0 is its first recording. Other versions have other values,
 * and a few other stacks. */
struct shape {
  uint32_t functions, locations, samples;
  uint32_t version;
  bool inlined; /* true if a third of the locations has one to three inlined calls */
  bool (*fill)(pprofc_builder *builder, const struct shape *shape); /* function that adds the
                                                                       recording; returns false when
                                                                       out of memory */
};

/* Returns the next number of the splitmix64 generator, which has one word of state. */
static inline uint64_t next_random(uint64_t *state) {
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

/* Returns a number from 0 to `limit` - 1. */
static inline uint32_t below(uint64_t *state, uint32_t limit) {
  return (uint32_t)((next_random(state) >> 32) * limit >> 32);
}

/* Adds function `number` of a program to the builder. */
uint32_t inputs_function(pprofc_builder *b, uint32_t number);
uint32_t inputs_mapping(pprofc_builder *b);
void inputs_cpu_types(pprofc_builder *b);
void inputs_heap_types(pprofc_builder *b);
/* Adds a heap sample with four values. Every third sample gets labels. */
void inputs_heap_sample(pprofc_builder *b, uint32_t number, const uint32_t *frames, size_t depth,
                        uint64_t *values);

/* ---- random stacks (random_stacks.c)  */

bool fill_wide(pprofc_builder *b, const struct shape *shape);
bool fill_tree(pprofc_builder *b, const struct shape *shape);
bool fill_frames(pprofc_builder *b, const struct shape *shape);
bool fill_small(pprofc_builder *b, const struct shape *shape);

/* ---- stacks as programs have them (programs.c)  */

bool fill_golike(pprofc_builder *b, const struct shape *shape);
bool fill_cpu(pprofc_builder *b, const struct shape *shape);
bool fill_deep(pprofc_builder *b, const struct shape *shape);

#endif
