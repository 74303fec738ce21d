/* Implements `pprofci leaks`: its options, its input and its output. */
#ifndef PPROFCI_LEAKS_COMMAND_H
#define PPROFCI_LEAKS_COMMAND_H

#include "commands.h"
#include "leaks/leaks.h"

#define IGNORES_MAX 64

struct leaks_command {
  bool json, list_ignored;
  const char *folded;
  int64_t top, warmup;
  double floor_kb, floor_count, kept, alpha;
  const char *ignore[IGNORES_MAX];
  size_t ignore_count;
  uint64_t brief_bytes;
};

/* Checks the command line. */
pprofc_status leaks_check(void *options, const struct command_line *line, pprofc_error *error);

/* Profiles in files and folders that can show leaks. */
struct leaks_inputs {
  struct arena arena;
  struct leak_input *items;
  size_t count, capacity;
  size_t others; /* number of profiles of other kinds, which are skipped */
};

/* Reads the profiles. The caller frees them, also after an error. */
pprofc_status leaks_load(struct leaks_inputs *inputs, const char *const *sources, size_t count,
                         pprofc_error *error);
void leaks_inputs_free(struct leaks_inputs *inputs);

void leaks_print_text(const struct leaks *leaks, size_t top, struct output *out);
bool leaks_print_json(const struct leaks *leaks, struct output *out);

/* Prints the growth of each stack that leaks or belongs to a leaking site: "root;...;leaf 12". */
pprofc_status leaks_print_folded(const void *leaks, struct output *out, pprofc_error *error);

#endif
