/* Inputs with stacks like the stacks of real programs.
 *
 * A program has functions. A function has places, and each place is a call or work of the function
 * itself. A third of the places has inlined calls. A few places of each function run often, the
 * others rarely; the same is true for calls. A location gets its id at its first use, as in a
 * profiler. */
#include "inputs.h"

#include <stdlib.h>
#include <string.h>

#define PLACES     6   /* number of places of a function */
#define MAX_DEPTH  128 /* maximum depth of a stack, as in Go, which truncates deeper stacks */
#define MIN_DEPTH  12
#define MAX_INLINE 3
#define NOWHERE    UINT32_MAX

/* Returns a number below `limit`. It is the fifth power of a uniform number, which makes small
 * numbers the most frequent. */
static uint32_t skewed(uint64_t *state, uint32_t limit) {
  uint64_t unit = next_random(state) >> 32, power = unit;
  for (int i = 1; i < 5; i++) power = power * unit >> 32;
  return (uint32_t)(power * limit >> 32);
}

/* Returns the seed of a place. It depends only on the number of the place, so each use of the place
 * is the same. */
static uint64_t seed_of(uint32_t place) {
  return 0xC0FFEEu + (uint64_t)place * 0x9E3779B9u;
}

struct program {
  const struct shape *shape;
  pprofc_builder *builder;
  uint32_t mapping;
  uint32_t *locations; /* location of each place; NOWHERE before its first use */
};

static bool program_begin(struct program *p, pprofc_builder *b, const struct shape *shape) {
  *p = (struct program){shape, b, inputs_mapping(b), NULL};
  size_t size = shape->locations * sizeof *p->locations;
  p->locations = malloc(size);
  if (p->locations) memset(p->locations, 0xFF, size);
  return p->locations != NULL;
}

/* Returns the function that a place calls, or NOWHERE if the place is not a call. Functions with
 * greater numbers are closer to the leaves. */
static uint32_t callee_of(const struct program *p, uint32_t place) {
  uint64_t random = seed_of(place);
  uint32_t functions = p->shape->functions, own = place / PLACES;
  if (below(&random, 60) == 0) return NOWHERE;
  if (below(&random, 60) == 0) return own ? own - below(&random, own < 8 ? own : 8) : NOWHERE;
  uint32_t deeper = functions - own - 1;
  if (deeper < functions / 200) return NOWHERE;
  return own + 1 + skewed(&random, deeper / 2 + 1);
}

static uint32_t program_location(struct program *p, uint32_t place) {
  if (p->locations[place] != NOWHERE) return p->locations[place];
  uint64_t random = seed_of(place) ^ 0xABCDEF;
  uint32_t functions = p->shape->functions;
  pprofc_line lines[MAX_INLINE + 1];
  size_t count = 0;
  if (p->shape->inlined && below(&random, 3) == 0)
    for (uint32_t n = 1 + below(&random, MAX_INLINE); n; n--) {
      /* Inlined functions are small and used everywhere. They are the last fifth of the
       * functions. */
      uint32_t number = functions - 1 - skewed(&random, functions / 5 + 1);
      lines[count++] =
          (pprofc_line){inputs_function(p->builder, number), 1 + below(&random, 900), 0};
    }
  uint32_t outer = inputs_function(p->builder, place / PLACES);
  lines[count++] = (pprofc_line){outer, 1 + below(&random, 900), 0};
  return p->locations[place] = pprofc_builder_location(
             p->builder, p->mapping, 0x401000 + 32 * (uint64_t)place, lines, count);
}

/* ---- call trees: inputs golike and cpu50k ------------ */

struct call {
  uint32_t place, first, next; /* place of the call; first call made by it; next call of the same
                                  caller; 0: no call */
};

/* Tree of calls. Call 0 is the common root of all stacks. The tree is the same in each version of a
 * program. */
struct calls {
  struct call *calls;
  uint32_t count, most;
};

static uint32_t calls_find(const struct calls *tree, uint32_t parent, uint32_t place) {
  uint32_t at = tree->calls[parent].first;
  while (at && tree->calls[at].place != place) at = tree->calls[at].next;
  return at;
}

static uint32_t calls_add(struct calls *tree, uint32_t parent, uint32_t place) {
  uint32_t at = tree->count++;
  tree->calls[at] = (struct call){place, 0, tree->calls[parent].first};
  tree->calls[parent].first = at;
  return at;
}

/* Returns the call with which a stack continues below call `at`; 0 if the stack ends. */
static uint32_t draw_call(struct calls *tree, uint32_t at, uint32_t function, bool grows,
                          uint64_t *random) {
  uint32_t place = function * PLACES + skewed(random, PLACES);
  uint32_t found = calls_find(tree, at, place);
  if (found) return found;
  return grows ? calls_add(tree, at, place) : tree->calls[at].first;
}

/* Draws a random stack, root first. The stack ends at a place that is not a call, or earlier,
 * because functions also do work themselves. If the tree is complete, the stack continues with an
 * existing call. */
