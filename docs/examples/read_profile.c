/* Reads a profile, prints the sum of each sample type, and prints a report.
 *
 *   cc read_profile.c $(pkg-config --cflags --libs pprofc) -o read_profile
 *   ./read_profile cpu.pb.gz */
#include <pprofc/pprofc.h>
#include <stdio.h>

static int write_to_file(void *file, const void *data, size_t size) {
  return fwrite(data, 1, size, file) == size ? 0 : -1;
}

/* Prints the sum of each sample type. Row i of the array contains the values of sample i. */
static void print_sums(const pprofc_profile *profile) {
  pprofc_samples_view samples;
  pprofc_profile_samples(profile, &samples);
  printf("%zu samples, %zu functions\n", samples.count, pprofc_profile_function_count(profile));
  for (size_t type = 0; type < samples.types; type++) {
    pprofc_value_type name = pprofc_profile_type(profile, type);
    int64_t sum = 0;
    for (size_t i = 0; i < samples.count; i++) sum += samples.values[i * samples.types + type];
    printf("  %.*s: %lld %.*s\n", (int)name.type.size, name.type.data, (long long)sum,
           (int)name.unit.size, name.unit.data);
  }
}

int main(int argc, char **argv) {
  pprofc_profile *profile = NULL;
  pprofc_error error;
  if (argc != 2) return fprintf(stderr, "usage: read_profile FILE\n"), 1;
  pprofc_status status = pprofc_profile_read_file(argv[1], NULL, &profile, &error);
  if (status == PPROFC_OK) {
    print_sums(profile);
    pprofc_report_options options;
    pprofc_report_options_init(&options);
    options.format = "top";
    options.nodecount = 10;
    options.sort = "cum";
    status = pprofc_report(profile, &options, write_to_file, stdout, &error);
  }
  if (status != PPROFC_OK) fprintf(stderr, "read_profile: %s\n", error.message);
  pprofc_profile_release(profile);
  return status != PPROFC_OK;
}
