/* How far benchmarks swing by themselves, learned from earlier runs. */
#include "core/log_guard.h"
#include "gate/gate.h"

#include <math.h>
#include <stdlib.h>

void gate_noise_key(struct buffer *out, pprofc_str group, pprofc_str name, pprofc_str unit) {
  escape_line(out, group); /* as rows have it */
  buffer_add_char(out, '\0');
  escape_line(out, name);
  buffer_add_char(out, '\0');
  gate_unit_canonical(out, unit);
}

/* One measurement: of which benchmark, in which run. */
struct noise_value {
  uint32_t key, run;
  double value;
};

static int by_key_and_run(const void *a, const void *b) {
  const struct noise_value *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  if (x->run != y->run) return x->run < y->run ? -1 : 1;
  return (x->value > y->value) - (x->value < y->value);
}

static bool gate_noise_collect(struct gate *gate, const pprofc_bench *set,
                               struct noise_value *values) {
  size_t count, value_count, k = 0;
  const uint32_t *units;
  const pprofc_bench_result *results = pprofc_bench_results(set, &count);
  const double *numbers = pprofc_bench_values(set, &units, &value_count);
  struct buffer key;
  buffer_init(&key, gate->mem, SIZE_MAX / 2);
  bool good = true;
  for (size_t i = 0; i < count && good; i++)
    for (size_t v = results[i].first_value; v < results[i + 1].first_value && good; v++) {
      buffer_clear(&key);
      gate_noise_key(&key, pprofc_bench_result_config(set, i, STR("pkg")),
                     pprofc_bench_string(set, results[i].name), pprofc_bench_unit(set, units[v]));
      uint32_t id = interner_copy(&gate->noise_keys, &gate->arena, buffer_str(&key));
      good = id != MAP_NONE && !key.failed;
      values[k++] = (struct noise_value){id, results[i].input, numbers[v]};
    }
  buffer_free(&key);
  return good;
}

static double gate_noise_median_of(const struct noise_value *values, size_t count) {
  size_t half = count / 2;
  return count % 2 ? values[half].value : (values[half - 1].value + values[half].value) / 2;
}

/* The swing of one benchmark: from the lowest median of a run to the highest. */
static double swing_of(const struct noise_value *values, size_t count) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (size_t i = 0, end; i < count; i = end) {
    for (end = i; end < count && values[end].run == values[i].run;) end++;
    double middle = gate_noise_median_of(values + i, end - i);
    low = fmin(low, middle);
    high = fmax(high, middle);
  }
  return low > 0 && isfinite(high) ? (high - low) / low : 0;
}

pprofc_status gate_learn_noise(struct gate *gate, const pprofc_bench *set, pprofc_error *error) {
  size_t count, n = 0;
  if (pprofc_bench_inputs(set) < 2)
    gate_problem(gate, "noise is learned from two runs and more, but there is %s",
                 pprofc_bench_inputs(set) ? "one" : "none");
  (void)pprofc_bench_values(set, NULL, &count);
  struct noise_value *values = mem_array(gate->mem, count, sizeof *values);
  if (!values) return error_nomem(error);
  bool good = gate_noise_collect(gate, set, values);
  if (good) qsort(values, count, sizeof *values, by_key_and_run);
  for (size_t i = 0, end; i < count && good; i = end) {
    for (end = i; end < count && values[end].key == values[i].key;) end++;
    double swing = swing_of(values + i, end - i);
    buffer_add(&gate->noise, &swing, sizeof swing); /* keys are numbered from 0 without gaps */
    n++;
  }
  mem_free(gate->mem, values, count, sizeof *values);
  if (!good || gate->noise.failed) return error_nomem(error);
  if (!n) gate_problem(gate, "the earlier runs hold no benchmark results");
  return PPROFC_OK;
}
