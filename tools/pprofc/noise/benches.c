/* Combines benchmark results with profiles. A result gives the cost of an operation in a run, and
 * the profile gives each function's share of this cost. */
#include "noise.h"

#include "pipeline/pipeline.h"
#include "pprofc/bench.h"
#include "regex/regex.h"
#include "unit/unit.h"

/* Benchmark unit that corresponds to a sample type. */
struct bench_measure {
  const char *unit; /* unit of the benchmark: "sec/op", "B/op" or "allocs/op" */
  double factor;    /* factor that converts the benchmark's unit to the unit of the sample type */
};

struct benches {
  const char *path;
  struct regex *wanted; /* pattern of -bench; NULL: accept every benchmark */
  pprofc_bench *set;
  /* name and package of the benchmark; name.data is NULL until the first result */
  pprofc_str name, package;
  double *values; /* values in the selected unit, in the order of the file */
  size_t count, capacity;
};

static bool benches_type_is(const pprofc_profile *p, struct value_type type, const char *name) {
  return str_equal(profile_string(p, type.type), str_of(name));
}

/* Returns how many units of the sample type are in a second. For the type "samples", returns how
 * many samples the profiler takes in a second. Returns 0 for types that do not measure time. */
static double benches_of_seconds(const pprofc_profile *p, struct value_type type) {
  pprofc_str unit = profile_string(p, type.unit);
  pprofc_str period_unit = profile_string(p, p->period_type.unit);
  if (unit_is_time(unit) && !benches_type_is(p, type, "delay"))
    return unit_scale_double(1, STR("s"), unit).value;
  bool samples = benches_type_is(p, type, "samples") && str_equal(unit, STR("count"));
  if (!samples || !unit_is_time(period_unit) || p->period <= 0) return 0;
  return unit_scale_double(1, STR("s"), period_unit).value / (double)p->period;
}

static struct bench_measure benches_measure(const pprofc_profile *p, struct value_type type) {
  pprofc_str unit = profile_string(p, type.unit);
  if (benches_type_is(p, type, "alloc_objects")) return (struct bench_measure){"allocs/op", 1};
  if (benches_type_is(p, type, "alloc_space") && unit_compatible(STR("B"), unit))
    return (struct bench_measure){"B/op", unit_scale_double(1, STR("B"), unit).value};
  return (struct bench_measure){"sec/op", benches_of_seconds(p, type)};
}

static void benches_print_messages(const struct benches *b) {
  size_t count;
  const pprofc_bench_message *messages = pprofc_bench_messages(b->set, &count);
  for (size_t i = 0; i < count; i++)
    message_note("%s:%llu: %.*s", b->path, (unsigned long long)messages[i].line,
                 STR_ARG(messages[i].text));
}

/* Fails if the file has results of a second benchmark, because the profiles could belong to either
 * benchmark. */
static pprofc_status benches_same(struct benches *b, size_t result, pprofc_str name,
                                  pprofc_error *error) {
  pprofc_str package = pprofc_bench_result_config(b->set, result, STR("pkg"));
  if (!b->name.data) {
    b->name = name;
    b->package = package;
  }
  if (!str_equal(name, b->name))
    return error_set(error, PPROFC_E_INVALID,
                     "'%s' has %.*s and %.*s: choose one benchmark with -bench=RE", b->path,
                     STR_ARG(str_slice(b->name, 0, 100)), STR_ARG(str_slice(name, 0, 100)));
  if (str_equal(package, b->package)) return PPROFC_OK;
  return error_set(error, PPROFC_E_INVALID,
                   "'%s' has the benchmark %.*s of two packages; pass results of one", b->path,
                   STR_ARG(str_slice(name, 0, 100)));
}

static pprofc_status benches_add(struct benches *b, double value, const char *measure,
                                 pprofc_error *error) {
  if (!(value > 0 && value < 1e300))
    return error_set(error, PPROFC_E_INVALID, "'%s': %s of %.*s is %g: nothing to divide", b->path,
                     measure, STR_ARG(str_slice(b->name, 0, 100)), value);
  bool added = ARRAY_PUSH(&mem_default, b->values, b->count, b->capacity, value);
  return added ? PPROFC_OK : error_nomem(error);
}

/* Adds the value of a result to b->values if the pattern matches the result's benchmark. */
static pprofc_status benches_take(struct benches *b, const pprofc_bench_result *results, size_t i,
                                  const struct bench_measure *measure, pprofc_error *error) {
  const uint32_t *units;
  size_t count;
  const double *values = pprofc_bench_values(b->set, &units, &count);
  pprofc_str name = pprofc_bench_string(b->set, results[i].name);
  if (b->wanted && !regex_match(b->wanted, name)) return PPROFC_OK;
  for (size_t k = results[i].first_value; k < results[i + 1].first_value; k++) {
    if (!str_equal(pprofc_bench_unit(b->set, units[k]), str_of(measure->unit))) continue;
    pprofc_status status = benches_same(b, i, name, error);
    return status ? status : benches_add(b, values[k] * measure->factor, measure->unit, error);
  }
  return PPROFC_OK;
}