static uint32_t draw_stack(struct program *p, struct calls *tree, uint32_t room, uint64_t *random,
                           uint32_t places[MAX_DEPTH]) {
  uint32_t depth = 0, at = 0, function = skewed(random, 20);
  bool grows = tree->count < room;
  while (function != NOWHERE && depth < MAX_DEPTH) {
    at = draw_call(tree, at, function, grows, random);
    if (!at) break;
    places[depth++] = tree->calls[at].place;
    function = callee_of(p, tree->calls[at].place);
    if (depth > MIN_DEPTH && below(random, 30) == 0) break;
  }
  return depth;
}

static void frames_of(struct program *p, const uint32_t *places, uint32_t depth, uint32_t *frames) {
  for (uint32_t i = 0; i < depth; i++) frames[i] = program_location(p, places[depth - 1 - i]);
}

/* Number of calls in the tree, in percent of the number of samples. */
#define GOLIKE_GROWTH 40

bool fill_golike(pprofc_builder *b, const struct shape *shape) {
  struct program p;
  uint64_t stacks = 31, values = 800 + shape->version, changes = 900 + shape->version;
  struct calls tree = {NULL, 1, (uint32_t)((uint64_t)shape->samples * GOLIKE_GROWTH / 100)};
  tree.calls = calloc((size_t)tree.most + MAX_DEPTH, sizeof *tree.calls);
  if (!program_begin(&p, b, shape) || !tree.calls) {
    free(tree.calls);
    return false;
  }
  inputs_heap_types(b);
  for (uint32_t i = 0; i < shape->samples; i++) {
    uint32_t places[MAX_DEPTH], frames[MAX_DEPTH];
    /* The tree grows while samples are added: fast at first, then more slowly. */
    uint32_t room = tree.most / 10 + (uint32_t)((uint64_t)tree.most * 9 / 10 * i / shape->samples);
    uint32_t depth = draw_stack(&p, &tree, room, &stacks, places);
    if (shape->version && below(&changes, 10) == 0)
      depth = draw_stack(&p, &tree, 0, &changes, places);
    frames_of(&p, places, depth, frames);
    inputs_heap_sample(b, i, frames, depth, &values);
  }
  free(tree.calls);
  free(p.locations);
  return true;
}

/* Adds ten seconds of CPU time. All versions are the same program, sampled at different times. */
bool fill_cpu(pprofc_builder *b, const struct shape *shape) {
  struct program p;
  uint64_t moments = 1000 + shape->version;
  struct calls tree = {calloc((size_t)shape->samples * MAX_DEPTH, sizeof *tree.calls), 1, 0};
  if (!program_begin(&p, b, shape) || !tree.calls) {
    free(tree.calls);
    return false;
  }
  inputs_cpu_types(b);
  pprofc_builder_time(b, 1700000000000000000 + shape->version * INT64_C(10000000000), 10000000000);
  for (uint32_t i = 0; i < shape->samples; i++) {
    uint32_t places[MAX_DEPTH], frames[MAX_DEPTH];
    uint32_t depth = draw_stack(&p, &tree, UINT32_MAX, &moments, places);
    frames_of(&p, places, depth, frames);
    int64_t count = 1 + skewed(&moments, 9);
    pprofc_builder_sample(b, frames, depth, (int64_t[]){count, count * 10000000});
  }
  free(tree.calls);
  free(p.locations);
  return true;
}

/* ---- deep -------------------------------------------- */

#define DEEP_MIN 900
#define DEEP_MAX 1050
/* Number of calls that return, and of calls that begin, between two samples. */
#define DEEP_CHANGE 40

/* Adds a program that walks a tree recursively with `functions` functions that call each other. */
bool fill_deep(pprofc_builder *b, const struct shape *shape) {
  struct program p;
  uint64_t stacks = 37, values = 1100 + shape->version, changes = 1200 + shape->version;
  if (!program_begin(&p, b, shape)) return false;
  inputs_cpu_types(b);
  uint32_t stack[DEEP_MAX], depth = 0; /* frames of the stack, root first */
  for (uint32_t i = 0; i < shape->samples; i++) {
    bool elsewhere = shape->version && below(&changes, 10) == 0;
    uint64_t *random = elsewhere ? &changes : &stacks;
    uint32_t returned = 1 + below(random, DEEP_CHANGE);
    depth -= depth > returned ? returned : depth;
    uint32_t called = 1 + below(random, DEEP_CHANGE);
    while (depth < DEEP_MAX && (called || depth < DEEP_MIN)) {
      stack[depth++] = program_location(&p, skewed(random, shape->locations));
      called -= called != 0;
    }
    uint32_t frames[DEEP_MAX];
    for (uint32_t k = 0; k < depth; k++) frames[k] = stack[depth - 1 - k];
    int64_t count = 1 + below(&values, 20);
    pprofc_builder_sample(b, frames, depth, (int64_t[]){count, count * 10000000});
  }
  free(p.locations);
  return true;
}
