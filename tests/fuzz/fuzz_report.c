/* Creates a random profile and random options from the input, and creates each report. Memory must
 * stay in proportion to the input. fuzz_shape.c uses larger profiles. */
#include "report_target.h"

#include <stdalign.h>

/* ---- memory ------------------------------------------ */

struct meter {
  size_t live, peak;
};

#define HEADER alignof(max_align_t)

static void *meter_alloc(void *context, size_t size) {
  struct meter *m = context;
  char *block = malloc(size + HEADER);
  if (!block) return NULL;
  *(size_t *)(void *)block = size;
  m->live += size;
  if (m->live > m->peak) m->peak = m->live;
  return block + HEADER;
}

static void meter_release(void *context, void *block, size_t size) {
  struct meter *m = context;
  char *start = (char *)block - HEADER;
  REQUIRE(*(size_t *)(void *)start == size);
  m->live -= size;
  free(start);
}

static void *meter_resize(void *context, void *block, size_t old_size, size_t new_size) {
  void *moved = meter_alloc(context, new_size);
  if (!moved) return NULL;
  memcpy(moved, block, old_size < new_size ? old_size : new_size);
  meter_release(context, block, old_size);
  return moved;
}

/* ---- the profile ------------------------------------- */

static int64_t take_value(struct bytes *in) {
  static const int64_t odd[] = {0, 1, -1, INT64_MAX, INT64_MIN, 1000000007, 1 << 30, -4096};
  unsigned b = take(in);
  if (b < 16) return odd[b % 8];
  return (int64_t)(b * 1000 + take(in)) - (b & 1 ? 60000 : 0);
}

static const char *const units[] = {"nanoseconds", "bytes", "count", "", "kb", "%", "x\ny", "GCU"};
static uint32_t add_location(pprofc_builder *b, struct bytes *in, uint32_t mapping) {
  char name[64], file[64];
  pprofc_line lines[3];
  size_t count = take_below(in, 4);
  for (size_t i = 0; i < count; i++) {
    uint32_t function =
        pprofc_builder_function(b, take_name(in, name), NULL, take_name(in, file), take_value(in));
    lines[i] = (pprofc_line){function, take_value(in), take_below(in, 3)};
  }
  uint64_t address = take_below(in, 2) ? (uint64_t)take_value(in) : 0x1000 + take(in);
  return pprofc_builder_location(b, mapping, address, lines, count);
}

static void add_samples(pprofc_builder *b, struct bytes *in, const uint32_t *locations,
                        size_t location_count) {
  char key[64], value[64];
  unsigned samples = take_below(in, 40);
  for (unsigned i = 0; i < samples; i++) {
    uint32_t frames[24];
    size_t depth = location_count ? take_below(in, 24) : 0;
    for (size_t k = 0; k < depth; k++)
      frames[k] = locations[take_below(in, (unsigned)location_count)];
    int64_t values[3] = {take_value(in), take_value(in), take_value(in)};
    pprofc_builder_sample(b, frames, depth, values);
    for (unsigned labels = take_below(in, 3); labels; labels--)
      if (take_below(in, 2))
        pprofc_builder_label(b, take_name(in, key), take_name(in, value));
      else
        pprofc_builder_number_label(b, take_name(in, key), take_value(in), TAKE_OF(in, units));
  }
}

static pprofc_profile *take_profile(struct bytes *in, const pprofc_allocator *mem) {
  char name[64], other[64];
  pprofc_builder *b = pprofc_builder_new(mem);
  REQUIRE(b);
  for (unsigned types = 1 + take_below(in, 3); types; types--)
    pprofc_builder_type(b, take_name(in, name), TAKE_OF(in, units));
  pprofc_builder_period(b, take_name(in, name), TAKE_OF(in, units), take_value(in));
  pprofc_builder_time(b, take_value(in), take_value(in));
  pprofc_builder_comment(b, take_name(in, name));
  pprofc_builder_doc_url(b, take_name(in, name));
  uint32_t mappings[3] = {PPROFC_NONE};
  for (size_t i = 1; i < 3; i++)
    mappings[i] = pprofc_builder_mapping(b, 0x1000 * i, 0x1000 * i + 0x1000, take(in),
                                         take_name(in, name), take_name(in, other), take(in));
  uint32_t locations[32];
  size_t count = take_below(in, 32);
  for (size_t i = 0; i < count; i++) locations[i] = add_location(b, in, TAKE_OF(in, mappings));
  add_samples(b, in, locations, count);
  pprofc_profile *profile = NULL;
  REQUIRE(pprofc_builder_finish(b, &profile, NULL) == PPROFC_OK);
  pprofc_builder_free(b);
  return profile;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct meter meter = {0, 0};
  const pprofc_allocator mem = {meter_alloc, meter_resize, meter_release, &meter};
  struct bytes in = {data, data + size};
  pprofc_report_options options;
  pprofc_report_options_init(&options);
  take_options(&in, &options);
  char title[64];
  take_drawing(&in, &options, title);
  options.threads = 1;
  size_t chosen = take_below(&in, REPORT_COUNT);
  pprofc_profile *profile = take_profile(&in, &mem);
  report_make(profile, &options, chosen);
  pprofc_profile_release(profile);
  REQUIRE(meter.live == 0);
  REQUIRE(meter.peak <= 64 * size + ((size_t)16 << 20));
  return 0;
}