static pprofc_status benches_read(struct benches *b, const struct bench_measure *measure,
                                  pprofc_error *error) {
  size_t count;
  b->set = pprofc_bench_new(NULL);
  if (!b->set) return error_nomem(error);
  pprofc_status status = pprofc_bench_read_inputs(b->set, &b->path, 1, error);
  if (status) return status;
  benches_print_messages(b);
  const pprofc_bench_result *results = pprofc_bench_results(b->set, &count);
  for (size_t i = 0; i < count && !status; i++)
    status = benches_take(b, results, i, measure, error);
  if (status || b->count) return status;
  return error_set(error, PPROFC_E_INVALID, "'%s' has no %s%s", b->path, measure->unit,
                   b->wanted ? " of a benchmark that -bench chooses" : "");
}

/* Divides the results among the runs in order: each run gets the same number of results. The cost
 * of a run is the mean of its results. */
static pprofc_status benches_give(const struct benches *b, pprofc_verdict_run *runs, size_t count,
                                  pprofc_error *error) {
  if (!count || b->count % count)
    return error_set(error, PPROFC_E_INVALID,
                     "'%s' has %zu results of %.*s for %zu runs: give the same number for each "
                     "run, in the order of the runs",
                     b->path, b->count, STR_ARG(str_slice(b->name, 0, 100)), count);
  size_t each = b->count / count;
  for (size_t r = 0; r < count; r++) {
    double sum = 0;
    for (size_t i = 0; i < each; i++) sum += b->values[r * each + i];
    runs[r].per_operation = sum / (double)each;
  }
  return PPROFC_OK;
}

static void benches_free(struct benches *b) {
  ARRAY_FREE(&mem_default, b->values, b->capacity);
  pprofc_bench_free(b->set);
}

static pprofc_status benches_find_measure(const pprofc_report_options *options,
                                          const struct noise_runs *runs,
                                          struct bench_measure *measure, pprofc_error *error) {
  const pprofc_profile *p = runs->items[0].profile;
  const char *index = options->sample_index ? options->sample_index : "";
  size_t value;
  pprofc_status status = value_select(p, str_of(index), &value, error);
  if (status) return status;
  *measure = benches_measure(p, p->types[value]);
  if (measure->factor > 0) return PPROFC_OK;
  pprofc_str name = str_slice(profile_type(p, value), 0, 100);
  return error_set(error, PPROFC_E_INVALID, "-bench_base: the benchmarks have no unit for %.*s",
                   STR_ARG(name));
}

static pprofc_status benches_match_sides(struct benches side[2], const struct noise_runs *runs,
                                         const struct bench_measure *measure,
                                         char shown[BENCHES_TEXT], pprofc_error *error) {
  size_t bases = runs->bases;
  pprofc_status status = PPROFC_OK;
  for (int i = 0; i < 2 && !status; i++) status = benches_read(&side[i], measure, error);
  if (!status && !str_equal(side[0].name, side[1].name))
    status = error_set(error, PPROFC_E_INVALID, "'%s' has the benchmark %.*s, '%s' %.*s",
                       side[0].path, STR_ARG(str_slice(side[0].name, 0, 100)), side[1].path,
                       STR_ARG(str_slice(side[1].name, 0, 100)));
  if (!status) status = benches_give(&side[0], runs->items, bases, error);
  if (!status) status = benches_give(&side[1], runs->items + bases, runs->count - bases, error);
  if (!status)
    snprintf(shown, BENCHES_TEXT, "%.*s, %s", STR_ARG(str_slice(side[0].name, 0, 150)),
             measure->unit);
  return status;
}

pprofc_status benches_match(const pprofc_report_options *options, const struct noise_options *n,
                            const struct noise_runs *runs, char shown[BENCHES_TEXT],
                            pprofc_error *error) {
  struct bench_measure measure;
  struct regex *wanted = NULL;
  *shown = '\0';
  if (!*n->bench_base) return PPROFC_OK;
  pprofc_status status = benches_find_measure(options, runs, &measure, error);
  if (!status && *n->bench) {
    status = regex_compile(&mem_default, str_of(n->bench), &wanted, error);
    if (status) error_prefix(error, "-bench: ");
  }
  struct benches side[2] = {{.path = n->bench_base, .wanted = wanted},
                            {.path = n->bench_head, .wanted = wanted}};
  if (!status) status = benches_match_sides(side, runs, &measure, shown, error);
  for (int i = 0; i < 2; i++) benches_free(&side[i]);
  regex_free(wanted);
  return status;
}
