/* Implements the functions that all formats share: effects, values, totals, remarks and the order
 * of rows. */
#include "gate/print/print.h"

#define MINUS_PLUS_INFINITY "\xE2\x88\x9E"
#define ARROW               "\xE2\x86\x92"

void gate_print_guarded(struct buffer *out, const struct gate *gate, bool all,
                        gate_printer *print) {
  struct buffer text = buffer_make(gate->mem, SIZE_MAX / 2);
  print(&text, gate, all);
  escape_log(out, buffer_str(&text), true);
  out->failed |= text.failed;
  buffer_free(&text);
}

static void put_percent(struct buffer *out, double value) {
  if (isinf(value))
    buffer_add_text(out, value > 0 ? "+" MINUS_PLUS_INFINITY "%" : "-" MINUS_PLUS_INFINITY "%");
  else
    buffer_printf(out, "%+.2f%%", 100 * value);
}

/* Prints p with enough digits to show whether it is above or below alpha. */
static void put_p(struct buffer *out, double p, double alpha) {
  char text[64];
  for (int digits = 1; digits <= 16; digits++) {
    double shown;
    if (p > 0 && p < 0.0001)
      snprintf(text, sizeof text, "%.*e", digits, p);
    else
      snprintf(text, sizeof text, "%.*f", digits + 3, p);
    if (str_parse_float(str_of(text), &shown) && (shown <= alpha) == (p <= alpha)) break;
  }
  buffer_add_text(out, text);
}

void gate_print_effect(struct buffer *out, const struct gate *gate, const struct gate_row *row) {
  if (gate_is_from_zero(row))
    buffer_printf(out, "0 " ARROW " %.4g", row->head);
  else if (isnan(row->delta))
    buffer_add_char(out, '~');
  else
    put_percent(out, row->delta);
  if (!isnan(row->low) && !isnan(row->high)) {
    buffer_add_text(out, " [");
    put_percent(out, row->low);
    buffer_add_text(out, ", ");
    put_percent(out, row->high);
    buffer_add_char(out, ']');
  }
  if (row->constant) {
    buffer_add_text(out, row->exact ? " exact" : " constant");
  } else if (row->tested && gate_was_corrected(gate, row)) {
    bool corrected = gate->settings.correction != PPROFC_GATE_UNCORRECTED;
    buffer_add_text(out, corrected ? " adjusted p=" : " p=");
    put_p(out, row->adjusted, row->alpha);
  }
  if (row->base_count || row->head_count)
    buffer_printf(out, " n=%zu+%zu", row->base_count, row->head_count);
}

void gate_print_value(struct buffer *out, double value, pprofc_str unit) {
  if (isnan(value)) {
    buffer_add_char(out, '-');
    return;
  }
  unit_print(out, unit_scale_of(value, unit_is_binary(unit)), value);
}

void gate_print_totals(struct buffer *out, const struct gate *gate) {
  buffer_printf(out, "%zu compared, %zu significant, %zu regressed, %zu missing\n", gate->compared,
                gate->significant, gate->regressed, gate->missing);
}

/* True if the result is inconclusive and nothing regressed. */
static bool gate_is_open(const struct gate *gate) {
  int status = gate_exit_status(gate);
  return status != 1 && status != 2 && gate_is_inconclusive(gate);
}

const char *gate_result_name(const struct gate *gate) {
  static const char *const names[] = {"pass", "no result", "regression", "doubtful"};
  return gate_is_open(gate) ? "inconclusive" : names[gate_exit_status(gate)];
}

void gate_print_result(struct buffer *out, const struct gate *gate) {
  buffer_add_text(out, gate_result_name(gate));
  if (!gate_is_open(gate)) return;
  const char *load = gate_overload(gate);
  if (load) {
    buffer_printf(out, ": could not be judged: the machine was overloaded (%s)", load);
    return;
  }
  buffer_printf(out, ": %zu of %zu benchmark%s could not be judged", gate->unjudged,
                gate->benchmarks, gate->benchmarks == 1 ? "" : "s");
  if (isnan(gate->visible_middle)) return;
  buffer_add_text(out, "; smallest visible change: ");
  gate_print_visible(out, gate->visible_middle);
  if (gate->visible_count > 1) buffer_add_text(out, " in the middle");
}

bool gate_is_listed(const struct gate_row *row, bool all) {
  return all || (row->verdict != PPROFC_GATE_UNCHANGED && row->verdict != PPROFC_GATE_IGNORED &&
                 row->verdict != PPROFC_GATE_ASIDE);
}

/* ---- order ------------------------------------------- */

