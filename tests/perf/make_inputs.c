/* Makes the inputs of scripts/bench.sh with the builder, from fixed seeds: `make_inputs FOLDER`.
 *
 * - wide.pb.gz: 1 M samples with random stacks of 30 out of 200 k locations and 60 k functions,
 *   ~100 MB raw
 * - tree.pb.gz: 1 M samples in one call tree that grows, up to 60 deep, ~200 MB raw, labels on a
 *   third
 * - wide2, tree2: the same programs a day later: other values, one stack in ten elsewhere
 * - frames.pb.gz: 40,000 random stacks of 20 below one root: 800,000 frames
 * - small.pb.gz: 50 KB
 * - merge/: 1,000 copies of it with differences
 *
 * Files that are there already are left alone. */
#include "pprofc/builder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* splitmix64: one word of state, good enough to shuffle stacks. */
static uint64_t next_random(uint64_t *state) {
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

static uint32_t below(uint64_t *state, uint32_t limit) {
  return (uint32_t)((next_random(state) >> 32) * limit >> 32);
}

/* What one program looks like; `version` 0 is the first recording of it. */
struct shape {
  uint32_t functions, locations, samples;
  uint32_t version;
  void (*fill)(pprofc_builder *builder, const struct shape *shape, const uint32_t *locations);
};

/* ---- functions and locations: the same in every version  */

static void add_functions(pprofc_builder *b, uint32_t count) {
  char name[96], file[64];
  for (uint32_t i = 0; i < count; i++) {
    snprintf(name, sizeof name, "service/module%" PRIu32 ".(*Handler%" PRIu32 ").call%" PRIu32,
             i % 97, i % 1009, i);
    snprintf(file, sizeof file, "service/module%" PRIu32 "/handler%" PRIu32 ".go", i % 97,
             i % 1009);
    pprofc_builder_function(b, name, NULL, file, 1 + i % 500);
  }
}

/* Function indices are 0, 1, 2 ... since the builder had none before. */
static uint32_t *add_locations(pprofc_builder *b, const struct shape *shape) {
  uint32_t *locations = calloc(shape->locations, sizeof *locations);
  if (!locations) return NULL;
  uint64_t random = 7;
  uint32_t mapping =
      pprofc_builder_mapping(b, 0x400000, 0x40000000, 0, "/usr/bin/service", "5ca1ab1e",
                             PPROFC_HAS_FUNCTIONS | PPROFC_HAS_FILENAMES | PPROFC_HAS_LINE_NUMBERS);
  for (uint32_t i = 0; i < shape->locations; i++) {
    uint32_t function = i < shape->functions ? i : below(&random, shape->functions);
    pprofc_line line = {function, 1 + below(&random, 900), 0};
    locations[i] = pprofc_builder_location(b, mapping, 0x401000 + 16 * (uint64_t)i, &line, 1);
  }
  return locations;
}

/* ---- wide -------------------------------------------- */

#define WIDE_DEPTH 30

static void fill_wide(pprofc_builder *b, const struct shape *shape, const uint32_t *locations) {
  uint64_t stacks = 11, values = 100 + shape->version, changes = 200 + shape->version;
  pprofc_builder_type(b, "samples", "count");
  pprofc_builder_type(b, "cpu", "nanoseconds");
  pprofc_builder_period(b, "cpu", "nanoseconds", 10000000);
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
}

/* ---- tree -------------------------------------------- */

#define TREE_DEPTH  60
#define TREE_RECENT 200 /* a new call is made by one of that many last ones */

struct node {
  uint32_t parent, depth;
};

/* A call tree with one node for each location; node 0 is the root. */
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

static void fill_tree(pprofc_builder *b, const struct shape *shape, const uint32_t *locations) {
  uint64_t stacks = 17, values = 300 + shape->version, changes = 400 + shape->version;
  struct node *nodes = grow_tree(shape->locations);
  if (!nodes) return;
  pprofc_builder_type(b, "alloc_objects", "count");
  pprofc_builder_type(b, "alloc_space", "bytes");
  pprofc_builder_type(b, "inuse_objects", "count");
  pprofc_builder_type(b, "inuse_space", "bytes");
  pprofc_builder_period(b, "space", "bytes", 524288);
  for (uint32_t i = 0; i < shape->samples; i++) {
    /* The tree grows while samples come in; what is new is seen more often than what is old. */
    uint32_t grown = 1 + (uint32_t)((uint64_t)i * (shape->locations - 1) / shape->samples);
    uint32_t leaf = below(&stacks, grown), other = below(&stacks, grown);
    if (nodes[other].depth > nodes[leaf].depth) leaf = other;
    if (shape->version && below(&changes, 10) == 0) leaf = below(&changes, grown);
    uint32_t frames[TREE_DEPTH], depth = 0;
    for (uint32_t node = leaf;; node = nodes[node].parent) {
      /* A prime that scatters: ids say nothing about the place in the tree. */
      frames[depth++] = locations[(uint64_t)node * 77773 % shape->locations];
      if (node == 0) break;
    }
    int64_t objects = 1 + below(&values, 50), size = 16 << below(&values, 12);
    int64_t live = below(&values, 3) == 0 ? objects / 2 : 0;
    pprofc_builder_sample(b, frames, depth,
                          (int64_t[]){objects, objects * size, live, live * size});
    if (i % 3 == 0) {
      char thread[32];
      snprintf(thread, sizeof thread, "worker-%" PRIu32, below(&values, 64));
      pprofc_builder_label(b, "thread", thread);
      pprofc_builder_number_label(b, "bytes", size, "bytes");
    }
  }
  free(nodes);
}

/* ---- frames ------------------------------------------ */

#define FRAMES_DEPTH 20

/* Hardly any two stacks are equal: four frames at the leaf may be anything, those above are fewer
 * and fewer, and the last two are the root. */
static void fill_frames(pprofc_builder *b, const struct shape *shape, const uint32_t *locations) {
  uint64_t stacks = 23, values = 700 + shape->version;
  pprofc_builder_type(b, "samples", "count");
  pprofc_builder_type(b, "cpu", "nanoseconds");
  pprofc_builder_period(b, "cpu", "nanoseconds", 10000000);
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
}

/* ---- small ------------------------------------------- */

static void fill_small(pprofc_builder *b, const struct shape *shape, const uint32_t *locations) {
  uint64_t stacks = 19, values = 500 + shape->version, changes = 600 + shape->version;
  pprofc_builder_type(b, "samples", "count");
  pprofc_builder_type(b, "cpu", "nanoseconds");
  pprofc_builder_period(b, "cpu", "nanoseconds", 10000000);
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
}

/* ---- files ------------------------------------------- */

static bool write_profile(const char *path, const struct shape *shape) {
  if (access(path, F_OK) == 0) return true;
  pprofc_error error = {PPROFC_E_NOMEM, PPROFC_NO_OFFSET, "out of memory"};
  pprofc_profile *profile = NULL;
  pprofc_builder *b = pprofc_builder_new(NULL);
  if (b) {
    add_functions(b, shape->functions);
    uint32_t *locations = add_locations(b, shape);
    if (locations) shape->fill(b, shape, locations);
    free(locations);
    if (locations) pprofc_builder_finish(b, &profile, &error);
    pprofc_builder_free(b);
  }
  bool written = profile && pprofc_profile_write_file(profile, path, &error) == PPROFC_OK;
  pprofc_profile_release(profile);
  if (!written) fprintf(stderr, "make_inputs: %s: %s\n", path, error.message);
  return written;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    struct shape shape;
  } files[] = {
      {"wide.pb.gz", {60000, 200000, 1000000, 0, fill_wide}},
      {"wide2.pb.gz", {60000, 200000, 1000000, 1, fill_wide}},
      {"tree.pb.gz", {60000, 200000, 1000000, 0, fill_tree}},
      {"tree2.pb.gz", {60000, 200000, 1000000, 1, fill_tree}},
      {"frames.pb.gz", {60000, 120000, 40000, 0, fill_frames}},
      {"small.pb.gz", {600, 1500, 1200, 0, fill_small}},
  };
  if (argc != 2) {
    fprintf(stderr, "usage: make_inputs FOLDER\n");
    return 1;
  }
  char path[4096];
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    snprintf(path, sizeof path, "%s/%s", argv[1], files[i].name);
    if (!write_profile(path, &files[i].shape)) return 1;
  }
  snprintf(path, sizeof path, "%s/merge", argv[1]);
  mkdir(path, 0777);
  for (uint32_t i = 0; i < 1000; i++) {
    struct shape shape = {600, 1500, 1200, i, fill_small};
    snprintf(path, sizeof path, "%s/merge/%04" PRIu32 ".pb.gz", argv[1], i);
    if (!write_profile(path, &shape)) return 1;
  }
  return 0;
}
