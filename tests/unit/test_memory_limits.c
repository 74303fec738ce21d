/* Memory holds what docs/ARCHITECTURE.md promises, for every kind of message: reading takes no more
 * than the input and so many bytes for each message, a limit is met before much is allocated, and
 * what is made of a profile counts, too. With an argument, the program prints the figures. */
#include "counting.h"
#include "hostile.h"
#include "pprofc/transform.h"
#include "report_text.h"
#include "unit.h"

/* What is allowed beside the bytes of messages: blocks that are not full, tables of a few entries. */
#define FIXED_BYTES ((size_t)1 << 20)

/* Messages that make a profile of about so many bytes. */
static uint64_t messages_for(const struct hostile_kind *kind, size_t bytes) {
  struct buffer few, more;
  buffer_init(&few, &mem_default, 1 << 24);
  buffer_init(&more, &mem_default, 1 << 24);
  hostile_profile(kind, 1000, &few);
  hostile_profile(kind, 2000, &more);
  uint64_t count = (uint64_t)bytes * 1000 / (more.size - few.size);
  buffer_free(&few);
  buffer_free(&more);
  return count;
}

/* Reads with an allocator that counts. */
static pprofc_status read_counted(const struct buffer *raw, struct counting *counts,
                                  uint64_t memory, pprofc_profile **profile, pprofc_error *error) {
  pprofc_allocator mem = counting_allocator(counts);
  pprofc_limits limits;
  pprofc_read_options options;
  pprofc_limits_init(&limits);
  pprofc_read_options_init(&options);
  limits.memory_bytes = memory;
  options.allocator = &mem;
  options.limits = &limits;
  options.threads = 1;
  return pprofc_profile_read_memory(raw->data, raw->size, &options, profile, error);
}

static void check_kind(const struct hostile_kind *kind) {
  struct buffer raw;
  struct counting counts = {0, 0};
  pprofc_profile *profile = NULL;
  pprofc_error error = {0};
  uint64_t count = messages_for(kind, 2 << 20);
  buffer_init(&raw, &mem_default, 1 << 28);
  hostile_profile(kind, count, &raw);
  pprofc_status status = read_counted(&raw, &counts, 0, &profile, &error);
  size_t promised = raw.size + count * kind->bytes + FIXED_BYTES;
  CU_ASSERT_EQUAL(status, kind->is_bad ? PPROFC_E_FORMAT : PPROFC_OK);
  CU_ASSERT(counts.peak <= promised);
  if (counts.peak > promised || (status != PPROFC_OK) != kind->is_bad)
    printf("%s: %zu bytes raw, peak %zu, promised %zu: %s\n", kind->name, raw.size, counts.peak,
           promised, error.message);
  pprofc_profile_release(profile);
  CU_ASSERT_EQUAL(counts.live, 0);
  buffer_free(&raw);
}

static void test_reading_takes_what_is_promised_for_every_kind_of_message(void) {
  for (size_t i = 0; i < hostile_kind_count; i++) check_kind(&hostile_kinds[i]);
}

/* ---- figures for docs/BENCHMARKS.md
 * -------------------------------------------------------------------------- */

static size_t report_peak(const pprofc_profile *profile, struct counting *counts, const char *format,
                          const char *argument, size_t raw) {
  struct buffer text;
  pprofc_error error = {0};
  pprofc_report_options o = report_options(format);
  o.argument = argument;
  buffer_init(&text, &mem_default, (size_t)1 << 30);
  counts->peak = counts->live;
  pprofc_status status = pprofc_report(profile, &o, report_collect, &text, &error);
  buffer_free(&text);
  printf(" | %.1f%s", (double)counts->peak / (double)raw, status == PPROFC_OK ? "" : "!");
  return counts->peak;
}

static int print_figures(void) {
  for (size_t i = 0; i < hostile_kind_count; i++) {
    const struct hostile_kind *kind = &hostile_kinds[i];
    struct counting counts = {0, 0};
    struct buffer raw;
    pprofc_profile *profile = NULL, *other = NULL, *made = NULL;
    pprofc_error error = {0};
    buffer_init(&raw, &mem_default, 1 << 28);
    hostile_profile(kind, messages_for(kind, 2 << 20), &raw);
    pprofc_status status = read_counted(&raw, &counts, 0, &profile, &error);
    printf("| %s | %.1f", kind->name, (double)counts.peak / (double)raw.size);
    fflush(stdout);
    if (status == PPROFC_OK) {
      report_peak(profile, &counts, "top", NULL, raw.size);
      report_peak(profile, &counts, "raw", NULL, raw.size);
      report_peak(profile, &counts, "proto", NULL, raw.size);
      report_peak(profile, &counts, "flame", "text", raw.size);
      report_peak(profile, &counts, "folded", NULL, raw.size);
      report_peak(profile, &counts, "traces", NULL, raw.size);
      read_counted(&raw, &counts, 0, &other, &error);
      counts.peak = 0;
      if (pprofc_merge((const pprofc_profile *[]){profile, other}, 2, &made, &error) == PPROFC_OK)
        printf(" | %.1f", (double)counts.peak / (double)raw.size / 2);
      pprofc_profile_release(made);
      made = NULL;
      counts.peak = 0;
      if (pprofc_diff(profile, other, PPROFC_COMPARE, false, &made, &error) == PPROFC_OK)
        printf(" | %.1f", (double)counts.peak / (double)raw.size / 2);
      pprofc_profile_release(made);
      pprofc_profile_release(other);
      pprofc_profile_release(profile);
    }
    printf(" |\n");
    buffer_free(&raw);
  }
  return 0;
}

#define main unit_main
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
UNIT_MAIN("memory_limits", UNIT(test_reading_takes_what_is_promised_for_every_kind_of_message))
#undef main
int main(int argc, char **argv) { (void)argv; return argc > 1 ? print_figures() : unit_main(); }
