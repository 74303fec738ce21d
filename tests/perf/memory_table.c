/* Prints the table of docs/BENCHMARKS.md with the memory that each type of message needs: the
 * greatest number of allocated bytes, divided by the bytes of the profile. `memory_table` prints
 * all types. `memory_table FOLDER` instead writes the profiles into an existing folder. */
#include "counting.h"
#include "hostile.h"
#include "pprofc/report.h"
#include "pprofc/transform.h"

#include <stdio.h>

#define RAW_BYTES ((size_t)4 << 20)

/* Measured operations other than reading: formats with their arguments. */
static const struct {
  const char *format, *argument;
} reports[] = {{"top", NULL}, {"raw", NULL}, {"proto", NULL}, {"flame", "text"}, {"folded", NULL}};

static int count_only(void *context, const void *data, size_t size) {
  (void)data;
  *(size_t *)context += size;
  return 0;
}

static void print_ratio(size_t peak, size_t raw, pprofc_status status) {
  if (status == PPROFC_OK)
    printf(" %.1f |", (double)peak / (double)raw);
  else
    printf(" - |");
}

static pprofc_profile *read_with(const struct buffer *raw, const pprofc_allocator *mem) {
  pprofc_read_options options;
  pprofc_profile *profile = NULL;
  pprofc_read_options_init(&options);
  options.allocator = mem;
  options.threads = 1;
  return pprofc_profile_read_memory(raw->data, raw->size, &options, &profile, NULL) == PPROFC_OK
             ? profile
             : NULL;
}

static void print_reports(const pprofc_profile *profile, struct counting *counts, size_t raw) {
  for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
    pprofc_report_options options;
    size_t written = 0;
    pprofc_report_options_init(&options);
    options.format = reports[i].format;
    options.argument = reports[i].argument;
    options.threads = 1;
    counts->peak = counts->live;
    pprofc_status status = pprofc_report(profile, &options, count_only, &written, NULL);
    print_ratio(counts->peak, raw, status);
  }
}

/* Prints the memory for both methods of combining two profiles, divided by the size of both
 * profiles. */
static void print_pairs(const pprofc_profile *profile, const struct buffer *raw,
                        const pprofc_allocator *mem, struct counting *counts) {
  pprofc_profile *other = read_with(raw, mem), *made = NULL;
  const pprofc_profile *pair[] = {profile, other};
  counts->peak = counts->live;
  pprofc_status status = pprofc_merge(pair, 2, &made, NULL);
  print_ratio(counts->peak, 2 * raw->size, status);
  pprofc_profile_release(made);
  made = NULL;
  counts->peak = counts->live;
  status = pprofc_diff(profile, other, PPROFC_COMPARE, false, &made, NULL);
  print_ratio(counts->peak, 2 * raw->size, status);
  pprofc_profile_release(made);
  pprofc_profile_release(other);
}

static void print_kind(const struct hostile_kind *kind, const struct buffer *raw) {
  struct counting counts = {0, 0};
  pprofc_allocator mem = counting_allocator(&counts);
  pprofc_profile *profile = read_with(raw, &mem);
  printf("| %s | %.1f |", kind->name, (double)counts.peak / (double)raw->size);
  if (profile) {
    print_reports(profile, &counts, raw->size);
    print_pairs(profile, raw, &mem, &counts);
    pprofc_profile_release(profile);
  } else {
    printf(" bad | | | | | | |");
  }
  printf("\n");
}

static bool write_kind(const char *folder, size_t number, const struct buffer *raw) {
  char path[4096];
  snprintf(path, sizeof path, "%s/kind%02zu.pb", folder, number);
  FILE *file = fopen(path, "wb");
  bool ok = file && fwrite(raw->data, 1, raw->size, file) == raw->size;
  return file && fclose(file) == 0 && ok;
}

int main(int argc, char **argv) {
  bool ok = true;
  if (argc == 1)
    printf("| messages | reading | -top | -raw | -proto | -flame=text | -folded | merge of two | "
           "difference |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (size_t i = 0; i < hostile_kind_count && ok; i++) {
    struct buffer raw;
    buffer_init(&raw, &mem_default, 1 << 28);
    hostile_profile(&hostile_kinds[i], hostile_count(&hostile_kinds[i], RAW_BYTES), &raw);
    if (argc > 1)
      ok = write_kind(argv[1], i, &raw);
    else
      print_kind(&hostile_kinds[i], &raw);
    buffer_free(&raw);
  }
  return !ok;
}
