/* Adds up profiles as pprof does (docs/spec/pprof.md, 3 and 6). This file merges the headers,
 * merges many sources in chunks of 128, and calls the steps of merge.h in order. */
#include "transform/merge/merge.h"
#include "pprofc/transform.h"
#include "transform/merge/accumulator.h"
#include "transform/transform.h"

/* The result copies the stacks of a source if their size is at most this number of bytes.
 * Otherwise, the result shares the region (memory) of the source. */
#define SHARED_STACK_BYTES THRESHOLD((size_t)256 * 1024)

/* ---- header ------------------------------------------ */

static void merge_times(struct merge *m) {
  pprofc_profile *out = m->out;
  for (size_t i = 0; i < m->source_count; i++) {
    const pprofc_profile *p = m->sources[i].profile;
    if (out->time_nanos == 0 || p->time_nanos < out->time_nanos) out->time_nanos = p->time_nanos;
    out->duration_nanos = (int64_t)((uint64_t)out->duration_nanos + (uint64_t)p->duration_nanos);
    if (out->period == 0 || out->period < p->period) out->period = p->period;
  }
}

/* Sets *ours to the string `theirs` of a source if *ours is still the empty string. Returns false
 * when out of memory. */
static bool first_string(struct merge *m, size_t source, uint32_t theirs, uint32_t *ours) {
  if (*ours) return true;
  *ours = merge_string(m, source, theirs);
  return *ours != NONE;
}

static bool merge_comments(struct merge *m) {
  size_t total = 0, n = 0;
  for (size_t i = 0; i < m->source_count; i++) total += m->sources[i].profile->comment_count;
  if (!total) return true;
  uint32_t *comments = arena_array(&m->out->region->arena, total, sizeof *comments);
  if (!comments) return false;
  for (size_t i = 0; i < m->source_count; i++) {
    const pprofc_profile *p = m->sources[i].profile;
    for (size_t c = 0; c < p->comment_count; c++)
      if ((comments[n++] = merge_string(m, i, p->comments[c])) == NONE) return false;
  }
  uint8_t *seen = arena_zero_array(&m->arena, m->strings.count, 1);
  if (!seen) return false;
  for (size_t c = 0; c < total; c++) {
    if (seen[comments[c]]) continue;
    seen[comments[c]] = 1;
    comments[m->out->comment_count++] = comments[c];
  }
  m->out->comments = comments;
  return true;
}

static bool merge_types(struct merge *m) {
  pprofc_profile *out = m->out;
  const pprofc_profile *p = m->sources[0].profile;
  struct value_type *types = arena_array(&out->region->arena, p->type_count, sizeof *types);
  if (!types) return false;
  for (size_t t = 0; t < p->type_count; t++) {
    types[t].type = merge_string(m, 0, p->types[t].type);
    types[t].unit = merge_string(m, 0, p->types[t].unit);
    if (types[t].type == NONE || types[t].unit == NONE) return false;
  }
  out->types = types;
  out->type_count = p->type_count;
  out->period_type.type = merge_string(m, 0, p->period_type.type);
  out->period_type.unit = merge_string(m, 0, p->period_type.unit);
  out->drop_frames = merge_string(m, 0, p->drop_frames);
  out->keep_frames = merge_string(m, 0, p->keep_frames);
  return out->period_type.type != NONE && out->period_type.unit != NONE &&
         out->drop_frames != NONE && out->keep_frames != NONE;
}

static bool merge_header(struct merge *m) {
  merge_times(m);
  for (size_t i = 0; i < m->source_count; i++) {
    const pprofc_profile *p = m->sources[i].profile;
    if (!first_string(m, i, p->default_sample_type, &m->out->default_sample_type) ||
        !first_string(m, i, p->doc_url, &m->out->doc_url))
      return false;
  }
  return merge_types(m) && merge_comments(m);
}

/* ---- one merge --------------------------------------- */

