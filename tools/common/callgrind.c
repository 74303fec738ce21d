/* Runs programs under valgrind's callgrind. Estimates cycles as iai and gungraun do: 1 for a hit in
 * the first-level cache, 5 in the last-level cache, 35 in memory (docs/SIMULATE.md). */
#include "common/callgrind.h"
#include "common/base.h"

#include "pprofc/transform.h"
#include "profile/profile.h"
#include "profile/sum.h"

const char *const callgrind_words[CALLGRIND_WORDS] = {
    "valgrind",           "--quiet",
    "--tool=callgrind",   "--cache-sim=yes",
    "--I1=32768,8,64",    "--D1=32768,8,64",
    "--LL=8388608,16,64", "--collect-systime=nsec",
    "--dump-instr=no",    "--compress-strings=yes",
    "--combine-dumps=yes"};

/* A sample type is a weighted sum of callgrind's events. For cycles, the weights are 1 per access
 * (Ir + Dr + Dw), 4 per first-level miss, and 30 per last-level miss. An access therefore costs 1,
 * 5 or 35. */
static const struct term {
  const char *event;
  int64_t factor;
} instructions[] = {{"Ir", 1}, {NULL, 0}},
  first_misses[] = {{"I1mr", 1}, {"D1mr", 1}, {"D1mw", 1}, {NULL, 0}},
  last_misses[] = {{"ILmr", 1}, {"DLmr", 1}, {"DLmw", 1}, {NULL, 0}},
  system_time[] = {{"sysTime", 1}, {NULL, 0}},
  cycles[] = {{"Ir", 1},   {"Dr", 1},    {"Dw", 1},    {"I1mr", 4},  {"D1mr", 4},
              {"D1mw", 4}, {"ILmr", 30}, {"DLmr", 30}, {"DLmw", 30}, {NULL, 0}};

static const struct measure {
  const char *type, *unit;
  const struct term *terms;
} measures[CALLGRIND_TYPES] = {
    [CALLGRIND_INSTRUCTIONS] = {"Ir", "count", instructions},
    [CALLGRIND_FIRST_MISSES] = {"L1m", "count", first_misses},
    [CALLGRIND_LAST_MISSES] = {"LLm", "count", last_misses},
    [CALLGRIND_SYSTEM_TIME] = {"sysTime", "nanoseconds", system_time},
    [CALLGRIND_CYCLES] = {"cycles", "count", cycles},
};

#define MEASURES CALLGRIND_TYPES

/* Sets factors[i] to the weight of event i in `terms`. Returns false if an event is missing. */
static bool find_factors(const pprofc_profile *profile, const struct term *terms,
                         int64_t *factors) {
  memset(factors, 0, profile->type_count * sizeof *factors);
  for (; terms->event; terms++) {
    size_t found = profile->type_count;
    for (size_t t = 0; t < profile->type_count; t++)
      if (str_equal(profile_type(profile, t), str_of(terms->event))) found = t;
    if (found == profile->type_count) return false;
    factors[found] += terms->factor;
  }
  return true;
}

static bool fill_values(const pprofc_profile *profile, int64_t *values, int64_t *factors) {
  size_t types = profile->type_count;
  for (size_t m = 0; m < MEASURES; m++) {
    if (!find_factors(profile, measures[m].terms, factors)) return false;
    for (size_t i = 0; i < profile->samples.count; i++) {
      uint64_t sum = 0;
      for (size_t t = 0; t < types; t++)
        sum += (uint64_t)profile->samples.values[i * types + t] * (uint64_t)factors[t];
      values[i * MEASURES + m] = (int64_t)sum;
    }
  }
  return true;
}

/* Creates a profile whose sample types are the sums in `measures`, and not callgrind's events. */
static pprofc_status callgrind_measure(const pprofc_profile *profile, pprofc_profile **measured,
                                       pprofc_error *error) {
  pprofc_profile *edit = profile_edit(profile);
  if (!edit) return error_nomem(error);
  struct arena *arena = &edit->region->arena;
  size_t names = edit->strings.count, count = edit->samples.count;
  pprofc_str texts[2 * MEASURES];
  for (size_t m = 0; m < MEASURES; m++) {
    texts[2 * m] = str_of(measures[m].type);
    texts[2 * m + 1] = str_of(measures[m].unit);
  }
  struct value_type *types = arena_array(arena, MEASURES, sizeof *types);
  int64_t *values = arena_array(arena, count * MEASURES, sizeof *values);
  int64_t *factors = arena_array(arena, edit->type_count, sizeof *factors);
  pprofc_status status = PPROFC_OK;
  if (!types || !values || !factors || !profile_add_strings(edit, texts, 2 * MEASURES))
    status = error_nomem(error);
  else if (!fill_values(profile, values, factors))
    status = error_set(error, PPROFC_E_UNSUPPORTED,
                       "cannot simulate: this valgrind lacks a needed counter");
  if (status != PPROFC_OK) {
    pprofc_profile_release(edit);
    return status;
  }
  for (size_t m = 0; m < MEASURES; m++)
    types[m] = (struct value_type){(uint32_t)(names + 2 * m), (uint32_t)(names + 2 * m + 1)};
  edit->types = types;
  edit->type_count = MEASURES;
  edit->samples.values = values;
  edit->default_sample_type = types[MEASURES - 1].type;
  *measured = edit;
  return PPROFC_OK;
}

static void callgrind_add_up(const pprofc_profile *measured, int64_t *totals) {
  for (size_t m = 0; m < MEASURES; m++) {
    totals[m] = 0;
    for (size_t i = 0; i < measured->samples.count; i++)
      totals[m] = sum_add(totals[m], measured->samples.values[i * MEASURES + m]);
  }
}

pprofc_status callgrind_convert(const char *from, const char *to,
                                const pprofc_read_options *options,
                                const struct callgrind_edits *edits, int64_t *totals,
                                pprofc_error *error) {
  pprofc_profile *events = NULL, *kept = NULL, *measured = NULL;
  pprofc_filter_options filter;
  pprofc_filter_options_init(&filter);
  if (edits) filter.ignore = edits->ignore;
  pprofc_status status = pprofc_profile_read_file(from, options, &events, error);
  if (status == PPROFC_OK) status = pprofc_filter(events, &filter, &kept, error);
  if (status == PPROFC_OK) status = callgrind_measure(kept, &measured, error);
  if (status == PPROFC_OK && edits && !profile_trim_files(measured, edits->folder))
    status = error_nomem(error);
  if (status == PPROFC_OK && totals) callgrind_add_up(measured, totals);
  if (status == PPROFC_OK) status = pprofc_profile_write_file(measured, to, error);
  pprofc_profile_release(measured);
  pprofc_profile_release(kept);
  pprofc_profile_release(events);
  return status;
}