int gate_rank(pprofc_gate_verdict verdict) {
  static const pprofc_gate_verdict order[] = {
      PPROFC_GATE_REGRESSED,     PPROFC_GATE_MISSING,      PPROFC_GATE_SUSPICIOUS,
      PPROFC_GATE_UNMEASURED,    PPROFC_GATE_INCONCLUSIVE, PPROFC_GATE_TOO_FEW,
      PPROFC_GATE_ACCEPTED,      PPROFC_GATE_IMPROVED,     PPROFC_GATE_NEW,
      PPROFC_GATE_INFORMATIONAL, PPROFC_GATE_IGNORED,      PPROFC_GATE_UNCHANGED,
      PPROFC_GATE_ASIDE};
  for (size_t i = 0; i < COUNT(order); i++)
    if (order[i] == verdict) return (int)i;
  return 0;
}

size_t *gate_order(const struct gate *gate) {
  size_t *order = mem_array(gate->mem, gate->row_count, sizeof *order);
  struct ranked *ranked = mem_array(gate->mem, gate->row_count, sizeof *ranked);
  if (order && ranked) {
    for (size_t i = 0; i < gate->row_count; i++)
      ranked[i] = (struct ranked){gate_rank(gate->rows[i].verdict), i};
    ranked_sort(ranked, gate->row_count);
    for (size_t i = 0; i < gate->row_count; i++) order[i] = ranked[i].index;
  }
  if (!ranked) {
    mem_free(gate->mem, order, gate->row_count, sizeof *order);
    order = NULL;
  }
  mem_free(gate->mem, ranked, gate->row_count, sizeof *ranked);
  return order;
}

/* ---- remarks ----------------------------------------- */

static void put_drift(struct buffer *out, const char *side, double trend, bool drifts) {
  if (!drifts) return;
  buffer_printf(out, "; drift: %s changes by ", side);
  put_percent(out, trend);
  buffer_add_text(out, " of its mean from first to last sample");
}

static void put_rule(struct buffer *out, const struct gate *gate, const struct gate_row *row) {
  if (row->rule == SIZE_MAX) return;
  const struct gate_rule *rule = &gate->settings.rules[row->rule];
  buffer_printf(out, "; rule of line %zu", rule->line);
  if (rule->reason.size) buffer_printf(out, ": %.*s", STR_ARG(rule->reason));
  if (rule->until.size)
    buffer_printf(out, " (%s %.*s)", rule->expired ? "expired on" : "until", STR_ARG(rule->until));
}

/* Writes the reason why a row is not significant although its numbers look like a change. */
static void put_insignificant(struct buffer *out, const struct gate *gate,
                              const struct gate_row *row) {
  if (row->aside) {
    bool counted = gate->rows[row->judged].exact;
    buffer_add_text(out, counted
                             ? "; instructions did not grow: the cause is the machine or the "
                               "memory system"
                             : "; CPU time did not get worse: it waits, or the machine was busy");
    return;
  }
  buffer_add_text(out, "; not significant");
  if (gate->settings.correction != PPROFC_GATE_UNCORRECTED && gate->family > 1)
    buffer_printf(out, " among %zu comparisons", gate->family);
  if (row->alpha != gate->settings.alpha) buffer_printf(out, " at alpha %.4g", row->alpha);
  for (size_t i = 1; i < GATE_TESTS; i++)
    if (row->tests[i].tested && row->tests[i].adjusted <= row->alpha) {
      buffer_printf(out, " by %s", row->test);
      return;
    }
}

static void put_inconclusive(struct buffer *out, const struct gate *gate,
                             const struct gate_row *row) {
  if (row->wanted > 0) return; /* gate_print_remarks prints the reason: the noise of counts */
  const char *doubt = gate_doubt(gate, row);
  if (doubt)
    buffer_printf(out, "; %s", doubt);
  else if (row->significant && !row->aside)
    buffer_printf(out, "; the threshold of %.4g%% lies within the interval", 100 * row->threshold);
  else
    put_insignificant(out, gate, row);
}

/* Writes the reason why a row that seems to have changed does not count as changed. */
static void put_verdict_reason(struct buffer *out, const struct gate *gate,
                               const struct gate_row *row) {
  if (row->verdict == PPROFC_GATE_TOO_FEW)
    buffer_printf(out, "; needs %zu samples of each version", gate->settings.min_samples);
  else if (row->verdict == PPROFC_GATE_UNMEASURED)
    buffer_add_text(out, "; a time of 0: nothing was measured");
  else if (row->screened && row->verdict == PPROFC_GATE_UNCHANGED)
    buffer_printf(out, "; did not look worse in %zu rounds", row->base_count);
  else if (row->verdict == PPROFC_GATE_ASIDE)
    buffer_printf(out, "; %s", row->aside);
  else if (row->verdict == PPROFC_GATE_INCONCLUSIVE)
    put_inconclusive(out, gate, row);
}

