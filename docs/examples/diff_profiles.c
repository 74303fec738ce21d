/* Compares two profiles and prints what became slower and faster, largest change first.
 *
 *   cc diff_profiles.c $(pkg-config --cflags --libs pprofc) -o diff_profiles
 *   ./diff_profiles old.pb.gz new.pb.gz */
#include <pprofc/pprofc.h>
#include <stdio.h>

static int write_to_file(void *file, const void *data, size_t size) {
  return fwrite(data, 1, size, file) == size ? 0 : -1;
}

int main(int argc, char **argv) {
  pprofc_profile *base = NULL, *head = NULL, *difference = NULL;
  pprofc_error error;
  if (argc != 3) return fprintf(stderr, "usage: diff_profiles OLD NEW\n"), 1;
  pprofc_status status = pprofc_profile_read_file(argv[1], NULL, &base, &error);
  if (status == PPROFC_OK) status = pprofc_profile_read_file(argv[2], NULL, &head, &error);
  if (status == PPROFC_OK)
    status = pprofc_diff(head, base, PPROFC_COMPARE, false, &difference, &error);
  if (status == PPROFC_OK) {
    pprofc_report_options options;
    pprofc_report_options_init(&options);
    options.format = "top";
    options.nodecount = 10;
    status = pprofc_report(difference, &options, write_to_file, stdout, &error);
  }
  if (status != PPROFC_OK) fprintf(stderr, "diff_profiles: %s\n", error.message);
  pprofc_profile_release(difference);
  pprofc_profile_release(head);
  pprofc_profile_release(base);
  return status != PPROFC_OK;
}
