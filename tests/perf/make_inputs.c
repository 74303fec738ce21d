/* Creates the inputs of scripts/bench.sh with the builder, from fixed seeds. The command is
 * `make_inputs FOLDER [NAME ...]`.
 *
 * - golike: 1 M heap samples in one call tree like a real program's; a third of the locations has
 *   inlined calls, a third of the samples has labels; four sample types
 * - wide: 1 M samples with random stacks of 30 frames, from 200 k locations and 60 k functions;
 *   about 100 MB uncompressed
 * - wide-mid: the same with 100,000 samples, 20 MB uncompressed
 * - wide-inline: like wide, but a third of the locations has inlined calls
 * - tree: 1 M samples in one growing call tree, up to 60 frames deep; about 200 MB uncompressed;
 *   a third of the samples has labels
 * - deep: stacks of 900 to 1,050 frames from a recursion
 * - frames: 40,000 random stacks of 20 frames below a common root: 800,000 frames
 * - small: 50 KB
 * - cpu50k: 50 KB, CPU time of a program like a real one
 * - merge/: 1,000 copies of small with differences; fleet/: 10,000 recordings of the program of
 *   cpu50k
 *
 * NAME2 is the base of NAME: the same program a day later. Its values differ, and so do the stacks
 * of one sample in ten. For cpu50k the samples are from other times. Without a NAME the program
 * creates all inputs except the fleets. Existing files stay unchanged. */
#include "inputs/inputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* `files`: number of versions in a folder; 0: the input is a single file. */
static const struct input {
  const char *name;
  struct shape shape;
  uint32_t files;
} all_inputs[] = {
    {"golike", {12000, 72000, 1000000, 0, true, fill_golike}, 0},
    {"golike2", {12000, 72000, 1000000, 1, true, fill_golike}, 0},
    {"wide", {60000, 200000, 1000000, 0, false, fill_wide}, 0},
    {"wide2", {60000, 200000, 1000000, 1, false, fill_wide}, 0},
    {"wide-mid", {60000, 200000, 100000, 0, false, fill_wide}, 0},
    {"wide-inline", {60000, 200000, 1000000, 0, true, fill_wide}, 0},
    {"wide-inline2", {60000, 200000, 1000000, 1, true, fill_wide}, 0},
    {"tree", {60000, 200000, 1000000, 0, false, fill_tree}, 0},
    {"tree2", {60000, 200000, 1000000, 1, false, fill_tree}, 0},
    {"deep", {250, 1500, 50000, 0, true, fill_deep}, 0},
    {"deep2", {250, 1500, 50000, 1, true, fill_deep}, 0},
    {"frames", {60000, 120000, 40000, 0, false, fill_frames}, 0},
    {"small", {600, 1500, 1200, 0, false, fill_small}, 0},
    {"cpu50k", {450, 2700, 1000, 0, true, fill_cpu}, 0},
    {"cpu50k2", {450, 2700, 1000, 10000, true, fill_cpu}, 0},
    {"merge", {600, 1500, 1200, 0, false, fill_small}, 1000},
    {"fleet", {450, 2700, 1000, 0, true, fill_cpu}, 10000},
    {"fleet2", {450, 2700, 1000, 10000, true, fill_cpu}, 10000},
};
#define INPUT_COUNT (sizeof all_inputs / sizeof *all_inputs)

static bool write_profile(const char *path, const struct shape *shape) {
  if (access(path, F_OK) == 0) return true;
  pprofc_error error = {PPROFC_E_NOMEM, PPROFC_NO_OFFSET, "out of memory"};
  pprofc_profile *profile = NULL;
  pprofc_builder *b = pprofc_builder_new(NULL);
  if (b && shape->fill(b, shape)) pprofc_builder_finish(b, &profile, &error);
  pprofc_builder_free(b);
  bool written = profile && pprofc_profile_write_file(profile, path, &error) == PPROFC_OK;
  pprofc_profile_release(profile);
  if (!written) fprintf(stderr, "make_inputs: %s: %s\n", path, error.message);
  return written;
}

static bool make_input(const char *folder, const struct input *input) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, input->name);
  if (input->files) mkdir(path, 0777);
  int digits = input->files > 1000 ? 5 : 4;
  for (uint32_t i = 0; i < input->files; i++) {
    struct shape shape = input->shape;
    shape.version += i;
    snprintf(path, sizeof path, "%s/%s/%0*" PRIu32 ".pb.gz", folder, input->name, digits, i);
    if (!write_profile(path, &shape)) return false;
  }
  if (input->files) return true;
  snprintf(path, sizeof path, "%s/%s.pb.gz", folder, input->name);
  return write_profile(path, &input->shape);
}

static const struct input *find_input(const char *name) {
  for (size_t i = 0; i < INPUT_COUNT; i++)
    if (strcmp(name, all_inputs[i].name) == 0) return &all_inputs[i];
  return NULL;
}

static int print_usage(void) {
  fprintf(stderr, "usage: make_inputs FOLDER [NAME ...]\nnames:");
  for (size_t i = 0; i < INPUT_COUNT; i++) fprintf(stderr, " %s", all_inputs[i].name);
  fprintf(stderr, "\n");
  return 1;
}

int main(int argc, char **argv) {
  if (argc < 2 || argv[1][0] == '-') return print_usage();
  for (int i = 2; i < argc; i++)
    if (!find_input(argv[i])) return print_usage();
  for (int i = 2; i < argc; i++)
    if (!make_input(argv[1], find_input(argv[i]))) return 1;
  for (size_t i = 0; argc == 2 && i < INPUT_COUNT; i++)
    if (all_inputs[i].files <= 1000 && !make_input(argv[1], &all_inputs[i])) return 1;
  return 0;
}
