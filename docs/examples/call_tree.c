/* Prints the call tree of a profile, a level deeper for each call. ^C cancels the work.
 *
 *   cc call_tree.c $(pkg-config --cflags --libs pprofc) -o call_tree
 *   ./call_tree cpu.pb.gz */
#include <pprofc/pprofc.h>
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t interrupted;

static void interrupt(int number) {
  (void)number;
  interrupted = 1;
}

/* The library calls this function while it works. Returning false cancels the work. */
static bool goes_on(void *context, uint64_t done, uint64_t total) {
  (void)context, (void)done, (void)total;
  return !interrupted;
}

static void print_tree(const pprofc_tree *tree) {
  size_t count, i, up;
  const pprofc_tree_node *nodes = pprofc_tree_nodes(tree, &count);
  for (i = 1; i < count; i++) {
    for (up = nodes[i].parent; up; up = nodes[up].parent) printf("  ");
    printf("%.*s %lld\n", (int)nodes[i].name.size, nodes[i].name.data, (long long)nodes[i].total);
  }
}

int main(int argc, char **argv) {
  pprofc_profile *profile = NULL, *watched = NULL;
  pprofc_tree *tree = NULL;
  pprofc_read_options options;
  pprofc_error error;
  pprofc_status status;
  if (argc != 2) return fprintf(stderr, "usage: call_tree PROFILE\n"), 1;
  signal(SIGINT, interrupt);
  pprofc_read_options_init(&options);
  options.progress = goes_on;
  status = pprofc_profile_read_file(argv[1], &options, &profile, &error);
  if (status == PPROFC_OK) status = pprofc_profile_watch(profile, goes_on, NULL, &watched, &error);
  if (status == PPROFC_OK) status = pprofc_tree_new(watched, NULL, &tree, &error);
  if (status == PPROFC_OK) print_tree(tree);
  if (status != PPROFC_OK)
    fprintf(stderr, "call_tree: %s: %s\n", pprofc_status_name(status), error.message);
  pprofc_tree_free(tree);
  pprofc_profile_release(watched);
  pprofc_profile_release(profile);
  return status != PPROFC_OK;
}