static bool open_source(struct merge *m, size_t i, const pprofc_profile *profile, bool share) {
  struct merge_source *s = &m->sources[i];
  size_t bytes = 0;
  for (size_t n = 0; n < profile->samples.count && !share; n++)
    bytes += profile->samples.stack_size[n];
  *s = (struct merge_source){
      .profile = profile,
      .first_sample = m->sample_count,
      .shared = share || bytes > SHARED_STACK_BYTES,
      .strings = arena_array(&m->arena, profile->strings.count, sizeof *s->strings),
  };
  if (!s->strings) return false;
  memset(s->strings, 0xFF, profile->strings.count * sizeof *s->strings);
  m->sample_count += profile->samples.count;
  return !s->shared || region_adopt(m->out->region, profile->region);
}

static bool open_merge(struct merge *m, const pprofc_profile *const *profiles, size_t count,
                       bool share) {
  m->out->threads = profiles[0]->threads;
  m->sources = arena_array(&m->arena, count, sizeof *m->sources);
  if (!m->sources || interner_add(&m->strings, STR("")) == MAP_NONE) return false;
  for (m->source_count = 0; m->source_count < count; m->source_count++)
    if (!open_source(m, m->source_count, profiles[m->source_count], share)) return false;
  return m->sample_count < NONE;
}

bool merge_begin(struct merge *m, const pprofc_profile *const *profiles, size_t count, bool share) {
  const pprofc_allocator *mem = &profiles[0]->mem;
  *m = (struct merge){.out = profile_new(mem)};
  arena_init(&m->arena, m->out ? &m->out->mem : mem);
  arena_init(&m->tables, m->out ? &m->out->mem : mem);
  interner_init(&m->strings, m->out ? &m->out->mem : mem);
  return m->out && open_merge(m, profiles, count, share) && merge_header(m) && merge_tables(m) &&
         merge_label_strings(m);
}

static bool combine_equal(struct merge *m) {
  bool zeros;
  if (!merge_hash_labels(m) || !merge_pass(m) || !merge_sum_samples(m, &zeros)) return false;
  if (!zeros) return true;
  /* Like pprof, remove samples whose values are all 0. Then remove the functions, mappings and
   * locations that only these samples used. */
  merge_drop_zeros(m);
  merge_number_results(m);
  return true;
}

static bool write_strings(struct merge *m) {
  pprofc_str *items = arena_copy(&m->out->region->arena, m->strings.items,
                                 m->strings.count * sizeof *m->strings.items);
  m->out->strings = (struct strings){m->strings.count, items};
  return items != NULL;
}

pprofc_status merge_end(struct merge *m, bool ok, pprofc_profile **out, pprofc_error *error) {
  ok = ok && write_strings(m);
  interner_free(&m->strings);
  arena_free(&m->tables);
  arena_free(&m->arena);
  return edit_finish(ok ? PPROFC_OK : error_nomem(error), m->out, out);
}

pprofc_status merge_profiles(const pprofc_profile *const *profiles, size_t count,
                             pprofc_profile **out, pprofc_error *error) {
  struct merge m;
  for (size_t i = 1; i < count; i++) {
    pprofc_status status = compatible_check(profiles[0], profiles[i], error);
    if (status != PPROFC_OK) return status;
  }
  bool ok = merge_begin(&m, profiles, count, false) && combine_equal(&m) &&
            merge_write_tables(&m) && merge_write_samples(&m);
  if (ok) m.out->in_order_of_use = true;
  return merge_end(&m, ok, out, error);
}

/* ---- many profiles ----------------------------------- */

/* Number of profiles that pprof reads and merges before it adds the result to the sum so far. */
#define CHUNK 128

/* Makes at most 128 profiles compatible and merges them. */
static pprofc_status merge_group(const pprofc_profile *const *profiles, size_t count,
                                 pprofc_profile **out, pprofc_error *error) {
  pprofc_profile *compatible[CHUNK];
  pprofc_status status = compatible_profiles(profiles, count, compatible, error);
  if (status != PPROFC_OK) return status;
  if (count == 1) {
    *out = compatible[0];
    return PPROFC_OK;
  }
  status = merge_profiles((const pprofc_profile *const *)compatible, count, out, error);
  for (size_t i = 0; i < count; i++) pprofc_profile_release(compatible[i]);
  return status;
}

