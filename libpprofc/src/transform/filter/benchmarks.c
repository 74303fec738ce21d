/* Finds the benchmarks of a profile: consecutive samples with the same value of the label
 * `benchmark`. The reader of callgrind's files sets the label, because a program can write one part
 * of the file for each benchmark. */
#include "pprofc/transform.h"
#include "transform/transform.h"

/* Finds the name of the benchmark in a label set. Returns false if the set has no such label. */
static bool benchmark_of_set(const pprofc_profile *p, uint32_t set, pprofc_str *name) {
  const struct samples *s = &p->samples;
  for (uint32_t i = 0; i < s->label_sets[set].count; i++) {
    const struct label *label = &s->labels[s->label_sets[set].first + i];
    if (label->is_number || !str_equal(profile_string(p, label->key), STR(PPROFC_BENCHMARK)))
      continue;
    *name = profile_string(p, label->string);
    return true;
  }
  return false;
}

/* Returns the index of the first sample after `from` that belongs to another benchmark. Sets *name
 * to the benchmark of sample `from`, or name->data to NULL if the sample has no benchmark. */
static size_t benchmark_end(const pprofc_profile *p, size_t from, pprofc_str *name) {
  const uint32_t *set = p->samples.label_set;
  uint32_t known = set[from];
  pprofc_str other;
  size_t i = from;
  *name = (pprofc_str){NULL, 0};
  benchmark_of_set(p, known, name);
  while (++i < p->samples.count) {
    if (set[i] == known) continue;
    other = (pprofc_str){NULL, 0};
    benchmark_of_set(p, set[i], &other);
    if (!other.data != !name->data || !str_equal(other, *name)) break;
    known = set[i];
  }
  return i;
}

/* Keeps the samples `from` to `to` - 1. The new columns point into the old columns. Advances
 * *segment to the index of the segment (range of samples) that contains sample `from`. */
static pprofc_status keep_range(pprofc_profile *copy, size_t *segment, size_t from, size_t to,
                                pprofc_error *error) {
  struct samples *s = &copy->samples;
  while (segment_end(s, *segment) <= from) ++*segment;
  size_t count = 1;
  while (segment_end(s, *segment + count - 1) < to) count++;
  struct segment *segments = arena_array(&copy->region->arena, count, sizeof *segments);
  if (!segments) return error_nomem(error);
  for (size_t i = 0; i < count; i++) {
    segments[i] = s->segments[*segment + i];
    segments[i].first = segments[i].first > from ? segments[i].first - from : 0;
  }
  s->segments = segments;
  s->segment_count = count;
  s->count = to - from;
  s->values += from * copy->type_count;
  s->stack += from;
  s->stack_size += from;
  s->label_set += from;
  copy->times = NULL; /* drop the times, which refer to the old sample indices */
  return PPROFC_OK;
}

static pprofc_status benchmark_copy(const pprofc_profile *profile, size_t *segment, size_t from,
                                    size_t to, pprofc_profile **part, pprofc_error *error) {
  pprofc_profile *copy = profile_edit(profile);
  if (!copy) return error_nomem(error);
  copy->in_order_of_use = false;
  return edit_finish(keep_range(copy, segment, from, to, error), copy, part);
}

static pprofc_status benchmarks_each(const pprofc_profile *profile, pprofc_benchmark_fn take,
                                     void *context, pprofc_error *error) {
  pprofc_status status = PPROFC_OK;
  size_t segment = 0;
  for (size_t from = 0, to; status == PPROFC_OK && from < profile->samples.count; from = to) {
    pprofc_str name;
    pprofc_profile *part = NULL;
    to = benchmark_end(profile, from, &name);
    if (!name.data) continue;
    status = benchmark_copy(profile, &segment, from, to, &part, error);
    if (status == PPROFC_OK) status = take(context, name, part, error);
    pprofc_profile_release(part);
  }
  return status;
}

pprofc_status pprofc_benchmarks(const pprofc_profile *profile, pprofc_benchmark_fn take,
                                void *context, pprofc_error *error) {
  pprofc_error local;
  if (!error) error = &local;
  *error = (pprofc_error){PPROFC_OK, PPROFC_NO_OFFSET, ""};
  pprofc_status status = profile_need_stacks(profile, error);
  if (status == PPROFC_OK && profile->samples.label_set)
    status = benchmarks_each(profile, take, context, error);
  return budget_status(&profile->mem, status, error);
}

/* Marks the label sets whose benchmark matches. Returns true if at least one set matches. */
static bool benchmark_marks(const pprofc_profile *p, struct regex *expression, uint8_t *marks) {
  bool any = false;
  for (size_t i = 0; i < p->samples.label_set_count; i++) {
    pprofc_str name;
    marks[i] = benchmark_of_set(p, (uint32_t)i, &name) && regex_match(expression, name);
    any = any || marks[i];
  }
  return any;
}

static pprofc_status benchmark_missing(const pprofc_profile *p, const char *pattern,
                                       pprofc_error *error) {
  pprofc_str name = {NULL, 0};
  for (size_t i = 0; p->samples.label_set && !name.data && i < p->samples.count; i++)
    benchmark_of_set(p, p->samples.label_set[i], &name);
  if (!name.data)
    return error_set(error, PPROFC_E_INVALID, "the profile has no benchmarks to select from");
  name = str_slice(name, 0, name.size < 100 ? name.size : 100);
  return error_set(error, PPROFC_E_INVALID,
                   "no benchmark matches '%.100s'; the first one is '%.*s'", pattern,
                   STR_ARG(name));
}

static pprofc_status benchmarks_keep(const pprofc_profile *source, const char *pattern,
                                     struct regex *expression, pprofc_profile **out,
                                     pprofc_error *error) {
  const struct samples *s = &source->samples;
  size_t sets = s->label_set ? s->label_set_count : 0;
  uint8_t *marks = mem_zero_array(&source->mem, sets, 1);
  uint8_t *keep = mem_zero_array(&source->mem, s->count, 1);
  pprofc_status status = marks && keep ? PPROFC_OK : error_nomem(error);
  if (status == PPROFC_OK && !(sets && benchmark_marks(source, expression, marks)))
    status = benchmark_missing(source, pattern, error);
  if (status == PPROFC_OK) {
    for (size_t i = 0; i < s->count; i++) keep[i] = marks[s->label_set[i]];
    status = transform_select(source, keep, out, error);
  }
  mem_free(&source->mem, marks, sets, 1);
  mem_free(&source->mem, keep, s->count, 1);
  return status;
}

pprofc_status transform_benchmarks(const pprofc_profile *source, const char *pattern,
                                   pprofc_profile **out, pprofc_error *error) {
  struct regex *expression = NULL;
  pprofc_status status = regex_compile(&source->mem, str_of(pattern), &expression, error);
  if (status == PPROFC_OK) status = profile_need_stacks(source, error);
  if (status == PPROFC_OK) status = benchmarks_keep(source, pattern, expression, out, error);
  regex_free(expression);
  return status;
}
