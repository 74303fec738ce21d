/* Compares two profiles and prints what became slower and faster, largest change first. With more
 * than two profiles, adds up all but the first, and compares the sum with the first.
 *
 *   cc diff_profiles.c $(pkg-config --cflags --libs pprofc) -o diff_profiles
 *   ./diff_profiles old.pb.gz new.pb.gz */
#include <pprofc/pprofc.h>
#include <stdio.h>

static int write_to_file(void *file, const void *data, size_t size) {
  return fwrite(data, 1, size, file) == size ? 0 : -1;
}

int main(int argc, char **argv) {
  pprofc_profile *difference = NULL;
  pprofc_sources_options sources;
  pprofc_error error;
  if (argc < 3) return fprintf(stderr, "usage: diff_profiles OLD NEW...\n"), 1;
  const char *const *paths = (const char *const *)argv;
  pprofc_sources_options_init(&sources);
  sources.bases = paths + 1;
  sources.base_count = 1;
  pprofc_status status =
      pprofc_sources_read(paths + 2, (size_t)argc - 2, &sources, &difference, &error);
  if (status == PPROFC_OK) {
    pprofc_report_options options;
    pprofc_report_options_init(&options);
    options.format = "top";
    options.nodecount = 10;
    status = pprofc_report(difference, &options, write_to_file, stdout, &error);
  }
  if (status != PPROFC_OK) fprintf(stderr, "diff_profiles: %s\n", error.message);
  pprofc_profile_release(difference);
  return status != PPROFC_OK;
}