/* Warns if the test found a change smaller than `visible`, the smallest detectable change. */
static void put_barely_visible(struct buffer *out, const struct gate_row *row, double visible) {
  if (visible <= row->threshold || fabs(row->delta) >= visible) return;
  buffer_add_text(out, "; barely visible (");
  if (isinf(visible))
    buffer_add_text(out, "the samples vary too much for any size");
  else
    buffer_printf(out, "from %.3g%%", 100 * visible);
  buffer_add_text(out, "): the true change may be smaller");
}

/* Writes the size of the smallest change that the gate can detect in this row. If the row is
 * regressed or improved, writes this size only in a warning that the row's change is smaller. */
static void put_visible_change(struct buffer *out, const struct gate_row *row) {
  if (isnan(row->visible) || row->verdict == PPROFC_GATE_SUSPICIOUS) return;
  if (row->verdict == PPROFC_GATE_REGRESSED || row->verdict == PPROFC_GATE_IMPROVED) {
    put_barely_visible(out, row, row->visible);
  } else if (isinf(row->visible)) {
    buffer_add_text(out, "; no change would be visible");
  } else {
    buffer_printf(out, "; visible from %.3g%%", 100 * row->visible);
  }
  if (row->blind && isfinite(row->needed))
    buffer_printf(out, ", %.0f rounds would show %.4g%%", row->needed, 100 * row->threshold);
}

void gate_print_remarks(struct buffer *out, const struct gate *gate, const struct gate_row *row) {
  put_verdict_reason(out, gate, row);
  put_visible_change(out, row);
  if (row->rescaled) buffer_add_text(out, "; values divided by the speed of each round");
  if (row->noise > 0) buffer_printf(out, "; swings by %.2f%% without a change", 100 * row->noise);
  if (row->between > 0)
    buffer_printf(out, "; runs differ by %.3g%% without a change", 100 * expm1(row->between));
  put_drift(out, "base", row->base_trend, row->base_drifts);
  put_drift(out, "head", row->head_trend, row->head_drifts);
  put_rule(out, gate, row);
}

/* ---- visible changes --------------------------------- */

void gate_print_visible(struct buffer *out, double visible) {
  if (isnan(visible))
    buffer_add_char(out, '-');
  else if (isinf(visible))
    buffer_add_text(out, "none");
  else
    buffer_printf(out, "%.3g%%", 100 * visible);
}

static void visible_put_name(struct buffer *out, const struct gate_row *row) {
  buffer_printf(out, " (%.*s %.*s)", STR_ARG(row->name), STR_ARG(row->unit));
}

void gate_print_visible_changes(struct buffer *out, const struct gate *gate) {
  size_t n = gate->visible_count;
  if (!gate->tested || gate->settings.test == PPROFC_GATE_NONE) return;
  buffer_add_text(out, "smallest visible change: ");
  /* Printed tables have no samples, so the smallest visible change of their rows is unknown. */
  if (2 * n < gate->tested) {
    buffer_add_text(out, "not known from tables; compare the results themselves");
  } else {
    gate_print_visible(out, gate->visible_middle);
    if (n > 1) {
      buffer_printf(out, " in the middle of %zu comparisons, ", n);
      gate_print_visible(out, gate->visible_worst);
      buffer_add_text(out, " at worst");
    }
    visible_put_name(out, &gate->rows[gate->visible_row]);
  }
  if (gate->blind) buffer_printf(out, "; %zu could not have shown the threshold", gate->blind);
  if (gate->blind && isfinite(gate->needed_worst))
    buffer_printf(out, ", %.0f rounds would", gate->needed_worst);
  else if (gate->blind && isinf(gate->needed_worst))
    buffer_add_text(out, ", nor would 10000 rounds");
  buffer_add_char(out, '\n');
}

/* ---- formats ----------------------------------------- */

static const struct gate_format formats[] = {
    {"text", gate_print_text, true},         {"github", gate_print_github, true},
    {"markdown", gate_print_markdown, true}, {"json", gate_print_json, false},
    {"junit", gate_print_junit, false},      {"gitlab", gate_print_gitlab, false},
    {"csv", gate_print_csv, false},
};

const struct gate_format *gate_format_find(pprofc_str name) {
  return STR_ROW(name, formats);
}
