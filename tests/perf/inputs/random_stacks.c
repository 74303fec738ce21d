/* Inputs that each test a single type of load: random stacks, or a growing call tree. */
#include "inputs.h"

#include <stdlib.h>

/* ---- functions and locations: the same in every version  */

/* Sets the lines of location `i`: the lines of inlined calls, then the line of the function itself.
 * Returns their number. */
static size_t draw_lines(pprofc_line lines[4], const struct shape *shape, uint32_t i,
                         uint64_t *random, uint64_t *inlined) {
  size_t count = 0;
  if (shape->inlined && below(inlined, 3) == 0)
    for (uint32_t n = 1 + below(inlined, 3); n; n--)
      lines[count++] = (pprofc_line){below(inlined, shape->functions), 1 + below(inlined, 900), 0};
  uint32_t function = i < shape->functions ? i : below(random, shape->functions);
  lines[count++] = (pprofc_line){function, 1 + below(random, 900), 0};
  return count;
}

/* Adds functions 0, 1, 2 ... and the locations of the program. Returns NULL when out of memory. */
static uint32_t *add_program(pprofc_builder *b, const struct shape *shape) {
  uint32_t *locations = calloc(shape->locations, sizeof *locations);
  if (!locations) return NULL;
  for (uint32_t i = 0; i < shape->functions; i++) inputs_function(b, i);
  uint64_t random = 7, inlined = 8;
  uint32_t mapping = inputs_mapping(b);
  for (uint32_t i = 0; i < shape->locations; i++) {
    pprofc_line lines[4];
    size_t count = draw_lines(lines, shape, i, &random, &inlined);
    locations[i] = pprofc_builder_location(b, mapping, 0x401000 + 16 * (uint64_t)i, lines, count);
  }
  return locations;
}

/* ---- wide -------------------------------------------- */

#define WIDE_DEPTH 30

bool fill_wide(pprofc_builder *b, const struct shape *shape) {
  uint32_t *locations = add_program(b, shape);
  if (!locations) return false;
  uint64_t stacks = 11, values = 100 + shape->version, changes = 200 + shape->version;
  inputs_cpu_types(b);
  for (uint32_t i = 0; i < shape->samples; i++) {
    uint32_t frames[WIDE_DEPTH];
    for (uint32_t k = 0; k < WIDE_DEPTH; k++)
      frames[k] = locations[below(&stacks, shape->locations)];
    if (shape->version && below(&changes, 10) == 0)
      for (uint32_t k = 0; k < WIDE_DEPTH / 2; k++)
        frames[k] = locations[below(&changes, shape->locations)];
    int64_t count = 1 + below(&values, 20);
    pprofc_builder_sample(b, frames, WIDE_DEPTH, (int64_t[]){count, count * 10000000});
  }
  free(locations);
  return true;
}

/* ---- tree -------------------------------------------- */

#define TREE_DEPTH  60
#define TREE_RECENT 200 /* number of the latest calls from which a new call chooses its caller */

struct node {
  uint32_t parent, depth;
};

/* Creates a call tree with one node for each location. Node 0 is the root. */
static struct node *grow_tree(uint32_t count) {
  struct node *nodes = calloc(count, sizeof *nodes);
  if (!nodes) return NULL;
  nodes[0].depth = 1;
  uint64_t random = 13;
  for (uint32_t i = 1; i < count; i++) {
    uint32_t recent = i < TREE_RECENT ? i : TREE_RECENT;
    uint32_t parent = i - 1 - below(&random, recent);
    if (nodes[parent].depth == TREE_DEPTH)
      for (uint32_t up = 1 + below(&random, 8); up; up--) parent = nodes[parent].parent;
    nodes[i] = (struct node){parent, nodes[parent].depth + 1};
  }
  return nodes;
}

bool fill_tree(pprofc_builder *b, const struct shape *shape) {
  uint32_t *locations = add_program(b, shape);
  if (!locations) return false;
  uint64_t stacks = 17, values = 300 + shape->version, changes = 400 + shape->version;
  struct node *nodes = grow_tree(shape->locations);
  if (!nodes) {
    free(locations);
    return false;
  }
  inputs_heap_types(b);
  for (uint32_t i = 0; i < shape->samples; i++) {
    /* The tree grows while samples are added. New nodes are used more often than old nodes. */
    uint32_t grown = 1 + (uint32_t)((uint64_t)i * (shape->locations - 1) / shape->samples);
    uint32_t leaf = below(&stacks, grown), other = below(&stacks, grown);
    if (nodes[other].depth > nodes[leaf].depth) leaf = other;
    if (shape->version && below(&changes, 10) == 0) leaf = below(&changes, grown);
    uint32_t frames[TREE_DEPTH], depth = 0;
    for (uint32_t node = leaf;; node = nodes[node].parent) {
      /* Multiply by a prime, which makes the order of ids different from the order of the tree. */
      frames[depth++] = locations[(uint64_t)node * 77773 % shape->locations];
      if (node == 0) break;
    }
    inputs_heap_sample(b, i, frames, depth, &values);
  }
  free(nodes);
  free(locations);
  return true;
}

/* ---- frames ------------------------------------------ */

#define FRAMES_DEPTH 20

/* Adds stacks that are almost all different. The four frames at the leaf are random. The frames
 * above have fewer and fewer choices, and the last two are the root. */
bool fill_frames(pprofc_builder *b, const struct shape *shape) {
  uint32_t *locations = add_program(b, shape);
  if (!locations) return false;
  uint64_t stacks = 23, values = 700 + shape->version;
  inputs_cpu_types(b);
  for (uint32_t i = 0; i < shape->samples; i++) {
    uint32_t frames[FRAMES_DEPTH];
    for (uint32_t k = 0; k < FRAMES_DEPTH - 2; k++) {
      uint32_t choice = k < 4 ? shape->locations - 2 : 40 * (60 - 2 * k);
      frames[k] = locations[2 + below(&stacks, choice)];
    }
    frames[FRAMES_DEPTH - 2] = locations[1];
    frames[FRAMES_DEPTH - 1] = locations[0];
    int64_t count = 1 + below(&values, 9);
    pprofc_builder_sample(b, frames, FRAMES_DEPTH, (int64_t[]){count, count * 10000000});
  }
  free(locations);
  return true;
}

/* ---- small ------------------------------------------- */

bool fill_small(pprofc_builder *b, const struct shape *shape) {
  uint32_t *locations = add_program(b, shape);
  if (!locations) return false;
  uint64_t stacks = 19, values = 500 + shape->version, changes = 600 + shape->version;
  inputs_cpu_types(b);
  pprofc_builder_time(b, 1700000000000000000 + shape->version, 10000000000);
  for (uint32_t i = 0; i < shape->samples; i++) {
    uint32_t frames[32], depth = 12 + below(&stacks, 20), at = below(&stacks, shape->locations);
    for (uint32_t k = 0; k < depth; k++) {
      frames[k] = locations[at];
      at = (at * 5 + 1 + below(&stacks, 3)) % shape->locations;
    }
    if (shape->version && below(&changes, 20) == 0)
      frames[0] = locations[below(&changes, shape->locations)];
    int64_t count = 1 + below(&values, 9);
    pprofc_builder_sample(b, frames, depth, (int64_t[]){count, count * 10000000});
  }
  free(locations);
  return true;
}
