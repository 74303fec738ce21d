/* Prints the result for a terminal or a log. Regressions come first, the totals last. */
#include "gate/print/print.h"

static void text_put_name(struct buffer *out, const struct gate_row *row) {
  buffer_printf(out, "%.*s %.*s", STR_ARG(row->name), STR_ARG(row->unit));
  if (row->group.size) buffer_printf(out, " (%.*s)", STR_ARG(row->group));
}

/* Appends "1.025u -> 1.027u". */
static void text_put_values(struct buffer *out, const struct gate *gate,
                            const struct gate_row *row) {
  if (!row->in_base || !row->in_head) return;
  buffer_add_text(out, "  ");
  gate_print_value(out, row->base, row->unit);
  buffer_add_text(out, " \xE2\x86\x92 ");
  gate_print_value(out, row->head, row->unit);
  buffer_add_text(out, "  ");
  gate_print_effect(out, gate, row);
}

static void text_put_row(struct buffer *out, const struct gate *gate, const struct gate_row *row) {
  buffer_printf(out, "%s: ", gate_row_verdict(row));
  text_put_name(out, row);
  text_put_values(out, gate, row);
  gate_print_remarks(out, gate, row);
  buffer_add_char(out, '\n');
}

/* True if both rows come from one line of a table, which the report prints once. */
static bool same_line(const struct gate_row *a, const struct gate_row *b) {
  return a->line == b->line && str_equal(a->file, b->file);
}

static void put_regressions(struct buffer *out, const struct gate *gate) {
  const struct gate_row *last = NULL;
  for (size_t i = 0; i < gate->row_count; i++) {
    const struct gate_row *row = &gate->rows[i];
    if (row->verdict != PPROFC_GATE_REGRESSED) continue;
    if (!row->text.size)
      text_put_row(out, gate, row);
    else if (!last || !same_line(last, row))
      buffer_printf(out, "%.*s:%zu: %.*s\n", STR_ARG(row->file), row->line, STR_ARG(row->text));
    last = row;
  }
}

static void put_prefixed(struct buffer *out, const char *prefix, pprofc_str lines) {
  pprofc_str line;
  while (str_next_line(&lines, &line))
    if (line.size) buffer_printf(out, "%s: %.*s\n", prefix, STR_ARG(line));
}

#define TESTS_MAX 8

struct tests {
  const char *names[TESTS_MAX];
  size_t count;
};

static void put_test(struct buffer *out, struct tests *tests, const char *name) {
  for (size_t i = 0; i < tests->count; i++)
    if (strcmp(tests->names[i], name) == 0) return;
  if (tests->count == TESTS_MAX) return;
  buffer_printf(out, "%s%s", tests->count ? ", " : "test: ", name);
  tests->names[tests->count++] = name;
}

/* Lists the tests that decided rows, each test once. */
static void put_tests(struct buffer *out, const struct gate *gate) {
  struct tests tests = {.count = 0};
  for (size_t test = 0; test < GATE_TESTS; test++)
    for (size_t i = 0; i < gate->row_count; i++) {
      const struct gate_row *row = &gate->rows[i];
      if (gate_was_judged(row) && !row->constant && row->tests[test].tested)
        put_test(out, &tests, row->tests[test].test);
    }
  if (tests.count) buffer_add_text(out, "; ");
}

static bool used_earlier_runs(const struct gate *gate) {
  for (size_t i = 0; i < gate->row_count; i++)
    if (gate_was_judged(&gate->rows[i]) && gate->rows[i].between > 0) return true;
  return false;
}

/* Appends "test: Welch; threshold 5%, alpha 0.05 after Benjamini-Hochberg over 36 p-values". */
static void put_method(struct buffer *out, const struct gate *gate) {
  static const char *const corrections[] = {"Benjamini-Hochberg", "Holm", "no correction"};
  const struct gate_settings *s = &gate->settings;
  bool tested = s->test != PPROFC_GATE_NONE || used_earlier_runs(gate);
  if (tested) put_tests(out, gate);
  buffer_printf(out, "threshold %.4g%%", 100 * s->threshold);
  if (tested && gate->family)
    buffer_printf(out, ", alpha %.4g after %s over %zu p-values", s->alpha,
                  corrections[s->correction], gate->family);
  buffer_add_char(out, '\n');
}

/* Appends "time: CPU time of 14, wall time of 3 benchmarks (-time)". */
static void put_times(struct buffer *out, const struct gate *gate) {
  if (!gate->cpu_times && !gate->wall_times) return;
  buffer_printf(out, "time: CPU time of %zu, wall time of %zu benchmarks (-time)\n",
                gate->cpu_times, gate->wall_times);
}

static void text_put_text(struct buffer *out, const struct gate *gate, bool all) {
  size_t *order = gate_order(gate);
  if (!order) {
    out->failed = true;
    return;
  }
  put_regressions(out, gate);
  for (size_t i = 0; i < gate->row_count; i++) {
    const struct gate_row *row = &gate->rows[order[i]];
    if (row->verdict != PPROFC_GATE_REGRESSED && gate_is_listed(row, all))
      text_put_row(out, gate, row);
  }
  mem_free(gate->mem, order, gate->row_count, sizeof *order);
  put_prefixed(out, "warning", buffer_str(&gate->warnings));
  put_prefixed(out, "problem", buffer_str(&gate->problems));
  put_method(out, gate);
  put_times(out, gate);
  gate_print_visible_changes(out, gate);
  buffer_add_text(out, "result: ");
  gate_print_result(out, gate);
  buffer_add_char(out, '\n');
  gate_print_totals(out, gate);
}

void gate_print_text(struct buffer *out, const struct gate *gate, bool all) {
  gate_print_guarded(out, gate, all, text_put_text);
}
