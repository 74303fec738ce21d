/* Chooses the profiles and columns that can show leaks. */
#include "leaks/collect.h"

static size_t leak_column(const pprofc_profile *profile, const char *const *names) {
  size_t count = pprofc_profile_type_count(profile);
  for (; *names; names++)
    for (size_t i = 0; i < count; i++)
      if (str_equal(pprofc_profile_type(profile, i).type, str_of(*names))) return i;
  return SIZE_MAX;
}

/* Go, gperftools and jemalloc use inuse_space. gperftools writes "space" if nothing was freed,
 * and so do other heap profilers. */
static bool leak_source_heap(const pprofc_profile *profile, struct leak_source *source) {
  static const char *const values[] = {"inuse_space", "space", "inuse_bytes", NULL};
  static const char *const allocated[] = {"alloc_space", "alloc_bytes", NULL};
  size_t value = leak_column(profile, values);
  if (value == SIZE_MAX) return false;
  *source = (struct leak_source){.kind = STR("heap"), .value = value, .is_heap = true};
  source->unit = pprofc_profile_type(profile, value).unit;
  source->allocated = leak_column(profile, allocated);
  return true;
}

/* "goroutine", "threadcreate", and counts of pprof.NewProfile. */
static bool leak_source_counts(const pprofc_profile *profile, struct leak_source *source) {
  pprofc_header header;
  pprofc_profile_header(profile, &header);
  if (pprofc_profile_type_count(profile) != 1) return false;
  pprofc_value_type type = pprofc_profile_type(profile, 0);
  if (!str_equal(type.unit, STR("count")) || !str_equal(type.type, header.period_type.type) ||
      header.period > 1 || header.duration_nanos)
    return false;
  *source = (struct leak_source){.kind = type.type, .unit = type.unit, .allocated = SIZE_MAX};
  source->proves = str_equal(type.type, STR("goroutineleak"));
  return true;
}

bool leak_source_of(const pprofc_profile *profile, struct leak_source *source) {
  return leak_source_heap(profile, source) || leak_source_counts(profile, source);
}