static pprofc_status merge_chunks(const pprofc_profile *const *profiles, size_t count,
                                  pprofc_profile **merged, pprofc_error *error) {
  struct accumulator accumulator = {.threads = profiles[0]->threads};
  pprofc_status status = PPROFC_OK;
  for (size_t from = 0; from < count && status == PPROFC_OK; from += CHUNK) {
    pprofc_profile *chunk;
    size_t size = count - from < CHUNK ? count - from : CHUNK;
    status = merge_group(profiles + from, size, &chunk, error);
    if (status == PPROFC_OK) status = accumulator_add(&accumulator, chunk, error);
  }
  if (status == PPROFC_OK) return accumulator_end(&accumulator, merged, error);
  accumulator_free(&accumulator);
  return status;
}

pprofc_status pprofc_merge(const pprofc_profile *const *profiles, size_t count,
                           pprofc_profile **merged, pprofc_error *error) {
  if (!count) return error_set(error, PPROFC_E_INVALID, "no profiles to merge");
  pprofc_status status = PPROFC_OK;
  for (size_t i = 0; i < count && count > 1 && !status; i++)
    status = profile_need_stacks(profiles[i], error);
  if (!status) status = merge_chunks(profiles, count, merged, error);
  return budget_status(&profiles[0]->mem, status, error);
}

/* ---- sequences -------------------------------------- */

/* Merges all items into one sum. */
static pprofc_status accumulator_merge(struct accumulator *accumulator, pprofc_error *error) {
  pprofc_profile *merged;
  if (accumulator->count < 2) return PPROFC_OK;
  for (size_t i = 0; i < accumulator->count; i++)
    accumulator->items[i]->threads = accumulator->threads;
  pprofc_status status = merge_group((const pprofc_profile *const *)accumulator->items,
                                     accumulator->count, &merged, error);
  if (status != PPROFC_OK) return status;
  accumulator_free(accumulator);
  accumulator->items[accumulator->count++] = merged;
  return PPROFC_OK;
}

static bool accumulator_has_negative(const pprofc_profile *profile) {
  const struct samples *s = &profile->samples;
  int64_t all = 0;
  if (s->tree) return false; /* a profile with a stack tree has no negative values */
  for (size_t i = 0; i < s->count * profile->type_count; i++) all |= s->values[i];
  return all < 0;
}

/* True if this profile may be merged in groups. Groups change the order of merges, which matters in
 * three cases. With negative values, a sample whose sum is 0 is dropped, and a later profile
 * appends it at the end. If only some profiles have a time, a profile without time (0) erases the
 * times before it. If the sample types differ, each step keeps only common types. */
static bool accumulator_may_group(const struct accumulator *accumulator,
                                  const pprofc_profile *profile) {
  pprofc_error error;
  if (accumulator_has_negative(profile)) return false;
  if (!accumulator->count) return true;
  const pprofc_profile *first = accumulator->items[0];
  return (first->time_nanos == 0) == (profile->time_nanos == 0) &&
         compatible_check(first, profile, &error) == PPROFC_OK;
}

pprofc_status accumulator_add(struct accumulator *accumulator, pprofc_profile *profile,
                              pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  if (!accumulator->chain && !accumulator_may_group(accumulator, profile)) {
    status = accumulator_merge(accumulator, error);
    accumulator->chain = true;
  }
  accumulator->items[accumulator->count++] = profile;
  if (status != PPROFC_OK) return status;
  bool full = accumulator->chain || accumulator->count == ACCUMULATOR_WIDTH;
  return full ? accumulator_merge(accumulator, error) : PPROFC_OK;
}

pprofc_status accumulator_end(struct accumulator *accumulator, pprofc_profile **sum,
                              pprofc_error *error) {
  pprofc_status status = accumulator_merge(accumulator, error);
  *sum = NULL;
  if (status == PPROFC_OK && accumulator->count) *sum = accumulator->items[--accumulator->count];
  accumulator_free(accumulator);
  return status;
}

void accumulator_free(struct accumulator *accumulator) {
  while (accumulator->count) pprofc_profile_release(accumulator->items[--accumulator->count]);
}
