/* Checks that the gate, with its current settings, finds the regressions in artificial results. */
#include "gate/selftest/selftest.h"
#include "gate/read/read.h"

/* Returns the change of the artificial regressions: twice the threshold plus 0.1. */
static double planted(const struct gate *gate) {
  return 2 * gate->settings.threshold + 0.1;
}

/* Appends `count` samples of a benchmark that differ by less than 1 %. */
static void selftest_put_samples(struct buffer *out, const char *name, double value,
                                 const char *unit, size_t count) {
  for (size_t i = 0; i < count; i++)
    buffer_printf(out, "Benchmark%s 1 %.9g %s\n", name,
                  value * (1 + 0.001 * (double)((i * 7) % 10)), unit);
}

static void put_run(struct buffer *out, const struct gate *gate, bool head) {
  size_t count = gate->settings.min_samples > 10 ? gate->settings.min_samples : 10;
  double change = 1 + planted(gate);
  selftest_put_samples(out, "SelftestSlower", head ? 1e6 * change : 1e6, "ns/op", count);
  selftest_put_samples(out, "SelftestThroughput", head ? 1e3 / change / change : 1e3, "MB/s",
                       count);
  selftest_put_samples(out, "SelftestSame", 1e6, "ns/op", count);
  for (size_t i = 0; i < count; i++)
    buffer_printf(out, "BenchmarkSelftestAllocates 1 %d allocs/op\n", head ? 1000 : 0);
}

static void selftest_put_table(struct buffer *out, const struct gate *gate) {
  buffer_add_text(out, "               \xE2\x94\x82   old.txt   \xE2\x94\x82             new.txt"
                       "              \xE2\x94\x82\n"
                       "               \xE2\x94\x82   sec/op    \xE2\x94\x82   sec/op     vs base"
                       "              \xE2\x94\x82\n");
  buffer_printf(
      out, "SelftestTable    1.000m \xC2\xB1 0%%   %.3fm \xC2\xB1 0%%  %+.2f%% (p=0.000 n=%zu)\n",
      1 + planted(gate), 100 * planted(gate),
      gate->settings.min_samples > 10 ? gate->settings.min_samples : (size_t)10);
}

/* Copies settings and rules, because judging counts the uses of each rule. */
static bool copy_settings(struct gate *copy, const struct gate *gate) {
  const struct gate_settings *s = &gate->settings;
  copy->settings = *s;
  copy->settings.directions = NULL;
  copy->settings.direction_count = copy->settings.direction_capacity = 0;
  copy->settings.rules = mem_array(copy->mem, s->rule_count, sizeof *s->rules);
  copy->settings.rule_capacity = s->rule_count;
  if (!copy->settings.rules) {
    copy->settings.rule_capacity = copy->settings.rule_count = 0;
    return false;
  }
  for (size_t i = 0; i < s->rule_count; i++) {
    copy->settings.rules[i] = s->rules[i];
    copy->settings.rules[i].used = 1; /* avoids the warning that the rule matches no row */
  }
  for (size_t i = 0; i < s->direction_count; i++)
    if (!gate_add_direction(copy, s->directions[i].unit, s->directions[i].direction)) return false;
  return true;
}

static pprofc_status read_planted(struct gate *copy, pprofc_bench *set, struct buffer *texts,
                                  pprofc_error *error) {
  put_run(&texts[0], copy, false);
  put_run(&texts[1], copy, true);
  selftest_put_table(&texts[2], copy);
  if (texts[0].failed || texts[1].failed || texts[2].failed) return error_nomem(error);
  pprofc_status status =
      pprofc_bench_read(set, "base", "base", texts[0].data, texts[0].size, error);
  if (status == PPROFC_OK)
    status = pprofc_bench_read(set, "head", "head", texts[1].data, texts[1].size, error);
  if (status == PPROFC_OK) status = gate_read_raw(copy, set, error);
  if (status == PPROFC_OK)
    status = gate_read_tables(copy, STR("selftest"), buffer_str(&texts[2]), error);
  return status;
}

/* Checks that every benchmark regressed, except for the unchanged benchmark. */
static bool selftest_check(struct gate *gate, const struct gate *copy) {
  size_t wrong = 0;
  for (size_t i = 0; i < copy->row_count; i++) {
    bool same = str_equal(copy->rows[i].name, STR("SelftestSame"));
    if ((copy->rows[i].verdict == PPROFC_GATE_REGRESSED) == !same) continue;
    wrong++;
    gate_problem(gate, "planted %.*s %.*s is %s", STR_ARG(copy->rows[i].name),
                 STR_ARG(copy->rows[i].unit), pprofc_gate_verdict_name(copy->rows[i].verdict));
  }
  if (gate_exit_status(copy) != 2)
    gate_problem(gate, "planted regressions give status %d: %.*s", gate_exit_status(copy),
                 STR_ARG(buffer_str(&copy->problems)));
  return wrong == 0 && copy->row_count == 5 && gate_exit_status(copy) == 2;
}

pprofc_status gate_selftest(struct gate *gate, const char *today, bool *good, pprofc_error *error) {
  struct gate copy;
  struct buffer texts[3];
  gate_init(&copy, gate->mem);
  for (size_t i = 0; i < 3; i++) buffer_init(&texts[i], gate->mem, 1 << 24);
  pprofc_bench *set = pprofc_bench_new(gate->mem);
  pprofc_status status = set && copy_settings(&copy, gate) ? PPROFC_OK : error_nomem(error);
  if (status == PPROFC_OK) status = read_planted(&copy, set, texts, error);
  if (status == PPROFC_OK) status = gate_judge(&copy, today, error);
  if (status == PPROFC_OK) *good = selftest_check(gate, &copy);
  for (size_t i = 0; i < 3; i++) buffer_free(&texts[i]);
  gate_free(&copy);
  pprofc_bench_free(set);
  return status;
}
