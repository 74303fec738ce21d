/* Reads any bytes as a source map, and uses the source map to rename frames of a profile. */
#include "fuzz.h"
#include "pprofc/builder.h"
#include "symbolize/symbolize.h"

/* Returns a profile with frames at some positions of two scripts. */
static pprofc_profile *source_map_profile(void) {
  pprofc_builder *builder = pprofc_builder_new(NULL);
  const int64_t one = 1;
  pprofc_profile *profile = NULL;
  REQUIRE(builder != NULL);
  pprofc_builder_type(builder, "samples", "count");
  for (int64_t i = 0; i < 64; i++) {
    const char *file = i % 2 ? "http://h/app.js" : "file:///app.min.js?v=1";
    uint32_t function = pprofc_builder_function(builder, i % 3 ? "n.a" : "b", NULL, file, 0);
    pprofc_line line = {function, 1 + i / 16, 1 + (i % 16) * (i % 5) * 7};
    uint32_t frame = pprofc_builder_location(builder, PPROFC_NONE, 0, &line, 1);
    pprofc_builder_sample(builder, &frame, 1, &one);
  }
  REQUIRE(pprofc_builder_finish(builder, &profile, NULL) == PPROFC_OK);
  pprofc_builder_free(builder);
  return profile;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct source_map *map = NULL;
  pprofc_str text = {(const char *)data, size};
  if (source_map_parse(text, STR("app.js.map"), &mem_default, &map, NULL) != PPROFC_OK) return 0;
  pprofc_profile *profile = source_map_profile(), *named = NULL;
  size_t changed;
  REQUIRE(source_maps_apply(profile, &map, 1, &named, &changed, NULL) == PPROFC_OK);
  for (uint32_t i = 0; i < named->functions.count; i++)
    REQUIRE(pprofc_profile_function(named, i).name.data != NULL);
  pprofc_profile_release(named);
  pprofc_profile_release(profile);
  source_map_free(map);
  return 0;
}
