/* Creates a small profile from a large one. Adds names to addresses, keeps the samples that go
 * through a function, drops lines and addresses, and merges samples that have become equal.
 *
 *   cc shrink_profile.c $(pkg-config --cflags --libs pprofc) -o shrink_profile
 *   ./shrink_profile large.pb.gz REGEXP small.pb.gz */
#include <pprofc/pprofc.h>
#include <stdio.h>

static void print_warning(void *context, const char *message) {
  (void)context;
  fprintf(stderr, "%s\n", message);
}

int main(int argc, char **argv) {
  pprofc_profile *large = NULL, *named = NULL, *focused = NULL, *plain = NULL, *small = NULL;
  pprofc_filter_options filter;
  pprofc_error error;
  pprofc_status status;
  if (argc != 4) return fprintf(stderr, "usage: shrink_profile LARGE REGEXP SMALL\n"), 1;
  pprofc_filter_options_init(&filter);
  filter.focus = argv[2];
  filter.warn = print_warning;
  status = pprofc_profile_read_file(argv[1], NULL, &large, &error);
  if (status == PPROFC_OK) status = pprofc_symbolize(large, NULL, &named, &error);
  if (status == PPROFC_OK) status = pprofc_filter(named, &filter, &focused, &error);
  if (status == PPROFC_OK) status = pprofc_aggregate(focused, NULL, &plain, &error);
  if (status == PPROFC_OK) {
    const pprofc_profile *sources[] = {plain};
    status = pprofc_merge(sources, 1, &small, &error);
  }
  if (status == PPROFC_OK) status = pprofc_profile_write_file(small, argv[3], &error);
  if (status != PPROFC_OK) fprintf(stderr, "shrink_profile: %s\n", error.message);
  pprofc_profile_release(small);
  pprofc_profile_release(plain);
  pprofc_profile_release(focused);
  pprofc_profile_release(named);
  pprofc_profile_release(large);
  return status != PPROFC_OK;
}
